"""The closure of relations: what one step or more connect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from kgreason.algebra.relation import Relation
from kgreason.columns import pairs
from kgreason.relations.free_closures import transitive_closure
from kgreason.relations.plain import table_of_keys
from kgreason.relations.table import Table
from kgreason.sparql.patterns.bound import Known
from kgreason.sparql.patterns.searching import LAYER, Reached, reached
from kgreason.sparql.patterns.walks import WalkedRelation, any_occurs, united
from kgreason.sparql.solutions import Ids, Index, Mask

CLOSING: Final = 32
"""The cost of closing an edge, in pairs of a search."""
LEAST: Final = 20_000
"""The same for a closure of any size."""
MOST: Final = 1 << 20
"""The most work for which all starts are searched from: what they reach is written out."""
SAMPLED: Final = 64
"""From so many starts a search tells what one from all of them would take, in not much more than DEEP layers."""
DEEP: Final = 16
_FAN: Final = 8


class Closed(WalkedRelation):
    """One relation or another, again and again, once at least.

    From few ends it is searched. When it is wanted as a whole, or when the searches so far have taken as long as
    closing would, all of it is closed, or where that takes less, searched: so that both together never take more than
    about twice what the better one does.
    """

    def __init__(self, steps: Sequence[Relation], known: Known) -> None:
        super().__init__(known)
        self.steps = steps

    @property
    def estimate(self) -> int:
        return _FAN * self._edges() if self.known.table is None else self.known.table.estimate

    def _edges(self) -> int:
        return sum(step.estimate for step in self.steps)

    def distinct_estimate(self, position: int) -> int:
        return max([1, *(step.distinct_estimate(position) for step in self.steps)])

    def distinct(self, position: int) -> Ids:
        return united([step.distinct(position) for step in self.steps])

    def has_key(self, position: int, identifiers: Ids) -> Mask:
        return any_occurs(self.steps, position, identifiers)

    def walk(self, position: int, starts: Ids) -> Reached | None:
        return self._searched(position, np.arange(len(starts)), starts)

    def image(self, position: int, identifiers: Ids) -> Ids:
        if self.known.table is None:
            found = self._searched(position, np.zeros(len(identifiers), dtype=np.int64), identifiers)
            if found is not None:
                return found[1]
        return self.table.image(position, identifiers)

    def loops(self) -> Ids:
        return self.table.loops()

    def _searched(self, position: int, rows: Index, starts: Ids) -> Reached | None:
        budget = LEAST + CLOSING * self._edges() - self.known.work
        if len(starts) > budget:
            return None
        found, work = reached(self.steps, position, rows, starts, budget)
        self.known.work += work
        return found

    def generators(self) -> Iterable[Relation]:
        return self.steps

    def build(self) -> Table:
        return self._searched_whole() or transitive_closure([table for step in self.steps for table in step.tables()])

    def _searched_whole(self) -> Table | None:
        """All pairs by a search from every start at once; None where closing takes less, as far as some starts tell."""
        starts = self.distinct(0)
        budget = min(MOST, LEAST + CLOSING * self._edges()) // 2
        some = starts[:: -(-len(starts) // SAMPLED) or 1]
        share = DEEP * LAYER + budget * len(some) // max(1, len(starts))
        sample, _ = reached(self.steps, 0, np.arange(len(some)), some, share)
        if sample is None or len(sample[0]) * len(starts) > budget * len(some):
            return None
        found, _ = reached(self.steps, 0, np.arange(len(starts)), starts, 2 * budget)
        return None if found is None else table_of_keys(pairs.pack(starts[found[0]], found[1]))


def closure_of(relation: Relation, known: Known) -> Relation:
    """The closure of a relation, which may be that relation itself."""
    return relation if relation.is_transitive else Closed([*relation.generators()], known)
