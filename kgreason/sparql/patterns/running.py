"""A plan of atoms at work: batches go through its steps, and columns that are not needed any more are dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TypeAlias

import numpy as np

from kgreason import tuning
from kgreason.algebra.bindings import Multiplicity
from kgreason.algebra.conjunctions.conjunction import Conjunction
from kgreason.algebra.conjunctions.remainder import Join
from kgreason.algebra.distinct_rows import distinct, gathered, grouped
from kgreason.algebra.witnesses import are_shared, witnessed
from kgreason.sparql import query_tuning
from kgreason.sparql.algebra import Basic, Names
from kgreason.sparql.patterns.filters import Filters
from kgreason.sparql.patterns.planning import Condition, Plan, Step, plan
from kgreason.sparql.required_columns import Demand
from kgreason.sparql.solutions import Solutions
from kgreason.sparql.solver import Solver

_Begun: TypeAlias = tuple[Sequence[Step], Solutions]
"""A batch with the steps that are left for it."""


@dataclass(frozen=True, slots=True)
class Run:
    """The evaluation of one plan."""

    solver: Solver
    node: Basic
    plan: Plan
    demand: Demand

    def batches(self, seed: Solutions) -> Iterator[Solutions]:
        """The solutions, each extending one of the seed."""
        seed = self._passing(self.plan.first, seed)
        first = query_tuning.STREAMED_FIRST if self.demand.streaming else None
        for batch in self._from(self.plan.steps, seed):
            if self.demand.multiplicity is Multiplicity.EACH and batch.weights is not None:
                for piece in batch.spread_out(tuning.JOIN_ROWS, first):
                    self.solver.limits.check()
                    yield piece
            else:
                yield batch

    def _joins(self, steps: Sequence[Step], batch: Solutions) -> list[Join[str]] | None:
        """The atoms of some steps, where only the solutions matter that there are, much work is expected or many rows
        came, and each atom reads a table; None elsewhere, and of many steps until few are left: a conjunction goes
        deeper in Python's stack for each."""
        is_any = self.demand.multiplicity is Multiplicity.ANY
        if not is_any or self.demand.streaming or not 2 <= len(steps) <= query_tuning.CONJOINED_STEPS:
            return None
        if self.plan.cost < query_tuning.CONJUNCTION_WORK and batch.length < tuning.WITNESS_ROWS:
            return None
        joins = [join for step in steps if (join := step.atom.join) is not None]
        return joins if len(joins) == len(steps) else None

    def _as_conjunction(
        self, steps: Sequence[Step], joins: list[Join[str]], batch: Solutions
    ) -> Iterator[Solutions]:
        """The solutions where not the plan, but the rows that come say which atom is next."""
        if self.solver.journal is not None:
            self.solver.journal.went_without_plan(self.node, steps)
        limits, wanted = self.solver.limits, steps[-1].kept
        bound = frozenset(batch.columns).union(*(atom.variables for atom, _ in joins))
        waiting = [condition.within(bound) for step in steps for condition in step.conditions]
        found = Conjunction(joins, Filters(waiting, self._passing), wanted, limits.check, wanted)
        for some in gathered(found.solutions(Solutions(batch.columns, batch.length)), wanted):
            limits.check(some.length)
            yield some

    def _from(self, steps: Sequence[Step], batch: Solutions) -> Iterator[Solutions]:
        """The solutions after some steps: depth first, and no deeper in Python's stack for more steps."""
        return self._followed(iter(((steps, batch),)))

    def _followed(self, begun: Iterator[_Begun]) -> Iterator[Solutions]:
        """The solutions after the steps that are left of each of some batches."""
        waiting = [begun]
        while waiting:
            found = next(waiting[-1], None)
            if found is None:
                waiting.pop()
                continue
            steps, batch = found
            if steps:
                waiting.append(self._taken(steps, batch))
            else:
                yield batch

    def _taken(self, steps: Sequence[Step], batch: Solutions) -> Iterator[_Begun]:
        """The batches after one of some steps or more, each with the steps that are left."""
        joins = self._joins(steps, batch)
        if joins is not None:
            yield from (((), some) for some in self._as_conjunction(steps, joins, batch))
            return
        # Rows too few for a sample mostly stay few, and one batch: nothing is put together or parted for these.
        while steps and batch.length < tuning.SAMPLED_ROWS:
            step, *steps = steps
            found = step.atom.apply(batch, step.joined, self.demand.multiplicity)
            pieces = [*islice(found, 1)]
            if pieces and pieces[0].length <= query_tuning.STREAMED_FIRST:
                pieces += islice(found, 1)
            if len(pieces) != 1 or pieces[0].length > query_tuning.STREAMED_FIRST:
                yield from self._after(step, steps, chain(pieces, found))
                return
            batch = self._checked(step, pieces[0], not steps)
            if not batch.length:
                return
        if not steps:
            yield (), batch
            return
        steps = self._reconsidered(steps, batch)
        ends = self._tested_ends(steps, batch)
        if ends is not None:
            found = witnessed(batch, ends, lambda some: self._followed(self._joined(steps, some)))
            yield from (((), some) for some in found)
        else:
            yield from self._joined(steps, batch)

    def _joined(self, steps: Sequence[Step], batch: Solutions) -> Iterator[_Begun]:
        """The batches after the first of some steps, with the others."""
        step, *rest = steps
        return self._after(step, rest, step.atom.apply(batch, step.joined, self.demand.multiplicity))

    def _after(self, step: Step, rest: Sequence[Step], found: Iterator[Solutions]) -> Iterator[_Begun]:
        """What is kept of what a step found, with the steps that are left."""
        for piece in self._pieced(found, not rest):
            kept = self._checked(step, piece, not rest)
            if kept.length:
                yield rest, kept

    def _checked(self, step: Step, piece: Solutions, last: bool) -> Solutions:
        """What a step keeps of a piece that it found, within the limits and with a record of it."""
        self.solver.limits.check(piece.length)
        kept = self._kept(step, piece, last)
        if self.solver.journal is not None:
            self.solver.journal.step(self.node, step, kept.total())
        return kept

    def _tested_ends(self, steps: Sequence[Step], batch: Solutions) -> Names | None:
        """The variables that are wanted, where the steps bind none of these, so that they only tell which of them there
        are, and many are in several rows; None elsewhere."""
        if self.demand.multiplicity is not Multiplicity.ANY or len(steps) < 2 or batch.length < tuning.WITNESS_ROWS:
            return None
        ends = steps[-1].kept & batch.columns.keys()
        if not are_shared(batch, ends, tuning.WITNESS_GAIN):
            return None
        return None if any(step.atom.variables & steps[-1].kept - ends for step in steps) else ends

    def _reconsidered(self, steps: Sequence[Step], batch: Solutions) -> Sequence[Step]:
        """The steps as they are, or where a sample shows that the first would multiply the rows, and another one would
        not nearly as much, in an order that begins with that one."""
        made = steps[0].atom.sampled(batch) if len(steps) > 1 else None
        if made is None or made < query_tuning.MULTIPLIED * batch.length:
            return steps
        others = [each.atom.sampled(batch) for each in steps]
        fewest, best = min((found, number) for number, found in enumerate(others) if found is not None)
        if fewest * query_tuning.MULTIPLIED > made:
            return steps
        return self._beginning_with(steps, best, batch)

    def _beginning_with(self, steps: Sequence[Step], best: int, batch: Solutions) -> Sequence[Step]:
        atoms, conditions = [step.atom for step in steps], [each for step in steps for each in step.conditions]
        domains = {name: float(batch.length) for name in batch.columns}
        folded = self.demand.multiplicity is not Multiplicity.EACH
        found = plan(atoms, conditions, domains, batch.length, steps[-1].kept, folded=folded, begin=best).steps
        if self.solver.journal is not None:
            self.solver.journal.planned_again(self.node, steps, found)
        return found

    def _pieced(self, batches: Iterator[Solutions], is_last: bool) -> Iterator[Solutions]:
        """Small pieces first where the first solutions are wanted soon, otherwise no small ones at all. What goes on is
        taken from all over a batch: rows beside each other are alike, and may all lead nowhere."""
        if not self.demand.streaming:
            yield from coalesced(batches)
            return
        size = query_tuning.STREAMED_FIRST
        for batch in batches:
            begin = 0
            while begin < batch.length:
                yield batch.slice(begin, begin + size) if is_last else _strewn(batch, begin, size)
                begin += size
                size *= query_tuning.STREAMED_GROWTH

    def _passing(self, conditions: Sequence[Condition], rows: Solutions) -> Solutions:
        return self.solver.passing([condition.expression for condition in conditions], rows) if conditions else rows

    def _kept(self, step: Step, rows: Solutions, last: bool) -> Solutions:
        rows = self._passing(step.conditions, rows)
        gone = rows.columns.keys() - step.kept
        rows = rows.without(gone) if gone else rows
        if last or rows.length < query_tuning.COMPRESSED_ROWS or not (gone or step.atom.variables - step.kept):
            return rows
        if self.demand.multiplicity is Multiplicity.ANY:
            return distinct(rows)
        return grouped(rows) if self.demand.multiplicity is Multiplicity.WEIGHTED else rows


def _strewn(batch: Solutions, begin: int, size: int) -> Solutions:
    """So many rows of a batch, from a place on in an order that goes over the whole batch again and again, from one row
    further each time. The place and how many they are, are multiples of STREAMED_FIRST, which is the length of a round.
    """
    length = query_tuning.STREAMED_FIRST
    if batch.length <= length:
        return batch.slice(begin, begin + size)
    step = -(-batch.length // length)
    places = np.arange(begin, min(begin + size, step * length))
    rows = places % length * step + places // length
    return batch.take(rows[rows < batch.length])


def coalesced(batches: Iterator[Solutions]) -> Iterator[Solutions]:
    """Small batches put together."""
    waiting: list[Solutions] = []
    size = 0
    for batch in batches:
        if batch.length:
            waiting.append(batch)
            size += batch.length
        if size >= query_tuning.BATCH_ROWS:
            yield Solutions.concatenated(waiting)
            waiting, size = [], 0
    if waiting:
        yield Solutions.concatenated(waiting)
