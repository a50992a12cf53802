"""Columns of keys on their way into the dictionary: what is the same term in them, whole columns at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kgreason.terms.hashing import TEXT_LIMIT, Hashes, hash_column
from kgreason.terms.keys import lower_language

Rows: TypeAlias = NDArray[np.int64]



@dataclass(frozen=True)
class KeyColumn:
    """A string or large_string column of keys without nulls, in which a key may stand many times.

    `folded` has language tags in lower case, `spellings` the keys by row that were written otherwise.
    """

    folded: pa.Array
    spellings: dict[int, str]

    @cached_property
    def hashes(self) -> Hashes:
        """The hashes of `folded`: computed once, by whichever thread asks first."""
        return hash_column(self.folded)

    def __len__(self) -> int:
        return len(self.folded)

    def spelled(self, row: int) -> str:
        """A key as it was written."""
        return self.spellings.get(row) or str(self.folded[row])

    @staticmethod
    def of(keys: pa.Array) -> KeyColumn:
        """Take in a column of keys as they are written."""
        return KeyColumn(*_folded(keys))

    @staticmethod
    def joined(columns: Sequence[KeyColumn]) -> KeyColumn:
        """Several columns as one."""
        if len(columns) < 2:
            return columns[0] if columns else KeyColumn(pa.array([], pa.string()), {})
        texts = [column.folded for column in columns]
        if sum(text.nbytes for text in texts) > TEXT_LIMIT:
            texts = [text.cast(pa.large_string()) for text in texts]
        spellings: dict[int, str] = {}
        start = 0
        for column in columns:
            spellings |= {start + row: key for row, key in column.spellings.items()}
            start += len(column)
        whole = KeyColumn(pa.concat_arrays(texts), spellings)
        if all("hashes" in vars(column) for column in columns):
            vars(whole)["hashes"] = np.concatenate([column.hashes for column in columns])
        return whole


@dataclass(frozen=True, slots=True)
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
        _part_collisions(column.folded, first)
        return Distinct(first, order[first[order] == order])


def _part_collisions(texts: pa.Array, first: Rows) -> None:
    """Take different texts with the same hash apart."""
    repeats = np.flatnonzero(first != np.arange(len(first)))
    same = pc.equal(texts.take(pa.array(repeats)), texts.take(pa.array(first[repeats]))).to_numpy(zero_copy_only=False)
    firsts: dict[str, int] = {}
    for row in repeats[~same].tolist():
        first[row] = firsts.setdefault(texts[row].as_py(), row)


def _folded(keys: pa.Array) -> tuple[pa.Array, dict[int, str]]:
    """A column with language tags in lower case, and the keys by row that were not."""
    rows = np.flatnonzero(pc.match_substring_regex(keys, '(?s)^".*"@[^"]*[A-Z][^"]*$').to_numpy(zero_copy_only=False))
    if not len(rows):
        return keys, {}
    spellings = dict(zip(rows.tolist(), keys.take(pa.array(rows)).to_pylist(), strict=True))
    mask = np.zeros(len(keys), dtype=np.bool_)
    mask[rows] = True
    lowered = pa.array(map(lower_language, spellings.values()), keys.type)
    return pc.replace_with_mask(keys, pa.array(mask), lowered), spellings
