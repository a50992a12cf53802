"""Literals in the text of a query or an update are the terms that are written, as those of data are.

rdflib's parser alone would tidy them: numerals, white space, escapes.
"""

from __future__ import annotations

import pytest
from rdflib import XSD, Graph, URIRef
from rdflib.plugins.sparql import prepareQuery, prepareUpdate

from kgreason import ReasoningStore

NUMERALS = [
    ("01", "integer"), ("-05", "integer"), ("+5", "integer"), ("00", "integer"), ("-0", "integer"),
    ("1.0", "decimal"), ("1.00", "decimal"), (".5", "decimal"), ("-.5", "decimal"), ("+1.50", "decimal"),
    ("1.0e0", "double"), ("1.0E0", "double"), ("1e400", "double"), ("5.e0", "double"), ("-1e-0", "double"),
    ("+.5E+1", "double"),
]  # fmt: skip
STRINGS = [
    ('"a\tb"', "a\tb"),
    ('"""a\tb\r\nc"""', "a\tb\r\nc"),
    ("'''\n\t'''", "\n\t"),
    (r'"\u0041bcd"', "Abcd"),
    (r'"\U0001F600\t"', "\N{GRINNING FACE}\t"),
    (r'"\\n"', "\\n"),
]
TYPED = [" a  b ", "\ta", "01", "x"]
PLACES = ["SELECT ?x {{ BIND({} AS ?x) }}", "SELECT ?x {{ VALUES ?x {{ {} }} }}", "SELECT ({} AS ?x) {{ }}"]


@pytest.fixture
def graph() -> Graph:
    return Graph(store=ReasoningStore(rules="none"))


def written(graph: Graph) -> list[tuple[str, str | None]]:
    """The lexical forms and the datatypes of what an update wrote; exactly one triple is there."""
    return [(str(term), term.datatype) for term in graph.objects()]


@pytest.mark.parametrize("query", PLACES)
@pytest.mark.parametrize(("numeral", "datatype"), NUMERALS)
def test_a_numeral_in_a_query_keeps_its_form(graph: Graph, query: str, numeral: str, datatype: str) -> None:
    (row,) = graph.query(query.format(numeral))

    assert (str(row[0]), row[0].datatype) == (numeral, XSD[datatype])


@pytest.mark.parametrize(("numeral", "datatype"), NUMERALS)
def test_a_numeral_in_an_update_keeps_its_form(graph: Graph, numeral: str, datatype: str) -> None:
    graph.update(f"INSERT DATA {{ <urn:s> <urn:p> {numeral} }}")

    assert written(graph) == [(numeral, XSD[datatype])]
    assert graph.query(f"ASK {{ ?s <urn:p> {numeral} }}").askAnswer
    graph.update(f"DELETE DATA {{ <urn:s> <urn:p> {numeral} }}")
    assert len(graph) == 0


@pytest.mark.parametrize(("quoted", "value"), STRINGS)
def test_a_string_keeps_its_characters(graph: Graph, quoted: str, value: str) -> None:
    graph.update(f"INSERT {{ <urn:s> <urn:p> ?x }} WHERE {{ VALUES ?x {{ {quoted} }} }}")

    assert written(graph) == [(value, None)]
    ((length,),) = graph.query(f"SELECT (STRLEN({quoted}) AS ?n) {{ ?s ?p {quoted} }}")
    assert length.toPython() == len(value)


@pytest.mark.parametrize("datatype", ["token", "normalizedString", "integer", "boolean"])
@pytest.mark.parametrize("lexical", TYPED)
def test_a_typed_literal_keeps_its_lexical_form(graph: Graph, lexical: str, datatype: str) -> None:
    graph.update(f'PREFIX xsd: <{XSD}> INSERT DATA {{ <urn:s> <urn:p> "{lexical}"^^xsd:{datatype} }}')

    assert written(graph) == [(lexical, XSD[datatype])]
    assert graph.query(f'ASK {{ ?s ?p "{lexical}"^^<{XSD[datatype]}> }}').askAnswer


def test_the_prefix_of_a_datatype_is_that_of_its_operation(graph: Graph) -> None:
    graph.update(
        'PREFIX d: <urn:a:> INSERT DATA { <urn:s> <urn:p> "1"^^d:t } ;'
        'PREFIX d: <urn:b:> INSERT DATA { <urn:s> <urn:p> "1"^^d:t }'
    )

    assert {term.datatype for term in graph.objects()} == {URIRef("urn:a:t"), URIRef("urn:b:t")}


@pytest.mark.parametrize(
    ("expression", "value"),
    [("3 -1", 2), ("3 - 1", 2), ("3-1", 2), ("3 +1", 4), ("-1+3", 2), ("3*-2", -6), ("- 1", -1), ("-(1)", -1)],
)
def test_a_sign_is_an_operator_between_numbers(graph: Graph, expression: str, value: int) -> None:
    (row,) = graph.query(f"SELECT ({expression} AS ?x) {{ }}")

    assert row[0].toPython() == value


@pytest.mark.parametrize("false", ["false", "0", "-0.0", "0e1", '""', "''", '""^^<urn:unknown>', '"0"^^xsd:boolean'])
@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ("?s ?p ?o FILTER({})", 0),
        ("?s ?p ?o FILTER({}) FILTER(true)", 0),
        ("?s ?p ?o OPTIONAL {{ ?s ?p ?x FILTER({}) }} FILTER(!BOUND(?x))", 2),
        ("?s ?p ?o FILTER NOT EXISTS {{ ?s ?p ?o FILTER({}) }}", 2),
        ("?s ?p ?o MINUS {{ ?s ?p ?o FILTER({}) }}", 2),
        ("{{ SELECT ?o {{ ?s ?p ?o }} GROUP BY ?o HAVING({}) }}", 0),
    ],
)
def test_a_filter_that_is_a_false_literal_is_one(graph: Graph, false: str, where: str, rows: int) -> None:
    graph.update("INSERT DATA { <urn:s> <urn:p> 1, 2 }")

    assert len(graph.query(f"PREFIX xsd: <{XSD}> SELECT ?o {{ {where.format(false)} }}")) == rows


def test_a_filter_of_an_update_that_is_a_false_literal_is_one(graph: Graph) -> None:
    graph.update("INSERT DATA { <urn:s> <urn:p> 1 } ; DELETE { ?s ?p ?o } WHERE { ?s ?p ?o FILTER(false) }")

    assert len(graph) == 1


def test_a_prepared_query_asks_what_its_text_asks(graph: Graph) -> None:
    graph.update("INSERT DATA { <urn:a> <urn:p> 01 . <urn:b> <urn:p> 1 }")
    text = "SELECT ?s ?y ?x { ?s ?p 01 BIND(1.0e0 AS ?y) BIND('a\tb' AS ?x) }"

    prepared = graph.query(prepareQuery(text))

    assert [tuple(map(str, row)) for row in prepared] == [("urn:a", "1.0e0", "a\tb")]
    everything = "SELECT * { ?s ?p ?o }"
    assert graph.query(prepareQuery(everything)).vars == graph.query(everything).vars


def test_a_prepared_update_writes_what_its_text_says(graph: Graph) -> None:
    graph.update(prepareUpdate("INSERT DATA { <urn:s> <urn:p> 1.0e0 }"))

    assert written(graph) == [("1.0e0", XSD.double)]


@pytest.mark.parametrize(
    ("pattern", "rows"),
    [
        ("?s <urn:p>?o", 2),
        ("<urn:s><urn:p>?o", 2),
        ("?s <urn:p>??o", 5),
        ("?s <urn:p>? ?o", 5),
        ("?s <urn:p>+?o", 2),
        ("?s <urn:p>+1", 1),
        ("?s <urn:p>+ 1", 0),
        ("?s <urn:p>+.5", 0),
        ("?s <urn:p>*?o", 5),
    ],
)
def test_a_mark_that_begins_a_token_makes_no_path(graph: Graph, pattern: str, rows: int) -> None:
    graph.update("INSERT DATA { <urn:s> <urn:p> +1, <urn:o> }")

    assert len(graph.query(f"SELECT * {{ {pattern} }}")) == rows


def test_a_prepared_query_keeps_negated_inverse_predicates(graph: Graph) -> None:
    graph.update("INSERT DATA { <urn:x> <urn:k> <urn:y> . <urn:z> <urn:m> <urn:y> }")
    text = "SELECT ?a { ?b !(^<urn:k>) ?a }"

    asked = {"b": URIRef("urn:y")}

    for query in (text, prepareQuery(text)):
        assert [str(row[0]) for row in graph.query(query, initBindings=asked)] == ["urn:z"]
