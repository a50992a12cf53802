"""Values of variables that do as well as each other, of which a conjunction needs one.

A rule ``R(x, u), E(u, v), R(y, v) -> E(x, y)`` derives n * m facts for n subjects x and m subjects y. If E is kept
transitively closed and the x are below each other, one of them is enough: the facts of the others follow.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Generic

import numpy as np

from kgreason import tuning
from kgreason.algebra.bindings import Bindings, V
from kgreason.algebra.distinct_rows import seem_repeated
from kgreason.algebra.row_keys import Ids, keys_of, numbered


@dataclass(frozen=True, slots=True, eq=False)
class Interchangeable(Generic[V]):
    """The variables whose values may stand for each other once only the solutions ask for them.

    `representatives` maps ids to ids; ids that it maps to the same one are interchangeable.
    """

    variables: frozenset[V]
    representatives: Callable[[Ids], Ids]

    def reduced(self, rows: Bindings[V], asked: Set[V]) -> Bindings[V]:
        """One row for each set of rows that differ in interchangeable values alone, where many rows are there, and a
        sample says that few are left; all rows elsewhere. They keep their order, so that a join looks up keys that
        follow each other.

        Args:
            asked: the variables that atoms still ask for.
        """
        names = (self.variables & rows.columns.keys()) - asked
        if not names or rows.length < tuning.SAMPLED_ROWS:
            return rows
        columns = [self.representatives(column) if name in names else column for name, column in rows.columns.items()]
        if not seem_repeated(columns, tuning.INTERCHANGED_GAIN):
            return rows
        first, _ = numbered(keys_of(columns, rows.length))
        return Bindings(rows.columns, rows.length).take(np.sort(first))
