"""Terms that came together, frozen: an Arrow column of keys under ids that follow each other."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kgreason.arrow import pa, pc
from kgreason.dictionary.arrow_columns import mask_of, row_column
from kgreason.dictionary.folded_keys import FoldedKeys, respelled
from kgreason.dictionary.single_texts import Texts
from kgreason.rdf.hashing import text_buffers
from kgreason.rdf.keys import kinds_of


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Segment:
    """The keys of the ids `first`, `first` + 1, ..."""

    first: int
    keys: FoldedKeys
    _texts: Texts = field(init=False, repr=False, compare=False)
    _counted: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_texts", Texts(self.keys.texts))
        object.__setattr__(self, "_counted", {})

    def __len__(self) -> int:
        return len(self.keys)

    def prefix(self, count: int) -> Segment:
        """The first `count` keys at most, in the same memory."""
        return self if count >= len(self) else Segment(self.first, self.keys.between(0, count))

    def __getitem__(self, row: int) -> str:
        """The key of a row as it was first seen: O(log n) for a literal with a tag or a datatype, where some tags are
        not in lower case."""
        folded, spellings = self._texts[row], self.keys.spellings
        if not spellings.suffixes or folded[:1] != '"' or folded[-1:] == '"':
            return folded
        suffix = spellings.of(row)
        return folded if suffix is None else respelled(folded, suffix)

    def kinds(self) -> NDArray[np.uint8]:
        """The kind of each key: some nanoseconds."""
        return kinds_of(self.keys.texts)

    def folded(self, identifier: int) -> str:
        """The folded key of an id: O(1)."""
        return self._texts[identifier - self.first]

    def spelled_column(self, identifiers: NDArray[np.uint32]) -> pa.Array:
        """The keys of many ids of this segment as they were first seen: about 0.02 microseconds each, and no copy of
        ids that follow each other, where no tag is to be written otherwise."""
        if not len(self.keys.spellings) and _follow_each_other(identifiers):
            return self.keys.texts.slice(int(identifiers[0]) - self.first, len(identifiers))
        return self.keys.spelled_column(identifiers.astype(np.int64) - self.first)

    def sizes(self, identifiers: NDArray[np.uint32]) -> NDArray[np.int64]:
        """The bytes of the keys of ids of this segment: some nanoseconds each."""
        offsets, _ = text_buffers(self.keys.texts)
        rows = identifiers.astype(np.int64) - self.first
        return (offsets[rows + 1] - offsets[rows]).astype(np.int64)

    def size_between(self, first: int, last: int) -> int:
        """The bytes of the keys of all ids from one to another of this segment: O(1)."""
        offsets, _ = text_buffers(self.keys.texts)
        return int(offsets[last - self.first + 1]) - int(offsets[first - self.first])

    def equal(self, identifiers: NDArray[np.uint32], keys: pa.Array) -> NDArray[np.bool_]:
        """For each id of this segment, whether a folded key is that of the id."""
        own = self.keys.texts.take(row_column(identifiers.astype(np.int64) - self.first))
        return mask_of(pc.equal(own, keys.cast(own.type)))

    def count_with(self, suffix: str) -> int:
        """How many folded keys end with a suffix: some nanoseconds for each key, once."""
        known = self._counted.get(suffix)
        if known is None:
            known = self._counted[suffix] = int(np.count_nonzero(mask_of(pc.ends_with(self.keys.texts, suffix))))
        return known

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.keys.nbytes


def _follow_each_other(identifiers: NDArray[np.uint32]) -> bool:
    """Whether each id is that before it and one: O(n), mostly O(1) where it is not so."""
    if not len(identifiers) or int(identifiers[-1]) - int(identifiers[0]) != len(identifiers) - 1:
        return False
    return bool((identifiers[1:] - identifiers[:-1] == 1).all())
