"""A plan of atoms at work: batches go through the steps one after the other, and what nobody needs any more goes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from kgreason.sparql.algebra import Basic
from kgreason.sparql.demand import Demand, Multiplicity
from kgreason.sparql.journal import Journal
from kgreason.sparql.limits import Limits
from kgreason.sparql.patterns.atoms import BLOCK
from kgreason.sparql.patterns.planning import Condition, Plan, Step
from kgreason.sparql.rows import distinct, grouped
from kgreason.sparql.solutions import Mask, Solutions

FIRST_PIECE: Final = 128
GROWTH: Final = 8
SMALL: Final = 1 << 16
COMPRESSED: Final = 256


class Truths(Protocol):
    """What evaluates filters."""

    def truth(self, condition: Condition, rows: Solutions) -> Mask:
        """The rows for which the condition is true."""


@dataclass(frozen=True, slots=True)
class Run:
    """The evaluation of one plan."""

    node: Basic
    plan: Plan
    demand: Demand
    truths: Truths
    limits: Limits
    journal: Journal | None = None

    def batches(self, seed: Solutions) -> Iterator[Solutions]:
        """The solutions, each extending one of the seed."""
        for condition in self.plan.first:
            seed = seed.where(self.truths.truth(condition, seed))
        first = FIRST_PIECE if self.demand.streaming else None
        for batch in self._from(0, seed):
            if self.demand.multiplicity is Multiplicity.EACH:
                for piece in batch.spread_out(BLOCK, first):
                    self.limits.check()
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
            self.limits.check(piece.length)
            kept = self._kept(step, piece, last)
            if self.journal is not None:
                self.journal.step(self.node, step, kept.total())
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

    def _kept(self, step: Step, rows: Solutions, last: bool) -> Solutions:
        for condition in step.conditions:
            rows = rows.where(self.truths.truth(condition, rows))
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
