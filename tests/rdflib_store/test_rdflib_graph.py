"""rdflib's own tests of graphs over a store.

Adapted from test/test_graph/test_graph.py of rdflib 7.6.0, Copyright (c) 2002-2026, RDFLib Team, BSD 3-Clause
License (LICENSE-rdflib.txt beside this file). The stores are ours, and what came from rdflib's folder of test
data or from a web server is written out here.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from rdflib import Graph, Literal, Namespace, URIRef
from rdflib.exceptions import ParserError

from tests.rdflib_store.conftest import MakeStore

EX = Namespace("http://example.org/")
TAREK, MICHEL, BOB = EX.tarek, EX.michel, EX.bob
LIKES, HATES = EX.likes, EX.hates
PIZZA, CHEESE = EX.pizza, EX.cheese

STATEMENTS = [
    (TAREK, LIKES, PIZZA),
    (TAREK, LIKES, CHEESE),
    (MICHEL, LIKES, PIZZA),
    (MICHEL, LIKES, CHEESE),
    (BOB, LIKES, CHEESE),
    (BOB, HATES, PIZZA),
    (BOB, HATES, MICHEL),  # gasp!
]
ANY = None

GraphFactory = Callable[[], Graph]


@pytest.fixture
def make_graph(tmp_path: Path, make_store: MakeStore) -> GraphFactory:
    def make() -> Graph:
        graph = Graph(store=make_store())
        graph.open(str(tmp_path), create=True)
        return graph

    return make


def populate(graph: Graph) -> None:
    for statement in STATEMENTS:
        graph.add(statement)


def depopulate(graph: Graph) -> None:
    for statement in STATEMENTS:
        graph.remove(statement)


def test_add(make_graph: GraphFactory) -> None:
    graph = make_graph()
    populate(graph)
    assert set(graph) == set(STATEMENTS)


def test_remove(make_graph: GraphFactory) -> None:
    graph = make_graph()
    populate(graph)
    depopulate(graph)
    assert len(graph) == 0


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        # unbound subjects
        ((ANY, LIKES, PIZZA), 2),
        ((ANY, HATES, PIZZA), 1),
        ((ANY, LIKES, CHEESE), 3),
        ((ANY, HATES, CHEESE), 0),
        # unbound objects
        ((MICHEL, LIKES, ANY), 2),
        ((TAREK, LIKES, ANY), 2),
        ((BOB, HATES, ANY), 2),
        ((BOB, LIKES, ANY), 1),
        # unbound predicates
        ((MICHEL, ANY, CHEESE), 1),
        ((TAREK, ANY, CHEESE), 1),
        ((BOB, ANY, PIZZA), 1),
        ((BOB, ANY, MICHEL), 1),
        # unbound subject, objects
        ((ANY, HATES, ANY), 2),
        ((ANY, LIKES, ANY), 5),
        # unbound predicates, objects
        ((MICHEL, ANY, ANY), 2),
        ((BOB, ANY, ANY), 3),
        ((TAREK, ANY, ANY), 2),
        # unbound subjects, predicates
        ((ANY, ANY, PIZZA), 3),
        ((ANY, ANY, CHEESE), 3),
        ((ANY, ANY, MICHEL), 1),
        # all unbound
        ((ANY, ANY, ANY), 7),
    ],
)
def test_triples(
    make_graph: GraphFactory, pattern: tuple[URIRef | None, URIRef | None, URIRef | None], count: int
) -> None:
    graph = make_graph()
    populate(graph)
    found = list(graph.triples(pattern))
    assert len(found) == count
    assert set(found) == {
        statement
        for statement in STATEMENTS
        if all(part in (ANY, term) for part, term in zip(pattern, statement, strict=True))
    }
    depopulate(graph)
    assert list(graph.triples(pattern)) == []


def test_connected(make_graph: GraphFactory) -> None:
    graph = make_graph()
    populate(graph)
    assert graph.connected() is True
    graph.add((EX.jeroen, LIKES, EX.unconnected))
    assert graph.connected() is False


def test_graph_sub(make_graph: GraphFactory) -> None:
    g1, g2 = make_graph(), make_graph()
    g1.add((TAREK, LIKES, PIZZA))
    g1.add((BOB, LIKES, CHEESE))
    g2.add((BOB, LIKES, CHEESE))

    g3 = g1 - g2
    assert set(g3) == {(TAREK, LIKES, PIZZA)}
    assert (TAREK, LIKES, CHEESE) not in g3
    assert (BOB, LIKES, CHEESE) not in g3

    g1 -= g2
    assert set(g1) == {(TAREK, LIKES, PIZZA)}
    assert (BOB, LIKES, CHEESE) not in g1


def test_graph_add(make_graph: GraphFactory) -> None:
    g1, g2 = make_graph(), make_graph()
    g1.add((TAREK, LIKES, PIZZA))
    g2.add((BOB, LIKES, CHEESE))

    g3 = g1 + g2
    assert set(g3) == {(TAREK, LIKES, PIZZA), (BOB, LIKES, CHEESE)}

    g1 += g2
    assert len(g1) == 2
    assert (TAREK, LIKES, PIZZA) in g1
    assert (TAREK, LIKES, CHEESE) not in g1
    assert (BOB, LIKES, CHEESE) in g1


def test_graph_intersection(make_graph: GraphFactory) -> None:
    g1, g2 = make_graph(), make_graph()
    g1.add((TAREK, LIKES, PIZZA))
    g1.add((MICHEL, LIKES, CHEESE))
    g2.add((BOB, LIKES, CHEESE))
    g2.add((MICHEL, LIKES, CHEESE))

    assert set(g1 * g2) == {(MICHEL, LIKES, CHEESE)}
    g1 *= g2
    assert set(g1) == {(MICHEL, LIKES, CHEESE)}


def test_guess_format_for_parse(make_graph: GraphFactory, tmp_path: Path) -> None:
    graph = make_graph()
    # files
    with pytest.raises(ParserError):
        graph.parse(__file__)  # here we are trying to parse a Python file!!
    # .nt can be parsed by the Turtle parser
    triples = tmp_path / "anons.nt"
    triples.write_text("_:a <http://example.org/#p> _:b .\n")
    graph.parse(str(triples))
    rdf = """<rdf:RDF xmlns:ns1="http://example.org/#" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:nodeID="ub63bL2C1">
        <ns1:p rdf:resource="http://example.org/q"/>
        <ns1:r rdf:resource="http://example.org/s"/>
      </rdf:Description>
      <rdf:Description rdf:nodeID="ub63bL5C1">
        <ns1:r>
          <rdf:Description rdf:nodeID="ub63bL6C11">
            <ns1:s rdf:resource="http://example.org/#t"/>
          </rdf:Description>
        </ns1:r>
        <ns1:p rdf:resource="http://example.org/q"/>
      </rdf:Description>
    </rdf:RDF>"""
    # RDF/XML by extension, and with a bad extension but a format
    for name, format in (("data.rdf", None), ("data.borked", "xml")):
        (tmp_path / name).write_text(rdf)
        graph.parse(str(tmp_path / name), format=format)
    with pytest.raises(ParserError):
        graph.parse(data="rubbish")
    # Turtle - default, and format given
    turtle = "<http://example.com/a> <http://example.com/a> <http://example.com/a> ."
    graph.parse(data=turtle)
    graph.parse(data=turtle, format="turtle")
    # RDF/XML - format given
    graph.parse(data=rdf, format="xml")
    a = URIRef("http://example.com/a")
    assert (a, a, a) in graph
    assert len(set(graph.subjects(URIRef("http://example.org/#p"), URIRef("http://example.org/q")))) == 6


def test_parse_file_uri(make_graph: GraphFactory, tmp_path: Path) -> None:
    file = tmp_path / "simple.nt"
    file.write_text(
        "".join(f"<http://example.org/s> <http://example.org/p> <http://example.org/{o}> .\n" for o in "PQR")
    )
    graph = make_graph()
    graph.parse(file.absolute().as_uri())
    assert set(graph) == {(EX.s, EX.p, EX[o]) for o in "PQR"}


def test_transitive(make_graph: GraphFactory) -> None:
    person, dad, mom = EX.person, EX.dad, EX.mom
    mom_of_dad, mom_of_mom, dad_of_dad, dad_of_mom = EX.md, EX.mm, EX.dd, EX.dm
    parent = EX.parent
    g = make_graph()
    g.add((person, parent, dad))
    g.add((person, parent, mom))
    g.add((dad, parent, mom_of_dad))
    g.add((dad, parent, dad_of_dad))
    g.add((mom, parent, mom_of_mom))
    g.add((mom, parent, dad_of_mom))

    # transitive parents of person
    assert set(g.transitive_objects(subject=person, predicate=parent)) == {
        person,
        dad,
        mom_of_dad,
        dad_of_dad,
        mom,
        mom_of_mom,
        dad_of_mom,
    }
    # transitive parents of dad, and of dad_of_dad
    assert set(g.transitive_objects(dad, parent)) == {dad, mom_of_dad, dad_of_dad}
    assert set(g.transitive_objects(dad_of_dad, parent)) == {dad_of_dad}
    # transitive children (inverse of parents) of mom_of_mom, of mom, and of person
    assert set(g.transitive_subjects(predicate=parent, object=mom_of_mom)) == {mom_of_mom, mom, person}
    assert set(g.transitive_subjects(parent, mom)) == {mom, person}
    assert set(g.transitive_subjects(parent, person)) == {person}


def test_set_and_value(make_graph: GraphFactory) -> None:
    graph = make_graph()
    graph.set((BOB, EX.age, Literal(1)))
    graph.set((BOB, EX.age, Literal(2)))
    assert list(graph) == [(BOB, EX.age, Literal(2))]
    assert graph.value(BOB, EX.age) == Literal(2)
