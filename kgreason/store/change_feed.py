"""The change feed: who is told what came and what went, in the order of the changes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from kgreason.engine.facts import Changes
from kgreason.engine.persistent_map import PersistentMap
from kgreason.relations.codes import AUXILIARY, kind_of
from kgreason.relations.table import Table
from kgreason.store.triple_view import TripleView

Listener: TypeAlias = Callable[[TripleView, TripleView], None]
"""Gets the net added and the net removed triples of one change."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class News:
    """A net change, and the listeners that have yet to hear of it; telling one takes it out."""

    added: TripleView
    removed: TripleView
    listeners: deque[object]


class Feed:
    """The listeners of a knowledge base."""

    def __init__(self, type_id: int) -> None:
        """`type_id` is the id of rdf:type."""
        self._type = type_id
        self._listeners: dict[object, Listener] = {}

    @property
    def has_listeners(self) -> bool:
        """Whether a change is to be told to anything."""
        return bool(self._listeners)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Tell a listener of every change from now on; what is given back ends that."""
        token = object()
        self._listeners[token] = listener

        def cancel() -> None:
            self._listeners.pop(token, None)

        return cancel

    def follow(self, before: Feed) -> None:
        """Take over the listeners of another feed."""
        self._listeners = before._listeners

    def news_of(self, changes: Changes) -> tuple[News, ...]:
        """The news of a net change; none if it left all triples as they were, or has no listener."""
        if not self._listeners:
            return ()
        added, removed = self._view(changes.added), self._view(changes.removed)
        if added is None and removed is None:
            return ()
        empty = TripleView(PersistentMap(), self._type)
        return (News(added or empty, removed or empty, deque(self._listeners)),)

    def tell(self, news: News) -> list[Exception]:
        """Tell all listeners; what they raised. Where Ctrl-C comes, the others are told the next time."""
        errors: list[Exception] = []
        while news.listeners:
            token = news.listeners.popleft()
            try:
                if token in self._listeners:
                    self._listeners[token](news.added, news.removed)
            except Exception as error:  # a listener is the user's code, and the others are told, too
                errors.append(error)
        return errors

    def _view(self, tables: dict[int, Table]) -> TripleView | None:
        """The triples among some facts; None when there are none."""
        found = {code: table for code, table in tables.items() if kind_of(code) != AUXILIARY and table}
        return TripleView(PersistentMap(found), self._type) if found else None
