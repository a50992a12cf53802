"""Would catch: an IRI that rdflib takes and `add` refuses, or one that no RDF document has, in a document."""

from __future__ import annotations

import logging
from io import BytesIO
from pathlib import Path

import pytest
from rdflib import RDF, Dataset, Graph, Literal, Namespace, URIRef

from kgreason import ReasoningStore, TermError, TermWarning, WriteError

EX = Namespace("http://example.org/")
ODD = [
    "http://e/a b", "http://e/{x}", "http://e/<x>", 'http://e/"x', "http://e/x|y", "http://e/x^y", "http://e/x`y",
    "http://e/x\\y", "http://e/%zz", "name", "a/b", "_x", "", "http://e/ü|",
]  # fmt: skip
FORMATS = [f"kg-{name}" for name in ("nt", "nquads", "turtle", "trig", "xml", "n3", "jsonld")]


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR, logger="rdflib.term")


@pytest.mark.parametrize("text", ODD)
def test_iri_that_rdflib_takes_is_taken_with_a_warning(text: str) -> None:
    graph, iri = Graph(store=ReasoningStore()), URIRef(text)

    with pytest.warns(TermWarning, match="is not a valid IRI") as warned:
        graph.add((iri, RDF.type, EX.o))
    graph.add((iri, iri, iri))  # known by now

    assert [warning.filename for warning in warned] == [__file__]
    assert set(graph) == {(iri, iri, iri), (iri, RDF.type, EX.o)}
    assert {row.s for row in graph.query("SELECT ?s { ?s a ?o }")} == {iri}
    assert {row.p for row in graph.query("SELECT ?p { ?s ?p ?s }", initBindings={"s": iri})} == {iri}


@pytest.mark.filterwarnings("ignore::kgreason.TermWarning")
@pytest.mark.parametrize("text", ODD)
@pytest.mark.parametrize("place", range(4))
def test_iri_that_no_document_has_is_written_to_none(text: str, place: int) -> None:
    if place == 3 and not text:
        return  # rdflib takes it for no name
    quad = [EX.s, EX.p, EX.o, EX.g]
    quad[place] = URIRef(text)
    dataset = Dataset(store=ReasoningStore(rules="none"), default_union=True)
    dataset.graph(quad[3]).add(tuple(quad[:3]))

    for name in FORMATS:
        if place < 3 or name in ("kg-nquads", "kg-trig", "kg-jsonld"):
            out = BytesIO()
            with pytest.raises(WriteError, match=r"is not a valid IRI|expected a property"):
                dataset.serialize(out, format=name)


@pytest.mark.filterwarnings("ignore::kgreason.TermWarning")
def test_iri_that_no_document_has_is_kept_on_disk(tmp_path: Path) -> None:
    graph = Graph(store=ReasoningStore())
    graph.open(str(tmp_path), create=True)
    facts = {(URIRef(text), RDF.type, EX.Odd) for text in ODD}
    for fact in facts:
        graph.add(fact)
    graph.close()

    again = Graph(store=ReasoningStore())
    again.open(str(tmp_path))

    assert {fact for fact in again if fact[2] == EX.Odd} == facts
    again.close()


@pytest.mark.parametrize("text", ["a\nb", "a\tb", "\x00", "a\x7f", "\x85", "\ud800", "_:b", '"a"'])
def test_iri_that_could_break_lines_or_be_another_term_is_refused(text: str) -> None:
    graph = Graph(store=ReasoningStore())
    for triple in ((URIRef(text), EX.p, EX.o), (EX.s, URIRef(text), EX.o), (EX.s, EX.p, URIRef(text))):
        with pytest.raises(TermError):
            graph.add(triple)
    assert len(graph) == 0


def test_datatype_is_an_iri_that_documents_have() -> None:
    graph = Graph(store=ReasoningStore())
    with pytest.raises(TermError):
        graph.add((EX.s, EX.p, Literal("1", datatype=EX["no good"])))
