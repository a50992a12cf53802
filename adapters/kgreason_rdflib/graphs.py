"""Read-only graphs: the explicit and the inferred triples by themselves."""

from __future__ import annotations

from typing import Any, NoReturn

from rdflib.graph import Graph, ModificationException
from rdflib.term import URIRef

EXPLICIT = URIRef("urn:x-kgreason:explicit")
"""The pseudo-graph of what was asserted, for FROM and `get_context`."""

INFERRED = URIRef("urn:x-kgreason:inferred")
"""The pseudo-graph of what only follows."""


class ReadOnlyGraph(Graph):
    """A graph over a part of a store; whatever would change it raises rdflib's ModificationException."""

    def __init__(self, store: Any, identifier: URIRef) -> None:
        super().__init__(store=store, identifier=identifier)

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise ModificationException

    add = addN = remove = set = parse = update = destroy = _refuse  # type: ignore[assignment]
    __iadd__ = __isub__ = _refuse  # type: ignore[assignment]
