"""Roaring bitmaps as bytes and back, and the ones that were read or written last."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from pyroaring import BitMap

from kgreason.errors import DamageError, one_line
from kgreason.relations import table_tuning

EMPTY: Final = BitMap()


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


def write(members: BitMap) -> bytes:
    """A set as bytes, none for the empty one; it is optimised in place."""
    if not members:
        return b""
    members.run_optimize()
    return bytes(members.serialize())
