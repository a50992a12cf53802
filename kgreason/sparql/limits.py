"""What a query may use: time and rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic

from kgreason.errors import QueryLimitError


@dataclass(slots=True)
class Limits:
    """A limit of seconds and of rows of any one step; None for none. The time runs from when this is made."""

    seconds: float | None = None
    rows: int | None = None
    _end: float | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if self.seconds is not None:
            self._end = monotonic() + self.seconds

    def check(self, rows: int = 0) -> None:
        """Raise QueryLimitError when the time is over, or a step made more rows than it may."""
        if self._end is not None and monotonic() > self._end:
            raise QueryLimitError(f"the query took longer than {self.seconds:g} s")
        if self.rows is not None and rows > self.rows:
            raise QueryLimitError(f"a step of the query made {rows:,} rows, more than {self.rows:,}")
