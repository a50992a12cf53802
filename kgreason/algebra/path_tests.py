"""Rows that a path of atoms only tests, since nothing else asks for the variables between its ends: of ``x, z`` with
``r(x, a)``, ``s(a, b)`` and ``t(b, z)`` those that some a and b connect.

To follow each row takes a step for each way from one of its ends. Here the ids of each variable on the path have a row
of bits, one for each end that the rows have there; from the last variable to the first these are united along the facts
(`kgreason.columns.products`), and a row is a look at one bit, however many ways there are.
"""

from __future__ import annotations

from collections.abc import Container, Sequence, Set
from dataclasses import dataclass
from typing import Generic, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import tuning
from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings, V
from kgreason.algebra.extend import variable_at
from kgreason.algebra.row_keys import Ids, distinct_ids
from kgreason.checkpoints import passes
from kgreason.columns import products, sorted_columns, sorted_sets
from kgreason.relations.table import Table
from kgreason.sorting import argsort

Mask: TypeAlias = NDArray[np.bool_]
Numbers: TypeAlias = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Path(Generic[V]):
    """Atoms of pairs in a row: the `numbers` of the atoms, and the `variables` from one end, over what lies between, to
    the other end, which may be the same."""

    numbers: tuple[int, ...]
    variables: tuple[V, ...]

    def turned(self) -> Path[V]:
        """The same from the other end."""
        return Path(self.numbers[::-1], self.variables[::-1])


def path_between(atoms: Sequence[Atom[V]], bound: Container[V | None], needed: Set[V]) -> Path[V] | None:
    """The first path of two atoms or more between variables that are bound, over others which two of the atoms have,
    and which are not `needed` elsewhere; None where there is none. O(atoms) for each atom."""
    for number, atom in enumerate(atoms):
        position = atom.bound_end(bound)
        if position is not None:
            path = _followed(atoms, number, position, bound, needed)
            if path is not None:
                return path
    return None


def _followed(
    atoms: Sequence[Atom[V]], number: int, position: int, bound: Container[V | None], needed: Set[V]
) -> Path[V] | None:
    """The path that begins with one atom, at one of its ends."""
    numbers, variables = [number], [variable_at(atoms[number], position)]
    while True:
        here = variable_at(atoms[number], 1 - position)
        variables.append(here)
        if here in bound:
            return Path((*numbers,), (*variables,))
        following = [each for each, atom in enumerate(atoms) if each != number and here in atom.variables]
        if here in needed or len(following) != 1 or following[0] in numbers:
            return None
        (number,) = following
        atom = atoms[number]
        if len(atom.arguments) != 2 or len(atom.variables) != 2:
            return None
        position = atom.arguments.index(here)
        numbers.append(number)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Step:
    """The facts of an atom that are reached: for each the number of the id that leads to it, of `height` ids, and that
    of the id that it leads to, in 32 bits."""

    sources: Numbers
    targets: Numbers
    height: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PathTest(Generic[V]):
    """The test of some rows by a path: the facts along it, and for each row the numbers of its ends, of which those on
    the right have `width` words of bits."""

    steps: Sequence[_Step]
    left: Numbers
    right: Numbers
    width: int

    @classmethod
    def of(
        cls, rows: Bindings[V], path: Path[V], joins: Sequence[tuple[Atom[V], Table]], are_followed: bool
    ) -> PathTest[V] | None:
        """None where the facts or the bits would be too many: where words are more than `tuning.PATH_WORDS` for each
        row, or, if rows `are_followed` otherwise, than `tuning.PRODUCT_GAIN` for each row that the first step makes.

        Cost: the distinct ends of the rows, and a look at the facts along the path, those of each id once.
        """
        ends = [distinct_ids(rows.columns[path.variables[place]]) for place in (0, -1)]
        if len(ends[0][0]) < len(ends[1][0]):
            path, ends = path.turned(), ends[::-1]
        (starts, left), (goals, right) = ends
        width = products.width_of(len(goals))
        reached, steps, looked_at = starts, list[_Step](), 0
        most = float(tuning.PATH_WORDS * rows.length)
        for place, number in enumerate(path.numbers):
            atom, table = joins[number]
            position = atom.arguments.index(path.variables[place])
            counts = table.fanout(position, reached)
            looked_at += int(counts.sum())
            if are_followed and not place:
                most = max(most, float(tuning.PRODUCT_GAIN * counts[left].sum()))
            if looked_at > tuning.PRODUCT_FACTS or 8 * width * len(reached) > tuning.PRODUCT_BYTES:
                return None
            if width * (looked_at + 8 * len(reached)) > most:
                return None
            step, reached = _step(table, position, reached, goals if number == path.numbers[-1] else None)
            steps.append(step)
        return cls(steps, left.astype(np.uint32), right.astype(np.uint32), width)

    def passing(self) -> Mask:
        """For each row whether the path connects its ends. Cost: for each fact a step for 64 of the ends, and a look at
        a bit for each row."""
        *before, last = self.steps
        bits = products.bit_rows(last.sources, last.targets, last.height, self.width)
        for step in reversed(before):
            bits = _united(bits, step)
        found = np.empty(len(self.left), dtype=np.bool_)
        for begin in passes(range(0, len(found), tuning.CACHED_ROWS)):
            some = slice(begin, begin + tuning.CACHED_ROWS)
            right = self.right[some]
            words = bits[self.left[some], right >> 6] >> (right & 63).astype(np.uint64)
            found[some] = words & np.uint64(1)
        return found


def _step(table: Table, position: int, reached: Ids, goals: Ids | None) -> tuple[_Step, Ids]:
    """The facts that distinct ids lead to, and the ids at their other ends, by which these are numbered: some `goals`,
    or all."""
    index, facts = table.lookup({position: reached})
    ids = facts[1 - position]
    if goals is None:
        found, targets = distinct_ids(ids)
        return _Step(index.astype(np.uint32), targets.astype(np.uint32), len(reached)), found
    known = sorted_sets.contains(goals, ids)
    targets = goals.searchsorted(ids[known])
    return _Step(index[known].astype(np.uint32), targets.astype(np.uint32), len(reached)), goals


def _united(bits: products.Bits, step: _Step) -> products.Bits:
    """For each id before a step the bits of the ids that it leads to."""
    found = np.zeros((step.height, bits.shape[1]), dtype=np.uint64)
    if len(step.sources):
        order = argsort(step.sources)
        sources = step.sources[order]
        begins = np.flatnonzero(sorted_columns.firsts(sources))
        found[sources[begins]] = products.unions([(bits, step.targets[order].astype(np.int64))], begins)
    return found
