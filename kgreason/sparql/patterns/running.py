"""A plan of atoms at work: batches go through its steps, and columns that are not needed any more are dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from kgreason import tuning
from kgreason.algebra.bindings import Multiplicity
from kgreason.algebra.distinct_rows import distinct, grouped
from kgreason.sparql.algebra import Basic
from kgreason.sparql.patterns.planning import Condition, Plan, Step
from kgreason.sparql.required_columns import Demand
from kgreason.sparql.solutions import Solutions
from kgreason.sparql.solver import Solver

FIRST_PIECE: Final = 128
GROWTH: Final = 8
SMALL: Final = 1 << 16
COMPRESSED: Final = 256


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
        first = FIRST_PIECE if self.demand.streaming else None
        for batch in self._from(0, seed):
            if self.demand.multiplicity is Multiplicity.EACH:
                for piece in batch.spread_out(tuning.JOIN_ROWS, first):
                    self.solver.limits.check()
                    yield piece
            else:
                yield batch

    def _from(self, number: int, batch: Solutions) -> Iterator[Solutions]:
        if number == len(self.plan.steps):
            yield batch
            return
        step = self.plan.steps[number]
        last = number + 1 == len(self.plan.steps)
        found = step.atom.apply(batch, step.joined, self.demand.multiplicity)
        for piece in self._pieced(found):
            self.solver.limits.check(piece.length)
            kept = self._kept(step, piece, last)
            if self.solver.journal is not None:
                self.solver.journal.step(self.node, step, kept.total())
            if kept.length:
                yield from self._from(number + 1, kept)

    def _pieced(self, batches: Iterator[Solutions]) -> Iterator[Solutions]:
        """Small pieces first where the first solutions are wanted soon, otherwise no small ones at all."""
        if not self.demand.streaming:
            yield from coalesced(batches)
            return
        size = FIRST_PIECE
        for batch in batches:
            begin = 0
            while begin < batch.length:
                yield batch.slice(begin, begin + size)
                begin += size
                size *= GROWTH

    def _passing(self, conditions: Sequence[Condition], rows: Solutions) -> Solutions:
        return self.solver.passing([condition.expression for condition in conditions], rows)

    def _kept(self, step: Step, rows: Solutions, last: bool) -> Solutions:
        rows = self._passing(step.conditions, rows)
        gone = [name for name in rows.columns if name not in step.kept]
        dropped = len(gone) > 0 or bool(step.atom.variables - step.kept)
        rows = rows.without(gone) if gone else rows
        if last or not dropped or rows.length < COMPRESSED:
            return rows
        if self.demand.multiplicity is Multiplicity.ANY:
            return distinct(rows)
        return grouped(rows) if self.demand.multiplicity is Multiplicity.WEIGHTED else rows


def coalesced(batches: Iterator[Solutions]) -> Iterator[Solutions]:
    """Small batches put together."""
    waiting: list[Solutions] = []
    size = 0
    for batch in batches:
        if batch.length:
            waiting.append(batch)
            size += batch.length
        if size >= SMALL:
            yield Solutions.concatenated(waiting)
            waiting, size = [], 0
    if waiting:
        yield Solutions.concatenated(waiting)
