"""Plain tables as sorted keys in immutable blocks: what pairs and wider rows share.

A version is a large block, shared with earlier versions, and two small ones: what was added since and what was removed
since (`blocks`). When these grow past a part of the large block, they are merged into it. So a change costs what is
new, and some tens of copies of that in the long run.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Self

from kgreason import tuning
from kgreason.columns import sorted_sets
from kgreason.columns.masks import all_of
from kgreason.columns.sorted_columns import Column
from kgreason.relations import blocks
from kgreason.relations.blocks import Blocks
from kgreason.relations.default_reads import contained
from kgreason.relations.table import Mask, Table


class BlockTable(Table):
    """An immutable set of facts; these are ``base - removed + added``, with removed in base, added not."""

    __slots__ = ("_blocks", "_size")

    is_virtual = False

    def __init__(self, base: Column, added: Column, removed: Column) -> None:
        """Take over sorted distinct keys, which must not change from now on."""
        # One attribute, so that a thread which reads while another merges sees the blocks of one moment.
        self._blocks: Blocks = (base, added, removed)
        self._size = len(base) + len(added) - len(removed)

    # -- what a class says -----------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def _no_keys(self) -> Column:
        """The keys of no facts."""

    @abstractmethod
    def _made(self, base: Column, added: Column, removed: Column) -> Self:
        """A table of blocks of such keys as this one has."""

    @abstractmethod
    def _alike(self, other: Table) -> tuple[Self, Self]:
        """This table and the plain form of another one, with keys that compare."""

    @abstractmethod
    def _inform(self, version: Self) -> None:
        """Let a version that has a change of this one know what was found out about it."""

    def _merged_into(self, base: Column) -> None:
        """Let go of what was found out about the large block before this one, which it may hold."""

    @abstractmethod
    def _change_orders(self, version: Self, gone: Column, come: Column) -> None:
        """Give a version the facts in the other orders in which this one has them, with a small change."""

    @abstractmethod
    def contains_keys(self, wanted: Column) -> Mask:
        """For each key, in any order, whether it is a fact: O(k log n)."""

    # -- sizes -----------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self._size

    def __bool__(self) -> bool:
        return self._size > 0

    @property
    def estimate(self) -> int:
        return self._size

    # -- the facts -------------------------------------------------------------------------------------------------

    def keys(self) -> Column:
        """All facts as sorted keys: O(1), or one merge after small changes."""
        base, added, removed = self._blocks
        if len(added) or len(removed):
            base = blocks.merged(self._blocks)
            self._blocks = (base, self._no_keys, self._no_keys)
            self._merged_into(base)
        return base

    def merged_keys(self) -> Column | None:
        """All facts as sorted keys, None where small changes are beside them."""
        base, added, removed = self._blocks
        return None if len(added) or len(removed) else base

    def materialised(self) -> Self:
        return self

    def consolidated(self) -> Self:
        self.keys()
        return self

    def filter(self, kept: Mask) -> Self:
        return self._of_keys(self.keys()[kept])

    # -- other tables ----------------------------------------------------------------------------------------------

    def union(self, other: Table) -> Self:
        mine, theirs = self._alike(other)
        if not theirs._size:
            return mine
        if not mine._size:
            return theirs
        fresh = theirs.keys()
        return mine._changed(mine._no_keys, fresh[~mine.contains_keys(fresh)])

    def insert(self, other: Table) -> tuple[Self, Self]:
        """One look-up for both, or one merge."""
        mine, theirs = self._alike(other)
        if theirs._size >= tuning.MERGED_LEAST and 0 < mine._size <= tuning.FEW_KEYS * theirs._size:
            keys, fresh_keys = sorted_sets.inserted(mine.keys(), theirs.keys())
            fresh = theirs._part(fresh_keys)
            # Few are kept beside the large block, so that versions share it, and the other orders stay.
            if len(fresh_keys) < mine._limit():
                return mine._changed(mine._no_keys, fresh_keys), fresh
            return mine._version(keys, mine._no_keys, mine._no_keys), fresh
        fresh = theirs if not mine._size else theirs._kept(~mine.contains_keys(theirs.keys()))
        return (mine._changed(mine._no_keys, fresh.keys()) if mine._size else theirs), fresh

    def difference(self, other: Table) -> Self:
        if not self._size or not other or other is self:
            return self if other is not self else self._of_keys(self._no_keys)
        if other.is_virtual:
            return self._kept(~contained(self.columns(), other))
        mine, theirs = self._alike(other)
        if mine._blocks[0] is theirs._blocks[0]:
            return mine._of_keys(blocks.difference_of_versions(mine._blocks, theirs._blocks))
        if mine._size * tuning.FEW_KEYS < theirs._size:
            return mine._kept(~theirs.contains_keys(mine.keys()))
        if mine._size <= tuning.FEW_KEYS * theirs._size:
            return mine._part(sorted_sets.difference(mine.keys(), theirs.keys()))
        gone = theirs.keys()
        return mine._changed(gone[mine.contains_keys(gone)], mine._no_keys)

    def delete(self, other: Table) -> tuple[Self, Self]:
        """One look-up for both."""
        mine, common = self._alike(self.intersection(other))
        return mine._changed(common.keys(), mine._no_keys), common

    def intersection(self, other: Table) -> Self:
        if other.is_virtual:
            return self._kept(contained(self.columns(), other))
        mine, theirs = self._alike(other)
        small, large = (mine, theirs) if mine._size < theirs._size else (theirs, mine)
        if small._size * tuning.FEW_KEYS >= large._size:
            return small._part(sorted_sets.intersection(small.keys(), large.keys()))
        return small._kept(large.contains_keys(small.keys()))

    # -- versions --------------------------------------------------------------------------------------------------

    def _of_keys(self, keys: Column) -> Self:
        return self._made(keys, self._no_keys, self._no_keys)

    def _kept(self, kept: Mask) -> Self:
        return self if all_of(kept) else self._of_keys(self.keys()[kept])

    def _part(self, keys: Column) -> Self:
        """A table of some of the keys."""
        return self if len(keys) == self._size else self._of_keys(keys)

    def _limit(self) -> int:
        return blocks.limit(self._blocks[0])

    def _changed(self, gone: Column, come: Column) -> Self:
        """Without sorted keys that are facts, and with others that are none."""
        if not len(gone) and not len(come):
            return self
        version = self._version(*blocks.changed(self._blocks, gone, come))
        if len(gone) + len(come) < self._limit():
            self._change_orders(version, gone, come)
        return version

    def _beside(self, gone: Column, come: Column) -> Self:
        """The same, where more than is worth keeping is kept beside the large block, but no more than twice as much: to
        be merged when it is read, and the version before is gone."""
        version = self._made(*blocks.changed(self._blocks, gone, come))
        self._inform(version)
        return version._settled(2 * self._limit())

    def _settled(self, most: int) -> Self:
        """With no more than so many small changes beside the large block."""
        _, added, removed = self._blocks
        if len(added) + len(removed) > most:
            self.keys()
        return self

    def _version(self, base: Column, added: Column, removed: Column) -> Self:
        version = self._made(base, added, removed)
        self._inform(version)
        return version._settled(self._limit())

    def _check(self) -> None:
        base, added, removed = self._blocks
        blocks.check_blocks(self._blocks)
        assert self._size == len(base) + len(added) - len(removed), "size is stale"
