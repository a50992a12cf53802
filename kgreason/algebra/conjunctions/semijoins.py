"""Facts that another atom leaves before they are joined with rows, and rows that many atoms leave at once."""

from __future__ import annotations

from collections.abc import Set

from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings, V
from kgreason.algebra.conjunctions.membership import Membership
from kgreason.relations.table import Table


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


def filtered(
    joins: list[tuple[Atom[V], Table]], rows: Bindings[V], membership: Membership
) -> tuple[list[tuple[Atom[V], Table]], Bindings[V]]:
    """The rows that those atoms of a long conjunction leave whose variables are bound by now, the smallest relation
    first, and the other atoms: one step for each would look through all that are left."""
    bound = rows.columns.keys()
    asked = [join for join in joins if join[0].variables <= bound]
    if asked:
        joins = [join for join in joins if not join[0].variables <= bound]
    for atom, table in sorted(asked, key=lambda join: join[1].estimate):
        if not rows.length:
            break
        rows = rows.where(membership.contains(table, atom.columns(rows)))
    return joins, rows
