"""What the tables of equal things share: pairs that are all there both ways, made by edges in either direction."""

from __future__ import annotations

from abc import abstractmethod
from typing import Self

import numpy as np

from kgreason.relations.binary import BinaryTable
from kgreason.relations.table import Ids, Index, Table
from kgreason.relations.virtual_pairs import VirtualPairs


class SymmetricPairs(VirtualPairs):
    """Pairs that are all there the other way round as well, made by edges in either direction; their number is known
    from the start."""

    edges: BinaryTable
    is_symmetric = True

    @property
    def estimate(self) -> int:
        return len(self)

    def inverse(self) -> Self:
        return self

    def symmetric_count(self) -> int:
        return len(self)

    def symmetric_fanout(self, identifiers: Ids) -> Index:
        return self.fanout(0, identifiers)

    def generators(self) -> tuple[Table, Table]:
        return self.edges, self.edges.inverse()

    @abstractmethod
    def around(self, identifiers: Ids) -> SymmetricPairs:
        """The pairs of the components that some ids have, made by as few edges as can be: O(their members)."""

    def passing(self, edges: Table) -> SymmetricPairs:
        return self.around(np.concatenate(edges.columns()))
