"""The solutions of a pattern in two parts that no variable connects (`divisions`), joined by equal values, by their
order, or paired.

One part is solved first, as a whole, and kept in the order of keys or values. The rest comes batch by batch, and of
each batch about so many pairs are made at once as a step makes. Where the first solutions are wanted soon, the part
comes piece by piece, too, each larger than the one before, and the batches of the rest are kept for the next piece.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import tee
from typing import Any, Protocol

import numpy as np

from kgreason.algebra.bindings import Multiplicity
from kgreason.algebra.expressions.equality_keys import has_singles, term_keys, value_keys
from kgreason.algebra.expressions.order_ranks import Ranks, has_single, ranked
from kgreason.algebra.expressions.sides import Bounds
from kgreason.algebra.expressions.tree import Equation
from kgreason.algebra.joins import KeyedRows, Runs
from kgreason.algebra.range_joins import OrderedRows, overlapping
from kgreason.columns.mixing import Hashes, mixed
from kgreason.dictionary.value_columns import ValueColumn
from kgreason.sparql import query_tuning
from kgreason.sparql.algebra import Names
from kgreason.sparql.divisions import Division
from kgreason.sparql.required_columns import Demand
from kgreason.sparql.scope import variables_of
from kgreason.sparql.solution_expressions import demand_of
from kgreason.sparql.solutions import Ids, Solutions, with_rows
from kgreason.sparql.solver import Solver
from kgreason.sparql.stages import gathered


def joined_parts(solver: Solver, division: Division, seed: Solutions, demand: Demand) -> Iterator[Solutions]:
    """The solutions of both parts that agree with the links and pass the other filters."""
    inside = demand_of(division.remaining, demand)
    witnesses = demand.needed if demand.multiplicity is Multiplicity.ANY else None
    rest = iter((seed,)) if division.rest is None else solver.solve(division.rest, seed, inside)
    division = replace(division, bounds=_bounds(division, witnesses))
    for part in _pieces(solver, division, inside):
        lookup = _lookup(solver, division, part)
        batches, rest = tee(rest) if demand.streaming else (rest, rest)
        has_rest = False
        for batch in batches:
            has_rest |= bool(batch.length)
            for runs in lookup.beside(batch) if batch.length else ():
                yield from _passing(solver, division, runs, witnesses)
        if not has_rest:
            return


def _bounds(division: Division, witnesses: Names | None) -> Bounds[Any] | None:
    """The bounds of the division, turned so that one pair is enough for each row on the left, if they can be."""
    bounds = division.bounds
    if bounds is None or witnesses is None or len(bounds.comparisons) > 1 or bounds.crossing is not None:
        return bounds
    are_of_part = not witnesses.isdisjoint(variables_of(division.part))
    return bounds if bounds.is_turned == are_of_part else bounds.turned()


def _pieces(solver: Solver, division: Division, demand: Demand) -> Iterator[Solutions]:
    """The solutions of the part, in one piece unless the first ones are wanted soon."""
    if demand.streaming:
        own = demand.only(demand.needed & variables_of(division.part))
        yield from gathered(solver.solve(division.part, Solutions.unit(), own), sys.maxsize)
    else:
        whole = solver.whole(division.part, demand)
        if whole.length:
            yield whole


def _passing(
    solver: Solver, division: Division, runs: Runs[str], witnesses: Names | None
) -> Iterator[Solutions]:
    """The pairs that pass the filters; where only `witnesses` matter, and they are of one side, at least one for each
    of these that has any."""

    def passing(pairs: Solutions) -> Solutions:
        solver.limits.check(pairs.length)
        return solver.passing(division.remaining, pairs)

    of_rows, of_others = (witnesses & side.columns.keys() if witnesses else None for side in (runs.rows, runs.others))
    if witnesses is None or (of_rows and of_others):
        yield from map(passing, runs.joined())
        return
    row, _ = with_rows(Solutions({**runs.rows.columns, **runs.others.columns}, 0))
    if of_others:
        found = runs.with_numbered_others(row).witnesses_of_others(row, passing)
    else:
        found = runs.numbered(row).witnesses(row, passing)
    for pairs in found:
        yield pairs.without((row,))


class _Lookup(Protocol):
    """The part, in which batches of the rest are looked up."""

    def beside(self, batch: Solutions) -> Iterator[Runs[str]]:
        """Solutions of one side, each with others that the links may connect it with."""


def _lookup(solver: Solver, division: Division, part: Solutions) -> _Lookup:
    if division.bounds is not None:
        return _ByOrder.of(solver, division.bounds, part)
    return _ByValues.of(solver, division.equations, part) if division.equations else _Paired(part)


@dataclass(frozen=True, slots=True)
class _Paired:
    """A part that each solution of the rest is paired with."""

    part: Solutions

    def beside(self, batch: Solutions) -> Iterator[Runs[str]]:
        """Each with all."""
        yield Runs.of_all(batch, self.part)


@dataclass(frozen=True, slots=True)
class _ByValues:
    """A part by its values in equations."""

    solver: Solver
    equations: Sequence[Equation[Any]]
    part: Solutions
    values: Sequence[Ids]
    has_singles: bool
    keyed: dict[bool, KeyedRows[str]] = field(default_factory=dict)
    """By whether values are rounded to xsd:float, which values of the rest may be."""

    @classmethod
    def of(cls, solver: Solver, equations: Sequence[Equation[Any]], part: Solutions) -> _ByValues:
        """A part as it is."""
        values = [solver.values(each.right, part) for each in equations]
        return cls(solver, equations, part, values, _has_singles(solver, equations, values))

    def beside(self, batch: Solutions) -> Iterator[Runs[str]]:
        """Those that have equal values."""
        values = [self.solver.values(each.left, batch) for each in self.equations]
        are_rounded = self.has_singles or _has_singles(self.solver, self.equations, values)
        if are_rounded not in self.keyed:
            self.keyed[are_rounded] = KeyedRows.of(*self._keyed(self.part, self.values, are_rounded))
        yield self.keyed[are_rounded].beside(*self._keyed(batch, values, are_rounded))

    def _keyed(self, rows: Solutions, values: Sequence[Ids], are_rounded: bool) -> tuple[Solutions, Hashes]:
        """The solutions that may be equal to others in all equations, and a key for each."""
        keys = np.zeros(rows.length, dtype=np.uint64)
        there = np.ones(rows.length, dtype=np.bool_)
        for equation, ids in zip(self.equations, values, strict=True):
            by_values = equation.symbol == "="
            some, known = value_keys(ids, self.solver.terms, are_rounded) if by_values else term_keys(ids)
            keys = mixed(keys) ^ some
            there &= known
        return rows.where(there), keys[there]


def _has_singles(solver: Solver, equations: Sequence[Equation[Any]], values: Sequence[Ids]) -> bool:
    own = (ids for equation, ids in zip(equations, values, strict=True) if equation.symbol == "=")
    return any(has_singles(ids, solver.terms) for ids in own)


@dataclass(frozen=True, slots=True)
class _ByOrder:
    """A part by its values in comparisons: one that has bounds in the rest, or with `is_turned` several that are the
    bounds of one of the rest."""

    solver: Solver
    bounds: Bounds[Any]
    part: Solutions
    values: Sequence[ValueColumn]
    has_single: bool
    ordered: dict[bool, OrderedRows[str]] = field(default_factory=dict)
    """By whether values are rounded to xsd:float, which values of the rest may be."""

    @classmethod
    def of(cls, solver: Solver, bounds: Bounds[Any], part: Solutions) -> _ByOrder:
        """A part as it is."""
        own: Sequence[Any] = bounds.lefts if bounds.is_turned else [bounds.right]
        if bounds.crossing is not None:
            own = bounds.overlap[1]
        values = [solver.columns(each, part) for each in own]
        return cls(solver, bounds, part, values, any(map(has_single, values)))

    def beside(self, batch: Solutions) -> Iterator[Runs[str]]:
        """Those within the bounds, and some others."""
        if min(batch.length, self.part.length) <= query_tuning.FEW_BESIDE:
            yield Runs.of_all(batch, self.part)
            return
        values = [self.solver.columns(each, batch) for each in self._asked()]
        are_rounded = self.has_single or any(map(has_single, values))
        if self.bounds.crossing is not None:
            begin, end, *ends = (self._ranked(each, are_rounded) for each in (*values, *self.values))
            yield from overlapping(batch, (begin, end), self.part, (ends[0], ends[1]))
            return
        if self.bounds.is_turned:
            ordered = OrderedRows.of(batch, self._ranked(values[0], are_rounded))
            yield from ordered.beside(self.part, self._ranks(self.values, are_rounded))
            return
        if are_rounded not in self.ordered:
            self.ordered[are_rounded] = OrderedRows.of(self.part, self._ranked(self.values[0], are_rounded))
        yield from self.ordered[are_rounded].beside(batch, self._ranks(values, are_rounded))

    def _asked(self) -> Sequence[Any]:
        """The values of the rest."""
        if self.bounds.crossing is not None:
            return self.bounds.overlap[0]
        return [self.bounds.right] if self.bounds.is_turned else self.bounds.lefts

    def _ranks(self, values: Sequence[ValueColumn], are_rounded: bool) -> list[tuple[str, Ranks]]:
        ranks = (self._ranked(each, are_rounded) for each in values)
        return [*zip(self.bounds.symbols, ranks, strict=True)]

    def _ranked(self, values: ValueColumn, are_rounded: bool) -> Ranks:
        return ranked(values, are_rounded=are_rounded, moved=self.bounds.moved)
