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

from kgreason.algebra.local_terms import LocalTerms
from kgreason.algebra.row_keys import Ids
from kgreason.rdf.value_classes import ValueClass as C


class Kind(IntEnum):
    """Values of different kinds are never less or greater than each other."""

    NOTHING = 0
    """Unbound, an error, or not a number."""
    NUMBER = 1
    MOMENT = 2
    OTHER = 3
    """All that numbers do not put in order, such as strings."""


_KINDS: Final = np.array(
    [
        Kind.NOTHING if c <= C.NOTHING else Kind.NUMBER if C.INTEGER <= c <= C.DOUBLE
        else Kind.MOMENT if C.DATETIME <= c <= C.TIME_ZONED else Kind.OTHER
        for c in C
    ],
    dtype=np.uint8,
)  # fmt: skip
_GREATEST_SINGLE: Final = 3.4e38
"""Numbers beyond may be infinite where they are compared with xsd:float."""
_SINGLE_SLACK: Final = 2.0**-22
_LEAST_SINGLE: Final = 2.0**-140


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ranks:
    """For each row the kind of a value (uint8), and the least and the greatest number (float64) that it may be compared
    by: they differ where an xsd:float is among the values, to which others are rounded."""

    kinds: NDArray[np.uint8]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def ranks_of(sides: Sequence[Ids], terms: LocalTerms) -> list[Ranks]:
    """The ranks of the values of several columns, which are compared with each other: O(n)."""
    found = [_kinds_and_numbers(ids, terms) for ids in sides]
    if not any(has_single for _, _, has_single in found):
        return [Ranks(kinds, numbers, numbers) for kinds, numbers, _ in found]
    return [_rounded(kinds, numbers) for kinds, numbers, _ in found]


def _kinds_and_numbers(ids: Ids, terms: LocalTerms) -> tuple[NDArray[np.uint8], NDArray[np.float64], bool]:
    """For each id its kind and its number, and whether an xsd:float is among them. Resources have no order."""
    kinds, numbers = np.zeros(len(ids), dtype=np.uint8), np.zeros(len(ids))
    rows = np.flatnonzero(terms.have_values(ids))
    values = terms.values_of(ids[rows])
    some = _KINDS[values.classes]
    some[np.isnan(values.numbers)] = Kind.NOTHING
    kinds[rows] = some
    numbers[rows] = np.where((some == Kind.NUMBER) | (some == Kind.MOMENT), values.numbers, 0.0)
    return kinds, numbers, bool((values.classes == C.FLOAT).any())


def _rounded(kinds: NDArray[np.uint8], numbers: NDArray[np.float64]) -> Ranks:
    """The ranks where numbers may be rounded to xsd:float."""
    infinite = (kinds == Kind.NUMBER) & (np.abs(numbers) > _GREATEST_SINGLE)
    numbers = np.where(infinite, np.copysign(np.inf, numbers), numbers)
    slack = np.zeros(len(numbers))
    rounded = (kinds == Kind.NUMBER) & ~infinite
    slack[rounded] = np.abs(numbers[rounded]) * _SINGLE_SLACK + _LEAST_SINGLE
    return Ranks(kinds, numbers - slack, numbers + slack)
