"""What a store shows and no one changes through it: `explicit` and `inferred`, and the sides of a change."""

from __future__ import annotations

from typing import Any, NoReturn

from rdflib.graph import Graph
from rdflib.store import Store
from rdflib.term import IdentifiedNode

from kgreason.errors import ReadOnlyError


class ReadOnlyView(Graph):
    """A graph of a store that others open, commit and close.

    rdflib hands these calls on to the store, which they would change for all of its graphs; and its parsers of quads
    write to other graphs of the store. Triples of the graph itself are refused by the store.
    """

    def __init__(self, store: Store, identifier: IdentifiedNode | None = None) -> None:
        """The graph of that name; rdflib's sums of graphs, which need no store, are graphs of their own."""
        super().__init__(store=store, identifier=identifier)

    def open(self, configuration: Any, create: bool = False) -> NoReturn:
        """Refused."""
        self._refuse()

    def destroy(self, configuration: Any) -> NoReturn:
        """Refused."""
        self._refuse()

    def commit(self) -> NoReturn:
        """Refused."""
        self._refuse()

    def rollback(self) -> NoReturn:
        """Refused."""
        self._refuse()

    def close(self, commit_pending_transaction: bool = False) -> None:
        """Nothing: the store stays open for its other graphs, also where a caller closes each graph that it reads."""

    def parse(self, *sources: Any, **options: Any) -> NoReturn:
        """Refused."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise ReadOnlyError(f"the graph {self.identifier.n3()} is read-only")
