"""Which ends were asked of what is left of a conjunction, and which of them it has solutions for.

Of ``q(x) :- e(x, y), e(y, z), e(z, w)`` the same z come with many y: whether one leads on is found out once. This is
how Yannakakis' algorithm (VLDB 1981) stays linear, here for as much of it as hangs on one variable or two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic

import numpy as np

from kgreason.algebra.bindings import Bindings, V
from kgreason.algebra.distinct_rows import gathered
from kgreason.algebra.row_keys import Keys, keys_of
from kgreason.columns import sorted_sets
from kgreason.relations.table import Table

MOST: Final = 2
"""Ends of so many variables have keys that stay the same from one batch to the next."""


@dataclass(slots=True, eq=False, repr=False)
class KnownEnds(Generic[V]):
    """The ends by the `names` of their variables, as sorted keys; both sets grow."""

    names: tuple[V, ...]
    _asked: Keys = field(init=False)
    _found: Keys = field(init=False)

    def __post_init__(self) -> None:
        self._asked = self._found = np.empty(0, dtype=np.uint32 if len(self.names) == 1 else np.uint64)

    def among(
        self, rows: Bindings[V], solutions: Callable[[Bindings[V]], Iterator[Bindings[V]]]
    ) -> Bindings[V]:
        """The rows whose ends have solutions, which `solutions` is asked for where that is not known."""
        keys = self._keys(rows)
        for some in gathered([rows.where(~sorted_sets.contains(self._asked, keys))], {*self.names}):
            asked = sorted_sets.unique(self._keys(some))
            for found in gathered(solutions(some), {*self.names}):
                self._found = sorted_sets.union(self._found, sorted_sets.unique(self._keys(found)))
            self._asked = sorted_sets.union(self._asked, asked)
        return rows.where(sorted_sets.contains(self._found, keys))

    def _keys(self, rows: Bindings[V]) -> Keys:
        return keys_of([rows.columns[name] for name in self.names], rows.length)


class EndsOfParts(Generic[V]):
    """What is known of the ends of each part of a conjunction that was left at some time."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[object, tuple[object, KnownEnds[V]]] = {}

    def of(self, names: frozenset[V], bound: frozenset[V], joins: Sequence[tuple[object, Table]]) -> KnownEnds[V]:
        """What is known of the ends that some joins have in common with rows of some bound variables."""
        place = (names, bound, *((id(atom), id(table)) for atom, table in joins))
        if place not in self._known:
            # With the joins, so that no other ones get their numbers.
            self._known[place] = ([*joins], KnownEnds((*names,)))
        return self._known[place][1]
