"""The search for a proof: which instances of rules, put together, lead from asserted facts to the goal.

Backward from the goal, instances of rules are collected; forward, a fact is proved as soon as all premises of one of
its instances are. A fact can thus rest only on facts that were proved before it, so a proof never goes in a circle,
and since every instance that the goal can rest on is collected in the end, a goal that holds is proved. What needs
the fewest facts that are not asserted is looked at first, and a rule with many instances gives them a few at a time.

Cost: for each fact looked at, tens of microseconds per rule that may give it; polynomial in the facts that the goal
can rest on, and in practice a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import chain, count

from kgreason.datalog.model import Rule, Variable
from kgreason.explanation.matching import Matcher
from kgreason.explanation.paths import (
    Transitivity,
    ends_of,
    facts_along,
    first_edges,
    shortest_path,
    transitivity,
)
from kgreason.explanation.patterns import IdRule, Rules, Terms, Vocabulary
from kgreason.explanation.reading import KnownFacts, State
from kgreason.explanation.steps import TRIPLE, IdFact, IdStep, Step
from kgreason.schemes.scheme import Table

CHUNK = 32
"""How many steps that lead to one fact are collected before the next fact has its turn."""
PAUSE = 16
"""How many facts deep the search goes elsewhere before it takes steps that are seldom needed."""


@dataclass(slots=True, eq=False)
class _Goal:
    """A fact that something rests on. `step` is how it was proved, as number `rank` of all facts; until then `steps`
    gives further steps that lead to it, `chunk` at a time, and it is looked at in the order of `priority`."""

    fact: IdFact
    steps: Iterator[IdStep | None]
    step: IdStep | None = None
    rank: int = 0
    priority: int = 0
    chunk: int = CHUNK
    is_queued: bool = False
    is_exhausted: bool = False
    wanted_by: list[_Support] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class _Support:
    """A step that leads to a goal, and how many of its premises are not proved yet."""

    goal: _Goal
    step: IdStep
    missing: int


class Explainer:
    """Finds proofs from the facts and the rules of one moment."""

    def __init__(self, facts: KnownFacts, rules: Iterable[Rule], terms: Terms) -> None:
        self._facts = facts
        self._vocabulary = Vocabulary(terms)
        self._rules = Rules(rules, self._vocabulary)
        self._matcher = Matcher(facts, self._vocabulary)
        self._transitive: dict[IdRule, Transitivity | None] = {}

    def proof(self, fact: IdFact) -> tuple[IdStep, ...]:
        """The steps of a proof of a fact that holds, premises before what rests on them."""
        return _Search(self._facts.is_asserted, self.steps).proof(fact)

    def steps(self, fact: IdFact) -> Iterator[IdStep | None]:
        """The steps that lead to a fact by one application of a rule, or along one path; lazily.

        None comes before steps that are seldom needed: it is time to see what the others come to.
        """
        paths: list[Iterator[IdStep]] = []
        for rule, binding in self._rules.giving(fact):
            form = self._transitivity(rule, fact)
            if form is None:
                yield from self._matcher.instances(rule, binding, fact)
            elif not form.is_irreflexive or len({*ends_of(fact)}) > 1:
                yield from self._paths(form, binding, fact, self._shortest)
                paths.append(self._paths(form, binding, fact, self._first_steps))
        if paths:
            yield None
            yield from chain.from_iterable(paths)

    def _transitivity(self, rule: IdRule, fact: IdFact) -> Transitivity | None:
        if fact.relation == TRIPLE and fact.arguments[1] == self._vocabulary.type:
            return None
        if rule not in self._transitive:
            self._transitive[rule] = transitivity(rule)
        return self._transitive[rule]

    def _paths(
        self,
        form: Transitivity,
        binding: dict[Variable, int],
        fact: IdFact,
        ways: Callable[[IdFact, Table], Iterator[tuple[int, ...]]],
    ) -> Iterator[IdStep]:
        closure = self._facts.pairs(fact)
        assert closure is not None, "a fact of a relation without facts is to be explained"
        for state in self._matcher.solutions(State(binding, form.beside, form.checks)):
            beside = self._matcher.step(form.rule, state, fact)
            for nodes in ways(fact, closure):
                premises = (*beside.premises, *facts_along(fact, nodes))
                yield Step(fact, form.rule.rule, premises, conditions=beside.conditions, path=nodes)

    def _shortest(self, fact: IdFact, closure: Table) -> Iterator[tuple[int, ...]]:
        """A path of asserted facts, and one of the edges that the relation is the closure of."""
        asserted, edges = self._facts.asserted_pairs(fact), self._facts.edges(fact)
        for tables in ([asserted] if asserted else [], edges):
            nodes = shortest_path(tables, closure, *ends_of(fact)) if tables else None
            if nodes is not None and len(nodes) > 2:
                yield nodes

    def _first_steps(self, fact: IdFact, closure: Table) -> Iterator[tuple[int, ...]]:
        """One edge, and the rest: for when an edge of the shortest path cannot be proved without the pair itself.

        Every pair that follows along a path has a path of edges, so these are enough for a proof.
        """
        start, end = ends_of(fact)
        for middle in first_edges(self._facts.edges(fact) or [closure], closure, start, end):
            yield start, middle, end


class _Search:
    """One search; all its facts are goals."""

    def __init__(self, is_asserted: Callable[[IdFact], bool], steps: Callable[[IdFact], Iterator[IdStep | None]]) -> None:
        self._is_asserted = is_asserted
        self._steps = steps
        self._goals: dict[IdFact, _Goal] = {}
        self._queue: list[tuple[int, int, _Goal]] = []
        self._numbers = count()

    def proof(self, fact: IdFact) -> tuple[IdStep, ...]:
        """The steps of a proof, premises before what rests on them."""
        root = self._goal(fact)
        self._enqueue(root, 0)
        while root.step is None:
            assert self._queue, "a fact that holds has no proof"
            priority, _, goal = heappop(self._queue)
            if goal.is_queued and priority == goal.priority:
                goal.is_queued = False
                if goal.step is None and (goal is root or any(s.goal.step is None for s in goal.wanted_by)):
                    self._look_at(goal)
        return self._collected(root)

    def _goal(self, fact: IdFact) -> _Goal:
        goal = self._goals.get(fact)
        if goal is None:
            goal = self._goals[fact] = _Goal(fact, self._steps(fact))
            if self._is_asserted(fact):
                goal.step, goal.rank = Step(fact), next(self._numbers)
        return goal

    def _enqueue(self, goal: _Goal, priority: int) -> None:
        if goal.is_exhausted or (goal.is_queued and goal.priority <= priority):
            return
        goal.priority, goal.is_queued = priority, True
        heappush(self._queue, (priority, next(self._numbers), goal))

    def _look_at(self, goal: _Goal) -> None:
        """Take some more steps that lead to a goal, up to a pause."""
        for _ in range(goal.chunk):
            try:
                step = next(goal.steps)
            except StopIteration:
                goal.is_exhausted = True
                return
            if step is None:
                self._enqueue(goal, goal.priority + PAUSE)
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
        """Let a goal be proved, and whatever lacked only that."""
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
