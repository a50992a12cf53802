"""Would catch a document of W3C's suites that changes when it is read and written."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph as ox
import pytest
from rdflib import Graph

from kgreason import ReasoningStore
from tests.shared_data import shared_root, unpacked

FORMATS = {
    "kg-nt": ox.RdfFormat.N_TRIPLES,
    "kg-turtle": ox.RdfFormat.TURTLE,
    "kg-xml": ox.RdfFormat.RDF_XML,
    "kg-jsonld": ox.RdfFormat.JSON_LD,
}
LARGEST = 40_000
SHARE = 6
"""One document in so many: a second of each core."""
BASE = "http://example.org/"


def documents() -> list[Path]:
    """Some of the Turtle documents that are to be accepted."""
    if shared_root() is None:
        return []
    suites = unpacked("w3c-rdf-tests/w3c-rdf-tests.tar.xz")
    turtle = [path for path in sorted(suites.rglob("*.ttl")) if path.stat().st_size < LARGEST and is_turtle(path)]
    return turtle[::SHARE]


def is_turtle(path: Path) -> bool:
    """Whether it is a document of RDF 1.1 that pyoxigraph reads."""
    try:
        quads = [*ox.parse(path.read_bytes(), format=ox.RdfFormat.TURTLE, base_iri=BASE)]
    except SyntaxError:
        return False
    return not any(isinstance(quad.object, ox.Triple) for quad in quads)


def canonical(document: bytes, format: ox.RdfFormat) -> set[ox.Quad]:
    """The triples, with labels of blank nodes that isomorphic documents share."""
    dataset = ox.Dataset(ox.parse(document, format=format, base_iri=BASE))
    dataset.canonicalize(ox.CanonicalizationAlgorithm.UNSTABLE)
    return set(dataset)


@pytest.mark.parametrize("path", documents(), ids=lambda path: f"{path.parent.name}-{path.name}")
def test_document_is_the_same_when_it_is_written(path: Path) -> None:
    content = path.read_bytes()
    graph = Graph(ReasoningStore(rules="none"))
    graph.parse(data=content, format="kg-turtle", publicID=BASE)

    for name, format in FORMATS.items():
        written = graph.serialize(format=name, encoding="utf-8")
        assert canonical(written, format) == canonical(content, ox.RdfFormat.TURTLE), name

    turtle = graph.serialize(format="kg-turtle")
    again = Graph(ReasoningStore(rules="none")).parse(data=turtle, format="kg-turtle")
    assert again.serialize(format="kg-turtle") == turtle
