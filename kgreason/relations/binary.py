"""The plain table of binary facts: sorted uint64 keys in immutable blocks, a mirror on demand (`pair_reads`).

A version is a large block, shared with earlier versions, and two small ones: what was added since and what
was removed since. When these grow past a part of the large block, they are merged into it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgreason import tuning
from kgreason.columns import pairs, sorted_sets
from kgreason.columns.pairs import Keys
from kgreason.errors import DamageError
from kgreason.relations import pair_blocks, table_tuning
from kgreason.relations.default_reads import contained
from kgreason.relations.pair_blocks import NO_KEYS, check_blocks, read_blocks
from kgreason.relations.pair_reads import PairReads
from kgreason.relations.stored import Part, PartReader, PartWriter, expect_kind
from kgreason.relations.table import Columns, Ids, Mask, Table


class BinaryTable(PairReads):
    """An immutable set of pairs, made, changed and written to files."""

    __slots__ = ()

    stored_as = "pairs"

    @classmethod
    def of(cls, columns: Columns) -> BinaryTable:
        """The set of the pairs of two columns, in any order: one sort, or less where they are dense."""
        return cls(pairs.distinct(columns[0], columns[1]))

    @classmethod
    def union_all(cls, tables: Sequence[BinaryTable]) -> BinaryTable:
        """The union of several tables: one sort, or for free where only one has facts."""
        present = [table for table in tables if table._size] or list(tables[:1])
        if len(present) == 1:
            return present[0]
        return cls(sorted_sets.union_all([table.keys() for table in present]))

    def materialised(self) -> BinaryTable:
        return self

    def consolidated(self) -> BinaryTable:
        self.keys()
        if self._mirror is not None:
            self._mirror.keys()
        return self

    def filter(self, kept: Mask) -> BinaryTable:
        return BinaryTable(self.keys()[kept])

    def union(self, other: Table) -> BinaryTable:
        other = as_binary(other)
        if not other._size:
            return self
        if not self._size:
            return other
        fresh = other.keys()
        return self._changed(NO_KEYS, fresh[~self.contains_keys(fresh)])

    def insert(self, other: Table) -> tuple[BinaryTable, BinaryTable]:
        """One look-up for both, or one merge."""
        other = as_binary(other)
        if other._size >= tuning.MERGED_LEAST and 0 < self._size <= tuning.FEW_KEYS * other._size:
            keys, fresh_keys = sorted_sets.inserted(self.keys(), other.keys())
            fresh = other._part(fresh_keys)
            # Few are kept beside the large block, so that versions share it, and the mirror stays.
            few = len(fresh_keys) < self._limit()
            return self._changed(NO_KEYS, fresh_keys) if few else self._version(keys, NO_KEYS, NO_KEYS), fresh
        fresh = other if not self._size else other._kept(~self.contains_keys(other.keys()))
        return (self._changed(NO_KEYS, fresh.keys()) if self._size else other), fresh

    def exchanged(self, gone: Keys, come: Keys) -> BinaryTable:
        """Without some sorted keys and with others: O(log n) for each."""
        return self._changed(gone[self.contains_keys(gone)], come[~self.contains_keys(come)])

    def _changed(self, gone: Keys, come: Keys) -> BinaryTable:
        """Without sorted keys that are facts, and with others that are none."""
        if not len(gone) and not len(come):
            return self
        base, added, removed = self._blocks
        kept, still = sorted_sets.difference(added, gone), sorted_sets.difference(removed, come)
        new, lost = sorted_sets.difference(come, removed), sorted_sets.difference(gone, added)
        changed = self._version(base, sorted_sets.union(kept, new), sorted_sets.union(still, lost))
        if self._mirror is not None and len(gone) + len(come) < self._limit():
            changed._mirror = self._mirror._changed(pairs.mirrored(gone), pairs.mirrored(come))
        return changed

    def difference(self, other: Table) -> BinaryTable:
        if not self._size or not other or other is self:
            return self if other is not self else BinaryTable(NO_KEYS)
        if not isinstance(other, BinaryTable):
            return self._kept(~contained(self.columns(), other))
        if self._blocks[0] is other._blocks[0]:
            return BinaryTable(pair_blocks.difference_of_versions(self._blocks, other._blocks))
        if self._size * tuning.FEW_KEYS < other._size:
            return self._kept(~other.contains_keys(self.keys()))
        if self._size <= tuning.FEW_KEYS * other._size:
            return self._part(sorted_sets.difference(self.keys(), other.keys()))
        gone = other.keys()
        return self._changed(gone[self.contains_keys(gone)], NO_KEYS)

    def delete(self, other: Table) -> tuple[BinaryTable, BinaryTable]:
        """One look-up for both."""
        common = self.intersection(other)
        return self._changed(common.keys(), NO_KEYS), common

    def intersection(self, other: Table) -> BinaryTable:
        if not isinstance(other, BinaryTable):
            return self._kept(contained(self.columns(), other))
        small, large = (self, other) if self._size < other._size else (other, self)
        if small._size * tuning.FEW_KEYS >= large._size:
            return small._part(sorted_sets.intersection(small.keys(), large.keys()))
        return small._kept(large.contains_keys(small.keys()))

    def _kept(self, kept: Mask) -> BinaryTable:
        return self if kept.all() else BinaryTable(self.keys()[kept])

    def _part(self, keys: Keys) -> BinaryTable:
        """A table of some of the keys."""
        return self if len(keys) == self._size else BinaryTable(keys)

    def _limit(self) -> int:
        """How many small changes are worth keeping beside the large block."""
        return max(table_tuning.PAIRS_MERGE_LEAST, len(self._blocks[0]) // table_tuning.PAIRS_MERGE_FRACTION)

    def _version(self, base: Keys, added: Keys, removed: Keys) -> BinaryTable:
        version = BinaryTable(base, added, removed)
        version._scans = self._scans
        if base is self._blocks[0]:
            version._ends, version._notes = self._ends, self._notes_of(base)
        if len(added) + len(removed) > self._limit():
            version.keys()
        return version

    def _changed_subjects(self, other: Table) -> Ids | None:
        if other.is_virtual:
            return None
        return sorted_sets.union(self.difference(other).distinct(0), other.difference(self).distinct(0))

    def _keys_missing_from(self, other: Table, position: int) -> Ids:
        return self.distinct(position) if other.is_virtual else self.difference(other).distinct(position)

    def write(self, to: PartWriter) -> list[Part]:
        """The blocks, the mirror if there is one, and the known numbers of distinct ids."""
        # The dictionary is copied, since readers in other threads may add to it meanwhile.
        numbers = [[position, count] for position, count in dict(self._ends).items()]
        return [[to.numbers(block) for block in self._blocks], to.optional(self._mirror), numbers]

    @classmethod
    def read(cls, parts: list[Part], of: PartReader) -> BinaryTable:
        """A table of `write`; LoadError where they are damaged."""
        table = cls(*read_blocks(parts[0], of))
        mirror = of.optional(parts[1], "its mirror", 2)
        if mirror is not None:
            table._mirror = expect_kind(mirror, cls, "its mirror")
            if len(mirror) != len(table):
                raise DamageError("its mirror has another length")
        for entry in of.entries(parts[2], None, "its ends"):
            position, count = of.entries(entry, 2, "its ends")
            table._ends[of.number(position, "an end", 0, 1)] = of.number(count, "a count of ends", 0, 1 << 32)
        return table

    def _check(self) -> None:
        base, added, removed = self._blocks
        check_blocks(self._blocks)
        assert self._size == len(base) + len(added) - len(removed), "size is stale"
        if self._mirror is not None:
            assert np.array_equal(self._mirror.keys(), np.sort(pairs.swap(self.keys()))), "the mirror differs"
        for object, subjects in self._scanned.items():
            expected = pair_blocks.subjects_of(self._blocks, object)
            assert np.array_equal(subjects, expected), "the subjects of an object differ"


def as_binary(table: Table) -> BinaryTable:
    """The plain form of a table of pairs."""
    plain = table.materialised()
    assert isinstance(plain, BinaryTable), "a table of pairs was expected"
    return plain
