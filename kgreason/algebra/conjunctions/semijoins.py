"""Facts that another atom leaves, before they are joined with rows."""

from __future__ import annotations

from collections.abc import Set

from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import V
from kgreason.relations.table import Table

SEMIJOIN = 4
"""For more rows than a part of so many of a table, a look at the whole table is cheaper than a look-up for each row."""


def semijoined(
    joins: list[tuple[Atom[V], Table]], atom: Atom[V], table: Table, needed: Set[V]
) -> tuple[Atom[V], Table]:
    """The facts of ``p(x, y)`` that a unary atom on y leaves, where nothing else needs y; that atom goes from `joins`.

    What is left to ask is whether x occurs, which multiplies no rows. The pairs may come the other way round, so that x
    is the end by which they are sorted.

    Args:
        needed: the variables that the rows have, or the solutions need.
    """
    if table.is_virtual or len(atom.variables) != 2 or len(atom.arguments) != 2:
        return atom, table
    for position, variable in enumerate(atom.arguments):
        if variable is None or variable in needed:
            continue
        others = [number for number, (other, _) in enumerate(joins) if variable in other.variables]
        if len(others) == 1 and joins[others[0]][0].arguments == (variable,):
            _, members = joins.pop(others[0])
            if position == 0:
                atom, table = atom.reversed(), table.inverse()
            return atom, table.filter(members.contains((table.columns()[1],)))
    return atom, table
