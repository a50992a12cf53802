"""The search for a proof: which instances of rules, put together, lead from asserted facts to the goal.

Backward from the goal, instances of rules are collected; forward, a fact is proved as soon as all premises of one of
its instances are. A fact can thus rest only on facts that were proved before it, so a proof never goes in a circle,
and since every instance that the goal can rest on is collected in the end, a goal that holds is proved. What needs
the fewest facts that are not asserted is looked at first, and a rule with many instances gives them a few at a time.

Cost: for each fact looked at, tens of microseconds per rule that may give it; polynomial in the facts that the goal
can rest on, and in practice a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import TypeAlias

from kgreason import tuning
from kgreason.checkpoints import checkpoint
from kgreason.proofs.steps import IdFact, IdStep, Step

IsAsserted: TypeAlias = Callable[[IdFact], bool]
StepsTo: TypeAlias = Callable[[IdFact], Iterator[IdStep | None]]


@dataclass(slots=True, eq=False)
class _Goal:
    """A fact that something rests on. `step` is how it was proved, as number `rank` of all facts; until then `steps`
    gives further steps that lead to it, `chunk` at a time, and it is looked at in the order of `priority`."""

    fact: IdFact
    steps: Iterator[IdStep | None]
    chunk: int
    step: IdStep | None = None
    rank: int = 0
    priority: int = 0
    is_queued: bool = False
    is_exhausted: bool = False
    wanted_by: list[_Support] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class _Support:
    """A step that leads to a goal, and how many of its premises are not proved yet."""

    goal: _Goal
    step: IdStep
    missing: int


def prove(fact: IdFact, is_asserted: IsAsserted, steps: StepsTo) -> tuple[IdStep, ...] | None:
    """The steps of a proof of a fact, premises before what rests on them; None where it follows from nothing asserted.

    `steps` gives the steps that lead to a fact, None where the next ones are seldom needed.
    """
    return _Search(is_asserted, steps).proof(fact)


class _Search:
    """One search; all its facts are goals."""

    def __init__(self, is_asserted: IsAsserted, steps: StepsTo) -> None:
        self._is_asserted = is_asserted
        self._steps = steps
        self._goals: dict[IdFact, _Goal] = {}
        self._queue: list[tuple[int, int, int, _Goal]] = []
        self._numbers = count()
        self._looks = 0

    def proof(self, fact: IdFact) -> tuple[IdStep, ...] | None:
        """The steps of a proof, premises before what rests on them; None for none."""
        root = self._goal(fact)
        self._enqueue(root, 0)
        while root.step is None:
            if not self._queue:
                return None
            priority, _, _, goal = heappop(self._queue)
            if goal.is_queued and priority == goal.priority:
                goal.is_queued = False
                if goal.step is None and (goal is root or any(s.goal.step is None for s in goal.wanted_by)):
                    self._look_at(goal)
        return self._collected(root)

    def _goal(self, fact: IdFact) -> _Goal:
        goal = self._goals.get(fact)
        if goal is None:
            goal = self._goals[fact] = _Goal(fact, self._steps(fact), tuning.DERIVATIONS_AT_ONCE)
            if self._is_asserted(fact):
                goal.step, goal.rank = Step(fact), next(self._numbers)
        return goal

    def _enqueue(self, goal: _Goal, priority: int) -> None:
        """Let a goal wait for its turn; of equal ones, those that the last look brought come first, in their order."""
        if goal.is_exhausted or (goal.is_queued and goal.priority <= priority):
            return
        goal.priority, goal.is_queued = priority, True
        heappush(self._queue, (priority, -self._looks, next(self._numbers), goal))

    def _look_at(self, goal: _Goal) -> None:
        """Take some more steps that lead to a goal, up to a pause."""
        checkpoint()
        self._looks += 1
        for _ in range(goal.chunk):
            try:
                step = next(goal.steps)
            except StopIteration:
                goal.is_exhausted = True
                return
            if step is None:
                self._enqueue(goal, goal.priority + tuning.SELDOM_NEEDED)
                return
            self._add(goal, step)
            if goal.step is not None:
                return
        goal.chunk *= 2
        self._enqueue(goal, goal.priority + 1)

    def _add(self, goal: _Goal, step: IdStep) -> None:
        premises = [self._goal(premise) for premise in dict.fromkeys(step.premises)]
        if goal in premises:
            return
        missing = [premise for premise in premises if premise.step is None]
        if not missing:
            self._prove(goal, step)
            return
        support = _Support(goal, step, len(missing))
        for premise in missing:
            premise.wanted_by.append(support)
            self._enqueue(premise, goal.priority + (1 if step.path else len(missing)))

    def _prove(self, goal: _Goal, step: IdStep) -> None:
        """Let a goal be proved, and all goals that lacked only that."""
        proved = [(goal, step)]
        while proved:
            goal, step = proved.pop()
            if goal.step is None:
                goal.step, goal.rank = step, next(self._numbers)
                for support in goal.wanted_by:
                    support.missing -= 1
                    if not support.missing:
                        proved.append((support.goal, support.step))

    def _collected(self, root: _Goal) -> tuple[IdStep, ...]:
        """The steps that the root rests on, in the order in which they were proved."""
        found = {root: root.step}
        waiting = [root]
        while waiting:
            step = waiting.pop().step
            for premise in step.premises if step is not None else ():
                below = self._goals[premise]
                if below not in found:
                    found[below] = below.step
                    waiting.append(below)
        ordered = sorted(found, key=lambda goal: goal.rank)
        return tuple(goal.step for goal in ordered if goal.step is not None)
