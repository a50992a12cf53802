"""Many sets of labels in two buffers: small ones as columns of labels, the others as serialised Roaring bitmaps.

One live bitmap costs thousands of bytes however small its set, so a million of them do not fit; serialised, a
set costs its containers: runs (intervals of labels), arrays, or bitsets, whichever is smallest. Small sets are read
many at a time, without a bitmap for each. Sets that changed since lie beside the buffers until there are many, and
are then written into new ones.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from itertools import chain, repeat

import numpy as np
from pyroaring import BitMap

from kgreason import memory
from kgreason.columns import bitmaps, pairs, sorted_sets
from kgreason.columns.masks import all_of, any_of
from kgreason.errors import DamageError
from kgreason.relations import serialised_sets, table_tuning
from kgreason.relations.numbered_sets import Labels, Mask, NumberedSets, Numbers
from kgreason.relations.serialised_sets import Written


class LabelSets(NumberedSets):
    """Sets of labels, each by itself."""

    __slots__ = (
        "_begin", "_buffer", "_changed", "_changed_numbers", "_end", "_is_foreign", "_kept", "_read", "_sizes", "_small"
    )

    def __init__(
        self,
        buffer: bytearray | memoryview,
        small: Labels,
        begin: Numbers,
        end: Numbers,
        changed: Mapping[int, Written] | None = None,
    ) -> None:
        """Set number n is in `changed`, or else serialised in ``buffer[begin[n]:end[n]]``; where these are negative,
        it is ``small[~begin[n]:~end[n]]``. No bytes stand for no members."""
        self._buffer = buffer
        self._small = small
        self._begin = begin
        self._end = end
        self._changed = dict(changed or {})
        self._changed_numbers: Numbers | None = None
        self._sizes: Numbers | None = None
        # Whether the buffers come from a file, so that a bitmap in them is looked at before it is used.
        self._is_foreign = False
        # The members of sets that were read lately, and about how many these are.
        self._read: dict[int, Labels] = {}
        self._kept = 0

    def parts(self) -> tuple[bytearray | memoryview, Labels, Numbers, Numbers, dict[int, bytes]]:
        """What it is made of, for `of_parts`."""
        changed = {
            number: serialised_sets.write(BitMap(written)) if isinstance(written, array) else written
            for number, written in self._changed.items()
        }
        return self._buffer, self._small, self._begin, self._end, changed

    @classmethod
    def of_parts(
        cls, buffer: memoryview, small: Labels, begin: Numbers, end: Numbers, changed: Mapping[int, bytes]
    ) -> LabelSets:
        """Sets as they are kept in a file, whose memory they go on to use.

        Raises:
            LoadError: some lie outside of the columns, or small ones are not in order, or have a label that no set has.
        """
        is_small = begin < 0
        # All bits are one where a set is small, and zero elsewhere: what is negative then lies outside.
        flip = begin >> 63
        first, last = begin ^ flip, end ^ flip
        room = np.where(is_small, len(small), len(buffer))
        if not np.all((first <= last) & (last <= room)):
            raise DamageError("some are not among the columns", part="its sets")
        is_first = np.zeros(len(small) + 1, dtype=np.bool_)
        is_first[first[is_small]] = True
        if not np.all(is_first[1:-1] | (small[1:] > small[:-1])) or (len(small) and int(small.max()) >= len(begin)):
            raise DamageError("not in order, or with a label that does not exist", part="its small sets")
        sets = cls(buffer, small, begin, end, changed)
        sets._is_foreign = True
        return sets

    @classmethod
    def empty(cls) -> LabelSets:
        """No sets."""
        nowhere = np.empty(0, dtype=np.int64)
        return cls(bytearray(), np.empty(0, dtype=np.uint32), nowhere, nowhere)

    def __len__(self) -> int:
        return len(self._begin)

    @property
    def nbytes(self) -> int:
        """Bytes of the buffers, of where the sets lie in them, and of the changed sets."""
        held = len(self._buffer) + self._small.nbytes + self._begin.nbytes + self._end.nbytes
        return held + sum(memoryview(written).nbytes for written in self._changed.values())

    def get(self, number: int) -> BitMap:
        """One set: about a microsecond and a copy of its containers; LoadError where a file has none there."""
        written: Written | bytearray | memoryview | None = self._changed.get(number)
        if written is None:
            begin, end = self._begin[number], self._end[number]
            if begin < 0:
                return bitmaps.from_ids(self._small[~begin : ~end])
            written = self._buffer[begin:end]
        elif isinstance(written, array):
            return BitMap(written)
        return serialised_sets.read_foreign(written, len(self)) if self._is_foreign else serialised_sets.read(written)

    def sizes(self, numbers: Numbers) -> Numbers:
        """How many members each of some sets has: two microseconds for each that is not small, once."""
        if self._sizes is None:
            self._sizes = np.full(len(self), -1, dtype=np.int64)
        counts = self._sizes[numbers]
        unknown = np.flatnonzero(counts < 0)
        if len(unknown):
            wanted = numbers[unknown]
            is_small = self._is_small(wanted)
            found = self._begin[wanted] - self._end[wanted]
            found[~is_small] = [len(self._members(number)) for number in wanted[~is_small].tolist()]
            counts[unknown] = self._sizes[wanted] = found
        return counts

    def column(self, numbers: Numbers) -> tuple[Numbers, Labels]:
        """Nanoseconds for each label; a microsecond more for each set that is not small.
        """
        begin, end = self._begin[numbers], self._end[numbers]
        is_small = self._is_small(numbers)
        counts = np.where(is_small, begin - end, 0)
        others = np.flatnonzero(~is_small)
        runs = [self._run(number) for number in memory.watched(numbers[others].tolist(), "a set of labels")]
        counts[others] = np.fromiter(map(len, runs), dtype=np.int64, count=len(runs))
        until = np.cumsum(counts)
        total = int(until[-1]) if len(until) else 0
        memory.check(24 * total, "a column of labels")
        members = np.empty(total, dtype=np.uint32)
        small = np.flatnonzero(is_small)
        _, sources = pairs.spread(~begin[small], ~end[small])
        _, targets = pairs.spread(until[small] - counts[small], until[small])
        members[targets] = self._small[sources]
        for at, run in zip(until[others].tolist(), runs, strict=True):
            members[at - len(run) : at] = run
        return counts, members

    def _members(self, number: int) -> BitMap | array[int]:
        """The members of a set that is not small, or has changed."""
        written = self._changed.get(number)
        return written if isinstance(written, array) else self.get(number)

    def _run(self, number: int) -> Labels | array[int]:
        """The same as a column; those of large sets that were read last are kept, since joins read a piece of their
        rows at a time and meet the same sets in each."""
        written = self._changed.get(number)
        if isinstance(written, array):
            return written
        known = self._read.get(number)
        if known is None:
            known = bitmaps.to_ids(self.get(number))
            self._kept += len(known)
            if self._kept > table_tuning.READ_LABELS:
                self._read, self._kept = {}, len(known)
            self._read[number] = known
        return known

    def has(self, number: int, label: int) -> bool:
        return label in self._members(number)

    def contains(self, numbers: Numbers, labels: Labels) -> Mask:
        """Nanoseconds for each; a microsecond more for each set that is not small.
        """
        distinct, of, counts = np.unique(numbers, return_inverse=True, return_counts=True)
        is_small = self._is_small(distinct)
        found = np.zeros(len(numbers), dtype=np.bool_)
        chosen = is_small[of]
        if any_of(chosen):
            sizes, members = self.column(distinct[is_small])
            keys = pairs.pack(np.repeat(np.flatnonzero(is_small), sizes).astype(np.uint32), members)
            found[chosen] = sorted_sets.contains(keys, pairs.pack(of[chosen].astype(np.uint32), labels[chosen]))
        if not all_of(chosen):
            found[~chosen] = self._contains(distinct[~is_small], counts[~is_small], labels[~chosen])
        return found

    def _contains(self, numbers: Numbers, counts: Numbers, labels: Labels) -> Mask:
        """The same, set by set, with so many labels for each."""
        if len(labels) < table_tuning.LABELS_EACH * len(numbers):
            for_each = chain.from_iterable(map(repeat, map(self._members, numbers.tolist()), counts.tolist()))
            answers = (label in members for label, members in zip(labels.tolist(), for_each, strict=True))
            return np.fromiter(answers, dtype=np.bool_, count=len(labels))
        sets, parts = map(self.get, numbers.tolist()), np.split(labels, np.cumsum(counts)[:-1])
        found = [bitmaps.contains(members, wanted) for members, wanted in zip(sets, parts, strict=True)]
        return np.concatenate(found)

    def _is_small(self, numbers: Numbers) -> Mask:
        """Which sets are columns."""
        is_small: Mask = self._begin[numbers] < 0
        if self._changed:
            is_small &= ~sorted_sets.contains(self._numbers_changed(), numbers)
        return is_small

    def _numbers_changed(self) -> Numbers:
        """The numbers of the sets beside the buffers, sorted."""
        if self._changed_numbers is None:
            self._changed_numbers = np.array(sorted(self._changed), dtype=np.int64)
        return self._changed_numbers

    def is_empty(self, number: int) -> bool:
        changed = self._changed.get(number)
        return bool(self._begin[number] == self._end[number]) if changed is None else not changed

    def differing(self, other: NumberedSets) -> set[int]:
        """A look at those that changed where the versions share their buffers, otherwise at the bytes of all."""
        if not isinstance(other, LabelSets):
            return {*range(len(self))}
        if self._buffer is other._buffer:
            changed = self._changed.keys() | other._changed.keys()
            return {n for n in changed if self._changed.get(n) is not other._changed.get(n)}
        numbers: Numbers = np.arange(min(len(self), len(other)), dtype=np.int64)
        both_small = self._is_small(numbers) & other._is_small(numbers)
        counts, others = self._begin[numbers] - self._end[numbers], other._begin[numbers] - other._end[numbers]
        alike = np.flatnonzero(both_small & (counts == others))
        unequal = self.column(alike)[1] != other.column(alike)[1]
        found: set[int] = {*range(len(numbers), len(self))}
        found.update(np.repeat(alike, counts[alike])[unequal].tolist())
        found.update(np.flatnonzero(both_small & (counts != others)).tolist())
        found.update(n for n in np.flatnonzero(~both_small).tolist() if self._bytes(n) != other._bytes(n))
        return found

    def _bytes(self, number: int) -> bytes:
        """What is held of a set, the same for no two sets."""
        begin, end = self._begin[number], self._end[number]
        if number in self._changed:
            written = self._changed[number]
            return b"labels" + written.tobytes() if isinstance(written, array) else b"bitmap" + written
        if begin >= 0:
            return b"bitmap" + self._buffer[begin:end]
        return b"labels" + self._small[~begin : ~end].tobytes()

    def changed(self, sets: Mapping[int, Written], count: int) -> LabelSets:
        """It shares the buffer."""
        begin, end = self._begin, self._end
        if count > len(begin):
            nothing = np.zeros(count - len(begin), dtype=np.int64)
            begin, end = np.concatenate((begin, nothing)), np.concatenate((end, nothing))
        after = LabelSets(self._buffer, self._small, begin, end, {**self._changed, **sets})
        after._is_foreign = self._is_foreign
        after._changed_numbers = sorted_sets.union(self._numbers_changed(), np.array(sorted(sets), dtype=np.int64))
        return after

    def compacted(self) -> LabelSets:
        """The same sets; written into new buffers when many lie beside them."""
        share = len(self._begin) // table_tuning.SETS_MERGE_FRACTION
        if len(self._changed) <= max(table_tuning.SETS_MERGE_LEAST, share):
            return self
        return self._merged()

    def _merged(self) -> LabelSets:
        """The same sets in new buffers, into which what has not changed goes as it is: a pass over the bytes, and a
        microsecond for each set that is not small."""
        memory.check(self.nbytes, "the sets of labels")
        short = {n: written for n, written in self._changed.items() if isinstance(written, array)}
        now_small, sizes = (np.array([*each], dtype=np.int64) for each in (short, map(len, short.values())))
        members = np.frombuffer(b"".join(short.values()), dtype=np.uint32)
        counts = np.where(self._begin < 0, self._begin - self._end, 0)
        counts[list(self._changed)] = 0
        _, sources = pairs.spread(~self._begin[counts > 0], ~self._end[counts > 0])
        small = np.concatenate((self._small[sources], members))
        order = np.append(np.flatnonzero(counts), now_small)
        counts[now_small] = sizes
        until = np.cumsum(counts[order])
        is_other = counts == 0
        begin, end = np.empty_like(self._begin), np.empty_like(self._end)
        begin[order], end[order] = ~(until - counts[order]), ~until
        others = memory.watched(np.flatnonzero(is_other).tolist(), "a set of labels")
        pieces = [self._written(number) for number in others]
        lengths = np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces))
        end[is_other] = np.cumsum(lengths)
        begin[is_other] = end[is_other] - lengths
        merged = LabelSets(bytearray().join(pieces), small, begin, end)
        merged._is_foreign = self._is_foreign
        return merged

    def _written(self, number: int) -> bytes | bytearray | memoryview:
        """The bytes of a set that is not small."""
        changed = self._changed.get(number)
        assert not isinstance(changed, array), "a small set"
        return self._buffer[self._begin[number] : self._end[number]] if changed is None else changed

    def stored(self) -> LabelSets:
        return self

    def _check(self) -> None:
        lengths = np.where(self._begin < 0, self._begin - self._end, self._end - self._begin)
        assert all_of(lengths >= 0), "a set ends before it begins"
        for number in range(len(self)):
            assert bool(self.get(number)) != self.is_empty(number), "an empty set takes bytes"
