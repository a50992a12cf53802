"""Results of queries: rows, bindings, formats, graphs; the same as rdflib's own engine gives."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from io import BytesIO

import pyoxigraph
import pytest
from rdflib import RDF, RDFS, BNode, Dataset, Graph, Literal, Namespace, URIRef, Variable
from rdflib.compare import isomorphic
from rdflib.plugins.sparql import prepareQuery
from rdflib.query import Result, ResultRow

from kgreason import ReasoningStore
from kgreason.errors import QueryError, QuerySyntaxError

EX = Namespace("http://example.org/")
SIZE = 100


@pytest.fixture(scope="module")
def graph() -> Graph:
    """People 0 to 99 with numbers; every third one has a name, and knows another through a blank node."""
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.bind("ex", EX)
    for i in range(SIZE):
        graph.add((EX[f"p{i}"], EX.number, Literal(i)))
        if i % 3 == 0:
            graph.add((EX[f"p{i}"], EX.name, Literal(f"person {i}", lang="en")))
            link = BNode()
            graph.add((EX[f"p{i}"], EX.link, link))
            graph.add((link, EX.to, EX[f"p{(i + 1) % SIZE}"]))
    return graph


OPTIONAL = "SELECT ?x ?name { ?x ex:number ?n OPTIONAL { ?x ex:name ?name } }"


def by_rdflib(graph: Graph, query: str, **options: object) -> Result:
    plain = Graph()
    plain += graph
    plain.bind("ex", EX)
    return plain.query(query, **options)


@pytest.mark.parametrize(
    "query",
    [
        OPTIONAL,
        "SELECT * { ?x ex:number ?n }",
        "SELECT ?n ?x { ?x ex:number ?n }",
        "SELECT ?x ?nothing { ?x ex:name ?n }",
        "SELECT ?x { ?x ex:nobody ?n }",
        "SELECT ?x ?y { ?x ex:link [ ex:to ?y ] }",
        "SELECT ?x ?kind { { ?x ex:name ?y BIND(1 AS ?kind) } UNION { ?x ex:to ?y } }",
        "SELECT DISTINCT ?p { ?s ?p ?o }",
    ],
)
def test_rows_are_those_of_rdflib(graph: Graph, query: str) -> None:
    found, expected = graph.query(query), by_rdflib(graph, query)
    assert {*found.vars} == {*expected.vars}

    def rows(result: Result) -> Counter:
        return Counter(frozenset(binding.items()) for binding in result.bindings)

    assert rows(found) == rows(expected)
    assert len(found) == len(expected)
    assert bool(found) == bool(expected)
    names = [str(name) for name in expected.vars or ()]
    assert Counter(tuple(row[name] for name in names) for row in found) == Counter(
        tuple(row[name] for name in names) for row in expected
    )


def test_a_row(graph: Graph) -> None:
    [row] = graph.query("SELECT ?x ?name ?none { ?x ex:number 3 ; ex:name ?name }")
    assert isinstance(row, ResultRow)
    assert tuple(row) == (EX.p3, Literal("person 3", lang="en"), None)
    assert row.x == row[0] == row["x"] == row[Variable("x")] == EX.p3
    assert row[:2] == (EX.p3, Literal("person 3", lang="en"))
    assert row.asdict() == {"x": EX.p3, "name": Literal("person 3", lang="en")}
    assert row.get("x") == EX.p3
    assert row.get("y", "default") == "default"
    assert row.labels == {"x": 0, "name": 1, "none": 2}
    with pytest.raises(AttributeError):
        row.y  # noqa: B018 - the access raises
    with pytest.raises(KeyError):
        row["y"]
    with pytest.raises(IndexError):
        row[3]
    for again in (pickle.loads(pickle.dumps(row)), copy.copy(row)):
        assert again == row
        assert again.name == row.name
        assert isinstance(again, ResultRow)
    assert {name for name in dir(ResultRow) if name[0] != "_"} <= {*dir(type(row))}


def test_variables_that_are_named_like_methods(graph: Graph) -> None:
    [row] = graph.query("SELECT (?x AS ?count) (1 AS ?labels) (2 AS ?index) (3 AS ?class) { ?x ex:number 3 }")
    assert callable(row.count)
    assert row.labels == {"count": 0, "labels": 1, "index": 2, "class": 3}
    assert [row[name] for name in row.labels] == [EX.p3, Literal(1), Literal(2), Literal(3)]


def test_rows_are_read_as_they_are_wanted_and_again(graph: Graph) -> None:
    result = graph.query("SELECT ?x ?n { ?x ex:number ?n }")
    iterator = iter(result)
    first = next(iterator)
    assert len(result) == SIZE
    assert [first, *iterator] == list(result)
    assert len(result.bindings) == SIZE
    assert [row.asdict() for row in result] == [{str(k): v for k, v in b.items()} for b in result.bindings]


def test_a_result_stays_what_it_was(graph: Graph) -> None:
    changing = Graph(store=ReasoningStore())
    changing.add((EX.Cat, RDFS.subClassOf, EX.Animal))
    changing.add((EX.tom, RDF.type, EX.Cat))
    changing.bind("ex", EX)
    result = changing.query("SELECT ?x { ?x a ex:Animal }")
    changing.add((EX.felix, RDF.type, EX.Cat))
    changing.remove((EX.tom, None, None))
    assert [tuple(row) for row in result] == [(EX.tom,)]
    assert [tuple(row) for row in changing.query("SELECT ?x { ?x a ex:Animal }")] == [(EX.felix,)]


def test_solutions_that_bind_nothing(graph: Graph) -> None:
    for query, count in (("SELECT * { }", 1), ("SELECT ?z { ?x ex:number ?n } LIMIT 3", 3)):
        found, expected = graph.query(query), by_rdflib(graph, query)
        assert len(found) == len(expected) == count
        assert list(found) == list(expected) == []
        assert found.bindings == [{}] * count


@pytest.mark.parametrize("format", ["json", "xml", "csv"])
def test_result_reads_back_from_each_format(graph: Graph, format: str) -> None:
    written = graph.query(OPTIONAL).serialize(format=format)
    assert written is not None
    found = Result.parse(BytesIO(written), format=format)
    assert found.vars == [Variable("x"), Variable("name")]
    wanted = graph.query(OPTIONAL)
    if format == "csv":
        assert Counter(str(row[0]) for row in found) == Counter(str(row[0]) for row in wanted)
    else:
        assert Counter(map(tuple, found)) == Counter(map(tuple, wanted))


def test_the_text_format(graph: Graph) -> None:
    written = graph.query("SELECT ?x { ?x ex:number 3 }").serialize(format="txt")
    assert written is not None
    assert "http://example.org/p3" in written.decode() or "ex:p3" in written.decode()


@pytest.mark.parametrize(
    "query",
    [
        "CONSTRUCT { ?x ex:to ?y } { ?x ex:link/ex:to ?y }",
        "CONSTRUCT WHERE { ?x ex:name ?y }",
        "CONSTRUCT { ?x ex:has [ ex:value ?n ] } { ?x ex:number ?n FILTER(?n < 3) }",
        "CONSTRUCT { ?x ex:name ?name . ?n ex:of ?x . ?x ?n ?x . ?x ex:none ?z }"
        "{ ?x ex:number ?n OPTIONAL { ?x ex:name ?name } }",
        "CONSTRUCT { ex:a ex:b _:c . _:c ex:d _:e } { }",
        "CONSTRUCT { ?x ex:number ?n } { ?x ex:number ?n } ORDER BY ?n LIMIT 5",
        "DESCRIBE ex:p3",
        "DESCRIBE ?x { ?x ex:number 3 }",
        "DESCRIBE ex:p1 ?x { ?x ex:number ?n FILTER(?n < 5) }",
        "DESCRIBE ex:nobody",
    ],
)
def test_constructed_graph_is_that_of_rdflib(graph: Graph, query: str) -> None:
    found, expected = graph.query(query), by_rdflib(graph, query)
    assert found.graph is not None
    assert expected.graph is not None
    # rdflib's own engine lets literals be subjects and predicates of the graphs that it constructs.
    valid = Graph()
    for triple in expected.graph:
        if not isinstance(triple[0], Literal) and isinstance(triple[1], URIRef):
            valid.add(triple)
    assert isomorphic(found.graph, valid)
    assert len(found) == len(found.graph)
    assert found.type == expected.type


def test_describe_everything(graph: Graph) -> None:
    found = graph.query("DESCRIBE * { ?x ex:number 3 . ?y ex:number 4 }").graph
    assert found is not None
    assert {EX.p3, EX.p4} <= {*found.subjects()}


def test_descriptions_have_reified_statements() -> None:
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.parse(
        format="turtle",
        data=f"""@prefix : <{EX}> . @prefix rdf: <{RDF}> .
        :a :b :c . :s rdf:subject :a ; rdf:predicate :b ; rdf:object :c ; :says :me .
        :t rdf:subject :a ; rdf:predicate :b ; rdf:object :d .""",
    )
    found = graph.query(f"DESCRIBE <{EX.a}>").graph
    assert found is not None
    assert set(found) == set(graph.cbd(EX.a))
    assert (EX.s, EX.says, EX.me) in found
    assert (EX.t, None, None) not in found


def test_answer_of_ask_is_a_truth_value(graph: Graph) -> None:
    for query, answer in (("ASK { ?x ex:number 3 }", True), ("ASK { ?x ex:number 'three' }", False), ("ASK {}", True)):
        result = graph.query(query)
        assert result.askAnswer is answer
        assert bool(result) is answer
        assert list(result) == [answer]
        assert len(result) == 1


def test_bindings_from_outside(graph: Graph) -> None:
    for query in (
        "SELECT ?n { ?x ex:number ?n }",
        "SELECT ?x ?n { ?x ex:number ?n }",
        "SELECT ?n { ?y ex:number ?n FILTER(?y = ?x) }",
        "SELECT ?n { ?y ex:number ?n FILTER EXISTS { ?x ex:number ?n } }",
        "SELECT ?n { ?y ex:number ?n OPTIONAL { ?x ex:name ?z } FILTER(BOUND(?x)) } ORDER BY ?n LIMIT 3",
        "SELECT (COUNT(*) AS ?c) { ?x ex:number ?n }",
        "SELECT ?n { { SELECT ?x ?n { ?x ex:number ?n } } }",
        "SELECT ?x ?n { VALUES ?x { ex:p3 ex:p4 } ?x ex:number ?n }",
        "SELECT ?x ?n { ?x ex:number ?n MINUS { ?x ex:name ?z } }",
        "SELECT ?y { ?x ex:link/ex:to ?y }",
    ):
        bound = {"x": EX.p3}
        found, expected = graph.query(query, initBindings=bound), by_rdflib(graph, query, initBindings=bound)
        assert Counter(map(tuple, found)) == Counter(map(tuple, expected)), query
        prepared = prepareQuery(query, initNs={"ex": EX})
        assert Counter(map(tuple, graph.query(prepared, initBindings=bound))) == Counter(map(tuple, expected)), query


def test_bindings_of_graphs_and_blank_nodes() -> None:
    dataset = Dataset(store=ReasoningStore(rules="none"))
    node = BNode()
    dataset.add((EX.a, EX.b, node, EX.g))
    dataset.add((EX.a, EX.b, EX.c, EX.h))
    query = f"SELECT ?o {{ GRAPH ?g {{ ?s <{EX.b}> ?o }} }}"
    assert [tuple(row) for row in dataset.query(query, initBindings={"g": EX.h})] == [(EX.c,)]
    assert [tuple(row) for row in dataset.query(query, initBindings={"o": node})] == [(node,)]
    assert list(dataset.query(query, initBindings={"g": EX.nowhere})) == []


def test_bindings_that_are_no_terms(graph: Graph) -> None:
    query = "SELECT ?x { ?x ex:number ?n }"
    assert len(graph.query(query, initBindings={"n": None})) == SIZE
    assert len(graph.query(query, initBindings={"?n": Literal(3)})) == 1
    with pytest.raises(QueryError, match="not an RDF term"):
        graph.query(query, initBindings={"n": 3})


def test_bound_variables_that_the_query_binds_too(graph: Graph) -> None:
    query = "SELECT ?x ?n { ex:p3 ex:number ?n BIND(?n AS ?x) }"
    assert [tuple(row) for row in graph.query(query, initBindings={"x": Literal(3)})] == [(Literal(3), Literal(3))]
    assert list(graph.query(query, initBindings={"x": Literal(4)})) == []


def test_namespaces_and_base() -> None:
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.add((EX.a, EX.b, EX.c))
    query = "SELECT ?o { e:a e:b ?o }"
    assert [row[0] for row in graph.query(query, initNs={"e": EX})] == [EX.c]
    assert list(graph.query(query, initNs={"e": Namespace("http://other.example/")})) == []
    assert [row[0] for row in graph.query(query, initNs={"e": str(EX)})] == [EX.c]
    assert [row[0] for row in graph.query("SELECT ?o { <a> <b> ?o }", base=str(EX))] == [EX.c]
    with pytest.raises(QuerySyntaxError, match="unknown prefix nobody"):
        graph.query("SELECT ?o { nobody:a nobody:b ?o }")


def test_a_query_that_is_none(graph: Graph) -> None:
    with pytest.raises(QuerySyntaxError, match="the text ends too early"):
        graph.query("SELECT ?x { ?x")
    assert len(graph.query("SELECT ?x { ?x ex:number ?n }")) == SIZE


def test_literals_are_those_that_are_written() -> None:
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.parse(
        format="kg-turtle",
        data=f"""@prefix : <{EX}> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
        :a :n "01"^^xsd:integer ; :at "2020-01-01T00:00:00Z"^^xsd:dateTime . :b :n 1 .""",
    )
    graph.bind("ex", EX)
    assert [row[0] for row in graph.query('SELECT ?x { ?x ex:n "01"^^xsd:integer }')] == [EX.a]
    assert [row[0] for row in graph.query("SELECT ?x { ?x ex:n 01 }")] == [EX.a]
    assert [row[0] for row in graph.query('SELECT ?x { ?x ex:at "2020-01-01T00:00:00Z"^^xsd:dateTime }')] == [EX.a]
    assert {row[0] for row in graph.query('SELECT ?x { ?x ex:n ?n FILTER(?n = "001"^^xsd:integer) }')} == {EX.a, EX.b}


EXISTING = [
    "SELECT (EXISTS { ?x ex:name ?y } AS ?e) ?x { ?x ex:number ?n }",
    "SELECT ?x { ?x ex:number ?n } ORDER BY (NOT EXISTS { ?x ex:name ?y FILTER(?n > 5) }) ?n LIMIT 7",
    "SELECT ?x (COUNT(*) AS ?c) { ?x ex:number|ex:name ?y } GROUP BY ?x HAVING (EXISTS { ?x ex:name ?w })",
    "SELECT ?x (EXISTS { ?x ex:link/ex:to ?w } AS ?e) (COUNT(*) AS ?c) { ?x ex:number ?y } GROUP BY ?x",
]


def oxigraph_rows(peer: pyoxigraph.Store, query: str) -> Counter[tuple[str | None, ...]]:
    """Read to the end: Oxigraph's solutions must not live on in a frame that rdflib's parser has seen."""
    return Counter(tuple(None if term is None else term.value for term in row) for row in peer.query(query))


@pytest.mark.parametrize("query", EXISTING)
def test_exists_outside_of_filters_in_several_stores(graph: Graph, query: str) -> None:
    """rdflib's own engine fails on these."""
    peer = pyoxigraph.Store()
    peer.load(graph.serialize(format="nt").encode(), format=pyoxigraph.RdfFormat.N_TRIPLES)
    expected = oxigraph_rows(peer, f"PREFIX ex: <{EX}> {query}")
    other = Graph(store=ReasoningStore(rules="none"))
    other += graph
    prepared = prepareQuery(query, initNs={"ex": EX})
    for asked in (graph, other):
        found = asked.query(prepared)
        assert Counter(tuple(None if term is None else str(term) for term in row) for row in found) == expected
