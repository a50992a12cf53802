"""What no grammar of rdflib's refuses, and SPARQL does: one error of kgreason, and the store is as it was."""

from __future__ import annotations

import warnings

import pytest
from rdflib import Dataset, Graph, Literal, URIRef

from kgreason import ReasoningStore, TermError, TermWarning
from kgreason.errors import QueryError

QUERIES = [
    ("SELECT * { _:a ?p ?v OPTIONAL { _:a ?q ?w } }", "_:a is in two basic graph patterns"),
    ("SELECT * { { _:a ?p ?v } UNION { ?x ?q _:a } }", "_:a is in two basic graph patterns"),
    ("SELECT * { _:a ?p ?v BIND(1 AS ?n) _:a ?q ?w }", "_:a is in two basic graph patterns"),
    ("SELECT * { _:a ?p ?v FILTER NOT EXISTS { _:a ?q ?w } }", "_:a is in two basic graph patterns"),
    ("SELECT * { VALUES (?a ?b) { (1 2) (1) } }", r"VALUES: a row of 1 terms \(expected 2"),
    ("SELECT * { ?a ?b ?c } VALUES (?a ?b) { (1 2 3) }", r"VALUES: a row of 3 terms \(expected 2"),
    (r"SELECT * { ?s ?p '\uD800' }", "not a character"),
    (r"SELECT * { ?s ?p '\U00110000' }", "not a character"),
    ("SELECT * { ?s ?p ?o BIND(1 AS ?o) }", r"AS \?o: the variable is in scope already"),
    ("SELECT ?x (1 AS ?x) { }", r"AS \?x: the variable is selected already"),
    ("SELECT (1 AS ?x) (2 AS ?x) { }", r"AS \?x: the variable is in scope already"),
    ("SELECT (1 AS ?x) { { SELECT (2 AS ?x) { } } }", r"AS \?x: the variable is in scope already"),
]
UPDATES = [
    ("DELETE WHERE { _:a <urn:p> ?o }", "DELETE WHERE: a blank node"),
    ("DELETE DATA { <urn:s> <urn:p> [] }", "DELETE DATA: a blank node"),
    ("DELETE { ?s ?p [] } INSERT { ?s ?p [] } WHERE { ?s ?p ?o }", "DELETE: a blank node"),
    ("INSERT DATA { ?s <urn:p> 1 }", "INSERT DATA: a variable"),
    ("DELETE DATA { GRAPH ?g { <urn:s> <urn:p> 1 } }", "DELETE DATA: a variable"),
    ("INSERT DATA { _:a <urn:p> 1 } ; INSERT DATA { _:a <urn:p> 2 }", "_:a is in the data of two operations"),
    ("INSERT { ?s ?p 2 } WHERE { ?s ?p ?o OPTIONAL { _:b ?q ?o } _:b ?r ?o }", "two basic graph patterns"),
]
ACCEPTED = [
    "SELECT * { _:a ?p ?v FILTER(?v > 0) _:a ?q ?w }",
    "SELECT * { [] ?p ?v OPTIONAL { [] ?q ?w } }",
    "SELECT * { VALUES (?a ?b) { (1 2) (UNDEF 3) } VALUES ?c { 1 2 } VALUES () { () } }",
    "SELECT (COUNT(?o) AS ?n) ?s { ?s ?p ?o } GROUP BY ?s",
    "SELECT (?o AS ?x) (?x AS ?y) { ?s ?p ?o }",
    "CONSTRUCT { _:a ?p ?o } WHERE { _:a ?p ?o }",
]


@pytest.fixture
def graph() -> Graph:
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.update("INSERT DATA { <urn:s> <urn:p> 1 }")
    return graph


@pytest.mark.parametrize(("text", "message"), QUERIES)
def test_a_query_that_sparql_refuses_is_an_error(graph: Graph, text: str, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        graph.query(text)


@pytest.mark.parametrize(("text", "message"), UPDATES)
def test_an_update_that_sparql_refuses_changes_nothing(graph: Graph, text: str, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        graph.update(text)

    assert list(graph.objects()) == [Literal(1)]


@pytest.mark.parametrize("text", ACCEPTED)
def test_what_looks_like_it_is_accepted(graph: Graph, text: str) -> None:
    assert graph.query(text) is not None


def test_literals_of_a_template_are_those_of_rdflib(graph: Graph) -> None:
    (found,) = graph.query("CONSTRUCT { ?s <urn:q> false } WHERE { ?s ?p ?o }").graph.objects()

    assert type(found) is Literal
    assert not found


PREFIX = "PREFIX e: <http://e/>\n"


@pytest.mark.parametrize("iri", ["rel", "http://e/%zz", "http://[::1", "http://e/a#b#c"])
@pytest.mark.parametrize(
    "text",
    [
        "SELECT * {{ ?s ?p <{0}> }}",
        "SELECT * {{ ?s e:p/^<{0}> ?o }}",
        "SELECT * {{ ?s <{0}>* ?o }}",
        "SELECT * {{ ?s ?p ?o FILTER(?o = <{0}>) }}",
        "SELECT * {{ BIND(<{0}> AS ?x) }}",
        "SELECT * {{ VALUES ?x {{ <{0}> }} }}",
        "SELECT * {{ GRAPH <{0}> {{ ?s ?p ?o }} }}",
        "SELECT * FROM <{0}> {{ ?s ?p ?o }}",
        "CONSTRUCT {{ ?s e:p <{0}> }} WHERE {{ ?s ?p ?o }}",
        "ASK {{ ?s ?p ?o MINUS {{ ?s ?p <{0}> }} }}",
        "DESCRIBE <{0}>",
    ],
)
def test_iri_that_is_not_valid_is_refused_where_it_stands_unless_the_store_has_it(text: str, iri: str) -> None:
    graph, query = Graph(store=ReasoningStore(rules="none")), PREFIX + text.format(iri)
    graph.add((URIRef("http://e/s"), URIRef("http://e/p"), Literal(1)))

    with pytest.raises(TermError, match="is not a valid IRI") as refused:
        list(graph.query(query))
    assert (refused.value.line, refused.value.column) == (2, 1 + query.splitlines()[1].index(f"<{iri}>"))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TermWarning)
        graph.add((URIRef("http://e/s"), URIRef("http://e/p"), URIRef(iri)))
    assert isinstance(list(graph.query(query)), list)


def test_iri_that_is_not_valid_in_the_where_of_an_update_is_refused_where_it_stands() -> None:
    graph = Graph(store=ReasoningStore(rules="none"))

    with pytest.raises(TermError, match="line 1, column 28: 'rel' is not a valid IRI"):
        graph.update("DELETE { ?s ?p 1 } WHERE { <rel> ?p ?o }")
    with pytest.raises(TermError, match="line 1, column 16: 'rel' is not a valid IRI"):
        graph.update("DELETE WHERE { <rel> ?p ?o }")


@pytest.mark.parametrize(
    "first",
    ["LOAD SILENT <rel>", "DROP SILENT GRAPH <rel>", "COPY SILENT <rel> TO e:g"],
)
def test_iri_that_is_not_valid_is_of_its_own_operation_alone(first: str) -> None:
    graph = Graph(store=ReasoningStore(rules="none"))

    graph.update(f"{PREFIX}{first}; INSERT {{ e:s e:p 1 }} WHERE {{ }}")

    assert len(graph) == 1
    with pytest.raises(TermError, match=r"line 2, column .*'rel' is not a valid IRI"):
        graph.update(f"{PREFIX}{first}; INSERT {{ e:s e:p 2 }} WHERE {{ ?s ?p <rel> }}")


@pytest.mark.parametrize("clause", ["<rel> { ?s e:p ?o }", "<http://e/none> { ?s <rel> ?o }"])
def test_service_with_an_iri_that_is_not_valid_is_refused_unless_it_is_silent(clause: str) -> None:
    graph = Graph(store=ReasoningStore(rules="none"))

    assert len(graph.query(f"{PREFIX}SELECT (1 AS ?n) {{ SERVICE SILENT {clause} }}")) == 1
    with pytest.raises(TermError, match="'rel' is not a valid IRI"):
        list(graph.query(f"{PREFIX}SELECT * {{ SERVICE {clause} }}"))
    with pytest.raises(TermError, match=r"line 2, column .*'rel' is not a valid IRI"):
        list(graph.query(f"{PREFIX}SELECT * {{ SERVICE SILENT {clause} ?s ?p <rel> }}"))


@pytest.mark.parametrize("data", ["e:s e:p <rel>", "GRAPH <rel> { e:s e:p 1 }"])
def test_iri_that_is_not_valid_in_deleted_data_is_refused_unless_the_store_has_it(data: str) -> None:
    dataset, request = Dataset(store=ReasoningStore(rules="none")), f"{PREFIX}DELETE DATA {{ {data} }}"

    with pytest.raises(TermError, match="'rel' is not a valid IRI") as refused:
        dataset.update(request)
    assert (refused.value.line, refused.value.column) == (2, 1 + request.splitlines()[1].index("<rel>"))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TermWarning)
        dataset.graph(URIRef("rel")).add((URIRef("http://e/s"), URIRef("http://e/p"), Literal(1)))
        dataset.add((URIRef("http://e/s"), URIRef("http://e/p"), URIRef("rel")))
    dataset.update(request)

    assert len(dataset) == 1
