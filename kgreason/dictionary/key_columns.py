"""Columns of keys on their way into the dictionary: what is the same term in them, whole columns at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kgreason.arrow import pa, pc
from kgreason.dictionary.arrow_columns import mask_of, row_column, text_column
from kgreason.dictionary.folded_keys import FoldedKeys, Rows
from kgreason.rdf.hashing import Hashes, hash_column


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KeyColumn:
    """Keys, in which one may stand many times, and the hashes of their texts."""

    keys: FoldedKeys
    hashes: Hashes

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def learning_bytes(self) -> int:
        """About what it takes to learn the keys, beside them."""
        return 96 * len(self) + self.keys.nbytes

    @staticmethod
    def of(keys: pa.Array) -> KeyColumn:
        """Take in a string or large_string column of keys, without nulls, as they are written."""
        return KeyColumn.of_folded(FoldedKeys.of(keys))

    @staticmethod
    def of_listed(keys: Sequence[str]) -> KeyColumn | None:
        """Take in keys as they are written; None if one has a lone surrogate."""
        try:
            return KeyColumn.of(text_column(list(keys)))
        except UnicodeEncodeError:
            return None

    @staticmethod
    def of_folded(keys: FoldedKeys) -> KeyColumn:
        """Take in keys: about 0.1 microseconds each, in the thread that asks."""
        return KeyColumn(keys, hash_column(keys.texts))

    def where(self, kept: NDArray[np.bool_]) -> KeyColumn:
        """The rows for which the mask is true: O(n)."""
        return KeyColumn(self.keys.where(kept), self.hashes[kept])

    @staticmethod
    def joined(columns: Sequence[KeyColumn]) -> KeyColumn:
        """Several columns, at least one, as one."""
        if len(columns) == 1:
            return columns[0]
        keys = FoldedKeys.joined([column.keys for column in columns])
        return KeyColumn(keys, np.concatenate([column.hashes for column in columns]))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Distinct:
    """The distinct keys of a column: for each row the first one with the same key, and the rows that are such first
    ones in the order of their hashes."""

    first: Rows
    by_hash: Rows

    @staticmethod
    def of(column: KeyColumn) -> Distinct:
        """One sort of the hashes; the texts of rows with the same hash are compared."""
        count = len(column)
        order = np.argsort(column.hashes)
        ascending = column.hashes[order]
        begins = np.empty(count, dtype=np.bool_)
        begins[:1] = True
        np.not_equal(ascending[1:], ascending[:-1], out=begins[1:])
        if begins.all():
            return Distinct(np.arange(count), order)
        starts = np.flatnonzero(begins)
        first = np.empty(count, dtype=np.int64)
        first[order] = np.repeat(np.minimum.reduceat(order, starts), np.diff(starts, append=count))
        _part_collisions(column.keys.texts, first)
        return Distinct(first, order[first[order] == order])


def _part_collisions(texts: pa.Array, first: Rows) -> None:
    """Take different texts with the same hash apart."""
    repeats = np.flatnonzero(first != np.arange(len(first)))
    same = mask_of(pc.equal(texts.take(row_column(repeats)), texts.take(row_column(first[repeats]))))
    firsts: dict[str, int] = {}
    for row in repeats[~same].tolist():
        first[row] = firsts.setdefault(texts[row].as_py(), row)
