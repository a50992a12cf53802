"""The closure of relations: what one step or more connect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from kgreason.algebra.relation import Relation
from kgreason.columns import pairs
from kgreason.relations.free_closures import transitive_closure
from kgreason.relations.plain import table_of_keys
from kgreason.relations.table import Table
from kgreason.sparql import query_tuning
from kgreason.sparql.patterns.bound import Known
from kgreason.sparql.patterns.searching import Reached, reached
from kgreason.sparql.patterns.walks import WalkedRelation, any_occurs, united
from kgreason.sparql.solutions import Ids, Index, Mask


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
        table = self.known.table
        return query_tuning.CLOSURE_FANOUT * self._edges() if table is None else table.estimate

    def _edges(self) -> int:
        return sum(step.estimate for step in self.steps)

    def _closing_work(self) -> int:
        """What it costs to close all edges, in pairs that a search looks at."""
        return query_tuning.CLOSING_LEAST + query_tuning.CLOSING_EDGE * self._edges()

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
        budget = self._closing_work() - self.known.work
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
        budget = min(query_tuning.SEARCHED_WHOLE, self._closing_work()) // 2
        some = starts[:: -(-len(starts) // query_tuning.SAMPLED_STARTS) or 1]
        share = query_tuning.SAMPLED_LAYERS * query_tuning.LAYER_WORK + budget * len(some) // max(1, len(starts))
        sample, _ = reached(self.steps, 0, np.arange(len(some)), some, share)
        if sample is None or len(sample[0]) * len(starts) > budget * len(some):
            return None
        found, _ = reached(self.steps, 0, np.arange(len(starts)), starts, 2 * budget)
        return None if found is None else table_of_keys(pairs.pack(starts[found[0]], found[1]))


def closure_of(relation: Relation, known: Known) -> Relation:
    """The closure of a relation, which may be that relation itself."""
    return relation if relation.is_transitive else Closed([*relation.generators()], known)
