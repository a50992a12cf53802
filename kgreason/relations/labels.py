"""The labels of which a closure is made, for readers that cannot call a table: jobs on a cluster, files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

if TYPE_CHECKING:
    from kgreason.relations.table import Ids, Table


class ReachabilityLabels(ABC):
    """Each node has a label, its place in `nodes`, and belongs to a component; it is paired with the nodes whose labels
    are in the set of its component."""

    @property
    @abstractmethod
    def edges(self) -> Table:
        """The plain table of pairs whose closure it is."""

    @property
    @abstractmethod
    def nodes(self) -> Ids:
        """The nodes in the order of their labels."""

    @property
    @abstractmethod
    def components(self) -> NDArray[np.int64]:
        """The number of the component of each node."""

    @abstractmethod
    def sets(self) -> Iterator[tuple[int, BitMap]]:
        """The labels that each component reaches: O(bytes of the sets)."""
