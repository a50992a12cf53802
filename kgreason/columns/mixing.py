"""Hashes of 64 bits: sums of mixed ones tell multisets apart."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Hashes: TypeAlias = NDArray[np.uint64]


def mixed(values: Hashes) -> Hashes:
    """A permutation of the numbers of 64 bits that looks random: each bit of the result depends on each bit given.

    Source: the finaliser of SplitMix64. Cost: O(n).
    """
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
