"""Virtual tables: what they share, and the two views of them, the inverse and the lazy difference.

A virtual table holds no facts. It says which ids are at a position, and which facts have an id there; what else a
reader may ask follows from these.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from kgreason import tuning
from kgreason.columns import bitmaps, sorted_sets
from kgreason.relations import default_reads, table_tuning
from kgreason.relations.paths import Path, reversed_path
from kgreason.relations.plain import table_of
from kgreason.relations.stored import Part, PartReader, PartWriter, expect_kind
from kgreason.relations.table import NO_IDS, Columns, Ids, Index, Mask, Table

_COMPARED: Final = 1 << 22
"""A difference of virtual tables is written out for one that looks for all its subjects, if it is expected to have no
more pairs than this: 32 megabytes."""


class VirtualTable(Table):
    """A table whose facts are not written out; immutable. `arity`, `scheme`, `distinct` and `lookup` are required."""

    is_virtual = True

    def materialised(self) -> Table:
        """One sort of all facts."""
        return table_of(self.columns())

    def inverse(self) -> Table:
        """A view: the same table, asked for the other position."""
        return self if self.arity == 1 else InverseTable(self) if self.arity == 2 else self.materialised().inverse()

    def filter(self, kept: Mask) -> Table:
        """A plain table: O(n)."""
        return table_of(tuple(column[kept] for column in self.columns()))

    def union(self, other: Table) -> Table:
        """A plain table, O(n), unless there is nothing to unite."""
        return self.materialised().union(other) if other else self

    def difference(self, other: Table) -> Table:
        """Of tables of pairs a view, which looks at facts when it is read; else a plain table."""
        if not other:
            return self
        return DifferenceTable(self, other) if self.arity == 2 else self.materialised().difference(other)

    def intersection(self, other: Table) -> Table:
        """A plain table: O(facts of the smaller table), by `contains` of the other."""
        small, large = (self, other) if self.estimate < other.estimate else (other, self)
        kept = [(NO_IDS,) * self.arity]
        for columns in small.chunks():
            found = large.contains(columns)
            kept.append(tuple(column[found] for column in columns))
        return table_of(tuple(map(np.concatenate, zip(*kept, strict=True))))

    def _check(self) -> None:
        facts = table_of(self.columns())
        assert len(facts) == len(self.columns()[0]) == len(self), "a fact comes twice, or the length is wrong"
        assert bool(self.contains(facts.columns()).all()), "a fact is not contained"
        for position in range(self.arity):
            assert np.array_equal(self.distinct(position), facts.distinct(position)), "ids without facts"
        swapped = table_of(self.inverse().columns()[::-1])
        assert len(swapped) == len(facts), "the inverse has another length"
        assert not swapped.difference(facts), "the inverse differs"


class InverseTable(VirtualTable):
    """The pairs of `base` with their ends exchanged, without anything of its own."""

    arity = 2
    scheme = "inverse"
    stored_as = "inverse"

    def __init__(self, base: VirtualTable) -> None:
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

    def has_id(self, position: int, identifier: int) -> bool:
        return self.base.has_id(1 - position, identifier)

    def fanout(self, position: int, identifiers: Ids) -> Index:
        return self.base.fanout(1 - position, identifiers)

    def expected_fanout(self, position: int, identifiers: Ids) -> float:
        return self.base.expected_fanout(1 - position, identifiers)

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

    def loops(self) -> Ids:
        return self.base.loops()

    def symmetric_count(self) -> int:
        return self.base.symmetric_count()

    def symmetric_fanout(self, identifiers: Ids) -> Index:
        return self.base.symmetric_fanout(identifiers)

    def inverse(self) -> VirtualTable:
        return self.base

    def difference(self, other: Table) -> Table:
        if isinstance(other, InverseTable):
            return inverse_view(self.base.difference(other.base))
        return super().difference(other)

    def compacted(self) -> Table:
        return inverse_view(self.base.compacted())

    def is_subset_of(self, other: Table) -> bool | None:
        return self.base.is_subset_of(other.base) if isinstance(other, InverseTable) else None

    def _changed_subjects(self, other: Table) -> Ids | None:
        if not isinstance(other, InverseTable) or self.base.changed_subjects(other.base) is None:
            return None
        come, gone = self.base.difference(other.base), other.base.difference(self.base)
        ends: Ids = sorted_sets.union(come.distinct(1), gone.distinct(1))
        found: Ids = sorted_sets.intersection(ends, self.distinct(0))
        return found

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
        return cls(expect_kind(base, VirtualTable, "its base"))  # type: ignore[type-abstract]  # is only compared


def inverse_view(table: Table) -> Table:
    """The inverse of a table without making anything: a view of a virtual table, or the base of a view, or a table that
    is its own inverse."""
    if isinstance(table, InverseTable):
        return table.base
    if table.is_virtual and table.arity == 2 and table.is_symmetric:
        return table
    return InverseTable(table) if isinstance(table, VirtualTable) and table.arity == 2 else table.inverse()


class DifferenceTable(VirtualTable):
    """The pairs of one table that another lacks, found when asked for.

    Every rule that reads a change asks for the same, so that a few pairs are kept once they were found.
    """

    arity = 2
    scheme = "difference"

    def __init__(self, whole: Table, part: Table) -> None:
        self.whole = whole
        self.part = part
        self._subjects: Ids | None = None
        self._inverse: Table | None = None
        self._columns: Columns | None = None
        self._written: Table | None = None
        self._ends: dict[int, Ids] = {}

    @property
    def nbytes(self) -> int:
        kept = [self._subjects, *(self._columns or ()), *self._ends.values()]
        written = 0 if self._written is None else self._written.nbytes
        return written + sum(column.nbytes for column in kept if column is not None)

    @property
    def estimate(self) -> int:
        candidates = self._candidates()
        if candidates is None:
            return self.whole.estimate
        return len(candidates) * (1 + self.whole.estimate // max(1, len(self.whole.distinct(0))))

    def distinct_estimate(self, position: int) -> int:
        return self.whole.distinct_estimate(position)

    def __bool__(self) -> bool:
        is_subset = self.whole.is_subset_of(self.part)
        return any(True for _ in self.chunks()) if is_subset is None else not is_subset

    def count(self) -> int:
        if not self.part.is_virtual:
            return len(self.whole) - len(self.part.intersection(self.whole))
        return super().count()

    def chunks(self) -> Iterator[Columns]:
        candidates = self._candidates()
        for columns in self.whole.chunks() if candidates is None else self.whole.chunks_of(candidates):
            kept = ~self.part.contains(columns)
            if kept.any():
                yield tuple(column[kept] for column in columns)

    def _candidates(self) -> Ids | None:
        """The sorted subjects that may have a pair, None where that is not known."""
        return self.whole.changed_subjects(self.part)

    def _other_candidates(self) -> Ids | None:
        """The sorted objects that may, None where that is not known."""
        return self.whole.inverse().changed_subjects(self.part.inverse())

    def distinct(self, position: int) -> Ids:
        if position == 1:
            return self.inverse().distinct(0)
        if self._subjects is None:
            parts = [bitmaps.distinct(columns[0]) for columns in self.chunks()]
            self._subjects = bitmaps.distinct(np.concatenate(parts)) if parts else NO_IDS
        return self._subjects

    def columns(self) -> Columns:
        if self._columns is None:
            found = super().columns()
            if len(found[0]) > table_tuning.KEPT:
                return found
            self._columns = found
        return self._columns

    def new_keys(self, position: int) -> Ids:
        if position not in self._ends:
            ends = self.whole.keys_missing_from(self.part, position)
            self._ends[position] = ends[~self.part.has_key(position, ends)]
        return self._ends[position]

    def select(self, bound: dict[int, int]) -> Columns:
        if not bound:
            return self.columns()
        columns = self.whole.select(bound)
        kept = ~self.part.contains(columns)
        return tuple(column[kept] for column in columns)

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        if 1 in bound:
            index, columns = self.inverse().lookup({0: bound[1]})
            return index, columns[::-1]
        written = self._all_written(len(bound[0]))
        if written is not None:
            return written.lookup(bound)
        candidates = self._candidates()
        if candidates is None:
            index, columns = self.whole.lookup(bound)
        else:
            chosen = np.flatnonzero(sorted_sets.contains(candidates, bound[0]))
            index, columns = self.whole.lookup({0: bound[0][chosen]})
            index = chosen[index]
        kept = self._remaining(columns)
        return index[kept], tuple(column[kept] for column in columns)

    def _remaining(self, columns: Columns) -> Mask:
        """For each pair of the whole, by subjects, whether it is not of the part, some at a time: to look for pairs
        takes several times the memory of their ids."""
        found = np.empty(len(columns[0]), dtype=np.bool_)
        for begin in range(0, len(found), tuning.JOIN_ROWS):
            rows = slice(begin, begin + tuning.JOIN_ROWS)
            found[rows] = ~self.part.contains(tuple(column[rows] for column in columns))
        return found

    def image(self, position: int, identifiers: Ids) -> Ids:
        """What the part does not lead to is clear from both images; pairs are compared for the rest alone, until all of
        it is found."""
        if position == 1:
            return self.inverse().image(0, identifiers)
        candidates, others = self._candidates(), self._other_candidates()
        if candidates is not None:
            identifiers = sorted_sets.intersection(candidates, sorted_sets.unique(identifiers))
        found = self.whole.image(position, identifiers)
        if others is not None:
            found = sorted_sets.intersection(found, others)
        unclear = sorted_sets.intersection(found, self.part.image(position, identifiers))
        return sorted_sets.difference(found, default_reads.not_reached(self, position, identifiers, unclear))

    def fanout(self, position: int, identifiers: Ids) -> Index:
        if position == 1:
            return self.inverse().fanout(0, identifiers)
        written = self._all_written(len(identifiers))
        return super().fanout(0, identifiers) if written is None else written.fanout(0, identifiers)

    def expected_fanout(self, position: int, identifiers: Ids) -> float:
        """At most: what those that may have a pair have in the whole."""
        candidates = self._candidates() if position == 0 else self._other_candidates()
        if candidates is None or not len(identifiers):
            return self.whole.expected_fanout(position, identifiers)
        chosen = sorted_sets.contains(candidates, identifiers)
        found = self.whole.expected_fanout(position, identifiers[chosen]) if chosen.any() else 0.0
        return found * float(chosen.mean())

    def _all_written(self, keys: int) -> Table | None:
        """All pairs in a plain table, if so many keys are looked for that to compare each pair once costs no more."""
        if self._written is None and keys >= tuning.MANY_KEYS:
            candidates = self._candidates()
            subjects = self.whole.distinct_estimate(0) if candidates is None else len(candidates)
            if subjects <= keys and self.estimate <= _COMPARED:
                self._written = table_of(self.columns())
        return self._written

    def has(self, fact: tuple[int, ...]) -> bool:
        return self.whole.has(fact) and not self.part.has(fact)

    def contains(self, columns: Columns) -> Mask:
        return self.whole.contains(columns) & ~self.part.contains(columns)

    def inverse(self) -> Table:
        if self._inverse is None:
            self._inverse = DifferenceTable(self.whole.inverse(), self.part.inverse())
        return self._inverse
