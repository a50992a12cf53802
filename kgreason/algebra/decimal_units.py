"""Decimals as whole numbers of a common unit, which floats add exactly."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

SHORT: Final = 1e15
"""Decimals with so many units of their last place have all their digits in a floating-point number."""
_PLACES: Final = (0, 1, 2, 3, 4, 6)


def scaled(numbers: Floats) -> tuple[Floats, int] | None:
    """Short decimals as whole numbers of a common unit, with its places; None where that is not exact."""
    for places in _PLACES:
        unit = 10.0**places
        counts = np.rint(numbers * unit if places else numbers)
        if bool(((counts / unit if places else counts) == numbers).all()):
            return (counts, places) if bool((np.abs(counts) < SHORT).all()) else None
    return None
