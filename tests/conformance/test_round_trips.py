"""Would catch a document of W3C's suites, or an ontology of the ORE corpus, that changes when it is read and written.

Documents are compared by pyoxigraph: it reads what we write, and we read what it writes. The thorough profile takes
all.
"""

from __future__ import annotations

import re
from pathlib import Path

import pyoxigraph as ox
import pytest
from rdflib import Graph

from kgreason import ReasoningStore
from tests import profiles
from tests.shared_data import shared_root, unpacked

FORMATS = {
    "kg-nt": ox.RdfFormat.N_TRIPLES,
    "kg-nquads": ox.RdfFormat.N_QUADS,
    "kg-turtle": ox.RdfFormat.TURTLE,
    "kg-trig": ox.RdfFormat.TRIG,
    "kg-n3": ox.RdfFormat.N3,
    "kg-xml": ox.RdfFormat.RDF_XML,
    "kg-jsonld": ox.RdfFormat.JSON_LD,
}
LARGEST = 40_000
SHARE = 1 if profiles.IS_THOROUGH else 8
"""One document in so many."""
BASE = "http://example.org/"


def documents() -> list[Path]:
    """Turtle documents that are to be accepted, and ontologies as N-Triples, which are Turtle."""
    if shared_root() is None:
        return []
    suites = unpacked("w3c-rdf-tests/w3c-rdf-tests.tar.xz")
    turtle = [path for path in sorted(suites.rglob("*.ttl")) if path.stat().st_size < LARGEST and is_turtle(path)]
    ontologies = sorted(unpacked("ore-small-closures/ore-give-even.tar.xz").rglob("data/**/*.nt"))
    return turtle[::SHARE] + ontologies[::SHARE]


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


def can_be_said(quads: set[ox.Quad], name: str) -> bool:
    """Whether a format has all that is in some triples: XML has no control characters, N3 no directions of texts."""
    literals = [quad.object for quad in quads if isinstance(quad.object, ox.Literal)]
    if name == "kg-xml":
        return not any(re.search("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", each.value) for each in literals)
    return name != "kg-n3" or not any(each.direction for each in literals)


def name_of(path: Path) -> str:
    return f"{path.parent.name}-{path.name}"


def read(content: bytes, name: str) -> Graph:
    return Graph(ReasoningStore(rules="none")).parse(data=content, format=name, publicID=BASE)


@pytest.mark.parametrize("path", documents(), ids=name_of)
def test_document_is_the_same_when_it_is_written(path: Path) -> None:
    content = path.read_bytes()
    graph, expected = read(content, "kg-turtle"), canonical(content, ox.RdfFormat.TURTLE)

    for name, format in FORMATS.items():
        if can_be_said(expected, name):
            assert canonical(graph.serialize(format=name, encoding="utf-8"), format) == expected, name

    turtle = graph.serialize(format="kg-turtle", encoding="utf-8")
    assert read(turtle, "kg-turtle").serialize(format="kg-turtle", encoding="utf-8") == turtle


@pytest.mark.parametrize("path", documents(), ids=name_of)
def test_document_is_the_same_when_another_wrote_it(path: Path) -> None:
    quads = canonical(path.read_bytes(), ox.RdfFormat.TURTLE)

    for name, format in FORMATS.items():
        if can_be_said(quads, name):
            statements = quads if format.supports_datasets else {quad.triple for quad in quads}
            written = ox.serialize(statements, format=format)
            assert written is not None
            if name == "kg-xml":  # pyoxigraph writes carriage returns as they are, and so as line breaks
                written = written.replace(b"\r", b"&#xD;")
            found = read(written, name).serialize(format="kg-nt", encoding="utf-8")
            assert canonical(found, ox.RdfFormat.N_TRIPLES) == quads, name
