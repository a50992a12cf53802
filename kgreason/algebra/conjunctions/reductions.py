"""Atoms with those facts alone of which other atoms have the ends, too.

Of ``q(x, y) :- a(x, z), a(y, z), a(z, w)`` where a leads from many ids to few, few z are at both ends. What a step
makes is then a small part of what it would make of all facts: this is how Yannakakis' algorithm (VLDB 1981) begins, for
bodies with cycles, too, and for those atoms alone for which it pays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Generic

import numpy as np

from kgreason import tuning
from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import V
from kgreason.columns.masks import all_of
from kgreason.relations.table import Table


class Reductions(Generic[V]):
    """What the evaluation of a conjunction has made of its atoms; tables themselves keep nothing."""

    __slots__ = ("_made",)

    def __init__(self) -> None:
        self._made: dict[object, tuple[object, Table]] = {}

    def applied(
        self, joins: list[tuple[Atom[V], Table]], bound: Set[V], expected: float
    ) -> list[tuple[Atom[V], Table]]:
        """The atoms, which are those that are given where nothing is left out.

        Args:
            bound: the variables of the rows that they are joined with.
            expected: how many rows the next step is expected to make. Atoms with a part of so many facts are looked at.

        Cost: a look-up of a sample for each two atoms with a free variable in common, and of each fact where few of
        these are left; nothing for what was asked before.
        """
        for number, place, other, position in _shared_ends(joins, bound):
            atom, table = joins[number]
            if expected >= tuning.REDUCED_STEP * max(table.estimate, other.estimate):
                fewer = self._of(table, place, other, position)
                if fewer is not table:
                    joins = [*joins[:number], (atom, fewer), *joins[number + 1 :]]
        return joins

    def _of(self, table: Table, place: int, other: Table, position: int) -> Table:
        """The facts of a table of which another one has the ids at some place at a position of its own; all where a
        sample says that they are most."""
        key = (id(table), place, id(other), position)
        if key not in self._made:
            # With what was asked, so that nothing else gets its number.
            self._made[key] = ((table, other), _reduced(table, place, other, position))
        return self._made[key][1]


def _shared_ends(
    joins: Sequence[tuple[Atom[V], Table]], bound: Set[V]
) -> Iterator[tuple[int, int, Table, int]]:
    """The numbers and positions of the atoms' free variables, each with every other atom that has it, and where."""
    for number, (atom, table) in enumerate(joins):
        for place, name in enumerate(atom.arguments):
            if name is None or name in bound or table.is_virtual:
                continue
            for other, (another, facts) in enumerate(joins):
                if other != number and name in another.variables and not facts.is_virtual:
                    yield number, place, facts, another.arguments.index(name)


def _reduced(table: Table, place: int, other: Table, position: int) -> Table:
    column = table.columns()[place]
    sample = column[:: max(1, len(column) // tuning.REDUCED_SAMPLE)]
    if tuning.REDUCED_GAIN * np.count_nonzero(other.has_key(position, sample)) > len(sample):
        return table
    left = other.has_key(position, column)
    return table if all_of(left) else table.filter(left)
