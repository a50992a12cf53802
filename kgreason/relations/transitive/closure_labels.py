"""The labels of a closure, as readers outside of this package see them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from pyroaring import BitMap

from kgreason.columns import sorted_sets
from kgreason.relations.labels import ReachabilityLabels
from kgreason.relations.numbered_sets import Numbers
from kgreason.relations.table import Ids, Table
from kgreason.relations.transitive.label_closure import Closure


class ClosureLabels(ReachabilityLabels):
    """Its nodes, their components, and the components that each reaches."""

    def __init__(self, closure: Closure) -> None:
        self._closure = closure

    @property
    def edges(self) -> Table:
        return self._closure.edges

    @property
    def nodes(self) -> Ids:
        return self._closure.labelling.nodes

    @property
    def components(self) -> Numbers:
        return self._closure.component.astype(np.int64)

    def sets(self) -> Iterator[tuple[int, BitMap]]:
        for component in sorted_sets.unique(self._closure.component).tolist():
            yield component, self._closure.reached.get(component)
