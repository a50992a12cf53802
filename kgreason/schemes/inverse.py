"""A virtual table read the other way round, without anything of its own."""

from __future__ import annotations

from collections.abc import Iterator

from kgreason.columns import sorted_sets
from kgreason.schemes.scheme import Columns, Ids, Index, Mask, Table
from kgreason.schemes.virtual import VirtualPairs, unlike, unlike_ends


class InverseTable(VirtualPairs):
    """The pairs of `base` with their ends exchanged."""

    scheme = "inverse"

    def __init__(self, base: VirtualPairs) -> None:
        self.base = base

    @staticmethod
    def of(table: Table) -> Table:
        """The inverse of a virtual table, or the base of an inverse."""
        if isinstance(table, InverseTable):
            return table.base
        return InverseTable(table) if isinstance(table, VirtualPairs) else table.inverse()

    @property
    def nbytes(self) -> int:
        return 0

    @property
    def estimate(self) -> int:
        return self.base.estimate

    def count(self) -> int:
        return len(self.base)

    def __bool__(self) -> bool:
        return bool(self.base)

    def subjects(self) -> Ids:
        return self.base.distinct(1)

    def distinct(self, position: int) -> Ids:
        return self.base.distinct(1 - position)

    def changed_ends(self, position: int) -> Ids:
        return self.base.changed_ends(1 - position)

    def occurs(self, position: int, identifiers: Ids) -> Mask:
        return self.base.occurs(1 - position, identifiers)

    def degrees(self, position: int, identifiers: Ids) -> Index:
        return self.base.degrees(1 - position, identifiers)

    def ends(self, position: int) -> int:
        return self.base.ends(1 - position)

    def has(self, fact: tuple[int, ...]) -> bool:
        return self.base.has(fact[::-1])

    def contains(self, columns: Columns) -> Mask:
        return self.base.contains(columns[::-1])

    def objects_of(self, subject: int) -> Ids:
        return self.base.inverse().objects_of(subject)

    def expand_subjects(self, subjects: Ids) -> tuple[Index, Ids]:
        index, columns = self.base.expand({1: subjects})
        return index, columns[0]

    def chunks(self) -> Iterator[Columns]:
        return (columns[::-1] for columns in self.base.chunks())

    def inverse(self) -> VirtualPairs:
        return self.base

    def difference(self, other: Table) -> Table:
        if isinstance(other, InverseTable):
            return InverseTable.of(self.base.difference(other.base))
        return super().difference(other)

    def within(self, other: Table) -> bool | None:
        return self.base.within(other.base) if isinstance(other, InverseTable) else None

    def unlike(self, other: Table) -> Ids | None:
        if not isinstance(other, InverseTable) or unlike(self.base, other.base) is None:
            return None
        come, gone = self.base.difference(other.base), other.base.difference(self.base)
        ends: Ids = sorted_sets.union(come.distinct(1), gone.distinct(1))
        found: Ids = sorted_sets.intersection(ends, self.subjects())
        return found

    def unlike_ends(self, other: Table, position: int) -> Ids:
        if not isinstance(other, InverseTable):
            return self.distinct(position)
        return unlike_ends(self.base, other.base, 1 - position)

    def merged(self) -> Table:
        return InverseTable.of(self.base.merged())
