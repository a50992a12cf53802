"""The subjects of single objects in a closure, searched along its edges.

The labels of the inverse edges answer every such question, but take as long to make as the closure. A query that names
one object does without them: a search reads each edge that leads there once, in columns, a layer at a time.
"""

from __future__ import annotations

from pyroaring import BitMap

from kgreason import tuning
from kgreason.columns import bitmaps
from kgreason.relations.binary import BinaryTable
from kgreason.relations.table import Ids


class BackwardSearch:
    """Searches from single objects; after so many of them, labels are worth their time."""

    __slots__ = ("_edges", "_last", "_left")

    def __init__(self, edges: BinaryTable) -> None:
        self._edges = edges
        self._left = tuning.BACKWARD_SEARCHES
        # The last answer: a planner counts the subjects that the join asks for next.
        self._last: tuple[int, Ids] | None = None

    def subjects_of(self, object: int) -> Ids | None:
        """The subjects that reach an object, sorted: O(edges that lead there), and a look at all edges for the first
        ones; None where a path is long, or after many searches."""
        last = self._last
        if last is not None and last[0] == object:
            return last[1]
        if not self._left:
            return None
        self._left -= 1
        members = self._ancestors(object)
        if members is None:
            self._left = 0
            return None
        found = bitmaps.to_ids(members)
        self._last = object, found
        return found

    def _ancestors(self, object: int) -> BitMap | None:
        """None where there are more layers than `tuning.LAYERS`."""
        members = BitMap()
        starts = self._edges.image_of(1, object)
        for _ in range(tuning.LAYERS):
            fresh = bitmaps.from_ids(starts) - members
            if not fresh:
                return members
            members |= fresh
            _, columns = self._edges.lookup({1: bitmaps.to_ids(fresh)})
            starts = columns[0]
        return None
