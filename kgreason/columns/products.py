"""Products of relations of pairs, as matrices of bits: which k are connected with which w through some z.

A product by rows takes a step for each way from k to w, and then has to remove duplicates; where most pairs are
connected in many ways, a matrix takes a step for each 64 of them: the row of k is the union of the rows of its z. Where
several relations have to connect them, it is the union of what the rows of all of these have in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import memory, tuning
from kgreason.checkpoints import checkpoint, passes
from kgreason.columns import pairs, sorted_columns
from kgreason.sorting import argsort

Numbers: TypeAlias = NDArray[np.int64]
Bits: TypeAlias = NDArray[np.uint64]
Narrow: TypeAlias = NDArray[np.integer]
"""Numbers of 32 bits or 64: what is kept while many rows are made of it takes half the memory."""

Factors: TypeAlias = Sequence[tuple[Bits, Numbers]]
"""One matrix or more, and for each member the number of its row in that: it stands for the bits that these have in
common."""

_WORD = 64
_STEPS = 4
"""Groups are united one by one where there are fewer than one for so many steps that are left."""


def width_of(columns: int) -> int:
    """How many words a row of so many bits takes."""
    return -(-columns // _WORD)


def bit_rows(rows: Narrow, columns: Narrow, height: int, words: int) -> Bits:
    """A matrix of `height` rows with the given bits set: O(bits + height * words * 64), a bounded number at a time."""
    return rows_of_bits([(rows, columns)], height, words)


def rows_of_bits(parts: Iterable[tuple[Narrow, Narrow]], height: int, words: int) -> Bits:
    """The same of bits that come in parts, each as rows and columns: O(bits + rows of each part * words * 64)."""
    memory.check(8 * height * words + min(height * words * _WORD, tuning.PRODUCT_CELLS), "a matrix of bits")
    bits = np.zeros((height, words), dtype=np.uint64)
    for rows, columns in parts:
        if len(rows):
            _set(bits, rows, columns)
    return bits


def _set(bits: Bits, rows: Narrow, columns: Narrow) -> None:
    """Set bits of a matrix, at least one."""
    memory.check(32 * len(rows), "a matrix of bits")
    words = bits.shape[1]
    width = words * _WORD
    most = max(1, tuning.PRODUCT_CELLS // width)
    low, high = int(rows.min()), int(rows.max()) + 1
    if high - low > most and not sorted_columns.is_sorted(rows):
        order = argsort(rows)
        rows, columns = rows[order], columns[order]
    for begin in range(low, high, most):
        checkpoint()
        end = min(begin + most, high)
        first, last = (0, len(rows)) if high - low <= most else rows.searchsorted((begin, end))
        flags = np.zeros((end - begin) * width, dtype=np.bool_)
        cells = np.subtract(rows[first:last], begin, dtype=np.int64)
        cells *= width
        cells += columns[first:last]
        flags[cells] = True
        bits[begin:end] |= np.packbits(flags, bitorder="little").view(np.uint64).reshape(-1, words)
        del flags, cells  # before those of the next rows are made, also below


def unions(factors: Factors, begins: Numbers) -> Bits:
    """For each group of members the union of their bits; `begins` says where each group begins, none is empty.

    Time: about a nanosecond for each word of each member and factor.
    """
    lengths = np.diff(begins, append=len(factors[0][1]))
    order = np.argsort(-lengths, kind="stable")
    firsts, lengths = begins[order], lengths[order]
    found = _common(factors, firsts)
    longer = len(order) - np.cumsum(np.bincount(lengths))
    for step in passes(range(1, int(lengths[0]))):
        many = int(longer[step])
        if many * _STEPS < lengths[0] - step:  # a few groups are much larger than the others
            for row in range(many):
                found[row] |= _union(factors, int(firsts[row]) + step, int(firsts[row] + lengths[row]))
            break
        found[:many] |= _common(factors, firsts[:many] + step)
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return found.take(back, axis=0)


def _union(factors: Factors, begin: int, end: int) -> NDArray[np.uint64]:
    """The union of members that follow each other, a bounded number of them at a time."""
    width = factors[0][0].shape[1]
    found = np.zeros(width, dtype=np.uint64)
    most = max(1, tuning.PRODUCT_WORDS // width)
    for first in range(begin, end, most):
        found |= np.bitwise_or.reduce(_common(factors, slice(first, min(first + most, end))), axis=0)
    return found


def _common(factors: Factors, chosen: Numbers | slice) -> Bits:
    """The bits of some members."""
    (bits, members), *others = factors
    found = bits.take(members[chosen], axis=0)
    for bits, members in others:
        found &= bits.take(members[chosen], axis=0)
    return found


def set_bits(bits: Bits) -> tuple[Numbers, Numbers]:
    """The rows and columns of the bits that are set, in order: O(words + 64 for each word that is not 0)."""
    words = bits.shape[1]
    flat = bits.reshape(-1)
    at = np.flatnonzero(flat)
    places = np.flatnonzero(np.unpackbits(flat[at].view(np.uint8), bitorder="little"))
    # In the memory of the columns that come out, which are as long as a batch of rows may be.
    at <<= 6
    columns, width = np.empty_like(places), words << 6
    for begin in range(0, len(places), tuning.CACHED_ROWS):
        rows, some = places[begin : begin + tuning.CACHED_ROWS], columns[begin : begin + tuning.CACHED_ROWS]
        cells = at[rows >> 6]
        rows &= _WORD - 1
        cells += rows
        np.floor_divide(cells, width, out=rows)
        np.subtract(cells, rows * width, out=some)
    return places, columns


def product_rows(factors: Factors, begins: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
    """Group and column of the bits of `unions`, in order, a bounded number of words and of bits at a time."""
    width = factors[0][0].shape[1]
    most = max(1, tuning.PRODUCT_WORDS // width)
    ends = np.append(begins[1:], len(factors[0][1]))
    for begin in range(0, len(begins), most):
        checkpoint()
        end = min(begin + most, len(begins))
        memory.check(16 * (end - begin) * width, "a product of relations")
        some = slice(begins[begin], ends[end - 1])
        found = unions([(bits, members[some]) for bits, members in factors], begins[begin:end] - some.start)
        counts = np.bitwise_count(found).sum(axis=1, dtype=np.int64)
        for row, last in pairs.runs_within(counts, tuning.JOIN_ROWS):
            yield _moved(set_bits(found[row:last]), begin + row)
        del found


def _moved(places: tuple[Numbers, Numbers], by: int) -> tuple[Numbers, Numbers]:
    """Rows and columns further down. A function, since a generator holds what it has a name for."""
    rows, columns = places
    rows += by
    return rows, columns
