"""Decimals as whole numbers of a common unit, which are added exactly."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Units: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

SHORT: Final = 1e15
"""Decimals with so many units of their last place have all their digits in a floating-point number."""
_PLACES: Final = (0, 1, 2, 3, 4, 6)
LARGEST_UNITS: Final = 1 << 62
"""Units of a row are below this."""


def scaled(numbers: Floats) -> tuple[Floats, int] | None:
    """Short decimals as whole numbers of a common unit, with its places; None where that is not exact."""
    for places in _PLACES:
        unit = 10.0**places
        counts = np.rint(numbers * unit if places else numbers)
        if bool(((counts / unit if places else counts) == numbers).all()):
            return (counts, places) if bool((np.abs(counts) < SHORT).all()) else None
    return None


def units_of(numbers: Floats) -> tuple[Units, int, Mask]:
    """Numbers of integers and short decimals in a common unit: its places, and which rows are whole numbers of it.
    Where `scaled` gives None, since rows are too large or have too many places, the others are found here: some passes.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        known = (np.abs(numbers) < LARGEST_UNITS) & (np.rint(numbers) == numbers)
        units = np.where(known, numbers, 0.0).astype(np.int64)
        scales, top = np.zeros(len(numbers), dtype=np.int64), 0
        for places in _PLACES[1:]:
            rest = np.flatnonzero(~known)
            if not len(rest):
                break
            counts = np.rint(numbers[rest] * 10.0**places)
            is_short = (counts / 10.0**places == numbers[rest]) & (np.abs(counts) < SHORT)
            rows = rest[is_short]
            known[rows], units[rows], scales[rows] = True, counts[is_short].astype(np.int64), places
            top = places if len(rows) else top
    factors = 10 ** (top - scales)
    known &= np.abs(units) < LARGEST_UNITS // factors
    units[known] *= factors[known]
    return units, top, known
