"""Virtual tables of pairs: what they share, and the lazy difference of two tables.

A virtual table holds no pairs. It says which objects a subject has, and gives its inverse, which says the same of
the other end; everything else a reader may ask follows from these.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import ClassVar

import numpy as np

from kgreason.columns import bitmaps, sorted_sets
from kgreason.schemes.binary import CHUNK, BinaryTable
from kgreason.schemes.scheme import Columns, Ids, Index, Mask, Table

_NO_IDS: Ids = np.empty(0, dtype=np.uint32)
SUBJECTS = 8
"""How many subjects are read first: who wants the first pairs should not wait for many."""
KEPT = 1 << 16


class VirtualPairs(ABC):
    """A table of pairs that are not written out; immutable."""

    arity = 2
    scheme: ClassVar[str]
    is_virtual = True

    _length: int | None = None

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Bytes held, beside plain tables."""

    @property
    @abstractmethod
    def estimate(self) -> int:
        """About how many pairs there are."""

    @abstractmethod
    def subjects(self) -> Ids:
        """The sorted set of subjects."""

    @abstractmethod
    def objects_of(self, subject: int) -> Ids:
        """The objects of one subject, each once, in any order."""

    @abstractmethod
    def expand_subjects(self, subjects: Ids) -> tuple[Index, Ids]:
        """For many subjects, in any order and with duplicates, the index of the subject and the object of each pair."""

    @abstractmethod
    def contains(self, columns: Columns) -> Mask:
        """For each row whether it is a pair."""

    @abstractmethod
    def inverse(self) -> VirtualPairs:
        """The pairs the other way round."""

    def count(self) -> int:
        """How many pairs there are, by enumeration where nothing better is known."""
        return sum(len(columns[0]) for columns in self.chunks())

    def unlike(self, other: Table) -> Ids | None:
        """The subjects whose objects may differ from those in another table, sorted; None where that is not known."""
        return None

    def unlike_ends(self, other: Table, position: int) -> Ids:
        """Sorted ids at a position, among them all that another table does not have there."""
        return self.distinct(position)

    def inputs(self) -> Iterable[Table]:
        return ()

    def within(self, other: Table) -> bool | None:
        """Whether all pairs are in another table, None where only looking at them would tell."""
        return None

    def merged(self) -> Table:
        return self

    def __len__(self) -> int:
        if self._length is None:
            self._length = self.count()
        return self._length

    def __bool__(self) -> bool:
        return len(self.subjects()) > 0

    def chunks(self) -> Iterator[Columns]:
        yield from chunks_of(self, self.subjects())

    def columns(self) -> Columns:
        parts = [(_NO_IDS, _NO_IDS), *self.chunks()]
        return tuple(np.concatenate(columns) for columns in zip(*parts, strict=True))

    def plain(self) -> BinaryTable:
        return BinaryTable.of(self.columns())

    def distinct(self, position: int) -> Ids:
        return self.subjects() if position == 0 else self.inverse().subjects()

    def changed_ends(self, position: int) -> Ids:
        return self.distinct(position)

    def has(self, fact: tuple[int, ...]) -> bool:
        return bool(self.contains(tuple(np.array([term], dtype=np.uint32) for term in fact))[0])

    def occurs(self, position: int, identifiers: Ids) -> Mask:
        known = self.distinct(position)
        if not len(known):
            return np.zeros(len(identifiers), dtype=np.bool_)
        at = np.searchsorted(known, identifiers)
        at[at == len(known)] = 0
        return np.asarray(known[at] == identifiers)

    def degrees(self, position: int, identifiers: Ids) -> Index:
        table = self if position == 0 else self.inverse()
        fan = 1 + self.estimate // max(1, self.ends(position))
        size = max(1, CHUNK // fan)
        counts = [np.empty(0, dtype=np.int64)]
        for begin in range(0, len(identifiers), size):
            block = identifiers[begin : begin + size]
            counts.append(np.bincount(table.expand_subjects(block)[0], minlength=len(block)))
        return np.concatenate(counts)

    def ends(self, position: int) -> int:
        return len(self.distinct(position))

    def select(self, bound: dict[int, int]) -> Columns:
        if not bound:
            return self.columns()
        if len(bound) == 2:
            columns = (np.array([bound[0]], dtype=np.uint32), np.array([bound[1]], dtype=np.uint32))
            found = self.contains(columns)
            return columns[0][found], columns[1][found]
        ((position, wanted),) = bound.items()
        others = (self if position == 0 else self.inverse()).objects_of(wanted)
        same = np.full(len(others), wanted, dtype=np.uint32)
        return (same, others) if position == 0 else (others, same)

    def expand(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        ((position, wanted),) = bound.items()
        index, others = (self if position == 0 else self.inverse()).expand_subjects(wanted)
        same = wanted[index]
        return index, ((same, others) if position == 0 else (others, same))

    def where(self, kept: Mask) -> BinaryTable:
        return BinaryTable.of(tuple(column[kept] for column in self.columns()))

    def union(self, other: Table) -> Table:
        return self.plain().union(other) if other else self

    def difference(self, other: Table) -> Table:
        return DifferenceTable(self, other) if other else self

    def intersection(self, other: Table) -> BinaryTable:
        small, large = (self, other) if self.estimate < other.estimate else (other, self)
        kept = [(_NO_IDS, _NO_IDS)]
        for subjects, objects in small.chunks():
            found = large.contains((subjects, objects))
            kept.append((subjects[found], objects[found]))
        return BinaryTable.of(tuple(map(np.concatenate, zip(*kept, strict=True))))

    def _check(self) -> None:
        subjects = self.subjects()
        index, objects = self.expand_subjects(subjects)
        assert bool((np.bincount(index, minlength=len(subjects)) > 0).all()), "a subject without objects"
        pairs = BinaryTable.of((subjects[index], objects))
        assert len(pairs) == len(index) == len(self), "a pair comes twice, or the length is wrong"
        swapped = self.inverse()
        assert BinaryTable.of(swapped.columns()[::-1]).keys().tolist() == pairs.keys().tolist(), "the inverse differs"
        assert bool(self.contains(pairs.columns()).all()), "a pair is not contained"


def chunks_of(table: VirtualPairs, subjects: Ids) -> Iterator[Columns]:
    """The pairs of some subjects, about CHUNK at a time, more where a single block of subjects has more."""
    size = SUBJECTS
    begin = 0
    while begin < len(subjects):
        block = subjects[begin : begin + size]
        begin += len(block)
        index, objects = table.expand_subjects(block)
        if len(objects):
            yield block[index], objects
        if len(objects) * 4 < CHUNK:
            size *= 8 if len(objects) * 32 < CHUNK else 2
        elif len(objects) > CHUNK:
            size = max(1, size // 4)


def unlike(table: Table, other: Table) -> Ids | None:
    """The subjects of a table whose objects may differ from those in another one, sorted; None where that is not
    known."""
    if table is other or not table:
        return _NO_IDS
    if not other:
        return table.distinct(0)
    if isinstance(table, BinaryTable) and isinstance(other, BinaryTable):
        return sorted_sets.union(table.difference(other).distinct(0), other.difference(table).distinct(0))
    return table.unlike(other) if isinstance(table, VirtualPairs) else None


def unlike_ends(table: Table, other: Table, position: int) -> Ids:
    """Sorted ids at a position of a table, among them all that another one does not have there: of two versions few."""
    if table is other or not table:
        return _NO_IDS
    if isinstance(table, BinaryTable) and isinstance(other, BinaryTable):
        return table.difference(other).distinct(position)
    return table.unlike_ends(other, position) if isinstance(table, VirtualPairs) else table.distinct(position)


class DifferenceTable(VirtualPairs):
    """The pairs of one table that another lacks, found when asked for.

    Every rule that reads a change asks for the same, so that a few pairs are kept once they were found.
    """

    scheme = "difference"

    def __init__(self, whole: VirtualPairs, part: Table) -> None:
        self.whole = whole
        self.part = part
        self._compared = False
        self._unlike: Ids | None = None
        self._subjects: Ids | None = None
        self._inverse: VirtualPairs | None = None
        self._columns: Columns | None = None
        self._ends: dict[int, Ids] = {}

    @property
    def nbytes(self) -> int:
        kept = [self._subjects, *(self._columns or ()), *self._ends.values()]
        return sum(column.nbytes for column in kept if column is not None)

    @property
    def estimate(self) -> int:
        candidates = self._candidates()
        if candidates is None:
            return self.whole.estimate
        return len(candidates) * (1 + self.whole.estimate // max(1, len(self.whole.distinct(0))))

    def ends(self, position: int) -> int:
        return self.whole.ends(position)

    def __bool__(self) -> bool:
        within = self.whole.within(self.part)
        return any(True for _ in self.chunks()) if within is None else not within

    def count(self) -> int:
        if isinstance(self.part, BinaryTable):
            return len(self.whole) - len(self.part.intersection(self.whole))
        return super().count()

    def chunks(self) -> Iterator[Columns]:
        candidates = self._candidates()
        for columns in self.whole.chunks() if candidates is None else chunks_of(self.whole, candidates):
            kept = ~self.part.contains(columns)
            if kept.any():
                yield tuple(column[kept] for column in columns)

    def _candidates(self) -> Ids | None:
        """The sorted subjects that may have a pair, None where that is not known."""
        if not self._compared:
            self._compared, self._unlike = True, unlike(self.whole, self.part)
        return self._unlike

    def subjects(self) -> Ids:
        if self._subjects is None:
            parts = [bitmaps.distinct(columns[0]) for columns in self.chunks()]
            self._subjects = bitmaps.distinct(np.concatenate(parts)) if parts else _NO_IDS
        return self._subjects

    def columns(self) -> Columns:
        if self._columns is None:
            found = super().columns()
            if len(found[0]) > KEPT:
                return found
            self._columns = found
        return self._columns

    def changed_ends(self, position: int) -> Ids:
        if position not in self._ends:
            ends = unlike_ends(self.whole, self.part, position)
            self._ends[position] = ends[~self.part.occurs(position, ends)]
        return self._ends[position]

    def objects_of(self, subject: int) -> Ids:
        return self.select({0: subject})[1]

    def select(self, bound: dict[int, int]) -> Columns:
        if not bound:
            return self.columns()
        columns = self.whole.select(bound)
        kept = ~self.part.contains(columns)
        return tuple(column[kept] for column in columns)

    def expand_subjects(self, subjects: Ids) -> tuple[Index, Ids]:
        candidates = self._candidates()
        if candidates is None:
            index, columns = self.whole.expand({0: subjects})
        else:
            chosen = np.flatnonzero(sorted_sets.contains(candidates, subjects))
            index, columns = self.whole.expand({0: subjects[chosen]})
            index = chosen[index]
        kept = ~self.part.contains(columns)
        return index[kept], columns[1][kept]

    def contains(self, columns: Columns) -> Mask:
        return self.whole.contains(columns) & ~self.part.contains(columns)

    def inverse(self) -> VirtualPairs:
        if self._inverse is None:
            self._inverse = DifferenceTable(self.whole.inverse(), self.part.inverse())
        return self._inverse
