"""The limits of a query: time, rows, and access to servers and files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from kgreason import memory, progress
from kgreason.access import NOTHING, Access
from kgreason.errors import QueryError, QueryLimitError

DEPTH: Final = 30
"""About so deep may groups and brackets be nested; what Python's stack allows depends on who called."""
_PAUSE: Final = 0.001
"""Seconds between two looks at the time that is left, and the memory: a small query is asked a hundred times."""


@dataclass(slots=True)
class Limits:
    """A limit of seconds, and of the rows of the answer and of any one step, None for none; what may be reached for;
    and whether to go on.

    The time runs from when this is made.
    """

    seconds: float | None = None
    rows: int | None = None
    access: Access = NOTHING
    is_cancelled: Callable[[], bool] | None = None
    """Asked now and then, and to be answered in no time."""
    work: str = "the query"
    """What takes the time, in words."""
    _end: float | None = field(init=False, default=None)
    _again: float = field(init=False, default=0.0)
    """When to look again."""

    def __post_init__(self) -> None:
        if self.seconds is not None:
            self._end = monotonic() + self.seconds

    @property
    def remaining(self) -> float | None:
        """Seconds until the time is over; None for no limit."""
        return None if self._end is None else self._end - monotonic()

    def extend(self, seconds: float) -> None:
        """Allow more time: who reads an answer may be slower than what makes it."""
        if self._end is not None:
            self._end += seconds

    def check(self, rows: int = 0) -> None:
        """Raise QueryLimitError when the time is over, a step made more rows than it may, or nothing is wanted any
        more, and MemoryError when there is hardly any left: 0.1 microseconds, and more once a millisecond."""
        if self.rows is not None and rows > self.rows:
            raise QueryLimitError(f"a step of the query made {rows:,} rows, more than {self.rows:,}", "rows", self.rows)
        if self.is_cancelled is not None and self.is_cancelled():
            raise QueryLimitError(f"{self.work} was cancelled", "cancelled")
        progress.tick()
        now = monotonic()
        if now < self._again:
            return
        memory.check_reserve("a step of the query")
        if self._end is not None and now > self._end:
            raise QueryLimitError(f"{self.work} took longer than {self.seconds:g} s", "seconds", self.seconds)
        self._again = now + _PAUSE

    def check_answer(self, count: int, what: str = "rows") -> None:
        """Raise QueryLimitError when there are more rows, or triples, of the answer so far than it may have."""
        if self.rows is not None and count > self.rows:
            raise QueryLimitError(f"the query gives more than {self.rows:,} {what}", "rows", self.rows)


def too_deep() -> QueryError:
    """The error for a query that is nested deeper than Python's stack."""
    return QueryError(f"the query is nested too deeply (its parts may lie some {DEPTH} deep in each other)")
