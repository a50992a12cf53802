"""Checks of links between SKOS vocabularies, and of the IRIs of concepts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

import numpy as np

from kgreason.quality.check import ERROR, NOTE, WARNING, Check, Row
from kgreason.quality.concepts import concepts, in_scheme
from kgreason.quality.graph_columns import GraphColumns, Pairs
from kgreason.quality.vocabularies import STANDARD, skos


def _clashes(graph: GraphColumns) -> Iterator[Row]:
    exact = graph.pairs(*skos("exactMatch"))
    exact = exact.union(exact.inverse)
    above = graph.pairs(*skos("broadMatch")).union(graph.pairs(*skos("narrowMatch")).inverse)
    for name, found in (("broadMatch", above), ("relatedMatch", graph.pairs(*skos("relatedMatch")))):
        yield from ((one, other, name) for one, other in found.where(found.within(exact)).rows())


def _within_scheme(graph: GraphColumns) -> Iterator[Row]:
    places = in_scheme(graph)
    for name in ("exactMatch", "closeMatch", "broadMatch", "narrowMatch", "relatedMatch"):
        links = graph.pairs(*skos(name), explicit=True)
        other, one, scheme = links.inverse.joined(places)
        is_same = Pairs(other, scheme).within(places) & (one != other)
        rows = zip(one[is_same].tolist(), other[is_same].tolist(), scheme[is_same].tolist(), strict=True)
        yield from ((concept, name, target, owner) for concept, target, owner in rows)


def _without_out_links(graph: GraphColumns) -> Iterator[Row]:
    """Concepts from which no IRI of another host is linked, standard vocabularies aside."""
    own = concepts(graph)
    linked: set[int] = set()
    for from_all, _, to_all in graph.explicit.match(None, None, None):
        kept = np.isin(from_all, own) & graph.is_iri(to_all)
        subjects, objects = from_all[kept], to_all[kept]
        hosts = dict(zip(objects.tolist(), map(_host, graph.texts(objects)), strict=True))
        known = dict(zip(subjects.tolist(), map(_host, graph.texts(subjects)), strict=True))
        for subject, object in zip(subjects.tolist(), objects.tolist(), strict=True):
            if hosts[object] and hosts[object] != known[subject]:
                linked.add(subject)
    yield from ((concept,) for concept in own.tolist() if concept not in linked)


def _host(iri: str) -> str:
    """The host of an IRI, "" for a term of the standard vocabularies."""
    if iri.startswith(STANDARD):
        return ""
    try:
        return urlsplit(iri).netloc or iri.partition(":")[0]
    except ValueError:
        return ""


def _not_http(graph: GraphColumns) -> Iterator[Row]:
    own = concepts(graph)
    yield from (
        (concept,)
        for concept, key in zip(own.tolist(), graph.texts(own), strict=True)
        if not key.lower().startswith(("http://", "https://"))
    )


MAPPING_CHECKS: Final = (
    Check(
        "mapping-clash",
        ERROR,
        "Concepts match exactly, and are also mapped as broader, narrower or related (SKOS S46).",
        ("concept", "exact match", "also"),
        _clashes,
    ),
    Check(
        "mapping-within-scheme",
        WARNING,
        "A mapping relation links concepts of one scheme; it is meant for concepts of different schemes.",
        ("concept", "relation", "concept", "scheme"),
        _within_scheme,
    ),
    Check("missing-out-link", NOTE, "A concept links to nothing on another host.", ("concept",), _without_out_links),
    Check("not-an-http-iri", NOTE, "A concept is a blank node, or its IRI is not of HTTP.", ("concept",), _not_http),
)
