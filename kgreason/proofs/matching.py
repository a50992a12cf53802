"""The instances of rules whose head is a given fact, found one after the other by backtracking over the body.

The head is known, so most atoms have something bound; at each point the atom goes first that promises the fewest
matches. What a rule offers is enumerated lazily, so a rule with a million instances costs what is taken of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from kgreason import tuning
from kgreason.algebra.expressions.tree import Call, Variable, with_leaves
from kgreason.checkpoints import checkpoint
from kgreason.program.rules import Argument
from kgreason.proofs.check_values import CheckValues
from kgreason.proofs.fact_reader import Premises, Reader, State, premises_of
from kgreason.proofs.list_premises import ListWalk, Matches
from kgreason.proofs.rule_patterns import AggregatePattern, Binding, Check, IdRule, Part, Pattern, Vocabulary
from kgreason.proofs.steps import BINDING, Absent, Condition, Fact, Group, IdFact, IdStep, Step

MEMBERS: Final = 10
"""So many members of a group are listed."""


class Matcher:
    """Matches bodies of rules against facts; what a rule denies must not be among `denied`."""

    def __init__(self, facts: Reader, denied: Reader, vocabulary: Vocabulary, values: CheckValues) -> None:
        self._facts = facts
        self._cost = lru_cache(tuning.REMEMBERED_COSTS)(facts.cost)
        self._denied = denied
        self._vocabulary = vocabulary
        self._terms = vocabulary.terms
        self._values = values
        self._lists = ListWalk(facts, vocabulary, self.match, self.solutions)

    def instances(self, rule: IdRule, binding: Binding, conclusion: IdFact) -> Iterator[IdStep]:
        """The steps that lead to the conclusion by a rule, given what its head says about its variables."""
        for state in self.applications(rule, binding):
            yield self.step(rule, state, conclusion)

    def applications(self, rule: IdRule, binding: Binding) -> Iterator[State]:
        """Every way to satisfy the body of a rule."""
        for state in self.solutions(State(binding, rule.body, rule.checks)):
            if not any(self._is_denied(pattern, state.binding) for pattern in rule.negated):
                yield state

    def step(self, rule: IdRule, state: State, conclusion: IdFact) -> IdStep:
        """The step that a solution makes."""
        absent = tuple(Absent(pattern.relation, pattern.put(state.binding)) for pattern in rule.negated)
        conditions = tuple(self.condition(check, state.binding) for check in rule.checks)
        premises = premises_of(state.premises)
        aggregates = [part for part in rule.body if isinstance(part, AggregatePattern)]
        if not aggregates:
            return Step(conclusion, rule.rule, premises, absent, conditions)
        groups = tuple(self._group(part, state.binding) for part in aggregates)
        members = (premise for group in groups for member in group.members for premise in member.premises)
        premises = tuple(dict.fromkeys((*premises, *members)))
        return Step(conclusion, rule.rule, premises, absent, conditions, groups=groups)

    def _group(self, part: AggregatePattern, binding: Binding) -> Group[int]:
        """The group of an aggregate, with its first members."""
        aggregate, members = part.aggregate, dict[tuple[int | None, ...], IdStep]()
        key = {variable: binding[variable] for variable in aggregate.group}
        for state in self.applications(part.inner, key):
            values = part.bindings.put(state.binding)
            if values not in members:
                fact = Fact(BINDING, tuple(value for value in values if value is not None))
                members[values] = self.step(part.inner, state, fact)
            if len(members) == MEMBERS:
                break
        count = self._facts.count(part.bindings.relation, part.bindings.put(key))
        found = tuple(binding[value.variable] for value in aggregate.values)
        return Group(aggregate, tuple(key.values()), found, count, tuple(members.values()))

    def solutions(self, state: State) -> Iterator[State]:
        """Every way to match what is still to be matched, and to pass the checks."""
        checked = self._checked(state)
        if checked is None:
            return
        if not checked.parts:
            yield checked
            return
        position = self._next(checked)
        if position is None:
            return
        parts = checked.parts[:position] + checked.parts[position + 1 :]
        for binding, premises in self.matches(checked.parts[position], checked.binding, checked.premises):
            yield from self.solutions(State(binding, parts, checked.checks, premises))

    def match(self, pattern: Pattern, binding: Binding, premises: Premises) -> Matches:
        """The ways to match one atom."""
        for extended, fact in self._matching(self._facts, pattern, binding):
            yield extended, (fact, premises)

    def _is_denied(self, pattern: Pattern, binding: Binding) -> bool:
        return any(True for _ in self._matching(self._denied, pattern, binding))

    def _matching(self, facts: Reader, pattern: Pattern, binding: Binding) -> Iterator[tuple[Binding, IdFact]]:
        for arguments in facts.matches(pattern.relation, pattern.put(binding)):
            if pattern.is_open and self._vocabulary.has_no_class(pattern.relation, arguments):
                continue
            extended = pattern.unify(arguments, binding)
            if extended is not None:
                yield extended, Fact(pattern.relation, arguments)

    def matches(self, part: Part, binding: Binding, premises: Premises) -> Matches:
        """The ways to match one part of a body."""
        if isinstance(part, Pattern):
            return self.match(part, binding, premises)
        if isinstance(part, AggregatePattern):
            return ((found, premises) for found, _ in self._matching(self._facts, part.result, binding))
        return self._lists.matches(part, binding, premises)

    def _next(self, state: State) -> int | None:
        """The part of the body that promises the fewest matches; None when one has none at all."""
        best, least = None, 0
        for position, part in enumerate(state.parts):
            if isinstance(part, Pattern | AggregatePattern):
                pattern = part if isinstance(part, Pattern) else part.result
                cost = self._cost(pattern.relation, pattern.put(state.binding))
                if not cost:
                    return None
            elif part.list in state.binding:
                cost = tuning.LIST_COST
            else:
                continue
            if best is None or cost < least:
                best, least = position, cost
        assert best is not None, "nothing in the body binds a list"
        return best

    # -- built-ins ----------------------------------------------------------------------------------------------

    def _checked(self, state: State) -> State | None:
        """The state with every check evaluated that can be; None when one fails."""
        checkpoint()
        binding, waiting = dict(state.binding), list(state.checks)
        progress = True
        while progress:
            progress = False
            for check in [check for check in waiting if check.inputs <= binding.keys()]:
                waiting.remove(check)
                if not self.passes(check, binding):
                    return None
                progress = True
        return State(binding, state.parts, tuple(waiting), state.premises)

    def passes(self, check: Check, binding: dict[Variable, int]) -> bool:
        """Whether a check holds; what it assigns is noted in the binding."""
        return self._values.passes(check, binding)

    def condition(self, check: Check, binding: Binding) -> Condition[int]:
        """A check with the values of its variables."""
        def put(leaf: Argument) -> int:
            return binding[leaf] if isinstance(leaf, Variable) else self._terms.encode(leaf)

        found: Condition[int] = with_leaves(check.expression, put)
        return found if check.variable is None else Call("=", (binding[check.variable], found))
