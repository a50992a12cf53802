"""Would catch a document of proofs that lacks a triple, repeats a step, or is left half written."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from rdflib import OWL, RDF, RDFS, Graph, Literal, Namespace, URIRef, Variable

from kgreason import OptionError, ReasoningStore, TermError, UnknownTripleError, WriteError
from kgreason.proof_checking.proof_checker import CheckedProof, check_proof
from kgreason.store.rule_sets import resolve_rules
from kgreason_rdflib import TripleTerm

EX = Namespace("http://example.org/")
CHAIN = [(EX[f"n{number}"], EX.part, EX[f"n{number + 1}"]) for number in range(5)]
DATA = [(EX.part, RDF.type, OWL.TransitiveProperty), (EX.part, RDFS.domain, EX.Thing), *CHAIN]


@pytest.fixture
def graph() -> Graph:
    graph = Graph(store=ReasoningStore(rules="owl-rl"))
    graph.bind("ex", EX)
    for triple in DATA:
        graph.add(triple)
    return graph


def checked(document: bytes, graph: Graph, format: str) -> CheckedProof:
    data = graph.store.explicit.serialize(format="nt").encode()
    return check_proof(document, resolve_rules("owl-rl"), data, format=format)


@pytest.mark.parametrize("format", ["nt", "nq", "ttl", "trig", "jsonld"])
@pytest.mark.parametrize("reification", [None, "statements"])
def test_everything_inferred_in_each_format_is_proved(graph: Graph, format: str, reification: str | None) -> None:
    stream = BytesIO()

    graph.store.write_proofs(stream, format=format, reification=reification)

    found = checked(stream.getvalue(), graph, format)
    assert found.derived == len(graph.store.inferred)
    assert found.asserted == len(DATA)
    has_terms = b"<<(" in stream.getvalue()
    assert has_terms == (reification is None and format != "jsonld")


def test_result_of_a_query_in_a_file_has_the_proofs_of_its_triples(graph: Graph, tmp_path: Path) -> None:
    path = tmp_path / "proofs.ttl"

    graph.store.write_proofs(path, graph.query("CONSTRUCT { ?x a ?c } WHERE { ?x a ?c . ?x ex:part ?y }"))

    found = checked(path.read_bytes(), graph, "ttl")
    shown = {tuple(map(str, triple)) for triple in found.triples}
    assert {tuple(f"<{part}>" for part in (EX[f"n{n}"], RDF.type, EX.Thing)) for n in range(5)} <= shown


def test_one_proof_is_that_of_explain(graph: Graph) -> None:
    proof = graph.store.explain((EX.n0, EX.part, EX.n5))

    found = checked(proof.to_rdf("nt").encode(), graph, "nt")

    assert found.asserted == len(proof.asserted())
    assert found.derived == 4, "a path is written edge by edge"


def test_triple_that_does_not_hold_leaves_the_file_as_it_was(graph: Graph, tmp_path: Path) -> None:
    path = tmp_path / "proofs.nt"
    path.write_text("before")

    for triple in ((EX.n5, EX.part, EX.n0), (EX.n5, EX.part, EX.unheard)):
        with pytest.raises(UnknownTripleError):
            graph.store.write_proofs(path, [*CHAIN, triple])

    assert path.read_text() == "before"
    assert [each.name for each in tmp_path.iterdir()] == ["proofs.nt"]


def test_options_that_do_not_exist_are_refused(graph: Graph, tmp_path: Path) -> None:
    for options in ({"format": "rdf"}, {"reification": "quads"}, {"format": "jsonld", "reification": "triple-terms"}):
        with pytest.raises(OptionError):
            graph.store.write_proofs(tmp_path / "x", **options)
    with pytest.raises(TermError):
        graph.store.write_proofs(tmp_path / "x.nt", [(EX.n0, URIRef("a b"), Variable("x"))])
    assert not [*tmp_path.iterdir()]


def test_triple_term_as_object_needs_triple_terms(graph: Graph) -> None:
    inner = TripleTerm(EX.n0, EX.part, Literal("x", lang="en-GB"))
    graph.add((EX.says, RDFS.subPropertyOf, EX.utters))
    graph.add((EX.sam, EX.says, inner))
    proof = graph.store.explain((EX.sam, EX.utters, inner))

    assert checked(proof.to_rdf("ttl").encode(), graph, "ttl").derived == 1
    with pytest.raises(WriteError, match="triple terms"):
        proof.to_rdf("jsonld")


def test_file_that_cannot_be_written_is_a_write_error(graph: Graph, tmp_path: Path) -> None:
    for name in ("none/proofs.ttl", "x" * 300 + ".ttl"):
        with pytest.raises(WriteError, match="cannot be written") as caught:
            graph.store.write_proofs(tmp_path / name)
        assert caught.value.path == str(tmp_path / name)
        with pytest.raises(WriteError, match="cannot be written"):
            graph.query("SELECT * { ?s ?p ?o }").serialize(str(tmp_path / name), format="json")
    assert list(tmp_path.iterdir()) == []
