"""The inverse of a virtual table as a view, without anything of its own."""

from __future__ import annotations

from collections.abc import Iterator

from kgreason.relations.paths import Path, reversed_path
from kgreason.relations.stored import Part, PartReader, PartWriter, expect_kind
from kgreason.relations.table import Columns, Ids, Index, Mask, Table
from kgreason.relations.table_difference import difference_view
from kgreason.relations.unwritten import UnwrittenTable


class InverseTable(UnwrittenTable):
    """The pairs of `base` with their ends exchanged, without anything of its own."""

    arity = 2
    scheme = "inverse"
    stored_as = "inverse"

    def __init__(self, base: UnwrittenTable) -> None:
        self.base = base

    @property
    def is_transitive(self) -> bool:
        return self.base.is_transitive

    @property
    def is_symmetric(self) -> bool:
        return self.base.is_symmetric

    @property
    def estimate(self) -> int:
        return self.base.estimate

    def distinct_estimate(self, position: int) -> int:
        return self.base.distinct_estimate(1 - position)

    def count(self) -> int:
        return len(self.base)

    def __bool__(self) -> bool:
        return bool(self.base)

    def distinct(self, position: int) -> Ids:
        return self.base.distinct(1 - position)

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        index, columns = self.base.lookup({1 - position: wanted for position, wanted in bound.items()})
        return index, columns[::-1]

    def chunks(self) -> Iterator[Columns]:
        return (columns[::-1] for columns in self.base.chunks())

    def has(self, fact: tuple[int, ...]) -> bool:
        return self.base.has(fact[::-1])

    def contains(self, columns: Columns) -> Mask:
        return self.base.contains(columns[::-1])

    def has_key(self, position: int, identifiers: Ids) -> Mask:
        return self.base.has_key(1 - position, identifiers)

    def may_have_key(self, position: int, identifiers: Ids) -> Mask:
        return self.base.may_have_key(1 - position, identifiers)

    def has_id(self, position: int, identifier: int) -> bool:
        return self.base.has_id(1 - position, identifier)

    def fanout(self, position: int, identifiers: Ids) -> Index:
        return self.base.fanout(1 - position, identifiers)

    def expected_fanout(self, position: int, identifiers: Ids) -> float:
        return self.base.expected_fanout(1 - position, identifiers)

    @property
    def is_dear(self) -> bool:
        return self.base.is_dear

    def is_indexed(self, position: int) -> bool:
        return self.base.is_indexed(1 - position)

    def largest_fanout(self, position: int) -> int:
        return self.base.largest_fanout(1 - position)

    def select(self, bound: dict[int, int]) -> Columns:
        return self.base.select({1 - position: wanted for position, wanted in bound.items()})[::-1]

    def image_of(self, position: int, identifier: int) -> Ids:
        return self.base.image_of(1 - position, identifier)

    def few_of(self, position: int, identifier: int, most: int) -> list[int] | None:
        return self.base.few_of(1 - position, identifier, most)

    def image(self, position: int, identifiers: Ids) -> Ids:
        return self.base.image(1 - position, identifiers)

    def proper_image(self, position: int, identifiers: Ids) -> Ids:
        return self.base.proper_image(1 - position, identifiers)

    def between(self, subjects: Ids, objects: Ids) -> Columns:
        return self.base.between(objects, subjects)[::-1]

    def reciprocal(self, other: Table) -> Columns:
        return self.base.reciprocal(inverse_view(other))[::-1]

    def representatives(self, identifiers: Ids) -> Ids:
        return self.base.representatives(identifiers)

    def circles(self) -> Ids:
        return self.base.circles()

    def loops(self) -> Ids:
        return self.base.loops()

    def symmetric_count(self) -> int:
        return self.base.symmetric_count()

    def symmetric_fanout(self, identifiers: Ids) -> Index:
        return self.base.symmetric_fanout(identifiers)

    def inverse(self) -> UnwrittenTable:
        return self.base

    def difference(self, other: Table) -> Table:
        if isinstance(other, InverseTable):
            return inverse_view(self.base.difference(other.base))
        return difference_view(self, other)

    def compacted(self) -> Table:
        return inverse_view(self.base.compacted())

    def is_subset_of(self, other: Table) -> bool | None:
        return self.base.is_subset_of(other.base) if isinstance(other, InverseTable) else None

    def _changed_subjects(self, other: Table) -> Ids | None:
        return self.base.changed_objects(other.base) if isinstance(other, InverseTable) else None

    def _keys_missing_from(self, other: Table, position: int) -> Ids:
        if not isinstance(other, InverseTable):
            return self.distinct(position)
        return self.base.keys_missing_from(other.base, 1 - position)

    def new_keys(self, position: int) -> Ids:
        return self.base.new_keys(1 - position)

    def passing(self, edges: Table) -> Table | None:
        found = self.base.passing(inverse_view(edges))
        return None if found is None else inverse_view(found)

    def least_passing(self, edges: Table) -> int:
        return self.base.least_passing(inverse_view(edges))

    def generators(self) -> Iterator[Table]:
        for table in self.base.generators():
            yield self if table is self.base else table.inverse()

    def paths(self) -> list[Path]:
        return [reversed_path(path) for path in self.base.paths()]

    def write(self, to: PartWriter) -> list[Part]:
        """The base."""
        return [to.table(self.base)]

    @classmethod
    def read(cls, parts: list[Part], of: PartReader) -> InverseTable:
        """A table of `write`; LoadError where it is damaged."""
        base = of.table(parts[0], "its base", 2)
        return cls(expect_kind(base, UnwrittenTable, "its base"))  # type: ignore[type-abstract]  # is only compared


def inverse_view(table: Table) -> Table:
    """The inverse of a table without making anything: a view of a virtual table, or the base of a view, or a table that
    is its own inverse."""
    if isinstance(table, InverseTable):
        return table.base
    if table.is_virtual and table.arity == 2 and table.is_symmetric:
        return table
    return InverseTable(table) if isinstance(table, UnwrittenTable) and table.arity == 2 else table.inverse()
