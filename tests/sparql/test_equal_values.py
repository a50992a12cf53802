"""Parts of a pattern that only a filter for equal values connects: joined by the values, with the rows of all pairs.

Would catch a key that tells equal values apart, and a filter that is asked of the wrong part, too early or never.
"""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest
from rdflib import Graph

from kgreason import ReasoningStore
from kgreason.algebra.expressions.equality_keys import has_singles, term_keys, value_keys
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import FunctionError, QueryLimitError
from kgreason.rdf.model import IRI, Literal, Term, TripleTerm, same_term
from kgreason.rdf.value_comparison import compared
from kgreason.rdf.vocabulary import XSD
from tests.profiles import examples
from tests.sparql.literals import NUMBERS, TERMS, typed
from tests.sparql.peer_rows import Peers, peers_with, rows_of, rows_of_peer

TRIPLES: list[Term] = [
    TripleTerm(IRI("urn:a"), IRI("urn:p"), object) for object in (IRI("urn:a"), *typed("integer", "1", "01", "2"))
]
WITHOUT_SINGLES = [term for term in NUMBERS if not (isinstance(term, Literal) and term.datatype == XSD + "float")]
EX = "http://e/"
PREFIX = f"PREFIX ex: <{EX}> "


def are_equal(left: Term, right: Term) -> bool:
    try:
        return compared("=", left, right)
    except FunctionError:
        return False


@pytest.mark.parametrize("terms", [TERMS + TRIPLES, WITHOUT_SINGLES], ids=["all", "without floats"])
def test_equal_values_have_the_same_key(terms: list[Term]) -> None:
    local = LocalTerms(Dictionary())
    # Some are in the dictionary, others are the query's.
    for term in terms[::2]:
        local.dictionary.encode(term)
    ids = np.array([local.encode(term) for term in terms], dtype=np.uint32)

    keys, there = value_keys(ids, local, has_singles(ids, local))
    same, _ = term_keys(ids)

    equal = [(i, j) for i, j in product(range(len(terms)), repeat=2) if are_equal(terms[i], terms[j])]
    assert len(equal) > len(terms)
    for i, j in equal:
        assert there[i], terms[i]
        assert keys[i] == keys[j], f"{terms[i]} = {terms[j]}"
    assert len({*keys[there].tolist()}) > len(terms) / 3
    assert all((same[i] == same[j]) == (ids[i] == ids[j]) for i, j in product(range(len(terms)), repeat=2))


def test_what_is_unbound_is_equal_to_nothing() -> None:
    local = LocalTerms(Dictionary())
    ids = local.encode_keys([f'"NaN"^^{XSD}double', "urn:a"])
    ids[1] = UNBOUND

    assert not value_keys(ids, local, False)[1].any()
    assert term_keys(ids)[1].tolist() == [True, False]


# -- queries ---------------------------------------------------------------------------------------------------------

DATA = "".join(
    f'<{EX}a{n}> <{EX}name> "label {n % 40}"@en . <{EX}b{n}> <{EX}title> "Label {n * 3 % 60}" .'
    f'<{EX}a{n}> <{EX}size> {n % 7} . <{EX}b{n}> <{EX}weight> {n % 11}.0 .'
    f"<{EX}b{n}> <{EX}near> <{EX}a{n * 7 % 60}> .\n"
    for n in range(60)
)
PATTERNS = (
    "?a ex:size ?x . ?b ex:weight ?y FILTER (?x = ?y)",
    "?a ex:size ?x . ?b ex:weight ?y FILTER (?y = ?x && ?a != ?b && ?x > 2)",
    "?a ex:size ?x ; ex:name ?n . ?b ex:weight ?y ; ex:title ?t FILTER (?x = ?y && lcase(str(?n)) = lcase(?t))",
    "?a ex:name ?x . ?b ex:title ?y FILTER (lcase(str(?x)) = lcase(str(?y)))",
    "?a ex:size ?x . ?b ex:size ?y FILTER sameTerm(?x, ?y) FILTER (?a != ?b)",
    "?a ex:size ?x . ?b ex:weight ?y . ?c ex:size ?z FILTER (?x = ?y) FILTER (?y + 1 = ?z) FILTER (?a != ?c)",
    "?a ex:size ?x . ?b ex:weight ?y . ?c ex:near ?d FILTER (?x = ?y && ?d = ?a)",
    "?a ex:size ?x . ?b ex:weight ?y FILTER (?x = ?nothing || ?x = ?y)",
    "?a ex:size ?x OPTIONAL { ?b ex:weight ?y FILTER (?x = ?y && ?y > 2) }",
    "?a ex:size ?x OPTIONAL { ?b ex:weight ?y . ?c ex:title ?t FILTER (?x = ?y && str(?c) = str(?b)) }",
    "?a ex:name ?x FILTER EXISTS { ?b ex:title ?y FILTER (lcase(str(?x)) = lcase(?y)) }",
    "?a ex:name ?x FILTER NOT EXISTS { ?b ex:name ?y FILTER (?x = ?y && ?a != ?b) }",
    "{ ?a ex:size ?x } UNION { ?a ex:weight ?x } ?b ex:weight ?y FILTER (?x = ?y)",
    "?a ex:size ?x { SELECT ?b (MAX(?w) AS ?y) { ?b ex:weight ?w } GROUP BY ?b } FILTER (?x = ?y)",
    "?a ex:size ?x OPTIONAL { ?a ex:nothing ?z } ?b ex:weight ?y FILTER (?z = ?y)",
    "?a ex:size ?x . ?b ex:weight ?y FILTER (1 / ?x = ?y)",
    "?a ex:name ?x BIND (lcase(str(?x)) AS ?k) ?b ex:title ?y BIND (lcase(?y) AS ?m) FILTER (?k = ?m)",
    "?a ex:size ?x BIND (1 / ?x AS ?k) ?b ex:weight ?y FILTER (?k = ?y)",
    "?a ex:size ?x BIND (1 / ?x AS ?k) FILTER (BOUND(?k) = true)",
    "?a ex:size ?x BIND (?x + 1 AS ?k) FILTER (EXISTS { ?b ex:weight ?y FILTER (?y = ?k) } = true)",
    "?a ex:size ?x BIND (?x + 1 AS ?k) BIND (?k * 2 AS ?m) ?b ex:weight ?y FILTER (?m = ?y)",
    "?a ex:size ?x MINUS { ?a ex:name ?n . ?b ex:title ?t FILTER (lcase(str(?n)) = lcase(?t)) }",
    # Nothing connects these parts.
    "?a ex:size ?x . ?b ex:weight ?y FILTER (?x > 5)",
    "?a ex:size ?x . ?b ex:weight ?y FILTER (?x > 5) FILTER (?y < 2 || ?y = 7) FILTER (?x + ?y > 6)",
    "?a ex:size ?x . ?b ex:weight ?y . ?c ex:near ex:a1 FILTER (?x > 5 && strlen(str(?c)) < 12)",
    "?a ex:size ?x . ?b ex:weight ?y FILTER (?x > 9)",
    "?a ex:size ?x OPTIONAL { ?b ex:weight ?y FILTER (?y > 9) }",
    "?a ex:size ?x OPTIONAL { ?b ex:weight ?y . ?a ex:name ?n . ?c ex:size ?z FILTER (?y > 9 && ?z > 5) }",
    "?a ex:size 3 OPTIONAL { ?b ex:weight ?y . ?a ex:name ?n FILTER (?y > 9) }",
    "VALUES ?a { ex:a1 } OPTIONAL { ?a ex:name ?n . ?b ex:weight ?y . ?c ex:size ?z FILTER (?y > 9 && ?z > 5) }",
    "?a ex:size ?x FILTER EXISTS { ?b ex:weight ?y FILTER (?y > 9) }",
    "?a ex:size ?x . { ?b ex:weight ?y } UNION { ?b ex:size ?y } FILTER (?y > 5) FILTER (?x < 2)",
    "?a ex:size ?x . ?b ex:weight ?y FILTER (?x > 5 && EXISTS { ?b ex:title ?t })",
)


@pytest.fixture(scope="module")
def peers() -> Peers:
    return peers_with(DATA)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("selected", ["?a ?b", "DISTINCT ?a", "(COUNT(*) AS ?n)", "?b (COUNT(?a) AS ?n)"])
def test_rows_are_those_of_all_pairs(peers: Peers, pattern: str, selected: str) -> None:
    graph, peer = peers
    query = f"{PREFIX} SELECT {selected} {{ {pattern} }}" + (" GROUP BY ?b" if selected.startswith("?b (") else "")
    assert rows_of(graph, query) == rows_of_peer(peer, query)


@pytest.mark.parametrize("function", ["?x = ?y", "sameTerm(?x, ?y)"])
def test_rows_of_all_kinds_are_those_that_are_equal(function: str) -> None:
    random = Random(function)
    test = are_equal if "=" in function else same_term
    for pool in [TERMS + TRIPLES, WITHOUT_SINGLES] * examples(2):
        left, right = random.sample(pool, 25), random.sample(pool, 25)
        store = ReasoningStore(rules="none")
        sides = [(name, n, term) for name, terms in (("a", left), ("b", right)) for n, term in enumerate(terms)]
        lines = (f"<{EX}{name}{n}> <{EX}{name}> {term} .\n" for name, n, term in sides)
        store.bulk_load("".join(lines).encode(), format="nt")

        rows = Graph(store=store).query(f"{PREFIX} SELECT ?a ?b {{ ?a ex:a ?x . ?b ex:b ?y FILTER ({function}) }}")
        found = {(int(a.rpartition("a")[2]), int(b.rpartition("b")[2])) for a, b in rows}

        numbers = product(range(len(left)), range(len(right)))
        assert found == {(i, j) for i, j in numbers if test(left[i], right[j])}


def test_no_pairs_are_made_of_what_is_not_equal() -> None:
    graph = Graph(store=ReasoningStore(rules="none"))
    lines = (f'<{EX}a{n}> <{EX}p> "{n}" . <{EX}b{n}> <{EX}q> "{2 * n}"@en .' for n in range(3_000))
    graph.parse(data="\n".join(lines), format="turtle")
    condition = "FILTER (str(?x) = str(?y))"

    def count(pattern: str) -> int:
        return int(next(iter(graph.query(f"{PREFIX} SELECT (COUNT(*) AS ?n) {{ {pattern} }}", max_rows=5_000)))[0])

    assert count(f"?a ex:p ?x . ?b ex:q ?y {condition}") == 1_500
    assert count(f"?a ex:p ?x OPTIONAL {{ ?b ex:q ?y {condition} }}") == 3_000
    assert count(f"?a ex:p ?x FILTER EXISTS {{ ?b ex:q ?y {condition} }}") == 1_500
    with pytest.raises(QueryLimitError, match="more than 5,000"):
        count("?a ex:p ?x . ?b ex:q ?y FILTER (str(?x) < str(?y))")


def test_no_pairs_are_made_of_what_passes_no_filter_of_its_part() -> None:
    graph = Graph(store=ReasoningStore(rules="none"))
    lines = (f'<{EX}a{n}> a ex:A ; <{EX}p> {n} . <{EX}b{n}> a ex:B ; <{EX}q> {n} .' for n in range(3_000))
    graph.parse(data="\n".join([f"@prefix ex: <{EX}> .", *lines]), format="turtle")

    def count(pattern: str) -> int:
        rows = graph.query(f"{PREFIX} SELECT (COUNT(*) AS ?n) {{ {pattern} }}", max_rows=10_000)
        return int(next(iter(rows))[0])

    assert count("?a a ex:A . ?b a ex:B . ?b ex:q ?y FILTER (?y < 3)") == 9_000
    assert count("?a a ex:A ; ex:p ?x . ?b a ex:B ; ex:q ?y FILTER (?y < 30) FILTER (?x > 2989)") == 300
    assert count("?b a ex:B . ?c a ex:B . ?a a ex:A ; ex:p ?x FILTER (isIRI(?x))") == 0
    assert count("?a a ex:A OPTIONAL { ?b a ex:B ; ex:q ?y FILTER (?y < 3) }") == 9_000


@pytest.mark.parametrize("pattern", [PATTERNS[0], PATTERNS[8]])
def test_a_plan_says_by_what_parts_were_joined(peers: Peers, pattern: str) -> None:
    plan = str(peers[0].store.explain_query(f"{PREFIX} SELECT ?a ?b {{ {pattern} }}"))
    assert "join by (?x = ?y)" in plan or "join by (?y = ?x)" in plan
    assert "?a <http://e/size> ?x" in plan
    assert "?b <http://e/weight> ?y" in plan


@pytest.mark.parametrize("name", "ab")
def test_no_value_of_one_side_equals_another_where_none_has_a_sum(name: str) -> None:
    graph, peer = peers_with('@prefix ex: <http://e/> . ex:r ex:p "x" . ex:s ex:p "y" . ex:t ex:q 1 .')
    query = f"SELECT DISTINCT ?{name} {{ ?a ex:p ?x . ?b ex:q ?y FILTER(?x + 1 = ?y) }}"

    assert not rows_of(graph, PREFIX + query)
    assert not rows_of_peer(peer, PREFIX + query)
