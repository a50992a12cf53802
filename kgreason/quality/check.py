"""A check as data, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from kgreason.quality.graph_columns import GraphColumns

Cell: TypeAlias = "int | str | tuple[int, ...]"
"""The id of a term, a text, or the ids of several terms."""
Row: TypeAlias = tuple[Cell, ...]

ERROR: Final = "error"
WARNING: Final = "warning"
NOTE: Final = "note"
SEVERITIES: Final = (ERROR, WARNING, NOTE)
"""What breaks the standard, what is most probably a mistake, and what is worth a look. Notes are no problems."""


@dataclass(frozen=True, slots=True)
class Check:
    """A question about a graph, each of whose answers is a finding.

    Args:
        name: for options and programs, such as "orphan-concept".
        severity: one of `SEVERITIES`.
        meaning: what a finding is, as a sentence.
        columns: the names of the cells of a row.
        find: gives a row for each finding.
    """

    name: str
    severity: str
    meaning: str
    columns: tuple[str, ...]
    find: Callable[[GraphColumns], Iterable[Row]]


@dataclass(frozen=True, slots=True)
class Finding:
    """A check with the rows that it found."""

    check: Check
    rows: tuple[Row, ...]

    @property
    def is_problem(self) -> bool:
        """Whether something was found that is more than a note."""
        return bool(self.rows) and self.check.severity != NOTE
