"""The triples that a change added or removed, as an rdflib Graph over ids: each is made when it is read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rdflib import Graph
from rdflib.store import Store

from kgreason.errors import ReadOnlyError
from kgreason.store.triple_view import View
from kgreason_rdflib.term_border import TermBorder
from kgreason_rdflib.triple_rows import read


class ChangeStore(Store):
    """The read-only store of one side of a change."""

    def __init__(self, view: View, border: TermBorder) -> None:
        """`border` knows the terms of the view's ids."""
        super().__init__()
        self._view = view
        self._border = border

    def triples(self, triple: Any, context: Graph | None = None) -> Iterator[Any]:
        """The triples that match a pattern, each with no context."""
        for found in read(self._view, triple, self._border):
            yield found, iter((context,))

    def __len__(self, context: Graph | None = None) -> int:
        """How many there are; counted without making any."""
        return self._view.count()

    def add(self, triple: Any, context: Graph | None, quoted: bool = False) -> None:
        """Refused."""
        raise ReadOnlyError("a change that was made is read-only")

    def remove(self, triple: Any, context: Graph | None = None) -> None:
        """Refused."""
        raise ReadOnlyError("a change that was made is read-only")
