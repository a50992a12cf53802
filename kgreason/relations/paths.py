"""Tables of pairs as paths: what to go through, one closure or plain table after the other, from end to end.

A union has the paths of its parts, an inverse those of its base from behind, and a chain one for each way to be
continued or not at its ends. So every virtual table is read in steps of one kind (`Table.paths`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from kgreason.relations.table import Table


@dataclass(frozen=True, slots=True)
class Step:
    """A closure, an equivalence or a plain table of pairs, read from its subjects or from its objects."""

    table: Table
    is_inverse: bool = False

    @property
    def reading(self) -> Table:
        """The table whose subjects the step starts from. The labels of an inverse closure are made when first asked."""
        return self.table.inverse() if self.is_inverse else self.table

    def reversed(self) -> Step:
        """The same from the other end."""
        return self if self.table.is_symmetric else Step(self.table, not self.is_inverse)


Path: TypeAlias = tuple[Step, ...]


def reversed_path(path: Path) -> Path:
    """A path from its other end."""
    return tuple(step.reversed() for step in reversed(path))

