"""Keys that came in order, as those of encoded triples do: one is found without a hash of any of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kgreason.terms.arrow import row_column
from kgreason.terms.folded_keys import FoldedKeys
from kgreason.terms.key_columns import KeyColumn
from kgreason.terms.keys import kind_of
from kgreason.terms.texts import Texts

_STEP: Final = 64
# What Python needs for a mark, about.
_MARK_BYTES: Final = 200


@dataclass(frozen=True, slots=True)
class OrderedKeys:
    """Distinct keys: IRIs first, then blank nodes, then literals, each in the order of their UTF-8 bytes.

    Every 64th key is a mark; a binary search goes over the marks, and then between two of them.
    """

    keys: FoldedKeys
    _texts: Texts = field(init=False, repr=False, compare=False)
    _marks: list[tuple[int, str]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        marked = self.keys.texts.take(row_column(np.arange(0, len(self.keys), _STEP)))
        object.__setattr__(self, "_texts", Texts(self.keys.texts))
        object.__setattr__(self, "_marks", [_rank(key) for key in marked.to_pylist()])

    def __len__(self) -> int:
        return len(self.keys)

    def find(self, folded: str) -> int | None:
        """The row of a key with its language tag in lower case, None when it has none: O(log n), some microseconds."""
        wanted = _rank(folded)
        begin = max(bisect_right(self._marks, wanted) - 1, 0) * _STEP
        rows = range(begin, min(begin + _STEP, len(self)))
        # Python compares texts by code points, in whose order UTF-8 is, too.
        at = bisect_left(rows, wanted, key=lambda row: _rank(self._texts[row]))
        return rows[at] if at < len(rows) and self._texts[rows[at]] == folded else None

    def where(self, kept: NDArray[np.bool_]) -> OrderedKeys:
        """The rows for which the mask is true: O(n), and nothing where that is all."""
        return self if kept.all() else OrderedKeys(self.keys.where(kept))

    def hashed(self) -> KeyColumn:
        """The same with hashes: about 0.1 microseconds each."""
        return KeyColumn.of_folded(self.keys)

    @property
    def nbytes(self) -> int:
        """Bytes held beside the keys."""
        return _MARK_BYTES * len(self._marks)

    def _check(self) -> None:
        ranks = [_rank(key) for key in self.keys.texts.to_pylist()]
        assert all(before < after for before, after in pairwise(ranks)), "keys are not in order"
        assert self._marks == ranks[::_STEP], "a mark is another key"


def _rank(key: str) -> tuple[int, str]:
    return kind_of(key), key
