"""The limits of a query: time, rows, and access to servers and files."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from kgreason import memory, progress
from kgreason.access import NOTHING, Access
from kgreason.errors import QueryError, QueryLimitError

DEPTH: Final = 30
"""About so deep may groups and brackets be nested; what Python's stack allows depends on who called."""


@dataclass(slots=True)
class Limits:
    """A limit of seconds and of rows of any one step, None for none; and what may be reached for.

    The time runs from when this is made.
    """

    seconds: float | None = None
    rows: int | None = None
    access: Access = NOTHING
    _end: float | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if self.seconds is not None:
            self._end = monotonic() + self.seconds

    @property
    def remaining(self) -> float | None:
        """Seconds until the time is over; None for no limit."""
        return None if self._end is None else self._end - monotonic()

    def check(self, rows: int = 0) -> None:
        """Raise QueryLimitError when the time is over, or a step made more rows than it may, and MemoryError when there
        is hardly any left."""
        progress.tick()
        memory.check_reserve("a step of the query")
        if self._end is not None and monotonic() > self._end:
            raise QueryLimitError(f"the query took longer than {self.seconds:g} s", "seconds", self.seconds)
        if self.rows is not None and rows > self.rows:
            raise QueryLimitError(f"a step of the query made {rows:,} rows, more than {self.rows:,}", "rows", self.rows)


def too_deep() -> QueryError:
    """The error for a query that is nested deeper than Python's stack."""
    return QueryError(f"the query is nested too deeply (its parts may lie some {DEPTH} deep in each other)")
