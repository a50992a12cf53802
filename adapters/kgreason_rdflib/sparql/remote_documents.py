"""LOAD: a document from where its IRI leads, if the owner of the store allows it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from pyoxigraph import RdfFormat
from rdflib.term import URIRef

from kgreason.access import Document, fetch
from kgreason.errors import LoadError
from kgreason.io.formats import format_of_path
from kgreason.io.gathered import Gathered
from kgreason.io.readers import gather_stream
from kgreason.sparql.limits import Limits

# What servers call a document of which they do not know what it is.
_UNKNOWN: Final = (None, "text/plain", "text/html", "application/octet-stream")
_TRIED: Final = (RdfFormat.TURTLE, RdfFormat.RDF_XML, RdfFormat.JSON_LD, RdfFormat.TRIG)
_ACCEPTED: Final = ", ".join(
    ("text/turtle", "application/n-triples", "application/rdf+xml;q=0.9", "application/ld+json;q=0.8", "*/*;q=0.1")
)


def document(source: URIRef, limits: Limits) -> Gathered:
    """The quads of a document, for any dictionary; in the format that its server or its name tells, or in a usual one.

    Raises:
        AccessError: the owner of the store has not allowed to reach for it.
        LoadError: it cannot be fetched, or read in any of them.
        QueryLimitError: it took longer than the request may.
    """
    iri = str(source)
    try:
        found = fetch(iri, limits.access, seconds=limits.remaining, headers={"Accept": _ACCEPTED})
    except LoadError:
        limits.check()
        raise
    error: LoadError | None = None
    for format in _formats(found):
        try:
            return gather_stream(
                found.content, format=format.media_type, source=f"<{iri}>", base=found.iri,
                progress=lambda *_: limits.check(),
            )  # fmt: skip
        except LoadError as this:
            error = error or this
    raise error or LoadError(f"<{iri}>: of no known format")


def _formats(found: Document) -> Iterator[RdfFormat]:
    told = None if found.media_type in _UNKNOWN else RdfFormat.from_media_type(found.media_type or "")
    told = told or format_of_path(Path(unquote(urlsplit(found.iri).path)))
    if told is None:
        yield from _TRIED
    else:
        yield told
