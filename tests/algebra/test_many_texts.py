"""Tests of many texts at once beside the same test of each text: catches a pattern that means something else there."""

from __future__ import annotations

import sys
from collections.abc import Callable
from random import Random
from types import FrameType

import pytest
from rdflib import Graph, Literal, Namespace

from kgreason import ReasoningStore
from kgreason.errors import FunctionError, QueryLimitError
from kgreason.rdf.regular_expressions import compiled, replaced
from kgreason.sparql.limits import Limits
from tests.thresholds import Tuned

EX = Namespace("http://example.org/")
PATTERNS = [
    ("^[aeiou].*(ite|ine)$", "i"), ("a.b", ""), ("a.b", "s"), ("^b", "m"), ("^b", ""), ("b$", ""), (r"\d", ""),
    (r"\.", ""), ("é", "i"), ("[^a-z]", ""), ("[^a-z]", "i"), (r"(a)\1", ""), ("a b", "x"), ("a.b", "q"),
    (r"\p{Lu}", ""), ("k", "i"), (r"[\x41]", ""), ("", ""), ("(", ""), ("a", "y"), ("a{1001}", ""), (r"\w\W", ""),
    ("[\u017f]", "i"), ("s", "i"),
]  # fmt: skip
LETTERS = "aAbBiteéÉ \n.1s\u017fk\u212a\0\u00df\U0001f600"


@pytest.fixture(scope="module")
def graph() -> Graph:
    random, graph = Random(3), Graph(store=ReasoningStore(rules="none"))
    texts = {"".join(random.choices(LETTERS, k=random.randrange(7))) for _ in range(400)}
    for number, text in enumerate(sorted(texts)):
        graph.add((EX[f"n{number}"], EX.text, Literal(text, lang="en" if number % 3 else None)))
    return graph


@pytest.mark.parametrize(("pattern", "flags"), PATTERNS)
def test_pattern_over_many_texts_matches_as_over_each(graph: Graph, pattern: str, flags: str) -> None:
    literal = Literal(pattern).n3()
    found = graph.query(f"SELECT ?t {{ ?x ?p ?t FILTER REGEX(?t, {literal}, {Literal(flags).n3()}) }}")

    try:
        search = compiled(pattern, flags).search
        expected = {str(text) for text in graph.objects() if search(str(text))}
    except FunctionError:
        expected = set()
    assert {str(text) for (text,) in found} == expected


@pytest.mark.parametrize("new", ["", "xx", "$0$0", "<$1|$2>", "$12", r"\\1\$", "$", "é$1\n"])
@pytest.mark.parametrize(
    ("pattern", "flags"),
    [
        *PATTERNS, ("(a)|(b)", ""), ("(a)|(b)", "i"), (r"a|\b", ""), (r"\bb", ""), ("a*", ""), ("(i?(t)?)+e", ""),
        ("$", "m"), ("(a)(b)?(c)?(d)?(e)?(f)?(g)?(h)?(i)?(j)?(k)?(l)?", ""), (r"\\b", ""), ("a?$|i", "m"),
    ],
)  # fmt: skip
def test_replacement_in_many_texts_is_that_in_each(graph: Graph, pattern: str, flags: str, new: str) -> None:
    arguments = ", ".join(Literal(each).n3() for each in (pattern, new, flags))
    found = graph.query(f"SELECT ?t ?r {{ ?x ?p ?t BIND(REPLACE(?t, {arguments}) AS ?r) }}")

    expected = {}
    for text in graph.objects():
        try:
            expected[text] = Literal(replaced(str(text), pattern, new, flags), lang=text.language)
        except FunctionError:
            expected[text] = None
    assert dict(found) == expected


def test_texts_of_functions_within_functions_are_replaced(graph: Graph) -> None:
    query = 'SELECT ?t { ?x ?p ?t FILTER(CONCAT(REPLACE(UCASE(STR(?t)), "[A-E]", "-"), "!") = "-T!") }'

    found = {str(text) for (text,) in graph.query(query)}

    assert found == {str(text) for text in graph.objects() if str(text).upper() in ("AT", "BT", "CT", "DT", "ET")}


def test_text_that_a_replacement_makes_too_long_is_refused_among_many() -> None:
    texts = " ".join(f'"{"a" * 10}{number}"' for number in range(200))
    query = 'SELECT (MAX(STRLEN(REPLACE(?t, "a", "%s"))) AS ?n) { VALUES ?t { %s "%s" } }'
    graph = Graph(store=ReasoningStore(rules="none"))

    (row,) = graph.query(query % ("b" * 1000, texts, "a" * 1000))
    assert row.n.toPython() == 1_000_000
    with pytest.raises(QueryLimitError, match="characters"):
        list(graph.query(query % ("b" * 1000, texts, "a" * 70_000)))


def test_replacement_in_many_texts_calls_nothing_for_each(graph: Graph) -> None:
    calls = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal calls
        calls += event == "call" and "regular_expressions" in frame.f_code.co_filename

    sys.setprofile(count)
    try:
        rows = [*graph.query('SELECT (REPLACE(?t, "[aeiou]", "-") AS ?r) { ?x ?p ?t }')]
    finally:
        sys.setprofile(None)

    assert len(rows) > 200
    assert calls < 20


CASES: dict[str, Callable[[str], str]] = {
    "": str,
    "LCASE": str.lower,
    "UCASE": str.upper,
    "LCASE(STR": str.lower,
    "UCASE(LCASE": lambda text: text.lower().upper(),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("wanted", ["", "a", "\u017f", "s", "SS", "K", "\u212a", "é", "É", "bt", " \n", "\0"])
@pytest.mark.parametrize(
    ("function", "test"),
    [("CONTAINS", str.__contains__), ("STRSTARTS", str.startswith), ("STRENDS", str.endswith)],
)
def test_many_texts_pass_as_each_does(
    graph: Graph, function: str, test: Callable[[str, str], bool], wanted: str, case: str
) -> None:
    subject = f"{case}(?t{')' * (1 + case.count('('))}" if case else "?t"
    written = Literal(wanted).n3().replace("\0", "\\u0000")
    found = graph.query(f"SELECT ?t {{ ?x ?p ?t FILTER {function}({subject}, {written}) }}")

    expected = {str(text) for text in graph.objects() if test(CASES[case](str(text)), wanted)}
    assert {str(text) for (text,) in found} == expected


@pytest.mark.parametrize("function", ["CONTAINS", "REGEX"])
def test_iris_are_looked_at_as_they_are(graph: Graph, function: str) -> None:
    found = graph.query(f'SELECT ?x {{ ?x ?p ?t FILTER {function}(STR(?x), "n1") }}')
    wrong = graph.query(f'SELECT ?x {{ ?x ?p ?t FILTER {function}(?x, "n1") }}')

    assert {name for (name,) in found} == {name for name in graph.subjects() if "n1" in name}
    assert len(wrong) == 0


def test_texts_of_groups_are_joined_group_by_group() -> None:
    graph, random = Graph(store=ReasoningStore(rules="none")), Random(4)
    expected: dict[str, list[str]] = {}
    for number in range(300):
        name, text = f"g{random.randrange(90)}", str(number)
        graph.add((EX[name], EX.text, Literal(text)))
        expected.setdefault(name, []).append(text)

    rows = graph.query('SELECT ?g (GROUP_CONCAT(?t; separator="|") AS ?all) { ?g ?p ?t } GROUP BY ?g')
    found = {str(group).removeprefix(str(EX)): sorted(str(joined).split("|")) for group, joined in rows}

    assert found == {name: sorted(texts) for name, texts in expected.items()}


READING = [
    'REGEX(?t, "é")', 'CONTAINS(?t, "a")', 'STRENDS(LCASE(?t), "a")', 'STRLEN(?t) > 100', 'LCASE(?t) = "a"',
    'REPLACE(?t, "a", "b") = "b"', 'MD5(?t) = "x"', '?t < "b"', 'STRDT(STR(?t), ex:d) = 1', 'LANG(?t) = "en"',
    'STRDT(STR(?t), <http://www.w3.org/2001/XMLSchema#integer>) = 1', 'CONCAT(?t, "x") = "x"',
    '<http://www.w3.org/2001/XMLSchema#integer>(?t) = 1', 'STRBEFORE(?t, "i") = "a"',
]  # fmt: skip


@pytest.mark.parametrize("least", [1, 1 << 14])
@pytest.mark.parametrize("test", READING)
def test_clock_is_looked_at_while_long_texts_are_read(
    test: str, least: int, tuned: Tuned, monkeypatch: pytest.MonkeyPatch
) -> None:
    random, graph = Random(4), Graph(store=ReasoningStore(rules="none"))
    texts = ["".join(random.choices("aAbBiteéÉ 1s", k=200)) for _ in range(300)]
    tuned(SEGMENT_LEAST=least)
    graph.addN(
        (EX[f"n{number}"], EX.text, Literal(text, lang="en" if number % 3 else None), graph)
        for number, text in enumerate(texts)
    )
    graph.addN((EX[f"n{number}"], EX.other, EX.o, graph) for number in range(300))
    graph.store.commit()
    query = f"SELECT ?x {{ ?x ex:text ?t ; ex:other ?u FILTER({test}) }}"
    expected = {*graph.query(query, initNs={"ex": EX})}
    looks, check = [0], Limits.check

    def counted(limits: Limits, rows: int = 0) -> None:
        looks[0] += 1
        check(limits, rows)

    again = Graph(store=ReasoningStore(rules="none"))
    again.addN((*triple, again) for triple in graph)
    again.store.commit()
    tuned(TEXT_BYTES=1 << 11)
    monkeypatch.setattr(Limits, "check", counted)
    assert {*again.query(query, initNs={"ex": EX})} == expected
    assert looks[0] >= 300 * 200 // (1 << 11)
