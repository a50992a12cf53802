"""The plain table of binary facts: sorted uint64 keys in blocks (`block_table`), a mirror on demand (`pair_reads`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from kgreason.columns import pairs, sorted_sets
from kgreason.columns.pairs import Keys
from kgreason.errors import DamageError
from kgreason.relations import pair_blocks
from kgreason.relations.pair_blocks import NO_KEYS, read_blocks
from kgreason.relations.pair_reads import PairReads
from kgreason.relations.stored import Part, PartReader, PartWriter, expect_kind
from kgreason.relations.table import Columns, Ids, Table


@final
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

    def consolidated(self) -> BinaryTable:
        if self._mirror is not None:
            self._mirror.keys()
        return super().consolidated()

    def exchanged(self, gone: Keys, come: Keys) -> BinaryTable:
        """Without some sorted keys and with others: O(log n) for each."""
        return self._changed(gone[self.contains_keys(gone)], come[~self.contains_keys(come)])

    @property
    def _no_keys(self) -> Keys:
        return NO_KEYS

    def _made(self, base: Keys, added: Keys, removed: Keys) -> BinaryTable:
        return BinaryTable(base, added, removed)

    def _alike(self, other: Table) -> tuple[BinaryTable, BinaryTable]:
        return self, as_binary(other)

    def _inform(self, version: BinaryTable) -> None:
        version._scans = self._scans
        base = version._blocks[0]
        if base is self._blocks[0]:
            version._ends, version._notes = self._ends, self._notes_of(base)

    def _change_orders(self, version: BinaryTable, gone: Keys, come: Keys) -> None:
        if self._mirror is not None:
            version._mirror = self._mirror._beside(pairs.mirrored(gone), pairs.mirrored(come))

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
        super()._check()
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
