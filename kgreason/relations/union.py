"""The union scheme: a relation that is stored nowhere but in its sources. For sets: `unions_of_sets`.

Source: the union scheme of Zhang et al. 2023, with inverse copies, and with deletion, which costs nothing here: a
version is the list of its sources' versions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kgreason import memory
from kgreason.columns import bitmaps, pairs, sorted_sets
from kgreason.relations import table_tuning
from kgreason.relations.binary import BinaryTable, as_binary
from kgreason.relations.inverse import InverseTable, inverse_view
from kgreason.relations.paths import Path
from kgreason.relations.plain import union_of
from kgreason.relations.stored import Part, PartReader, PartWriter
from kgreason.relations.table import NO_IDS, Columns, Ids, Index, Mask, Table
from kgreason.relations.virtual_pairs import VirtualPairs


def flattened(tables: Sequence[Table]) -> list[Table]:
    """The tables with facts, unions replaced by what they unite, each table once."""
    found: dict[tuple[int, bool], Table] = {}
    for table in {id(table): table for table in tables}.values():
        for part in _parts(table):
            inverse = isinstance(part, InverseTable)
            found[id(part.base if isinstance(part, InverseTable) else part), inverse] = part
    return list(found.values())


def _with_small_united(parts: list[Table]) -> tuple[list[Table], Table | None]:
    """The tables, the small plain ones as one where they are many, and that one: each part is asked by itself, and
    costs a search in every part before it."""
    small = [part for part in parts if not part.is_virtual and part.estimate <= table_tuning.SMALL_PART]
    if len(small) < max(1, table_tuning.SMALL_PARTS):
        return parts, None
    united = union_of(small)
    return [united, *(part for part in parts if part.is_virtual or part.estimate > table_tuning.SMALL_PART)], united


def _parts(table: Table) -> Iterator[Table]:
    if isinstance(table, UnionTable):
        yield from table.parts
    elif isinstance(table, InverseTable) and isinstance(table.base, UnionTable):
        yield from map(inverse_view, table.base.parts)
    elif table:
        yield table


class UnionTable(VirtualPairs):
    """The pairs of several tables, each once."""

    scheme = "union"
    stored_as = "union"

    def __init__(self, sources: Sequence[Table]) -> None:
        """Tables of pairs; two versions of a union have the versions of their sources in the same order."""
        self.sources = tuple(sources)
        parts, self._united = _with_small_united(flattened(sources))
        self.parts = sorted(parts, key=lambda part: -part.estimate)
        self._inverse: UnionTable | None = None
        self._whole: BinaryTable | None = None
        self._searches = 0

    @property
    def nbytes(self) -> int:
        own = [table for table in (self._united, self._whole) if table is not None]
        return 8 * len(self.parts) + sum(table.nbytes for table in own)

    @property
    def estimate(self) -> int:
        return sum(part.estimate for part in self.parts)

    def __bool__(self) -> bool:
        return bool(self.parts)

    def count(self) -> int:
        """The first part's pairs, and of each other one those that none before it has."""
        if self._is_small and (len(self.parts) > 2 or _both_ways(*self.parts) is None):
            return len(self._merged())
        return sum(self._fresh(number) for number in range(len(self.parts)))

    @property
    def _is_small(self) -> bool:
        """Whether the parts may be merged, in place of a look into each."""
        return len(self.parts) > 1 and self.estimate <= table_tuning.MERGED_UNION

    def _merged(self) -> BinaryTable:
        if self._whole is not None:
            return self._whole
        keys = [pairs.pack(*part.columns()) if part.is_virtual else as_binary(part).keys() for part in self.parts]
        return BinaryTable(sorted_sets.union_of_parts(keys))

    def _searched(self, rows: int) -> BinaryTable | None:
        """All pairs as one table, which is made once so many rows were looked for in each part that this takes less."""
        if self._whole is None and self._is_small:
            self._searches += (rows + table_tuning.ROWS_A_CALL) * len(self.parts)
            if self._searches * table_tuning.MERGED_PAIRS > self.estimate:
                self._whole = self._merged()
        return self._whole

    def _fresh(self, number: int) -> int:
        part, earlier = self.parts[number], self.parts[:number]
        if not earlier:
            return len(part)
        both = _both_ways(earlier[0], part) if len(earlier) == 1 else None
        if both is not None:
            return len(part) - both.symmetric_count()
        return sum(len(columns[0]) for columns in _unseen(part, earlier))

    def is_view_of(self, other: Table | None) -> bool:
        return len(self.parts) == 1 and self.parts[0] is other

    def _changed_subjects(self, other: Table) -> Ids | None:
        if not isinstance(other, UnionTable) or len(other.sources) != len(self.sources):
            return None
        found = [mine.changed_subjects(theirs) for mine, theirs in zip(self.sources, other.sources, strict=True)]
        known = [subjects for subjects in found if subjects is not None]
        return _united(known) if len(known) == len(found) else None

    def _keys_missing_from(self, other: Table, position: int) -> Ids:
        if not isinstance(other, UnionTable) or len(other.sources) != len(self.sources):
            return self.distinct(position)
        aligned = zip(self.sources, other.sources, strict=True)
        return _united([mine.keys_missing_from(theirs, position) for mine, theirs in aligned])

    def chunks(self) -> Iterator[Columns]:
        if self._is_small:
            yield from self._merged().chunks()
            return
        for number, part in enumerate(self.parts):
            yield from _unseen(part, self.parts[:number])

    def subjects(self) -> Ids:
        return _united([part.distinct(0) for part in self.parts])

    def distinct(self, position: int) -> Ids:
        return _united([part.distinct(position) for part in self.parts])

    def has_key(self, position: int, identifiers: Ids) -> Mask:
        found = np.zeros(len(identifiers), dtype=np.bool_)
        for part in self.parts:
            found |= part.has_key(position, identifiers)
        return found

    def has_id(self, position: int, identifier: int) -> bool:
        return any(part.has_id(position, identifier) for part in self.parts)

    def has(self, fact: tuple[int, ...]) -> bool:
        return any(part.has(fact) for part in self.parts)

    def contains(self, columns: Columns) -> Mask:
        whole = self._searched(len(columns[0]))
        return _contains_any(self.parts, columns) if whole is None else whole.contains(columns)

    def objects_of(self, subject: int) -> Ids:
        return self.image_of(0, subject)

    def by_group(self, width: int, most: int) -> Iterator[tuple[Columns, Index, Columns]]:
        return self.parts[0].by_group(width, most) if len(self.parts) == 1 else super().by_group(width, most)

    def fanouts(self) -> tuple[Ids, Index]:
        return self.parts[0].fanouts() if len(self.parts) == 1 else super().fanouts()

    def image_of(self, position: int, identifier: int) -> Ids:
        return _united([found for part in self.parts if len(found := part.image_of(position, identifier))])

    def few_of(self, position: int, identifier: int, most: int) -> list[int] | None:
        found: list[int] = []
        for part in self.parts:
            more = part.few_of(position, identifier, most)
            if more is None:
                return None
            found = sorted({*found, *more}) if found and more else found or more
        return found if len(found) <= most else None

    def expand_subjects(self, subjects: Ids) -> tuple[Index, Ids]:
        whole = self._searched(len(subjects))
        if whole is not None:
            index, (_, objects) = whole.lookup({0: subjects})
            return index, objects
        found = [part.lookup({0: subjects}) for part in self.parts]
        if not found:
            return np.empty(0, dtype=np.int64), NO_IDS
        if len(found) == 1:
            return found[0][0], found[0][1][1]
        keys = [index.astype(np.uint64) << np.uint64(32) | columns[1] for index, columns in found]
        memory.check(sum(each.nbytes for each in keys), "a union of pairs")
        merged = sorted_sets.unique(np.concatenate(keys))
        return (merged >> np.uint64(32)).astype(np.int64), (merged & np.uint64(0xFFFFFFFF)).astype(np.uint32)

    def fanout(self, position: int, identifiers: Ids) -> Index:
        whole = self._searched(len(identifiers))
        if whole is not None:
            return whole.fanout(position, identifiers)
        counts = np.zeros(len(identifiers), dtype=np.int64)
        for number, part in enumerate(self.parts):
            fresh = part.fanout(position, identifiers)
            shared = np.flatnonzero((fresh > 0) & (counts > 0))
            if len(shared):
                fresh[shared] -= self._repeated(number, position, identifiers[shared], fresh[shared])
            counts += fresh
        return counts

    def _repeated(self, number: int, position: int, identifiers: Ids, degrees: Index) -> Index:
        """For each id how many of the pairs that one part has with it are in an earlier part: those pairs are looked
        at, about `table_tuning.CHUNK` at a time, unless the part can say so."""
        part, earlier = self.parts[number], self.parts[:number]
        both = _both_ways(earlier[0], part) if number == 1 else None
        if both is not None:
            return both.symmetric_fanout(identifiers)
        counts = np.zeros(len(identifiers), dtype=np.int64)
        blocks = np.cumsum(degrees) // table_tuning.CHUNK
        for block in np.split(np.arange(len(identifiers)), np.flatnonzero(np.diff(blocks)) + 1):
            index, columns = part.lookup({position: identifiers[block]})
            known = _contains_any(earlier, columns)
            counts[block] = np.bincount(index[known], minlength=len(block))
        return counts

    def distinct_estimate(self, position: int) -> int:
        return max((part.distinct_estimate(position) for part in self.parts), default=0)

    def expected_fanout(self, position: int, identifiers: Ids) -> float:
        return sum(part.expected_fanout(position, identifiers) for part in self.parts)

    def largest_fanout(self, position: int) -> int:
        return sum(part.largest_fanout(position) for part in self.parts)

    def image(self, position: int, identifiers: Ids) -> Ids:
        return _united([part.image(position, identifiers) for part in self.parts])

    def loops(self) -> Ids:
        return bitmaps.distinct(np.concatenate([NO_IDS, *(part.loops() for part in self.parts)]))

    @property
    def is_transitive(self) -> bool:
        return len(self.parts) == 1 and self.parts[0].is_transitive

    @property
    def is_symmetric(self) -> bool:
        return all(part.is_symmetric for part in self.parts)

    def generators(self) -> Iterator[Table]:
        for part in self.parts:
            yield from part.generators()

    def spanning(self) -> Iterator[Table]:
        for part in self.parts:
            yield from part.spanning()

    def paths(self) -> list[Path]:
        return list(dict.fromkeys(path for part in self.parts for path in part.paths()))

    def write(self, to: PartWriter) -> list[Part]:
        """The sources."""
        return [[to.table(source) for source in self.sources]]

    @classmethod
    def read(cls, parts: list[Part], of: PartReader) -> UnionTable:
        """A table of `write`; LoadError where it is damaged."""
        return cls([of.table(part, "its sources", 2) for part in of.entries(parts[0], None, "its sources")])

    def inverse(self) -> UnionTable:
        if self._inverse is None:
            self._inverse = UnionTable([part.inverse() for part in self.parts])
        return self._inverse

    def _check(self) -> None:
        for part in self.parts:
            part._check()
        super()._check()


def simplest(table: Table) -> Table:
    """The only table that is united, if there is one."""
    return table.parts[0] if isinstance(table, UnionTable) and len(table.parts) == 1 else table


def _both_ways(left: Table, right: Table) -> Table | None:
    """The one of two tables that the other is the inverse of, None where neither is."""
    if isinstance(left, InverseTable):
        left, right = right, left
    return left if isinstance(right, InverseTable) and right.base is left else None


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
    """For each row whether a part has it: O(k log n) for each part, and for many rows one look at what the plain parts
    have together."""
    found = np.zeros(len(columns[0]), dtype=np.bool_)
    plain = [as_binary(part) for part in parts if not part.is_virtual]
    if len(columns[0]) * len(plain) > table_tuning.UNITED_LOOKUPS * sum(map(len, plain)):
        parts = [BinaryTable.union_all(plain), *(part for part in parts if part.is_virtual)]
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
        return present[0] if present else NO_IDS
    return bitmaps.distinct(np.concatenate(present))
