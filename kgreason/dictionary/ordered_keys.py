"""Keys that came in order, as those of encoded triples do: one is found without a hash of any of them.

The order is IRIs first, then blank nodes, then literals, then triple terms, each by their UTF-8 bytes; no key stands
twice.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np

from kgreason.dictionary.arrow_columns import row_column
from kgreason.dictionary.folded_keys import FoldedKeys
from kgreason.dictionary.key_columns import KeyColumn
from kgreason.dictionary.single_texts import Texts
from kgreason.rdf.keys import kind_of
from kgreason.rdf.triple_keys import is_triple_key

Rank: TypeAlias = tuple[int, str]

_STEP: Final = 64
"""Every so many keys of a column one is at hand as text, to be searched before the keys in between."""
# What Python needs for a mark, about.
_MARK_BYTES: Final = 200


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OrderedKeys:
    """Keys in order: every 64th is a mark; a binary search goes over the marks, and then between two of them."""

    keys: FoldedKeys
    _texts: Texts = field(init=False, repr=False, compare=False)
    _marks: list[Rank] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        marked = self.keys.texts.take(row_column(np.arange(0, len(self.keys), _STEP)))
        object.__setattr__(self, "_texts", Texts(self.keys.texts))
        object.__setattr__(self, "_marks", [_rank(key) for key in marked.to_pylist()])

    def __len__(self) -> int:
        return len(self.keys)

    def prefix(self, count: int) -> OrderedKeys:
        """The first `count` keys at most, in the same memory."""
        return self if count >= len(self) else OrderedKeys(self.keys.between(0, count))

    def find(self, folded: str) -> int | None:
        """The row of a folded key, None when it has none: O(log n), some microseconds."""
        begin = max(bisect_right(self._marks, _rank(folded)) - 1, 0) * _STEP
        return _found(self._texts, range(begin, min(begin + _STEP, len(self))), folded)

    @property
    def nbytes(self) -> int:
        """Bytes held beside the keys."""
        return _MARK_BYTES * len(self._marks)

    def _check(self) -> None:
        ranks = [_rank(key) for key in self.keys.texts.to_pylist()]
        assert all(before < after for before, after in pairwise(ranks)), "keys are not in order"
        assert self._marks == ranks[::_STEP], "a mark is another key"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OrderedPieces:
    """Keys in order, in several columns, none of them empty, until they are joined."""

    pieces: Sequence[FoldedKeys]
    _starts: list[int] = field(init=False, repr=False, compare=False)
    _firsts: list[Rank] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        ends = np.cumsum([len(piece) for piece in self.pieces], dtype=np.int64).tolist()
        object.__setattr__(self, "_starts", [0, *ends])
        object.__setattr__(self, "_firsts", [_rank(str(piece.texts[0])) for piece in self.pieces])

    def __len__(self) -> int:
        return self._starts[-1]

    @property
    def has_triples(self) -> bool:
        """Whether there are triple terms, which are the last ones."""
        return bool(self.pieces) and is_triple_key(str(self.pieces[-1].texts[-1]))

    def find(self, folded: str) -> int | None:
        """The row of a folded key, None when it has none: O(log n)."""
        at = bisect_right(self._firsts, _rank(folded)) - 1
        if at < 0:
            return None
        piece = self.pieces[at].texts
        row = _found(Texts(piece), range(len(piece)), folded)
        return None if row is None else self._starts[at] + row

    def without(self, rows: Collection[int]) -> OrderedKeys:
        """All but a few rows: one copy of the texts."""
        gone = sorted(rows)
        kept: list[FoldedKeys] = []
        for start, piece in zip(self._starts, self.pieces, strict=False):
            first, last = bisect_left(gone, start), bisect_left(gone, start + len(piece))
            borders = [-1, *(row - start for row in gone[first:last]), len(piece)]
            kept += [piece.between(before + 1, after) for before, after in pairwise(borders)]
        return OrderedKeys(FoldedKeys.joined(kept))

    def hashed(self) -> KeyColumn:
        """The same with hashes: about 0.1 microseconds each."""
        return KeyColumn.of_folded(FoldedKeys.joined(self.pieces))


def _rank(key: str) -> Rank:
    return kind_of(key), key


def _found(texts: Texts, rows: range, folded: str) -> int | None:
    """The row of a text, by binary search; Python compares by code points, in whose order UTF-8 is, too."""
    at = bisect_left(rows, _rank(folded), key=lambda row: _rank(texts[row]))
    return rows[at] if at < len(rows) and texts[rows[at]] == folded else None
