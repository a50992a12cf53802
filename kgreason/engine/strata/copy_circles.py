"""Circles of relations that copy each other, for a look at one of them at a time: few of many are asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from kgreason.columns.components import topological_components
from kgreason.engine.strata.atom_columns import Numbers
from kgreason.sorting import argsort, numbered

Copy: TypeAlias = tuple[int, int, bool]
"""Source, target, and whether the copy turns pairs round."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CopyCircles:
    """The relations that copies are between, each with the number of its circle; and the places of the copies on
    circles, in the order of these numbers."""

    codes: Numbers
    circles: Numbers
    places: Numbers
    numbers: Numbers

    @classmethod
    def of(cls, copies: Sequence[Copy]) -> CopyCircles:
        """The circles of some copies: O(copies log copies)."""
        ends = np.array(copies, dtype=np.int64).reshape(-1, 3)[:, :2]
        codes, nodes = numbered(ends.reshape(-1))
        sources, targets = nodes.reshape(ends.shape).T
        circles = topological_components(len(codes), sources, targets)
        places = np.flatnonzero(circles[sources] == circles[targets])
        numbers = circles[sources[places]]
        order = argsort(numbers)
        return cls(codes, circles, places[order], numbers[order])

    def around(self, code: int) -> list[int]:
        """The places of the copies on the circle of a relation, none where it is on no circle."""
        at = int(self.codes.searchsorted(code))
        if at == len(self.codes) or self.codes[at] != code:
            return []
        begin, end = (self.numbers.searchsorted(self.circles[at], side) for side in ("left", "right"))
        found: list[int] = self.places[begin:end].tolist()
        return found
