"""Where long work says how far it is.

A progress bar listens; the rooms that take the time lie far below and say what they do, as they ask
`kgreason.checkpoints` whether they may go on:

    with reporting(show):
        ...         # begin("reading", "file 2 of 3: b.nt", offset=700, total=900) and advance(100) in here call
                    # show(Advance("reading", "file 2 of 3: b.nt", 800, 900))

Without a listener both cost a look-up of a context variable. Each thread, and each context of one, has a listener of
its own; what listeners raise comes out of the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import PurePath
from time import monotonic
from typing import Final, TypeAlias


@dataclass(frozen=True, slots=True)
class Advance:
    """How far a phase is: `done` of `total` units, which is None where nobody knows how many there are."""

    phase: str
    detail: str = ""
    done: int = 0
    total: int | None = None

    @property
    def share(self) -> float | None:
        """The part that is done, from 0 to 1; None where it is unknown."""
        return min(self.done / self.total, 1.0) if self.total else None

    @property
    def text(self) -> str:
        """The phase with its detail, of whose path the last part."""
        head, _, name = self.detail.rpartition(": ")
        detail = f"{head}: {PurePath(name).name}" if head else PurePath(name).name
        return f"{self.phase} {detail}".rstrip()


_TICK: Final = 0.1
"""Seconds between two times that a listener hears the same."""

Listener: TypeAlias = Callable[[Advance], object]


class _Reporter:
    """What a listener was told last."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._last = Advance("")
        self._offset = 0
        self._next_tick = 0.0

    def begin(self, found: Advance) -> None:
        self._last, self._offset = found, found.done
        self._next_tick = monotonic() + _TICK
        self._listener(found)

    def advance(self, done: int) -> None:
        self._last = replace(self._last, done=self._offset + done)
        self._listener(self._last)

    def tick(self) -> None:
        now = monotonic()
        if self._last.phase and now >= self._next_tick:
            self._next_tick = now + _TICK
            self._listener(self._last)


_REPORTER: Final[ContextVar[_Reporter | None]] = ContextVar("reporter", default=None)


def begin(phase: str, detail: str = "", *, offset: int = 0, total: int | None = None) -> None:
    """A phase, or a part of one that begins after `offset` of `total` units."""
    reporter = _REPORTER.get()
    if reporter is not None:
        reporter.begin(Advance(phase, detail, offset, total))


def advance(done: int) -> None:
    """So many units of the part are done."""
    reporter = _REPORTER.get()
    if reporter is not None:
        reporter.advance(done)


def tick() -> None:
    """The work goes on, no further than it was: the time may be shown."""
    reporter = _REPORTER.get()
    if reporter is not None:
        reporter.tick()


def is_reporting() -> bool:
    """Whether there is a listener, for work that costs something to measure."""
    return _REPORTER.get() is not None


@contextmanager
def reporting(listener: Listener) -> Iterator[None]:
    """Have the body's progress told to a listener, and to no other."""
    token = _REPORTER.set(_Reporter(listener))
    try:
        yield
    finally:
        _REPORTER.reset(token)
