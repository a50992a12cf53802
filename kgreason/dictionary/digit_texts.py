"""Numbers of many texts of digits at once, eight bytes at a time: a few nanoseconds each.

Eight digits are a little-endian word, whose lowest byte is the digit that counts most. Neighbours are put together to
numbers of two digits, these to numbers of four, and these to one of eight.

Source: D. Lemire, "Quickly parsing eight digits", 2018.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Rows: TypeAlias = NDArray[np.int64]
Words: TypeAlias = NDArray[np.uint64]

MOST_DIGITS: Final = 16
"""So many digits are read."""

_WORD: Final = 8
_ZEROS, _ABOVE_NINE, _HIGH_BITS = (np.uint64(0x0101010101010101 * each) for each in (0x30, 0x76, 0x80))
_PAIRS, _FOURS, _EIGHTS = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF), np.uint64(0xFFFFFFFF)


def numbers_of_digits(data: NDArray[np.uint8], begins: Rows, lengths: Rows) -> tuple[Rows, NDArray[np.bool_]]:
    """The numbers that some texts in `data` stand for, and for each text whether it is one of 1 to `MOST_DIGITS`
    digits; other numbers mean nothing. O(n)."""
    if int(begins.max(initial=0)) + 2 * _WORD > len(data):
        data = np.append(data, np.zeros(2 * _WORD, dtype=np.uint8))
    words = np.ndarray(len(data) - _WORD + 1, dtype="<u8", buffer=data.data, strides=(1,))
    known = (lengths > 0) & (lengths <= MOST_DIGITS)
    lengths = np.where(known, lengths, 1)
    numbers, are_digits = _read(words[begins], np.minimum(lengths, _WORD))
    known &= are_digits
    long = np.flatnonzero(lengths > _WORD)
    if len(long):
        rest = lengths[long] - _WORD
        low, are_digits = _read(words[begins[long] + _WORD], rest)
        numbers[long] = numbers[long] * 10**rest + low
        known[long] &= are_digits
    return numbers, known


def _read(words: Words, lengths: Rows) -> tuple[Rows, NDArray[np.bool_]]:
    """The numbers of the first 1 to 8 bytes of words, and which are digits alone. The words are written to."""
    words ^= _ZEROS
    # The digits go to the end, behind zeros.
    words <<= (_WORD * (_WORD - lengths)).astype(np.uint64)
    are_digits = ((words + _ABOVE_NINE) | words) & _HIGH_BITS == 0
    for width, mask in ((8, _PAIRS), (16, _FOURS), (32, _EIGHTS)):
        tens = np.uint64(10 ** (width // 8))
        words = (words * tens + (words >> np.uint64(width))) & mask
    return words.view(np.int64), are_digits
