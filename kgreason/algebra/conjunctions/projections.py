"""Atoms of three arguments and more without those that nothing else has a use for.

Of ``q(x) :- w(x, y, u), w(y, v, x)`` only the distinct pairs of x and y are joined: fewer rows, and what is known of
joins of pairs holds for them, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from typing import Final, Generic

from kgreason import tuning
from kgreason.algebra import algebra_tuning
from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings, Multiplicity, V
from kgreason.algebra.distinct_rows import seem_repeated
from kgreason.algebra.extend import facts_of
from kgreason.relations.plain import table_of
from kgreason.relations.table import Table

PAIR: Final = 2


class Projections(Generic[V]):
    """What the evaluation of a conjunction has made of wide atoms; tables themselves keep nothing."""

    __slots__ = ("_asked", "_made")

    def __init__(self) -> None:
        self._asked: dict[object, int] = {}
        self._made: dict[object, tuple[object, tuple[Atom[V], Table]]] = {}

    def applied(
        self, joins: list[tuple[Atom[V], Table]], rows: Bindings[V], needed: Set[V]
    ) -> list[tuple[Atom[V], Table]]:
        """Atoms that are to be joined with some rows, those of them without idle positions that are joined with about
        as many rows as they have facts, or with some to find what constants and repeated variables leave.

        Args:
            needed: the variables that something beside the atoms asks for.
        """
        for number, own in with_idle_positions(joins, needed):
            atom, table = joins[number]
            # As long as nothing is bound, the next step makes about as many rows as the smallest relation has facts.
            count = rows.length if rows.columns else min([other.estimate for _, other in joins])
            gain = tuning.SEMIJOIN * (algebra_tuning.SELECTED_GAIN if atom.constants or atom.is_repeating else 1)
            place = (id(atom), id(table))
            self._asked[place] = self._asked.get(place, 0) + count
            if self._asked[place] * gain > table.estimate:
                joins = [*joins[:number], self.of(atom, table, own), *joins[number + 1 :]]
        return joins

    def of(self, atom: Atom[V], table: Table, needed: frozenset[V]) -> tuple[Atom[V], Table]:
        """An atom of those variables that are needed, some of its own, and their distinct values in the facts; the atom
        as it is where there would hardly be fewer of them.

        Cost: a look at all facts, and a sort of those that the constants leave; nothing for what was asked before.
        """
        place = (id(atom), id(table), needed)
        if place not in self._made:
            # With what was asked, so that nothing else gets its number.
            self._made[place] = ((atom, table), _projected(atom, table, needed))
        return self._made[place][1]


def _projected(atom: Atom[V], table: Table, needed: frozenset[V]) -> tuple[Atom[V], Table]:
    found, _ = facts_of(atom, table, needed, Multiplicity.ANY)
    names = [*found.columns]
    columns = tuple(found.columns[name] for name in names)
    is_plain = len(names) > PAIR and not atom.constants and not atom.is_repeating
    if not found.length or (is_plain and not seem_repeated(columns, tuning.PROJECTED_GAIN)):
        return atom, table
    return Atom.of(names), table_of(columns)


def have_wide(joins: Sequence[tuple[Atom[V], Table]]) -> bool:
    """Whether some of the atoms have three arguments or more; not looked for in a long body."""
    return len(joins) < tuning.LONG_BODY and any(len(atom.arguments) > PAIR for atom, _ in joins)


def with_idle_positions(
    joins: Sequence[tuple[Atom[V], Table]], wanted: Set[V]
) -> Iterator[tuple[int, frozenset[V]]]:
    """The numbers of atoms of three arguments and more that have positions which nothing else asks for, each with the
    variables that are needed of it: those that are `wanted` or in other atoms."""
    counts = Counter(variable for atom, _ in joins for variable in atom.variables)
    for number, (atom, table) in enumerate(joins):
        if len(atom.arguments) > PAIR and not table.is_virtual:
            needed = frozenset([each for each in atom.variables if each in wanted or counts[each] > 1])
            if 0 < len(needed) < len(atom.arguments):
                yield number, needed
