"""LOAD: a document from wherever its IRI leads."""

from __future__ import annotations

from rdflib.graph import Graph
from rdflib.term import URIRef

from kgreason.errors import LoadError

_FORMATS = ("turtle", "xml", "n3", "nt")


def document(source: URIRef) -> Graph:
    """The triples of a document, in the format that its name or its server tells, or in one of rdflib's usual ones.

    Raises:
        LoadError: it cannot be fetched, or read in any of them.
    """
    reasons = []
    for format in (None, *_FORMATS):
        try:
            return Graph().parse(str(source), format=format)
        except Exception as error:
            # rdflib's parsers raise what they like.
            reasons.append(f"{format or 'as it is'}: {error}")
            if isinstance(error, OSError):
                break
    raise LoadError(f"<{source}> cannot be loaded ({'; '.join(reasons)})")
