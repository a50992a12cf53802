"""Keys by their ids: lists of keys for terms that came one by one, segments for those that came together."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kgreason.terms.arrow import text_column
from kgreason.terms.hashing import joined_texts
from kgreason.terms.segments import Segment

Ids: TypeAlias = NDArray[np.uint32]
Run: TypeAlias = list[str] | Segment

_FEW: Final = 32


class Runs:
    """Runs of ids that follow each other; the last one is a list, and grows.

    A segment makes other runs of them, which share all lists: readers in other threads see what they began with.
    """

    __slots__ = ("_closed", "_starts", "_tail", "_tail_start")

    def __init__(self, closed: Sequence[Run] = ()) -> None:
        """Runs that do not grow any more."""
        self._closed = tuple(closed)
        self._tail: list[str] = []
        self._starts: list[int] = [0, *np.cumsum([len(run) for run in closed], dtype=np.int64).tolist()]
        self._tail_start = self._starts[-1]

    def __len__(self) -> int:
        return self._tail_start + len(self._tail)

    def append(self, key: str) -> None:
        """Give the next id to a key."""
        self._tail.append(key)

    def followed_by(self, segment: Segment) -> Runs:
        """These runs and a segment of the next ids."""
        return Runs([*(run for _, run in self.spans()), segment])

    def key(self, identifier: int) -> str:
        """The key of an id as it was first seen."""
        if identifier >= self._tail_start:
            return self._tail[identifier - self._tail_start]
        at = bisect_right(self._starts, identifier) - 1
        run = self._closed[at]
        return run.spelled(identifier) if isinstance(run, Segment) else run[identifier - self._starts[at]]

    def folded(self, identifier: int) -> str:
        """The folded key of an id of a segment."""
        run = self._closed[bisect_right(self._starts, identifier) - 1]
        assert isinstance(run, Segment), "a term that came alone is found by its key"
        return run.folded(identifier)

    def keys(self, identifiers: Ids) -> list[str]:
        """The keys of many ids: in segments whole columns at a time."""
        if not self._closed or len(identifiers) <= _FEW:
            return [self.key(identifier) for identifier in identifiers.tolist()]
        found = np.empty(len(identifiers), dtype=np.object_)
        for start, run in self.spans():
            rows = np.flatnonzero((identifiers >= start) & (identifiers < start + len(run)))
            if len(rows):
                some = identifiers[rows]
                found[rows] = run.spelled_column(some) if isinstance(run, Segment) else [run[i - start] for i in some]
        keys: list[str] = found.tolist()
        return keys

    def key_column(self, identifiers: Ids) -> pa.Array:
        """The keys of ids in ascending order, as a string column; UnicodeEncodeError for what is no Unicode."""
        pieces: list[pa.Array] = [pa.nulls(0, pa.string())]
        for start, run in self.spans():
            begin, stop = np.searchsorted(identifiers, [start, start + len(run)]).tolist()
            some = identifiers[begin:stop]
            if not len(some):
                continue
            if isinstance(run, Segment):
                pieces.append(run.spelled_column(some))
            else:
                pieces.append(text_column([run[i - start] for i in some.tolist()]))
        return joined_texts(pieces)

    def segments(self) -> Iterator[Segment]:
        """The runs that are segments."""
        return (run for run in self._closed if isinstance(run, Segment))

    def spans(self) -> Iterator[tuple[int, Run]]:
        """The runs that have terms, with their first id."""
        for start, run in zip(self._starts, (*self._closed, self._tail), strict=True):
            if len(run):
                yield start, run
