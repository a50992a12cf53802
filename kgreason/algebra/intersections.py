"""A step of a join with all atoms that leave the same variable free: ``x, y`` with ``r(x, z)`` and ``s(y, z)``.

`smallest_side` looks up each fact of one atom in the others. Where the ids have many neighbours, these are rows of bits
(`kgreason.columns.products`): what those of x and of y have in common is found 64 of them at a time, and the rows that
agree in what is needed are united before any of them is written out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Generic

import numpy as np

from kgreason import tuning
from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings, V
from kgreason.algebra.common_neighbours import Side, extended_rows, is_cheaper, neighbours_as_bits
from kgreason.algebra.composition import distinct_numbered
from kgreason.algebra.extend import variable_at
from kgreason.columns import products
from kgreason.relations.table import Table
from kgreason.sorting import argsort


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Intersection(Generic[V]):
    """Rows of those columns that are kept, the sides that extend them, and the variable that these leave free."""

    rows: Bindings[V]
    sides: Sequence[Side]
    made: V

    def pieces(self) -> Iterator[Bindings[V]]:
        """The distinct rows, a bounded number at a time."""
        columns, groups = distinct_numbered(self.rows)
        order = argsort(groups)
        begins = np.flatnonzero(np.diff(groups[order], prepend=-1))
        ids, bits = neighbours_as_bits(self.sides)
        factors = [(each, side.numbers[order]) for each, side in zip(bits, self.sides, strict=True)]
        for group, found in products.product_rows(factors, begins):
            if len(group):
                taken = {name: column[group] for name, column in columns.items()}
                yield Bindings({**taken, self.made: ids[found]}, len(group))


def intersection(
    rows: Bindings[V], joins: Sequence[tuple[Atom[V], Table]], kept: Set[V] | None
) -> Intersection[V] | None:
    """The step with all of some joins, of pairs that leave the same variable free; None where to look up each row is as
    cheap. Which rows there are must be all that is asked (`Multiplicity.ANY`).

    Cost: a look at some of the rows; where these make many, at the fanout of each distinct end, and at the facts of
    these if it comes to that.
    """
    if kept is None or rows.length < tuning.PRODUCT_ROWS or kept.isdisjoint(rows.columns):
        return None
    made = _free(joins[0][0], rows)
    looks = len(joins) * (tuning.INTERSECTED_APART if rows.columns.keys() <= kept else 1)
    if made not in kept or not _make_many(rows, joins, looks):
        return None
    sides = [Side.of(rows, *join) for join in joins]
    if not is_cheaper(sides, looks * rows.length, extended_rows(sides)):
        return None
    return Intersection(rows.narrowed(kept), sides, made)


def _make_many(rows: Bindings[V], joins: Sequence[tuple[Atom[V], Table]], looks: int) -> bool:
    """Whether a row has enough facts in each of the joins, as a sample has them, for so many looks at each word."""
    ids = min([table.distinct_estimate(1 - _bound(atom, rows)) for atom, table in joins])
    least = looks * products.width_of(ids) / tuning.PRODUCT_GAIN
    for atom, table in joins:
        position = _bound(atom, rows)
        column = rows.columns[variable_at(atom, position)]
        sample = column[:: max(1, rows.length // tuning.SAMPLED_ROWS)]
        if table.expected_fanout(position, sample) < least:
            return False
    return True


def _bound(atom: Atom[V], rows: Bindings[V]) -> int:
    position = atom.bound_end(rows.columns)
    assert position is not None
    return position


def _free(atom: Atom[V], rows: Bindings[V]) -> V:
    return variable_at(atom, 1 - _bound(atom, rows))
