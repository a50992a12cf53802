"""The changes of a server's store as they happen, and the last of them for clients that come back."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock

from kgreason.store.triple_view import TripleView


@dataclass(frozen=True, slots=True)
class ServedChange:
    """One change: the version that came of it, and what came and went, each a net change in turn. Views are read when
    a client asks."""

    number: int
    version: str
    steps: tuple[tuple[TripleView, TripleView], ...]


class RecentChanges:
    """The last changes, and who waits for the next."""

    def __init__(self, most: int) -> None:
        self._lock = Lock()
        self._changes: deque[ServedChange] = deque(maxlen=most)
        self._waiting: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}

    def add(self, change: ServedChange) -> None:
        """Record a change and wake those who wait: from any thread."""
        with self._lock:
            self._changes.append(change)
        self.wake()

    def wake(self) -> None:
        """Wake all who wait, whether there is something or not."""
        with self._lock:
            waiting = [*self._waiting.items()]
        for event, loop in waiting:
            loop.call_soon_threadsafe(event.set)

    def after(self, number: int) -> Sequence[ServedChange] | None:
        """The changes after that of a number; None where some of them are not there any more."""
        with self._lock:
            found = [change for change in self._changes if change.number > number]
        if found and found[0].number != number + 1:
            return None
        return found

    def number_of(self, version: str) -> int | None:
        """The number of the change that led to a version; None where that is not known any more."""
        with self._lock:
            return next((change.number for change in self._changes if change.version == version), None)

    @property
    def listeners(self) -> int:
        """How many wait, or work on what they waited for."""
        return len(self._waiting)

    @contextmanager
    def listening(self) -> Iterator[asyncio.Event]:
        """An event that is set after each change: for one task of an event loop."""
        event = asyncio.Event()
        with self._lock:
            self._waiting[event] = asyncio.get_running_loop()
        try:
            yield event
        finally:
            with self._lock:
                del self._waiting[event]
