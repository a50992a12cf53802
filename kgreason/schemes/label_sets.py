"""Many sets of labels in one buffer: Roaring bitmaps, serialised one after the other.

One live bitmap costs thousands of bytes however small its set, so a million of them do not fit; serialised, a
set costs its containers: runs (intervals of labels), arrays, or bitsets, whichever is smallest. Sets that
changed since lie beside the buffer until there are many, and are then written into a new one.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

MERGE_FRACTION = 8
MERGE_LEAST = 64

_NONE = BitMap()
LIVE = 2048


class LabelSets:
    """An immutable sequence of sets; nobody changes a bitmap that `get` gives."""

    __slots__ = ("_begin", "_buffer", "_changed", "_end")

    def __init__(
        self,
        buffer: bytearray,
        begin: NDArray[np.int64],
        end: NDArray[np.int64],
        changed: Mapping[int, bytes] | None = None,
    ) -> None:
        """Set number n is serialised in ``buffer[begin[n]:end[n]]``, or in `changed`; no bytes are no members."""
        self._buffer = buffer
        self._begin = begin
        self._end = end
        self._changed = dict(changed or {})

    @classmethod
    def empty(cls) -> LabelSets:
        """No sets."""
        nowhere = np.empty(0, dtype=np.int64)
        return cls(bytearray(), nowhere, nowhere)

    def __len__(self) -> int:
        return len(self._begin)

    @property
    def nbytes(self) -> int:
        """Bytes of the buffer, of where the sets lie in it, and of the changed sets."""
        return len(self._buffer) + self._begin.nbytes + self._end.nbytes + sum(map(len, self._changed.values()))

    def get(self, number: int) -> BitMap:
        """One set: about a microsecond and a copy of its containers."""
        return _read(self._written(number))

    def several(self, numbers: NDArray[np.int64]) -> Iterator[BitMap]:
        """The sets of many numbers, one after the other."""
        buffer, changed = self._buffer, self._changed
        begins, ends = self._begin[numbers].tolist(), self._end[numbers].tolist()
        for number, begin, end in zip(numbers.tolist(), begins, ends, strict=True):
            yield _read(changed[number] if number in changed else buffer[begin:end])

    def is_empty(self, number: int) -> bool:
        """Whether a set has no members."""
        return not self._written(number)

    def differing(self, other: LabelSets) -> set[int] | None:
        """The numbers whose sets may differ from those of another version; None when any may."""
        if self._buffer is not other._buffer:
            return None
        numbers = self._changed.keys() | other._changed.keys()
        return {n for n in numbers if self._changed.get(n) is not other._changed.get(n)}

    def changed(self, sets: Mapping[int, bytes], count: int) -> LabelSets:
        """A version of `count` sets, some of them new, serialised; it shares the buffer."""
        begin, end = self._begin, self._end
        if count > len(begin):
            nothing = np.zeros(count - len(begin), dtype=np.int64)
            begin, end = np.concatenate((begin, nothing)), np.concatenate((end, nothing))
        return LabelSets(self._buffer, begin, end, {**self._changed, **sets})

    def merged(self) -> LabelSets:
        """The same sets; written into one buffer when many lie beside it."""
        if len(self._changed) <= max(MERGE_LEAST, len(self._begin) // MERGE_FRACTION):
            return self
        writer = SetWriter(len(self))
        for number in range(len(self)):
            writer.put_written(number, self._written(number))
        return writer.finish()

    def _written(self, number: int) -> bytes | bytearray:
        changed = self._changed.get(number)
        return self._buffer[self._begin[number] : self._end[number]] if changed is None else changed

    def _check(self) -> None:
        assert bool((self._begin <= self._end).all()), "a set ends before it begins"
        for number in range(len(self)):
            assert bool(self.get(number)) != self.is_empty(number), "an empty set takes bytes"


class SetWriter:
    """Writes sets one after the other; the latest are kept live, since the next ones are made of them."""

    def __init__(self, count: int) -> None:
        self._buffer = bytearray()
        self._begin = array("q", bytes(8 * count))
        self._end = array("q", bytes(8 * count))
        self._live = _Live()

    def put(self, number: int, members: BitMap) -> None:
        """Write a set; the bitmap is taken over."""
        self.put_written(number, _write(members))
        self._live.put(number, members)

    def put_written(self, number: int, written: bytes | bytearray) -> None:
        """Write a set that is serialised already."""
        self._begin[number] = len(self._buffer)
        self._buffer += written
        self._end[number] = len(self._buffer)

    def get(self, number: int) -> BitMap:
        """A set that was written, or the empty one."""
        found = self._live.get(number)
        return _read(self._buffer[self._begin[number] : self._end[number]]) if found is None else found

    def finish(self) -> LabelSets:
        """All sets, read-only from now on."""
        return LabelSets(self._buffer, np.array(self._begin), np.array(self._end))


class SetEditor:
    """Changes some sets of many."""

    def __init__(self, base: LabelSets) -> None:
        self._base = base
        self._written: dict[int, bytes] = {}
        self._live = _Live()

    def __contains__(self, number: int) -> bool:
        """Whether a set was put."""
        return number in self._written

    def put(self, number: int, members: BitMap) -> None:
        """Replace a set; the bitmap is taken over."""
        self._written[number] = _write(members)
        self._live.put(number, members)

    def get(self, number: int) -> BitMap:
        """A set as it is by now."""
        found = self._live.get(number)
        if found is not None:
            return found
        written = self._written.get(number)
        if written is not None:
            members = _read(written)
        else:
            members = self._base.get(number) if number < len(self._base) else _NONE
        self._live.put(number, members)
        return members

    def finish(self, count: int) -> LabelSets:
        """A version with `count` sets."""
        return self._base.changed(self._written, count)


class _Live(OrderedDict[int, BitMap]):
    """The sets that were read or written last."""

    def put(self, number: int, members: BitMap) -> None:
        self[number] = members
        self.move_to_end(number)
        if len(self) > LIVE:
            self.popitem(last=False)


def _read(written: bytes | bytearray) -> BitMap:
    return BitMap.deserialize(bytes(written)) if written else _NONE


def _write(members: BitMap) -> bytes:
    if not members:
        return b""
    members.run_optimize()
    return bytes(members.serialize())
