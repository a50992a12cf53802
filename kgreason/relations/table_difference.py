"""The difference of two tables of pairs, found as far as something reads it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kgreason import tuning
from kgreason.columns import bitmaps, sorted_sets
from kgreason.columns.masks import any_of
from kgreason.relations import default_reads, table_tuning
from kgreason.relations.plain import table_of
from kgreason.relations.table import NO_IDS, Columns, Ids, Index, Mask, Table
from kgreason.relations.unwritten import UnwrittenTable


class DifferenceTable(UnwrittenTable):
    """The pairs of one table that another lacks, found when asked for.

    Every rule that reads a change asks for the same, so that a few pairs are kept once they were found.
    """

    arity = 2
    scheme = "difference"

    def __init__(self, whole: Table, part: Table) -> None:
        self.whole = whole
        self.part = part
        self._subjects: Ids | None = None
        self._mirror: DifferenceTable | None = None
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

    def superset(self, most: int) -> Columns | None:
        """Pairs of the one table, all that the other lacks among them, perhaps repeated, where that takes less than to
        compare both and these are at most so many; by default None."""
        return None

    def __bool__(self) -> bool:
        is_subset = self.whole.is_subset_of(self.part)
        return any(True for _ in self.chunks()) if is_subset is None else not is_subset

    def count(self) -> int:
        if not self.part.is_virtual:
            return len(self.whole) - len(self.part.intersection(self.whole))
        return super().count()

    def chunks(self) -> Iterator[Columns]:
        candidates = self._candidates()
        yield from self._left_of(self.whole.chunks() if candidates is None else self.whole.chunks_of(candidates))

    def _left_of(self, chunks: Iterator[Columns]) -> Iterator[Columns]:
        """The pairs among some of the whole that are not of the part."""
        for columns in chunks:
            kept = ~self.part.contains(columns)
            if any_of(kept):
                yield tuple(column[kept] for column in columns)

    def _subjects_among(self, identifiers: Ids) -> Ids:
        """Those of some sorted ids that are subjects: what the whole has of them is compared."""
        candidates = self._candidates()
        wanted = identifiers if candidates is None else sorted_sets.intersection(candidates, identifiers)
        parts = [bitmaps.distinct(columns[0]) for columns in self._left_of(self.whole.chunks_of(wanted))]
        return bitmaps.distinct(np.concatenate([NO_IDS, *parts]))

    def _candidates(self) -> Ids | None:
        """The sorted subjects that may have a pair, None where that is not known."""
        return self.whole.changed_subjects(self.part)

    def _other_candidates(self) -> Ids | None:
        """The sorted objects that may, None where that is not known."""
        return self._mirrored()._candidates()

    def distinct(self, position: int) -> Ids:
        if position == 1:
            return self.inverse().distinct(0)
        if self._subjects is None:
            parts = [NO_IDS, *(bitmaps.distinct(columns[0]) for columns in self.chunks())]
            self._subjects = bitmaps.distinct(np.concatenate(parts))
        return self._subjects

    def has_key(self, position: int, identifiers: Ids) -> Mask:
        """By the pairs of these ids alone, where they are few of all and nothing has asked yet which have any."""
        if position == 1:
            return self.inverse().has_key(0, identifiers)
        if self._subjects is not None or 2 * len(identifiers) > self.whole.distinct_estimate(0):
            return super().has_key(0, identifiers)
        return sorted_sets.contains(self._subjects_among(sorted_sets.unique(identifiers)), identifiers)

    def may_have_key(self, position: int, identifiers: Ids) -> Mask:
        return self.whole.may_have_key(position, identifiers)

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
        """About as many as those that may have a pair have in the whole, if no index is to be made for that."""
        is_indexed = self.whole.is_indexed(position) and self.part.is_indexed(position)
        if not is_indexed:
            return self.whole.expected_fanout(position, identifiers)
        candidates = self._candidates() if position == 0 else self._other_candidates()
        if candidates is None or not len(identifiers):
            return self.whole.expected_fanout(position, identifiers)
        chosen = sorted_sets.contains(candidates, identifiers)
        found = self.whole.expected_fanout(position, identifiers[chosen]) if any_of(chosen) else 0.0
        return found * float(chosen.mean())

    def is_indexed(self, position: int) -> bool:
        return self.whole.is_indexed(position)

    def _all_written(self, keys: int) -> Table | None:
        """All pairs in a plain table, if so many keys are looked for that to compare each pair once costs no more."""
        if self._written is None and keys >= tuning.MANY_KEYS:
            candidates = self._candidates()
            subjects = self.whole.distinct_estimate(0) if candidates is None else len(candidates)
            if subjects <= keys and self.estimate <= table_tuning.WRITTEN_DIFFERENCE:
                self._written = table_of(self.columns())
        return self._written

    def has(self, fact: tuple[int, ...]) -> bool:
        return self.whole.has(fact) and not self.part.has(fact)

    def contains(self, columns: Columns) -> Mask:
        return self.whole.contains(columns) & ~self.part.contains(columns)

    def inverse(self) -> Table:
        return self._mirrored()

    def _mirrored(self) -> DifferenceTable:
        """The difference of both inverses, made once: what is found of one of these views, another does not know."""
        if self._mirror is None:
            self._mirror = DifferenceTable(self.whole.inverse(), self.part.inverse())
        return self._mirror

    def difference(self, other: Table) -> Table:
        return difference_view(self, other)


class LossTable(DifferenceTable):
    """What a table has lost, where the version after has nothing that it had not: its number is known at once."""

    def __init__(self, before: Table, after: Table) -> None:
        super().__init__(before, after)
        self._length = len(before) - len(after)

    def __bool__(self) -> bool:
        return len(self) > 0

    @property
    def estimate(self) -> int:
        return len(self)


def difference_view(whole: UnwrittenTable, part: Table) -> Table:
    """The pairs of a virtual table that another one lacks, as a view, or the table itself where that has none."""
    return DifferenceTable(whole, part) if part else whole
