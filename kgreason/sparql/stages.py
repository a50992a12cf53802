"""FILTER, BIND, OPTIONAL and MINUS around a node, and the parts of a group: each batch of solutions goes through all
of them, in a loop.

A generator in a generator would take a frame for each, and a group may have a thousand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kgreason.sparql import query_tuning
from kgreason.sparql.algebra import Node
from kgreason.sparql.required_columns import Demand
from kgreason.sparql.solutions import Solutions

Step: TypeAlias = Callable[[Solutions], Iterable[Solutions]]
"""What is made of a batch."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What is made of the solutions of a node inside, and what is wanted of these."""

    inner: Node
    demand: Demand
    step: Step


def unchanged(batch: Solutions) -> Iterable[Solutions]:
    """The step of a stage that changes nothing."""
    return (batch,)


def through(steps: Sequence[Step], batches: Iterator[Solutions], check: Callable[[], None]) -> Iterator[Solutions]:
    """The batches after all steps. Each batch of a step goes through all others before the step makes the next one."""
    waiting = [batches]
    while waiting:
        check()
        batch = next(waiting[-1], None)
        if batch is None:
            waiting.pop()
        elif len(waiting) > len(steps):
            yield batch
        else:
            waiting.append(iter(steps[len(waiting) - 1](batch)))


def gathered(batches: Iterator[Solutions], most: int) -> Iterator[Solutions]:
    """The rows of the batches, the first ones soon and then about `most` at once, so that a table is not gone through
    for a few of them."""
    waiting: list[Solutions] = []
    rows, size = 0, 1
    for batch in batches:
        rows += batch.length
        if batch.length:
            waiting.append(batch)
        if rows >= size:
            yield Solutions.concatenated(waiting)
            waiting, rows, size = [], 0, min(rows * query_tuning.STAGE_GROWTH, most)
    if waiting:
        yield Solutions.concatenated(waiting)
