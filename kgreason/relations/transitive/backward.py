"""The subjects of few objects in a closure, searched along its edges.

The labels of the inverse edges answer every such question, but take as long to make as the closure. A query that names
one object does without them: a search reads each edge that leads there once, in columns, a layer at a time.
"""

from __future__ import annotations

from math import inf

from pyroaring import BitMap

from kgreason.columns import bitmaps
from kgreason.relations.binary import BinaryTable
from kgreason.relations.table import Ids
from kgreason.relations.transitive import closure_tuning


class BackwardSearch:
    """Searches from single objects; after so many of them, labels are worth their time."""

    __slots__ = ("_edges", "_last", "_left")

    def __init__(self, edges: BinaryTable) -> None:
        self._edges = edges
        self._left = closure_tuning.BACKWARD_SEARCHES
        # The last answer: a planner counts the subjects that the join asks for next.
        self._last: tuple[list[int], list[Ids]] | None = None

    @property
    def is_done(self) -> bool:
        """Whether no search is left, and none was made that may be asked for again."""
        return not self._left and self._last is None

    def subjects_of(self, objects: Ids, most: float = inf) -> list[Ids] | None:
        """For each of some different objects the subjects that reach it, sorted: O(edges that lead there), and a look
        at all edges for the first ones; None where a path is long, where these were too many searches, or where more
        than `most` subjects reach one."""
        if len(objects) > closure_tuning.BACKWARD_SEARCHES:
            return None
        wanted = objects.tolist()
        if self._last is not None and self._last[0] == wanted:
            return self._last[1]
        if len(wanted) > self._left:
            return None
        self._left -= len(wanted)
        found: list[Ids] = []
        for object in wanted:
            members = self._ancestors(object, most)
            if members is None:
                self._left = 0
                return None
            found.append(bitmaps.to_ids(members))
        self._last = wanted, found
        return found

    def _ancestors(self, object: int, most: float) -> BitMap | None:
        """None where there are more layers than `closure_tuning.LAYERS`, or more than `most`."""
        members = BitMap()
        starts = self._edges.image_of(1, object)
        for _ in range(closure_tuning.LAYERS):
            fresh = bitmaps.from_ids(starts) - members
            if not fresh:
                return members
            members |= fresh
            if len(members) > most:
                return None
            _, columns = self._edges.lookup({1: bitmaps.to_ids(fresh)})
            starts = columns[0]
        return None
