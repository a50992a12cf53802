"""Sets that hold of equal things alike: of each class they have all members or none, so that members are read as they
are. Of pairs, `kgreason.relations.represented` keeps representatives alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from kgreason.relations.equality import EqualityTable
from kgreason.relations.plain import empty_table
from kgreason.relations.stored import Part, PartReader, PartWriter, expect_kind
from kgreason.relations.table import Table
from kgreason.relations.unions_of_sets import UnaryUnion


class RepresentedSet(UnaryUnion):
    """The members of sets that have of each class all members or none; `equality` says which classes."""

    scheme = "represented"
    stored_as = "represented set"

    def __init__(self, parts: Sequence[Table], equality: EqualityTable) -> None:
        super().__init__(parts)
        self.equality = equality

    def difference(self, other: Table) -> Table:
        if isinstance(other, RepresentedSet) and {*map(id, self.parts)} <= {*map(id, other.parts)}:
            return empty_table(1)
        return super().difference(other)

    def write(self, to: PartWriter) -> list[Part]:
        """The parts, and the classes."""
        return [*super().write(to), to.table(self.equality)]

    @classmethod
    def read(cls, parts: list[Part], of: PartReader) -> RepresentedSet:
        """A table of `write`; LoadError where it is damaged."""
        sets = [of.table(part, "its part", 1) for part in of.entries(parts[0], None, "its parts")]
        return cls(sets, expect_kind(of.table(parts[1], "its classes", 2), EqualityTable, "its classes"))


def is_closed(table: Table, equality: EqualityTable) -> bool:
    """Whether a set is known to have of each class all members or none."""
    return isinstance(table, RepresentedSet) and table.equality is equality
