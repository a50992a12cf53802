"""MIN, MAX and GROUP_CONCAT of many texts beside Python's min, max and join.

Would catch texts that are told apart by too few bytes, a text that is the beginning of another one (also with a zero
behind it), and rows that go to the text of another group.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from rdflib import Graph, Literal, Namespace, URIRef
from rdflib.term import Identifier

from kgreason import ReasoningStore
from tests.thresholds import tuning_context

EX = Namespace("http://example.org/")
PREFIX = f"@prefix ex: <{EX}> .\n"
RULES = f"""{PREFIX}
[?g, ex:min, #min(?t)], [?g, ex:max, #max(?t)], [?g, ex:all, #group_concat(?t; SEPARATOR="|é")] :- ex:text(?g, ?t) .
"""
LETTERS = "ab\0é\U0001f600\uffff"


def _random(random: Random) -> str:
    return "".join(random.choices(LETTERS, k=random.randrange(20)))


def _alike(random: Random) -> str:
    """All begin with the same 13 bytes, and most go on with the same ones."""
    return "the same text" + "x" * random.randrange(40) + str(random.randrange(10))


def _ended(random: Random) -> str:
    """One is the beginning of another one, or differs in zeros behind it alone."""
    return "a" * random.randrange(18) + "\0" * random.randrange(18)


def _long(random: Random) -> str:
    return "y" * 400 + str(random.randrange(2000))


KINDS: dict[str, Callable[[Random], str]] = {"random": _random, "alike": _alike, "ended": _ended, "long": _long}


@pytest.fixture(params=[*KINDS])
def groups(request: pytest.FixtureRequest) -> dict[URIRef, set[str]]:
    random, found = Random(5), dict[URIRef, set[str]]()
    for _ in range(3000):
        found.setdefault(EX[f"g{random.randrange(400)}"], set()).add(KINDS[request.param](random))
    return found


def _graph(groups: dict[URIRef, set[str]], rules: str, term: Callable[[str], Identifier] = Literal) -> Graph:
    graph = Graph(store=ReasoningStore(rules=rules))
    graph.addN((group, EX.text, term(text), graph) for group, texts in groups.items() for text in texts)
    return graph


def test_rules_give_what_python_gives(groups: dict[URIRef, set[str]]) -> None:
    graph = _graph(groups, RULES)

    for group, texts in groups.items():
        assert str(graph.value(group, EX.min)) == min(texts)
        assert str(graph.value(group, EX.max)) == max(texts)
        assert str(graph.value(group, EX["all"])) == "|é".join(sorted(texts))


def test_queries_give_what_python_gives(groups: dict[URIRef, set[str]]) -> None:
    graph = _graph(groups, "none")
    wanted = '(MIN(?t) AS ?least) (MAX(?t) AS ?most) (GROUP_CONCAT(?t; separator="|é") AS ?all)'

    found = {row[0]: row[1:] for row in graph.query(f"SELECT ?g {wanted} {{ ?g ?p ?t }} GROUP BY ?g")}

    assert found.keys() == groups.keys()
    for group, texts in groups.items():
        least, most, together = map(str, found[group])
        assert (least, most) == (min(texts), max(texts))
        assert sorted(together.split("|é")) == sorted(texts)


@pytest.mark.parametrize("rows", [1, 7, 100])
def test_texts_are_looked_at_in_pieces(groups: dict[URIRef, set[str]], rows: int) -> None:
    together = {EX[f"g{number}"]: set[str]() for number in range(3)}
    for number, texts in enumerate(groups.values()):
        together[EX[f"g{number % 3}"]] |= texts

    with tuning_context() as tuned:
        tuned(TEXT_ROWS=rows)
        graph = _graph(together, RULES)

        for group, texts in together.items():
            assert str(graph.value(group, EX.min)) == min(texts)
            assert str(graph.value(group, EX.max)) == max(texts)
            assert str(graph.value(group, EX["all"])) == "|é".join(sorted(texts))


def test_iris_go_by_their_characters(groups: dict[URIRef, set[str]]) -> None:
    named = {group: {f"{EX}{text.encode().hex()}" for text in texts} for group, texts in groups.items()}
    graph = _graph(named, RULES, URIRef)

    for group, texts in named.items():
        assert str(graph.value(group, EX.min)) == min(texts)
        assert str(graph.value(group, EX.max)) == max(texts)
        assert str(graph.value(group, EX["all"])) == "|é".join(sorted(texts))


def test_texts_with_a_language_come_behind_those_without(groups: dict[URIRef, set[str]]) -> None:
    graph = _graph(groups, RULES)
    graph.addN((group, EX.text, Literal("", lang="en"), graph) for group in groups)

    for group, texts in groups.items():
        assert graph.value(group, EX.min) == Literal(min(texts))
        assert graph.value(group, EX.max) == Literal("", lang="en")


def test_a_group_with_a_blank_node_has_no_text(groups: dict[URIRef, set[str]]) -> None:
    graph = _graph(groups, RULES)
    first, *others = groups
    graph.update(f"INSERT {{ <{first}> <{EX.text}> _:b }} WHERE {{}}")

    assert graph.value(first, EX["all"]) is None
    for group in others:
        assert str(graph.value(group, EX["all"])) == "|é".join(sorted(groups[group]))
