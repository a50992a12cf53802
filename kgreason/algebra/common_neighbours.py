"""Rows that two atoms only test, since nothing else asks for the variable between them: of ``x, z`` with ``r(x, y)``
and ``s(y, z)`` those whose ends have some neighbour y in common.

To extend each row takes a step for each neighbour of one of its ends. Here each end has its neighbours as a row of
bits, and a step compares 64 of them (`kgreason.columns.products`).
"""

from __future__ import annotations

from collections.abc import Container, Sequence, Set
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import tuning
from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings, V
from kgreason.algebra.extend import variable_at
from kgreason.algebra.row_keys import Counts, Ids, Index, distinct_ids, is_member
from kgreason.checkpoints import passes
from kgreason.columns import products
from kgreason.relations.table import Table

Mask: TypeAlias = NDArray[np.bool_]


def two_sides(atoms: Sequence[Atom[V]], bound: Container[V | None], wanted: Set[V]) -> tuple[int, int] | None:
    """The numbers of two atoms of pairs that leave the same variable free, which no other atom has, and which is not
    `wanted`; None where there are none."""
    free = [_free(atom, bound) for atom in atoms]
    for number, variable in enumerate(free):
        if variable is None or variable in wanted or variable not in free[number + 1 :]:
            continue
        if sum(variable in atom.variables for atom in atoms) == 2:
            return number, free.index(variable, number + 1)
    return None


def _free(atom: Atom[V], bound: Container[V | None]) -> V | None:
    position = atom.bound_end(bound)
    return None if position is None else atom.arguments[1 - position]


def have_common_neighbours(
    rows: Bindings[V], one: tuple[Atom[V], Table], other: tuple[Atom[V], Table]
) -> Mask | None:
    """For each row whether there is an id at the free ends of both atoms; None where rows of bits would not be cheaper
    than to extend each row.

    Cost: a look at the fanout of each distinct end; at the facts of these, if it comes to that; and for each row at a
    bit for each id that is at the free ends of both.
    """
    if rows.length < tuning.PRODUCT_ROWS:
        return None
    sides = [Side.of(rows, *join) for join in (one, other)]
    if not is_cheaper(sides, rows.length, extended_rows(sides)):
        return None
    _, bits = neighbours_as_bits(sides)
    found = np.empty(rows.length, dtype=np.bool_)
    left, right = (side.numbers for side in sides)
    most = max(1, tuning.PRODUCT_WORDS // bits[0].shape[1])
    for begin in passes(range(0, rows.length, most)):
        some = slice(begin, begin + most)
        both = bits[0].take(left[some], axis=0)
        both &= bits[1].take(right[some], axis=0)
        both.any(axis=1, out=found[some])
    return found


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Side:
    """The facts of an atom whose bound end is at `position`: the distinct `ends` there, how many facts each has, and
    for each row the number of its end."""

    table: Table
    position: int
    ends: Ids
    counts: Counts
    numbers: Index

    @staticmethod
    def of(rows: Bindings[V], atom: Atom[V], table: Table) -> Side:
        position = atom.bound_end(rows.columns)
        assert position is not None
        ends, numbers = distinct_ids(rows.columns[variable_at(atom, position)])
        return Side(table, position, ends, table.fanout(position, ends), numbers)

    def neighbours(self) -> tuple[Index, Ids]:
        """For each fact the number of its end, and the id at its other end."""
        index, facts = self.table.lookup({self.position: self.ends})
        return index, facts[1 - self.position]


def extended_rows(sides: Sequence[Side]) -> int:
    """How many rows there are if each is extended by the side with the fewest facts for it."""
    return int(np.minimum.reduce([side.counts[side.numbers] for side in sides]).sum())


def is_cheaper(sides: Sequence[Side], steps: int, made: int) -> bool:
    """Whether so many steps from one row of bits to the next are cheaper than so many rows to be made."""
    facts, height = sum(int(side.counts.sum()) for side in sides), sum(len(side.ends) for side in sides)
    width = products.width_of(min(facts, *(side.table.distinct_estimate(1 - side.position) for side in sides)))
    if facts > tuning.PRODUCT_FACTS or 8 * width * height > tuning.PRODUCT_BYTES:
        return False
    # To set the bits of a row takes about as long as to compare eight.
    return width * (steps + 8 * height) + facts <= tuning.PRODUCT_GAIN * made


def neighbours_as_bits(sides: Sequence[Side]) -> tuple[Ids, list[products.Bits]]:
    """The ids that each side has, and for each side the neighbours of its ends among these as rows of bits."""
    found = [side.neighbours() for side in sides]
    shared = distinct_ids(min((ids for _, ids in found), key=len))[0]
    for _, ids in found:
        shared = shared[is_member(shared, ids)]
    words = max(1, products.width_of(len(shared)))
    bits: list[products.Bits] = []
    for side, (index, ids) in zip(sides, found, strict=True):
        known = is_member(ids, shared)
        places = shared.searchsorted(ids[known])
        bits.append(products.bit_rows(index[known], places, len(side.ends), words))
    return shared, bits
