"""The union scheme: a relation that is stored nowhere but in its sources.

Source: the union scheme of paper 004, with inverse copies, for unary relations too, and with deletion, which costs
nothing here: a version is the list of its sources' versions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from pyroaring import BitMap

from kgreason.columns import bitmaps, sorted_sets
from kgreason.schemes.binary import CHUNK
from kgreason.schemes.equivalence import EquivalenceTable
from kgreason.schemes.inverse import InverseTable
from kgreason.schemes.scheme import Columns, Ids, Index, Mask, Table
from kgreason.schemes.transitive.table import TransitiveTable
from kgreason.schemes.unary import UnaryTable, as_unary
from kgreason.schemes.virtual import VirtualPairs, unlike, unlike_ends

_NO_IDS: Ids = np.empty(0, dtype=np.uint32)


def flattened(tables: Sequence[Table]) -> list[Table]:
    """The tables with facts, unions replaced by what they unite, each table once."""
    found: dict[tuple[int, bool], Table] = {}
    for table in tables:
        for part in _parts(table):
            inverse = isinstance(part, InverseTable)
            found[id(part.base if isinstance(part, InverseTable) else part), inverse] = part
    return list(found.values())


def _parts(table: Table) -> Iterator[Table]:
    if isinstance(table, (UnionTable, UnaryUnion)):
        yield from table.parts
    elif isinstance(table, InverseTable) and isinstance(table.base, UnionTable):
        yield from map(InverseTable.of, table.base.parts)
    elif table:
        yield table


class UnionTable(VirtualPairs):
    """The pairs of several tables, each once."""

    scheme = "union"

    def __init__(self, sources: Sequence[Table]) -> None:
        """Tables of pairs; two versions of a union have the versions of their sources in the same order."""
        self.sources = tuple(sources)
        self.parts = sorted(flattened(sources), key=lambda part: -part.estimate)
        self._inverse: UnionTable | None = None

    @property
    def nbytes(self) -> int:
        return 8 * len(self.parts)

    @property
    def estimate(self) -> int:
        return sum(part.estimate for part in self.parts)

    def __bool__(self) -> bool:
        return bool(self.parts)

    def count(self) -> int:
        """The first part's pairs, and of each other one those that none before it has."""
        return sum(self._fresh(number) for number in range(len(self.parts)))

    def _fresh(self, number: int) -> int:
        part, earlier = self.parts[number], self.parts[:number]
        if not earlier:
            return len(part)
        both = _both_ways(earlier[0], part) if len(earlier) == 1 else None
        if both is not None:
            return len(part) - both.mutual()
        return sum(len(columns[0]) for columns in _unseen(part, earlier))

    def unlike(self, other: Table) -> Ids | None:
        if not isinstance(other, UnionTable) or len(other.sources) != len(self.sources):
            return None
        found = [unlike(mine, theirs) for mine, theirs in zip(self.sources, other.sources, strict=True)]
        known = [subjects for subjects in found if subjects is not None]
        return _united(known) if len(known) == len(found) else None

    def unlike_ends(self, other: Table, position: int) -> Ids:
        if not isinstance(other, UnionTable) or len(other.sources) != len(self.sources):
            return self.distinct(position)
        aligned = zip(self.sources, other.sources, strict=True)
        return _united([unlike_ends(mine, theirs, position) for mine, theirs in aligned])

    def chunks(self) -> Iterator[Columns]:
        for number, part in enumerate(self.parts):
            yield from _unseen(part, self.parts[:number])

    def subjects(self) -> Ids:
        return _united([part.distinct(0) for part in self.parts])

    def distinct(self, position: int) -> Ids:
        return _united([part.distinct(position) for part in self.parts])

    def occurs(self, position: int, identifiers: Ids) -> Mask:
        found = np.zeros(len(identifiers), dtype=np.bool_)
        for part in self.parts:
            found |= part.occurs(position, identifiers)
        return found

    def has(self, fact: tuple[int, ...]) -> bool:
        return any(part.has(fact) for part in self.parts)

    def contains(self, columns: Columns) -> Mask:
        return _contains_any(self.parts, columns)

    def objects_of(self, subject: int) -> Ids:
        return _united([part.select({0: subject})[1] for part in self.parts])

    def expand_subjects(self, subjects: Ids) -> tuple[Index, Ids]:
        found = [part.expand({0: subjects}) for part in self.parts]
        if not found:
            return np.empty(0, dtype=np.int64), _NO_IDS
        if len(found) == 1:
            return found[0][0], found[0][1][1]
        keys = [index.astype(np.uint64) << np.uint64(32) | columns[1] for index, columns in found]
        merged = sorted_sets.unique(np.concatenate(keys))
        return (merged >> np.uint64(32)).astype(np.int64), (merged & np.uint64(0xFFFFFFFF)).astype(np.uint32)

    def degrees(self, position: int, identifiers: Ids) -> Index:
        counts = np.zeros(len(identifiers), dtype=np.int64)
        for number, part in enumerate(self.parts):
            fresh = part.degrees(position, identifiers)
            shared = np.flatnonzero((fresh > 0) & (counts > 0))
            if len(shared):
                fresh[shared] -= self._repeated(number, position, identifiers[shared], fresh[shared])
            counts += fresh
        return counts

    def _repeated(self, number: int, position: int, identifiers: Ids, degrees: Index) -> Index:
        """For each id how many of the pairs that one part has with it are in an earlier part: those pairs are looked
        at, about CHUNK at a time, unless the part can say so."""
        part, earlier = self.parts[number], self.parts[:number]
        both = _both_ways(earlier[0], part) if number == 1 else None
        if both is not None:
            return both.mutual_degrees(identifiers)
        counts = np.zeros(len(identifiers), dtype=np.int64)
        blocks = np.cumsum(degrees) // CHUNK
        for block in np.split(np.arange(len(identifiers)), np.flatnonzero(np.diff(blocks)) + 1):
            index, columns = part.expand({position: identifiers[block]})
            known = _contains_any(earlier, columns)
            counts[block] = np.bincount(index[known], minlength=len(block))
        return counts

    def ends(self, position: int) -> int:
        return max((part.ends(position) for part in self.parts), default=0)

    def inverse(self) -> UnionTable:
        if self._inverse is None:
            self._inverse = UnionTable([part.inverse() for part in self.parts])
        return self._inverse

    def _check(self) -> None:
        for part in self.parts:
            part._check()
        super()._check()


class UnaryUnion:
    """The ids of several sets, each once."""

    arity = 1
    scheme = "union"
    is_virtual = True

    def __init__(self, parts: Sequence[Table]) -> None:
        """Tables of single ids."""
        self.parts = flattened(parts)
        self._length: int | None = None

    @property
    def nbytes(self) -> int:
        return 8 * len(self.parts)

    @property
    def estimate(self) -> int:
        return sum(part.estimate for part in self.parts)

    def __len__(self) -> int:
        if self._length is None:
            self._length = len(self._members())
        return self._length

    def __bool__(self) -> bool:
        return bool(self.parts)

    def _members(self) -> BitMap:
        """The set itself, for as long as somebody reads it."""
        return BitMap.union(*(as_unary(part).members for part in self.parts)) if self.parts else BitMap()

    def columns(self) -> Columns:
        return (bitmaps.to_ids(self._members()),)

    def chunks(self) -> Iterator[Columns]:
        yield self.columns()

    def plain(self) -> UnaryTable:
        return UnaryTable(self._members())

    def inputs(self) -> Iterable[Table]:
        return ()

    def changed_ends(self, position: int) -> Ids:
        return self.columns()[0]

    def merged(self) -> UnaryUnion:
        return self

    def distinct(self, position: int) -> Ids:
        return self.columns()[0]

    def has(self, fact: tuple[int, ...]) -> bool:
        return any(part.has(fact) for part in self.parts)

    def contains(self, columns: Columns) -> Mask:
        return bitmaps.contains(self._members(), columns[0])

    def occurs(self, position: int, identifiers: Ids) -> Mask:
        return self.contains((identifiers,))

    def degrees(self, position: int, identifiers: Ids) -> Index:
        return self.contains((identifiers,)).astype(np.int64)

    def ends(self, position: int) -> int:
        return self.estimate

    def select(self, bound: dict[int, int]) -> Columns:
        if not bound:
            return self.columns()
        return (np.array([bound[0]] if self.has((bound[0],)) else [], dtype=np.uint32),)

    def expand(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        found = np.flatnonzero(self.contains((bound[0],)))
        return found, (bound[0][found],)

    def inverse(self) -> UnaryUnion:
        return self

    def where(self, kept: Mask) -> UnaryTable:
        return self.plain().where(kept)

    def union(self, other: Table) -> Table:
        return self.plain().union(other) if other else self

    def difference(self, other: Table) -> Table:
        return self.plain().difference(other) if other else self

    def intersection(self, other: Table) -> Table:
        return self.plain().intersection(other)

    def _check(self) -> None:
        for part in self.parts:
            part._check()
        assert len(self) == len(self._members()), "the length is wrong"


def carry_length(before: Table, after: Table, added: int, removed: int) -> None:
    """Count the next version of a union from the one before, if that was counted."""
    unions = (UnionTable, UnaryUnion)
    if isinstance(before, unions) and isinstance(after, unions) and before._length is not None:
        after._length = before._length + added - removed


def _both_ways(left: Table, right: Table) -> TransitiveTable | EquivalenceTable | None:
    """The one of two tables that the other is the inverse of, where it can say which pairs are in both."""
    if isinstance(left, InverseTable):
        left, right = right, left
    if not isinstance(right, InverseTable) or right.base is not left:
        return None
    return left if isinstance(left, (TransitiveTable, EquivalenceTable)) else None


def _unseen(part: Table, earlier: Sequence[Table]) -> Iterator[Columns]:
    """The facts of a table that none of others has."""
    for columns in part.chunks():
        fresh = columns
        if earlier:
            kept = ~_contains_any(earlier, columns)
            fresh = tuple(column[kept] for column in columns)
        if len(fresh[0]):
            yield fresh


def _contains_any(parts: Sequence[Table], columns: Columns) -> Mask:
    found = np.zeros(len(columns[0]), dtype=np.bool_)
    for part in parts:
        missing = np.flatnonzero(~found)
        if not len(missing):
            break
        found[missing] = part.contains(tuple(column[missing] for column in columns))
    return found


def _united(columns: Sequence[Ids]) -> Ids:
    """The ids of several sorted sets, each once."""
    present = [column for column in columns if len(column)]
    if len(present) < 2:
        return present[0] if present else _NO_IDS
    return bitmaps.distinct(np.concatenate(present))
