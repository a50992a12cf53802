"""Would catch: an answer that `serialize` writes otherwise than rdflib's own serializers mean it, or to the wrong kind
of stream."""

from __future__ import annotations

from io import BytesIO, StringIO
from pathlib import Path

import pytest
from rdflib import BNode, Graph, Literal, Namespace, URIRef
from rdflib.query import Result

from kgreason import ReasoningStore

EX = Namespace("http://example.org/")
TERMS = [
    URIRef("http://example.org/ü"), BNode("b"), Literal('a "quoted", one\twith\nlines\r\n'), Literal("x", lang="en"),
    Literal(1), Literal("<&>"), Literal(""),
]  # fmt: skip
FORMATS = {
    "json": "json", "xml": "xml", "csv": "csv", "tsv": "tsv", "application/sparql-results+json": "json",
    "application/sparql-results+xml": "xml", "text/csv": "csv",
}  # fmt: skip


@pytest.fixture
def graph() -> Graph:
    graph = Graph(store=ReasoningStore(rules="none"))
    for number, term in enumerate(TERMS):
        graph.add((EX[str(number)], EX.p, term))
    return graph


QUERY = "SELECT ?s ?o ?none { ?s ?p ?o OPTIONAL { ?s <urn:none> ?none } } ORDER BY ?s"


def texts(result: Result) -> list[set[str]]:
    return [set(map(str, row.values())) for row in result.bindings]


@pytest.mark.parametrize("format", ["json", "xml", "tsv"])
def test_rows_are_read_back(graph: Graph, format: str) -> None:
    result = graph.query(QUERY)
    first, again = result.serialize(format=format), result.serialize(format=format)

    back = Result.parse(BytesIO(first), format=format)
    if format == "tsv":  # whose reader gives None for what is unbound
        back.bindings = [{name: term for name, term in row.items() if term is not None} for row in back.bindings]

    assert first == again
    assert [str(name) for name in back.vars] == ["s", "o", "none"]
    assert texts(back) == texts(result)


def test_csv_is_that_of_rdflib(graph: Graph) -> None:
    from rdflib.plugins.sparql.results.csvresults import CSVResultSerializer

    result, expected = graph.query(QUERY), BytesIO()
    CSVResultSerializer(result).serialize(expected, "utf-8")
    assert result.serialize(format="csv") == expected.getvalue()


@pytest.mark.parametrize(("name", "format"), FORMATS.items())
def test_names_and_destinations(graph: Graph, tmp_path: Path, name: str, format: str) -> None:
    result = graph.query(QUERY)
    expected, stream, text = result.serialize(format=format), BytesIO(), StringIO(newline="")

    result.serialize(stream, format=name)
    result.serialize(text, format=name)
    result.serialize(str(tmp_path / "a"), format=name)
    result.serialize((tmp_path / "b c").as_uri(), format=name)

    assert stream.getvalue() == text.getvalue().encode() == expected
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b c").read_bytes() == expected
    with pytest.raises(ValueError, match="has a host"):
        result.serialize("file://example.org/a", format=name)


@pytest.mark.parametrize("format", ["json", "xml"])
def test_truth_is_read_back(graph: Graph, format: str) -> None:
    for query, truth in (("ASK { ?s ?p ?o }", True), ("ASK { ?s <urn:none> ?o }", False)):
        assert Result.parse(BytesIO(graph.query(query).serialize(format=format)), format=format).askAnswer is truth


def test_other_formats_and_encodings_are_rdflibs(graph: Graph) -> None:
    result = graph.query("SELECT ?o { ?s ?p ?o FILTER(isIRI(?o)) }")
    assert b"http://example.org/" in result.serialize(format="txt")
    assert "ü".encode("utf-16")[2:] in result.serialize(format="csv", encoding="utf-16")
