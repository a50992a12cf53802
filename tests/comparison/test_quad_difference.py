"""Blank nodes are matched: a difference that is too large, or that makes another graph, would be caught here.

rdflib.compare judges: the first graph, changed, is isomorphic to the second.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import combinations, permutations, product

import pytest
from rdflib import Graph
from rdflib.compare import isomorphic

from kgreason.comparison.isomorphism import AttemptLimit
from kgreason.comparison.quad_difference import quad_difference
from kgreason.dictionary.dictionary import Dictionary
from kgreason.io.quads import Quads
from kgreason.io.readers import read_stream
from tests.profiles import examples

PREFIXES = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
ONTOLOGY = """
:A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :C ] ,
    [ a owl:Restriction ; owl:onProperty :q ; owl:someValuesFrom [ owl:unionOf ( :x :y :z ) ] ] .
:B rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :C ] .
[] a owl:AllDisjointClasses ; owl:members ( :A :B [ owl:complementOf :C ] ) .
"""
Triples = Iterable[tuple[str, str, str]]
Edges = list[tuple[int, int]]


def lines_of(dictionary: Dictionary, quads: Quads) -> set[str]:
    columns = (quads.subject, quads.predicate, quads.object, quads.graph)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return {
        " ".join(str(dictionary.decode(term)) for term in row if term != 0xFFFFFFFF) + " .\n" for row in rows
    }


def graph_of(lines: Iterable[str]) -> Graph:
    return Graph().parse(data="".join(lines), format="nt")


def sizes(before: str, after: str, format: str = "turtle") -> tuple[int, int]:
    """How many quads are removed and added; the difference has been judged."""
    dictionary = Dictionary()
    first = read_stream(before.encode(), dictionary, format=format)
    second = read_stream(after.encode(), dictionary, format=format)
    found = quad_difference(first, second, dictionary)
    known, removed, added = (lines_of(dictionary, quads) for quads in (first, found.removed, found.added))
    assert removed <= known
    assert not added & known
    if format != "nquads":
        assert isomorphic(graph_of(known - removed | added), graph_of(lines_of(dictionary, second)))
    return len(found.removed), len(found.added)


def text_of(triples: Triples) -> str:
    return "".join(f"{' '.join(triple)} .\n" for triple in triples)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", (0, 0)),
        (":p ; owl:someValuesFrom :C ] ,", ":p ; owl:someValuesFrom :D ] ,", (1, 1)),
        (":B rdfs:subClassOf", ":E rdfs:subClassOf", (1, 1)),
        ("( :x :y :z )", "( :x :y :w :z )", (1, 3)),
        ("( :x :y :z )", "( :y :z )", (3, 1)),
        ("( :A :B [", "( :A [", (3, 1)),
        ("owl:complementOf :C", "owl:complementOf :B", (1, 1)),
        (":B rdfs", ":F rdfs:subClassOf [ owl:complementOf :B ] . :B rdfs", (0, 2)),
    ],
)
def test_owl_axioms_differ_in_few_triples(old: str, new: str, expected: tuple[int, int]) -> None:
    assert sizes(PREFIXES + ONTOLOGY, PREFIXES + ONTOLOGY.replace(old, new, 1)) == expected


def test_statements_without_a_common_one_stay_apart() -> None:
    assert sizes("_:a <p:p> 1 .", "_:a <p:p> 2 .") == (1, 1)
    assert sizes("_:a <p:p> 1 . _:b <p:p> 1 . _:c <p:p> 1 .", "_:a <p:p> 1 . _:b <p:p> 1 .") == (1, 0)


def test_graphs_named_by_blank_nodes_are_matched() -> None:
    before = "_:g <p:p> <a:a> .\n<a:a> <p:p> _:x _:g .\n<a:a> <p:q> <a:a> <g:1> .\n"
    after = "_:h <p:p> <a:a> .\n<a:a> <p:p> _:y _:h .\n<a:a> <p:q> <a:a> <g:2> .\n"
    assert sizes(before, after, "nquads") == (1, 1)


@pytest.mark.parametrize("seed", range(examples(150)))
def test_random_graphs_are_the_same_only_if_isomorphic(seed: int) -> None:
    """Small dense graphs of blank nodes, under other labels and changed in up to two triples."""
    rnd = random.Random(seed)
    blank = rnd.randint(1, 7)
    nodes = [f"_:b{n}" for n in range(blank)] + [f"<e:{n}>" for n in range(rnd.randint(0, 2))]
    predicates = [f"<p:{n}>" for n in range(rnd.randint(1, 2))]

    def triple(names: list[str]) -> tuple[str, str, str]:
        return rnd.choice(names), rnd.choice(predicates), rnd.choice(names)

    before = {triple(nodes) for _ in range(rnd.randint(1, 14))}
    labels = dict(zip(nodes[:blank], rnd.sample([f"_:c{n}" for n in range(blank)], blank), strict=True))
    after = {(labels.get(s, s), p, labels.get(o, o)) for s, p, o in before}
    for _ in range(rnd.randint(0, 2)):
        after ^= {triple([labels.get(node, node) for node in nodes])}

    is_same = isomorphic(graph_of(text_of(before)), graph_of(text_of(after)))
    assert (sum(sizes(text_of(before), text_of(after), "nt")) == 0) == is_same


def rook() -> Edges:
    """Fields of a board of 4 x 4 that a rook goes between: strongly regular, so colours say nothing."""
    fields = [*product(range(4), repeat=2)]
    return [(4 * a + b, 4 * c + d) for (a, b), (c, d) in combinations(fields, 2) if a == c or b == d]


def shrikhande() -> Edges:
    """Another graph with the parameters of the rook's."""
    near = {(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)}
    fields = [*product(range(4), repeat=2)]
    return [
        (4 * a + b, 4 * c + d) for (a, b), (c, d) in combinations(fields, 2) if ((a - c) % 4, (b - d) % 4) in near
    ]


def cycle(length: int, start: int = 0) -> Edges:
    return [(start + n, start + (n + 1) % length) for n in range(length)]


def undirected(edges: Edges, seed: int = 0) -> str:
    """Edges both ways round between blank nodes in some order."""
    names = [*range(1 + max(max(edge) for edge in edges))]
    random.Random(seed).shuffle(names)
    both = [(names[a], names[b]) for a, b in edges] + [(names[b], names[a]) for a, b in edges]
    return text_of((f"_:n{a}", "<p:p>", f"_:n{b}") for a, b in both)


@pytest.mark.parametrize(
    "edges",
    [rook(), shrikhande(), [(a + 16 * n, b + 16 * n) for n in range(4) for a, b in rook()], cycle(200),
     cycle(6) + cycle(6, 6), [*combinations(range(12), 2)], [(0, n) for n in range(1, 400)]],
    ids=["rook", "shrikhande", "four rooks", "cycle", "two cycles", "complete", "star"],
)
def test_symmetric_graphs_equal_themselves(edges: Edges) -> None:
    dictionary = Dictionary()
    first, second = (
        read_stream(undirected(edges, seed).encode(), dictionary, format="nt") for seed in (1, 2)
    )
    found = quad_difference(first, second, dictionary)
    assert (len(found.added), len(found.removed), found.is_approximate) == (0, 0, False)


PRISM = [*cycle(3), *cycle(3, 3), (0, 3), (1, 4), (2, 5)]
UTILITIES = [*product(range(3), range(3, 6))]


@pytest.mark.parametrize(("one", "other"), [(PRISM, UTILITIES), (cycle(6), cycle(3) + cycle(3, 3))])
def test_graphs_that_colours_take_for_the_same_differ(one: Edges, other: Edges) -> None:
    removed, added = sizes(undirected(one), undirected(other), "nt")
    assert removed == added > 0


def test_hard_graphs_are_given_up_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AttemptLimit.__init__, "__defaults__", (3, False))
    dictionary = Dictionary()
    first, second = (
        read_stream(undirected(edges).encode(), dictionary, format="nt") for edges in (rook(), shrikhande())
    )
    assert quad_difference(first, second, dictionary).is_approximate


REIFIED = """
_:a :knows _:b {| :since 2001 ; :said :sam |} . _:b :knows _:c ~ _:r .
_:r :source <<( _:b :told <<( _:c :saw :x )>> )>> . :x :name "x" ; :about <<( :x :near _:a )>> .
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", (0, 0)),
        (":since 2001", ":since 2002", (1, 1)),
        ("_:c :saw :x", "_:c :saw :y", (1, 1)),
        (":near _:a", ":near _:b", (1, 1)),
        (":x :near _:a", ":x :near :z", (1, 1)),
    ],
)
def test_blank_nodes_in_triple_terms_are_matched(old: str, new: str, expected: tuple[int, int]) -> None:
    dictionary = Dictionary()
    before, after = (
        read_stream(text.encode(), dictionary, format="turtle")
        for text in (PREFIXES + REIFIED, PREFIXES + REIFIED.replace(old, new, 1))
    )
    found = quad_difference(before, after, dictionary)
    assert (len(found.removed), len(found.added)) == expected


def random_statements(random: random.Random) -> set[str]:
    """Statements with blank nodes and triple terms of these."""
    nodes = ["_:n0", "_:n1", "_:n2", "<e:a>"]

    def term(depth: int) -> str:
        if depth and random.random() < 0.6:
            return f"<<( {random.choice(nodes)} <e:p{random.randrange(2)}> {term(depth - 1)} )>>"
        return random.choice([*nodes, '"1"'])

    return {f"{random.choice(nodes)} <e:q{random.randrange(2)}> {term(2)} .\n" for _ in range(random.randint(1, 7))}


def relabelled(lines: Iterable[str], labels: Iterable[str]) -> set[str]:
    """Lines with other labels in the place of n0, n1 and n2, all at once."""
    names = dict(zip(("_:n0", "_:n1", "_:n2"), labels, strict=True))
    return {" ".join(names.get(token, token) for token in line.split(" ")) for line in lines}


def test_random_statements_of_triple_terms() -> None:
    """All namings of three blank nodes judge."""
    for seed in range(examples(300)):
        chosen = random.Random(seed)
        first = random_statements(chosen)
        second = set(chosen.sample(sorted(first), chosen.randint(0, len(first))))
        second |= set(chosen.sample(sorted(more := random_statements(chosen)), chosen.randint(0, min(2, len(more)))))
        dictionary = Dictionary()
        before, after = (
            read_stream("".join(lines).encode(), dictionary, format="nt")
            for lines in (first, relabelled(second, chosen.sample(["_:n0", "_:n1", "_:n2", "_:m0", "_:m1"], 3)))
        )
        found = quad_difference(before, after, dictionary)
        known, removed, added = (lines_of(dictionary, quads) for quads in (before, found.removed, found.added))
        assert removed <= known
        assert not added & known
        changed = known - removed | added
        wanted = lines_of(dictionary, after)
        labels = sorted({token for line in changed for token in line.split(" ") if token.startswith("_:")})
        theirs = sorted({token for line in wanted for token in line.split(" ") if token.startswith("_:")})
        assert len(labels) == len(theirs)
        assert any(
            wanted == {" ".join(dict(zip(labels, names, strict=True)).get(token, token) for token in line.split(" "))
                       for line in changed}
            for names in permutations(theirs)
        ), seed  # fmt: skip
