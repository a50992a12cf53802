"""Labels of closures that were computed elsewhere, before they are checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kgreason.columns.graphs import Numbers
from kgreason.relations.table import Ids


class LabelsError(ValueError):
    """Labels that are not those of the closure of their edges; says why."""


@dataclass(frozen=True, slots=True, eq=False)
class GivenLabels:
    """Labels as they are written: label n is that of ``nodes[n]``, which belongs to component ``component[n]``. What
    component ``numbers[n]`` reaches is a Roaring bitmap in the portable format, ``data[ends[n]:ends[n + 1]]``."""

    nodes: Ids
    component: Numbers
    numbers: Numbers
    data: NDArray[np.uint8]
    ends: Numbers
