"""The change feed: who is told what came and what went, in the order of the changes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from kgreason.engine.facts import Changes, Facts
from kgreason.knowledge.view import TripleView
from kgreason.schemes.relations import AUXILIARY, kind_of
from kgreason.schemes.scheme import Table

Listener: TypeAlias = Callable[[TripleView, TripleView], None]
"""Gets the net added and the net removed triples of one change."""


class Feed:
    """Listeners, and the changes that they have yet to hear of."""

    def __init__(self, type_id: int) -> None:
        """`type_id` is the id of rdf:type."""
        self._type = type_id
        self._listeners: dict[object, Listener] = {}
        self._waiting: deque[tuple[TripleView, TripleView, deque[object]]] = deque()
        # The changes of a transaction that goes on; None outside of one.
        self._parts: list[Changes] | None = None
        self._is_delivering = False

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

    @property
    def waiting(self) -> int:
        """How many changes nobody has been told of yet."""
        return len(self._waiting) + len(self._parts or ())

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Tell of the net change of all that is noted in the body, as one change at its end; of nothing if it fails."""
        outer, self._parts = self._parts, []
        try:
            yield
            net = Changes()
            for part in self._parts:
                for code in part.added.keys() | part.removed.keys():
                    net.record(code, part.added.get(code), part.removed.get(code))
        finally:
            self._parts = outer
        self.note(net)

    def note(self, changes: Changes) -> None:
        """Have a change to tell of, unless it left all triples as they were."""
        if self._parts is not None:
            self._parts.append(changes)
        elif self._listeners:
            added, removed = self._view(changes.added), self._view(changes.removed)
            if added is not None or removed is not None:
                empty = TripleView(Facts(), self._type)
                self._waiting.append((added or empty, removed or empty, deque(self._listeners)))

    def forget(self, waiting: int) -> None:
        """Tell of so many changes only: the later ones came to nothing."""
        while self.waiting > waiting:
            (self._parts or self._waiting).pop()

    def announce(self) -> None:
        """Tell the listeners of the changes that wait.

        A change that a listener brings about while it is told of another is announced after that one. What listeners
        raise comes out once all have been told.

        Raises:
            ExceptionGroup: several listeners failed; the error itself if it was one.
        """
        if self._waiting and self._parts is None and not self._is_delivering:
            self._deliver()

    def _view(self, tables: dict[int, Table]) -> TripleView | None:
        """The triples among some facts; None when there are none."""
        found = {code: table for code, table in tables.items() if kind_of(code) != AUXILIARY and table}
        return TripleView(Facts(found), self._type) if found else None

    def _deliver(self) -> None:
        errors: list[Exception] = []
        self._is_delivering = True
        try:
            while self._waiting:
                # Ctrl-C costs nobody a change but who is being told of it: the others are told the next time.
                added, removed, listeners = self._waiting[0]
                while listeners:
                    token = listeners.popleft()
                    try:
                        if token in self._listeners:
                            self._listeners[token](added, removed)
                    except Exception as error:
                        errors.append(error)
                self._waiting.popleft()
        finally:
            self._is_delivering = False
        if len(errors) == 1:
            raise errors[0]
        if errors:
            raise ExceptionGroup("several listeners failed", errors)
