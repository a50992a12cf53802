"""Many decimals as keys of literals at once: exact ones, and quotients with the digits that Python's decimals have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.arrow import pa, pc
from kgreason.columns import sorted_sets
from kgreason.dictionary.arrow_columns import mask_column, row_column, text_scalar
from kgreason.rdf.vocabulary import XSD_DECIMAL, XSD_INTEGER

Numbers: TypeAlias = NDArray[np.int64]

LARGEST_DIVISOR: Final = 9 * 10**9
"""A remainder of it, and nine more digits, fit into 63 bits."""

_SIGNIFICANT: Final = 28
_WIDTH: Final = 9
_UNIT: Final = 10**_WIDTH
_CHUNKS: Final = 5
"""So many chunks of `_WIDTH` digits hold what is significant behind the point, and a digit more: a quotient by a
divisor of ten digits begins with nine zeros at most."""


def integer_keys(numbers: Numbers) -> pa.Array:
    """The keys of integers: some tens of nanoseconds each."""
    return _joined(row_column(numbers).cast(pa.string()), f'"^^{XSD_INTEGER}')


def decimal_keys(units: Numbers, places: int) -> pa.Array:
    """The keys of decimals, in units of ``10 ** -places``, with at most nine places."""
    whole, rest = np.divmod(np.abs(units), 10**places)
    return _decimals(units < 0, whole, [rest * 10 ** (_WIDTH - places)])


def quotient_keys(dividends: Numbers, divisors: Numbers) -> pa.Array:
    """The keys of quotients as decimals of 28 digits, half to even: some hundred nanoseconds each.

    Args:
        divisors: of 1 to `LARGEST_DIVISOR`.
    """
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
    for count in sorted_sets.unique(surplus).tolist():
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
