"""Single texts of a string column, read from its bytes: no Arrow object for any of them."""

from __future__ import annotations

from kgreason.arrow import pa
from kgreason.rdf.hashing import text_buffers


class Texts:
    """The texts of a string or large_string column without nulls, by row."""

    __slots__ = ("_data", "_offsets")

    def __init__(self, column: pa.Array) -> None:
        """Keep the memory of a column."""
        offsets, data = text_buffers(column)
        # A memoryview gives Python's own integers, several times faster than numpy's scalars.
        self._offsets = offsets.data
        self._data = data.data

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, row: int) -> str:
        return str(self._data[self._offsets[row] : self._offsets[row + 1]], "utf-8")
