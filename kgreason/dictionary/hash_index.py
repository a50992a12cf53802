"""From hashes to ids: sorted columns, a few of them, each at least twice as long as the next."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import pairwise
from math import isqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.rdf.hashing import Hashes

Ids: TypeAlias = NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Level:
    """Hashes in ascending order, and the id of each."""

    hashes: Hashes
    identifiers: Ids
    # A memoryview gives Python's own integers, several times faster than numpy's scalars.
    fast: memoryview = field(init=False, repr=False, compare=False)
    apart: int = field(init=False, repr=False, compare=False)
    """A hash is mostly no further than so many rows from where an even spread would have it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "fast", np.ascontiguousarray(self.hashes).data)
        object.__setattr__(self, "apart", 2 * isqrt(len(self.hashes)))

    def __len__(self) -> int:
        return len(self.hashes)

    def first(self, wanted: int) -> int:
        """The first row whose hash is not below a wanted one.

        Hashes are spread evenly, so that the row is mostly near the same share of all: a search there touches a few
        pages of memory, not one for each of its steps.
        """
        fast, apart = self.fast, self.apart
        size = len(fast)
        near = wanted * size >> 64
        begin, end = max(0, near - apart), min(size, near + apart)
        if begin and fast[begin - 1] >= wanted:
            begin = 0
        if end < size and fast[end] < wanted:
            end = size
        return bisect_left(fast, wanted, begin, end)

    def merged(self, other: Level) -> Level:
        """Both as one: a sort."""
        hashes = np.concatenate((self.hashes, other.hashes))
        order = np.argsort(hashes, kind="stable")
        return Level(hashes[order], np.concatenate((self.identifiers, other.identifiers))[order])


@dataclass(frozen=True, slots=True)
class HashIndex:
    """A multimap from hashes to ids; what is added makes another one."""

    levels: tuple[Level, ...] = ()

    def __len__(self) -> int:
        return sum(map(len, self.levels))

    def with_hash(self, wanted: int) -> list[int]:
        """The ids with a hash: O(log n), a microsecond."""
        found: list[int] = []
        for level in self.levels:
            fast = level.fast
            at = level.first(wanted)
            while at < len(fast) and fast[at] == wanted:
                found.append(int(level.identifiers[at]))
                at += 1
        return found

    def added(self, hashes: Hashes, identifiers: Ids) -> HashIndex:
        """With hashes in ascending order; each entry is merged O(log n) times in all."""
        return self._followed_by(Level(hashes, identifiers))

    def _followed_by(self, level: Level) -> HashIndex:
        levels = [*self.levels, *([level] if len(level) else [])]
        while len(levels) > 1 and len(levels[-2]) < 2 * len(levels[-1]):
            last = levels.pop()
            levels[-1] = levels[-1].merged(last)
        return HashIndex(tuple(levels))

    def below(self, limit: int) -> HashIndex:
        """The entries of ids below `limit`: O(n), and nothing is copied where that is all of them."""
        index = HashIndex()
        for level in self.levels:
            kept = level.identifiers < limit
            index = index._followed_by(level if kept.all() else Level(level.hashes[kept], level.identifiers[kept]))
        return index

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(level.hashes.nbytes + level.identifiers.nbytes for level in self.levels)

    def _check(self) -> None:
        for level in self.levels:
            assert bool((level.hashes[1:] >= level.hashes[:-1]).all()), "hashes are not in order"
            assert len(level.hashes) == len(level.identifiers), "hashes and ids differ in number"
        sizes = [len(level) for level in self.levels]
        assert all(big >= 2 * small for big, small in pairwise(sizes)), "too many levels"
