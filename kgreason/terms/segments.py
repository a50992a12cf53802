"""Terms that came together, frozen: an Arrow column of keys under ids that follow each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kgreason.terms.hashing import text_buffers

IRI_KIND: Final = 0
BLANK_KIND: Final = 1
LITERAL_KIND: Final = 2

_QUOTE, _UNDERSCORE, _COLON = b'"_:'


@dataclass(frozen=True, slots=True)
class Segment:
    """Keys of ids `first`, `first` + 1, ... as a string or large_string column without nulls.

    Language tags in the column are in lower case; `spellings` has the keys, by id, whose tags are written otherwise.
    """

    first: int
    keys: pa.Array
    spellings: dict[int, str]
    _offsets: memoryview = field(init=False, repr=False, compare=False)
    _data: memoryview = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        offsets, data = text_buffers(self.keys)
        object.__setattr__(self, "_offsets", memoryview(offsets))
        object.__setattr__(self, "_data", memoryview(data))

    def __len__(self) -> int:
        return len(self.keys)

    def spelled(self, identifier: int) -> str:
        """The key of an id as it was first seen: O(1)."""
        return self.spellings.get(identifier) or self.folded(identifier)

    def folded(self, identifier: int) -> str:
        """The key of an id with its language tag in lower case: O(1)."""
        at = identifier - self.first
        return str(self._data[self._offsets[at] : self._offsets[at + 1]], "utf-8")

    def spelled_many(self, identifiers: NDArray[np.uint32]) -> list[str]:
        """The keys of many ids of this segment, about 0.1 microseconds each."""
        found: list[str] = self.keys.take(pa.array(identifiers.astype(np.int64) - self.first)).to_pylist()
        if self.spellings:
            return [self.spellings.get(i, key) for i, key in zip(identifiers.tolist(), found, strict=True)]
        return found

    def equal(self, identifiers: NDArray[np.uint32], keys: pa.Array) -> NDArray[np.bool_]:
        """For each id of this segment, whether a key with its language tag in lower case is that of the id."""
        own = self.keys.take(pa.array(identifiers.astype(np.int64) - self.first))
        return np.asarray(pc.equal(own, keys.cast(own.type)).to_numpy(zero_copy_only=False))

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return int(self.keys.nbytes) + 200 * len(self.spellings)


def kinds_of(keys: pa.Array) -> NDArray[np.uint8]:
    """For each key of a column IRI_KIND, BLANK_KIND or LITERAL_KIND: O(n)."""
    offsets, data = text_buffers(keys)
    starts, lengths = offsets[:-1].astype(np.int64), np.diff(offsets)
    padded = data if len(data) >= 2 else np.zeros(2, dtype=np.uint8)
    last = len(padded) - 1
    first, second = padded[np.minimum(starts, last)], padded[np.minimum(starts + 1, last)]
    kinds = np.where((first == _UNDERSCORE) & (second == _COLON) & (lengths > 1), BLANK_KIND, IRI_KIND).astype(np.uint8)
    kinds[(first == _QUOTE) & (lengths > 0)] = LITERAL_KIND
    return kinds
