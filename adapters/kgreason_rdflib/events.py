"""rdflib's events: triples that were added or removed, for those who subscribed to a store's dispatcher."""

from __future__ import annotations

from typing import Any

from rdflib.graph import Graph
from rdflib.store import Store


class Events:
    """Sends the events of a store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def has_subscribers(self, event: type) -> bool:
        """Whether there are subscribers to a kind of event."""
        return event in (self.store.dispatcher.get_map() or ())  # type: ignore[no-untyped-call]  # rdflib has no type for it

    def announce(self, event: type, triple: Any, context: Graph | None) -> None:
        """Send an event, if there are subscribers."""
        # rdflib's dispatcher raises ValueError for an event without subscribers.
        if self.has_subscribers(event):
            self.store.dispatcher.dispatch(event(triple=triple, context=context))  # type: ignore[no-untyped-call]  # rdflib has no type for it
