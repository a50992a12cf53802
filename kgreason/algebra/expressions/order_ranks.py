"""Kinds and numbers of values, to look up what may be less or greater than a value.

Two terms of which ``<=`` is true have the same kind, and the first has the lower number, or the same one. Terms with
such numbers need not be in this order: they are still to be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kgreason.dictionary.value_columns import ValueColumn
from kgreason.rdf.value_classes import ValueClass as C


class Kind(IntEnum):
    """Values of different kinds are never less or greater than each other."""

    NOTHING = 0
    """Unbound, an error, a resource, or not a number."""
    NUMBER = 1
    MOMENT = 2
    OTHER = 3
    """All that numbers do not put in order, such as strings."""


_KINDS: Final = np.array(
    [
        Kind.NOTHING if c <= C.BLANK else Kind.NUMBER if C.INTEGER <= c <= C.DOUBLE
        else Kind.MOMENT if C.DATETIME <= c <= C.TIME_ZONED else Kind.OTHER
        for c in C
    ],
    dtype=np.uint8,
)  # fmt: skip
_GREATEST_SINGLE: Final = 3.4e38
"""Numbers beyond may be infinite where they are compared with xsd:float."""
_SINGLE_SLACK: Final = 2.0**-22
_LEAST_SINGLE: Final = 2.0**-140
_SUM: Final = 2.0**-48
_SUM_OF_SINGLES: Final = 2.0**-20
"""By no greater share of their numbers sums differ that are rounded in another order."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ranks:
    """For each row the kind of a value (uint8), and the least and the greatest number (float64) that it may be compared
    by: they differ where an xsd:float is among the values, to which others are rounded."""

    kinds: NDArray[np.uint8]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def ranks_of(sides: Sequence[ValueColumn]) -> list[Ranks]:
    """The ranks of several columns of values, which are compared with each other: O(n)."""
    are_rounded = any(map(has_single, sides))
    return [ranked(values, are_rounded=are_rounded) for values in sides]


def has_single(values: ValueColumn) -> bool:
    """Whether some of the values are xsd:float, to which others are rounded to be compared with them."""
    return bool((values.classes == C.FLOAT).any())


def ranked(values: ValueColumn, *, are_rounded: bool, moved: float | None = None) -> Ranks:
    """The ranks of values: O(n).

    Args:
        are_rounded: an xsd:float is among these, or those that they are compared with.
        moved: numbers of this size in all were brought to the other side of a comparison (`separation`).
    """
    kinds = _KINDS[values.classes]
    kinds[np.isnan(values.numbers)] = Kind.NOTHING
    numbers = np.where((kinds == Kind.NUMBER) | (kinds == Kind.MOMENT), values.numbers, 0.0)
    ranks = _rounded(kinds, numbers) if are_rounded else Ranks(kinds, numbers, numbers)
    if moved is None:
        return ranks
    slack = (np.abs(numbers) + moved) * (_SUM_OF_SINGLES if are_rounded else _SUM)
    slack[(kinds != Kind.NUMBER) | np.isinf(slack)] = 0.0
    return Ranks(kinds, ranks.low - slack, ranks.high + slack)


def _rounded(kinds: NDArray[np.uint8], numbers: NDArray[np.float64]) -> Ranks:
    """The ranks where numbers may be rounded to xsd:float."""
    infinite = (kinds == Kind.NUMBER) & (np.abs(numbers) > _GREATEST_SINGLE)
    numbers = np.where(infinite, np.copysign(np.inf, numbers), numbers)
    slack = np.zeros(len(numbers))
    rounded = (kinds == Kind.NUMBER) & ~infinite
    slack[rounded] = np.abs(numbers[rounded]) * _SINGLE_SLACK + _LEAST_SINGLE
    return Ranks(kinds, numbers - slack, numbers + slack)
