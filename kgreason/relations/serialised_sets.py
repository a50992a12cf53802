"""Roaring bitmaps as bytes and back, small ones as labels, and the ones that were read or written last."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from typing import Final, TypeAlias

from pyroaring import BitMap

from kgreason.errors import DamageError, one_line
from kgreason.relations import table_tuning

EMPTY: Final = BitMap()

Written: TypeAlias = "bytes | array[int]"
"""A set by itself: the labels of a small one, which take a third of the time of a bitmap, or the bytes of another."""


class LiveSets(OrderedDict[int, BitMap]):
    """The sets that were read or written last."""

    def put(self, number: int, members: BitMap) -> None:
        """Keep a set in place of the one that was used longest ago."""
        self[number] = members
        self.move_to_end(number)
        if len(self) > table_tuning.LIVE_SETS:
            self.popitem(last=False)


def read_foreign(written: bytes | bytearray | memoryview, count: int) -> BitMap:
    """A bitmap of labels below `count`; LoadError for anything else."""
    try:
        members = read(written)
    except ValueError as error:
        raise DamageError(one_line(error), part="a set of labels") from error
    if members and members.max() >= count:
        raise DamageError("a label that does not exist", part="a set of labels")
    return members


def read(written: bytes | bytearray | memoryview) -> BitMap:
    """A set that `write` wrote; ValueError for anything else."""
    return BitMap.deserialize(bytes(written)) if written else EMPTY


def written(members: BitMap) -> Written:
    """A set by itself, as `Written`; it is optimised in place."""
    return members.to_array() if 0 < len(members) <= table_tuning.SMALL_SET else write(members)


def write(members: BitMap) -> bytes:
    """A set as bytes, none for the empty one; it is optimised in place."""
    if not members:
        return b""
    members.run_optimize()
    return bytes(members.serialize())
