"""Keys by their ids: lists of keys for terms that came one by one, segments for those that came together."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import memory
from kgreason.arrow import pa
from kgreason.dictionary import term_tuning
from kgreason.dictionary.arrow_columns import text_column, texts_of
from kgreason.dictionary.key_lists import KeyList
from kgreason.dictionary.literal_suffixes import split_keys, split_literals
from kgreason.dictionary.number_segments import NumberSegment
from kgreason.dictionary.segments import Segment
from kgreason.rdf.hashing import joined_texts

Ids: TypeAlias = NDArray[np.uint32]
Run: TypeAlias = KeyList | Segment | NumberSegment


_TEXT: Final = 160
"""Bytes of a text as a Python object, with the reference to it: those of IRIs are as long."""


def rows_within(sizes: NDArray[np.int64], most: int) -> Iterator[slice]:
    """Rows that follow each other and have sizes of `most` at most in all, or are one: O(n)."""
    ends = sizes.cumsum()
    begin = done = 0
    while begin < len(sizes):
        end = max(begin + 1, int(ends.searchsorted(done + most, side="right")))
        yield slice(begin, end)
        begin, done = end, int(ends[end - 1])


class Runs:
    """Runs of ids that follow each other; the last one is a list, and grows.

    A segment makes other runs of them, which share all lists: readers in other threads see what they began with.
    """

    __slots__ = ("_closed", "_starts", "_tail", "_tail_start")

    def __init__(self, closed: Sequence[Run] = ()) -> None:
        """Runs that do not grow any more."""
        self._closed = tuple(closed)
        self._tail = KeyList()
        self._starts: list[int] = [*accumulate(map(len, closed), initial=0)]
        self._tail_start = self._starts[-1]

    def __len__(self) -> int:
        return self._tail_start + len(self._tail)

    def append(self, key: str) -> None:
        """Give the next id to a key."""
        self._tail.append(key)

    def followed_by(self, segment: Segment | NumberSegment) -> Runs:
        """These runs and a segment of the next ids."""
        return Runs([*(run for _, run in self.spans()), segment])

    def prefix(self, count: int) -> Runs:
        """The runs of the first `count` ids; the last one is copied, so that either may grow."""
        kept: list[Run] = []
        for start, run in self.spans():
            if start < count:
                rest = count - start
                kept.append(KeyList(run[:rest]) if isinstance(run, KeyList) else run.prefix(rest))
        match kept:
            case [*others, KeyList() as last]:
                runs = Runs(others)
                runs._tail = last
                return runs
        return Runs(kept)

    def closed(self) -> Runs:
        """The same runs, of which none grows any more. Lists that follow each other are joined where the first is not
        much longer, so that there are O(log n) of them."""
        runs = [run for _, run in self.spans()]
        while len(runs) > 1:
            first, second = runs[-2:]
            if not (isinstance(first, KeyList) and isinstance(second, KeyList)) or len(first) >= 2 * len(second):
                break
            runs[-2:] = [KeyList(first + second)]
        return Runs(runs)

    def key(self, identifier: int) -> str:
        """The key of an id as it was first seen."""
        if identifier >= self._tail_start:
            return self._tail[identifier - self._tail_start]
        at = bisect_right(self._starts, identifier) - 1
        return self._closed[at][identifier - self._starts[at]]

    def few_keys(self, identifiers: Iterable[int]) -> list[str]:
        """The keys of a few ids, one by one: a microsecond each."""
        starts, closed, tail, tail_start = self._starts, self._closed, self._tail, self._tail_start
        return [
            tail[each - tail_start]
            if each >= tail_start
            else closed[at := bisect_right(starts, each) - 1][each - starts[at]]
            for each in identifiers
        ]

    def folded(self, identifier: int) -> str:
        """The folded key of an id of a segment."""
        run = self._closed[bisect_right(self._starts, identifier) - 1]
        assert isinstance(run, Segment), "a term that came alone is found by its key"
        return run.folded(identifier)

    def keys(self, identifiers: Ids) -> list[str]:
        """The keys of many ids: in segments whole columns at a time."""
        if not self._closed or len(identifiers) <= term_tuning.FEW_READ_KEYS:
            return self.few_keys(identifiers.tolist())
        # numpy may crash where there is no memory for an array of objects.
        memory.check(_TEXT * len(identifiers), "the text of terms")
        alone = self._only_segment(identifiers)
        if alone is not None:
            return list(texts_of(alone.spelled_column(identifiers)))
        found = np.empty(len(identifiers), dtype=np.object_)
        for rows, some, run in self._parts(identifiers):
            found[rows] = run.keys(some) if isinstance(run, KeyList) else texts_of(run.spelled_column(some))
        keys: list[str] = found.tolist()
        return keys

    def literals(self, identifiers: Ids) -> tuple[list[str], list[str]]:
        """The texts of literals and the suffixes of their keys, as `keys`."""
        if not self._closed or len(identifiers) <= term_tuning.FEW_READ_KEYS:
            return split_keys(self.few_keys(identifiers.tolist()))
        memory.check(_TEXT * len(identifiers), "the text of terms")
        alone = self._only_segment(identifiers)
        if alone is not None:
            return split_literals(alone.spelled_column(identifiers))
        found = np.empty((2, len(identifiers)), dtype=np.object_)
        for rows, some, run in self._parts(identifiers):
            if isinstance(run, KeyList):
                found[:, rows] = split_keys(run.keys(some))
            else:
                found[:, rows] = split_literals(run.spelled_column(some))
        texts, suffixes = found.tolist()
        return texts, suffixes

    def sizes(self, identifiers: Ids) -> NDArray[np.int64]:
        """About how many bytes the keys of ids have, without a look at any text: some nanoseconds each in segments."""
        alone = self._only_segment(identifiers) if len(identifiers) else None
        if isinstance(alone, Segment):
            return alone.sizes(identifiers)
        found = np.zeros(len(identifiers), dtype=np.int64)
        for rows, some, run in self._parts(identifiers):
            if not isinstance(run, NumberSegment):
                found[rows] = run.sizes(some)
        return found

    def size_between(self, first: int, last: int) -> int | None:
        """About how many bytes the keys of all ids from one to another have, where one segment has them: O(1)."""
        run = self._only_segment(np.array([first, last], dtype=np.uint32))
        return run.size_between(first, last) if isinstance(run, Segment) else None

    def _only_segment(self, identifiers: Ids) -> Segment | NumberSegment | None:
        """The segment that has all of the ids, if there is one."""
        at = bisect_right(self._starts, int(identifiers.min())) - 1
        run = self._closed[at] if at < len(self._closed) else None
        if run is None or isinstance(run, KeyList) or int(identifiers.max()) >= self._starts[at] + len(run):
            return None
        return run

    def _parts(self, identifiers: Ids) -> Iterator[tuple[NDArray[np.intp], Ids, Run]]:
        """For each run that has some of the ids their rows, and the ids: within a list, places in it."""
        for start, run in self.spans():
            rows = np.flatnonzero((identifiers >= start) & (identifiers < start + len(run)))
            if len(rows):
                some = identifiers[rows]
                yield rows, some - start if isinstance(run, KeyList) else some, run

    def key_column(self, identifiers: Ids) -> pa.Array:
        """The keys of ids in ascending order, as a string column; UnicodeEncodeError for a lone surrogate."""
        memory.check(_TEXT * len(identifiers), "the text of terms")
        pieces: list[pa.Array] = []
        for start, run in self.spans():
            begin, stop = np.searchsorted(identifiers, [start, start + len(run)]).tolist()
            some = identifiers[begin:stop]
            if not len(some):
                continue
            if isinstance(run, KeyList):
                pieces.append(text_column(run.keys(some - start)))
            else:
                pieces.append(run.spelled_column(some))
        return joined_texts(pieces) if pieces else pa.nulls(0, pa.string())

    def segments(self) -> Iterator[Segment]:
        """The runs that are segments of texts."""
        return (run for run in self._closed if isinstance(run, Segment))

    def numbers(self) -> Iterator[NumberSegment]:
        """The runs that are segments of numbers."""
        return (run for run in self._closed if isinstance(run, NumberSegment))

    def spans(self) -> Iterator[tuple[int, Run]]:
        """The runs that have terms, with their first id."""
        for start, run in zip(self._starts, (*self._closed, self._tail), strict=True):
            if len(run):
                yield start, run
