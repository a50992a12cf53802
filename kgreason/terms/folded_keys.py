"""Columns of keys in which the same term is the same text: language tags are the same in any case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kgreason.terms.arrow import mask_column, mask_of, row_column, text_column
from kgreason.terms.hashing import joined_texts, text_buffers
from kgreason.terms.keys import lower_language

Rows: TypeAlias = NDArray[np.int64]

_QUOTE: Final = ord('"')
_UPPER_TAG: Final = '(?s)^".*"@[^"]*[A-Z][^"]*$'


@dataclass(frozen=True, slots=True)
class FoldedKeys:
    """Keys with language tags in lower case, as a string or large_string column without nulls.

    `spellings` has the keys by row that were written otherwise.
    """

    texts: pa.Array
    spellings: dict[int, str]

    def __len__(self) -> int:
        return len(self.texts)

    def spelled(self, row: int) -> str:
        """A key as it was written."""
        return self.spellings.get(row) or str(self.texts[row])

    def listed(self) -> list[str]:
        """The keys as they were written."""
        found: list[str] = self.texts.to_pylist()
        for row, key in self.spellings.items():
            found[row] = key
        return found

    def where(self, kept: NDArray[np.bool_]) -> FoldedKeys:
        """The rows for which the mask is true: O(n)."""
        places = np.cumsum(kept) - 1
        spellings = {int(places[row]): key for row, key in self.spellings.items() if kept[row]}
        return FoldedKeys(self.texts.filter(mask_column(kept)), spellings)

    def between(self, begin: int, end: int) -> FoldedKeys:
        """Some rows that follow each other, in the same memory."""
        spellings = {row - begin: key for row, key in self.spellings.items() if begin <= row < end}
        return FoldedKeys(self.texts[begin:end], spellings)

    @staticmethod
    def of(keys: pa.Array) -> FoldedKeys:
        """Take in a column of keys as they are written: some nanoseconds each, if few have a tag or datatype."""
        rows = _suffixed(keys)
        some = keys.take(row_column(rows))
        rows = rows[mask_of(pc.match_substring_regex(some, _UPPER_TAG))]
        if not len(rows):
            return FoldedKeys(keys, {})
        spellings = dict(zip(rows.tolist(), keys.take(row_column(rows)).to_pylist(), strict=True))
        mask = np.zeros(len(keys), dtype=np.bool_)
        mask[rows] = True
        lowered = text_column([*map(lower_language, spellings.values())]).cast(keys.type)
        return FoldedKeys(pc.replace_with_mask(keys, mask_column(mask), lowered), spellings)

    @staticmethod
    def joined(columns: Sequence[FoldedKeys]) -> FoldedKeys:
        """Several columns as one."""
        if len(columns) < 2:
            return columns[0] if columns else FoldedKeys(pa.nulls(0, pa.string()), {})
        spellings: dict[int, str] = {}
        start = 0
        for column in columns:
            spellings |= {start + row: key for row, key in column.spellings.items()}
            start += len(column)
        return FoldedKeys(joined_texts([column.texts for column in columns]), spellings)


def _suffixed(keys: pa.Array) -> Rows:
    """The rows of the keys that begin with a quotation mark and do not end with one."""
    offsets, data = text_buffers(keys)
    if not len(data):
        return np.empty(0, dtype=np.int64)
    begins, ends = np.minimum(offsets[:-1], len(data) - 1), offsets[1:]
    return np.flatnonzero((data[begins] == _QUOTE) & (data[ends - 1] != _QUOTE))
