"""Many numbers as keys of literals at once: integers, and quotients with the digits that Python's decimals have."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.arrow import pa, pc
from kgreason.dictionary import term_tuning
from kgreason.dictionary.arrow_columns import mask_column, row_column, text_scalar
from kgreason.rdf.hashing import joined_texts, narrowed
from kgreason.rdf.vocabulary import XSD_DECIMAL, XSD_INTEGER
from kgreason.sorting import distinct

Numbers: TypeAlias = NDArray[np.int64]

LARGEST_DIVISOR: Final = 9 * 10**9
"""A remainder of it, and nine more digits, fit into 63 bits."""

_INTEGER_END: Final = np.frombuffer(f'"^^{XSD_INTEGER}'.encode(), dtype=np.uint8)

_SIGNIFICANT: Final = 28
_WIDTH: Final = 9
_UNIT: Final = 10**_WIDTH
_CHUNKS: Final = 5
"""So many chunks of `_WIDTH` digits hold what is significant behind the point, and a digit more: a quotient by a
divisor of ten digits begins with nine zeros at most."""


def integer_keys(numbers: Numbers) -> pa.Array:
    """The keys of integers: some tens of nanoseconds each, and half of that in ascending order."""
    if len(numbers) < term_tuning.DIGIT_ROWS or not (numbers[1:] >= numbers[:-1]).all():
        return _joined(row_column(numbers).cast(pa.string()), f'"^^{XSD_INTEGER}')
    powers = 10 ** np.arange(1, 19)
    below = np.searchsorted(numbers, -powers[::-1], side="right")
    bounds = [0, *below, *np.searchsorted(numbers, [0, *powers]), len(numbers)]
    widths = [*range(20, 1, -1), *range(1, 20)]  # with the minus sign
    counts = np.diff(bounds)
    offsets = np.zeros(len(numbers) + 1, dtype=np.int64)
    np.cumsum(np.repeat(widths, counts) + (1 + len(_INTEGER_END)), out=offsets[1:])
    data = np.empty(int(offsets[-1]), dtype=np.uint8)
    for begin, end in pairwise(bounds):
        for start in range(begin, end, term_tuning.DIGIT_ROWS):
            stop = min(start + term_tuning.DIGIT_ROWS, end)
            rows = data[offsets[start] : offsets[stop]].reshape(stop - start, -1)
            _write_integers(rows, numbers[start:stop])
    column = pa.Array.from_buffers(pa.large_string(), len(numbers), [None, pa.py_buffer(offsets), pa.py_buffer(data)])
    return narrowed(column)


def _write_integers(rows: NDArray[np.uint8], numbers: Numbers) -> None:
    """Write the keys of integers that have the same number of digits, all negative or none, as rows of bytes."""
    rows[:, 0] = ord('"')
    rows[:, -len(_INTEGER_END) :] = _INTEGER_END
    first, last = 1, rows.shape[1] - len(_INTEGER_END) - 1
    if numbers[0] < 0:
        rows[:, 1] = ord("-")
        first = 2
    left = np.abs(numbers).view(np.uint64)
    for place in range(last, first - 1, -1):
        tens = left // np.uint64(10)
        rows[:, place] = left - tens * np.uint64(10) + np.uint64(ord("0"))
        left = tens


def quotient_keys(dividends: Numbers, divisors: Numbers) -> pa.Array:
    """The keys of quotients as decimals of 28 digits, half to even: some hundred nanoseconds each, so many at a time
    that all stays in the cache.

    Args:
        divisors: of 1 to `LARGEST_DIVISOR`.
    """
    size = term_tuning.DIGIT_ROWS
    begins = range(0, max(len(dividends), 1), size)
    return joined_texts([_quotients(dividends[b : b + size], divisors[b : b + size]) for b in begins])


def _quotients(dividends: Numbers, divisors: Numbers) -> pa.Array:
    whole, rest = np.divmod(np.abs(dividends), divisors)
    chunks = []
    for _ in range(_CHUNKS):
        chunk, rest = np.divmod(rest * _UNIT, divisors)
        chunks.append(chunk)
    _round(whole, chunks, rest > 0)
    return _decimals(dividends < 0, whole, chunks)


def _round(whole: Numbers, chunks: Sequence[Numbers], more: NDArray[np.bool_]) -> None:
    """Leave the significant digits; `more` says where others than zeros follow."""
    surplus = _CHUNKS * _WIDTH - _places(whole, chunks)
    for count in distinct(surplus).tolist():
        rows = np.flatnonzero(surplus == count)
        last = _CHUNKS - 1 - (count - 1) // _WIDTH
        unit = 10 ** ((count - 1) % _WIDTH + 1)
        follows = more[rows]
        for chunk in chunks[last + 1 :]:
            follows |= chunk[rows] > 0
            chunk[rows] = 0
        kept, cut = np.divmod(chunks[last][rows], unit)
        is_odd = (kept if unit < _UNIT else chunks[last - 1][rows]) & 1 > 0
        up = (2 * cut > unit) | ((2 * cut == unit) & (follows | is_odd))
        chunks[last][rows] = (kept + up) * unit
    for number in range(_CHUNKS - 1, -1, -1):
        carried = chunks[number] == _UNIT
        chunks[number][carried] = 0
        (chunks[number - 1] if number else whole)[carried] += 1


def _places(whole: Numbers, chunks: Sequence[Numbers]) -> Numbers:
    """How many digits are significant behind the point."""
    powers = 10 ** np.arange(19, dtype=np.int64)
    digits = np.searchsorted(powers, whole, side="right")
    small = np.flatnonzero(whole == 0)
    first = chunks[0][small]
    digits[small] = np.where(
        first > 0,
        np.searchsorted(powers, first, side="right") - _WIDTH,
        np.searchsorted(powers, chunks[1][small], side="right") - 2 * _WIDTH,
    )
    return np.asarray(_SIGNIFICANT - np.maximum(digits, -_WIDTH))


def _decimals(negative: NDArray[np.bool_], whole: Numbers, chunks: Sequence[Numbers]) -> pa.Array:
    """The keys of decimals by what is before the point and the digits behind it."""
    used = max((number + 1 for number, chunk in enumerate(chunks) if chunk.any()), default=1)
    digits = [pc.utf8_lpad(row_column(chunk).cast(pa.string()), _WIDTH, "0") for chunk in chunks[:used]]
    fraction = pc.utf8_rtrim(pc.binary_join_element_wise(*digits, text_scalar("")), "0")
    fraction = pc.if_else(pc.equal(fraction, text_scalar("")), text_scalar("0"), fraction)
    before = row_column(whole).cast(pa.string())
    if negative.any():
        signs = pc.if_else(mask_column(negative), text_scalar("-"), text_scalar(""))
        before = pc.binary_join_element_wise(signs, before, text_scalar(""))
    return _joined(pc.binary_join_element_wise(before, fraction, text_scalar(".")), f'"^^{XSD_DECIMAL}')


def _joined(texts: pa.Array, suffix: str) -> pa.Array:
    return pc.binary_join_element_wise(text_scalar('"'), texts, text_scalar(suffix), text_scalar(""))
