"""Aggregates as rules of their own: the bindings of an aggregate, its groups, and what the rule makes of them.

``q(?x, ?n) :- s(?x), AGGREGATE(p(?x, ?y), r(?y) ON ?x BIND COUNT(?y) AS ?n)`` becomes three rules: one that derives
the bindings, ``bindings(?x, ?y) :- p(?x, ?y), r(?y)``; a *grouping rule*, ``result(?x, ?n) :- AGGREGATE(bindings(?x,
?y) ON ?x BIND COUNT(?y) AS ?n)``, whose groups are the first arguments of one auxiliary relation; and
``q(?x, ?n) :- s(?x), result(?x, ?n)``. Only grouping rules, which are alone in deriving their relation, have an
aggregate when they are compiled. The auxiliary relations are named after what they hold, so that rules share them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from kgreason.algebra.expressions.tree import Variable
from kgreason.program.list_rules import local_variables
from kgreason.program.negation import is_anonymous
from kgreason.program.rule_variables import any_variables
from kgreason.program.rules import Aggregate, Argument, Atom, Every, FactAtom, Rule
from kgreason.program.safety import bound_variables, ordinary_atoms
from kgreason.rdf.model import IRI

_RESULT: Final = "result of "
_BINDINGS: Final = "bindings of "
_ANYTHING: Final = IRI("urn:x-kgreason:anything")
"""The argument of the binding of a body without variables: a relation has one or more."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """An aggregate over an auxiliary relation: `bindings` has the group first, as `result` has."""

    aggregate: Aggregate
    bindings: FactAtom
    result: FactAtom

    @classmethod
    def of(cls, aggregate: Aggregate) -> Grouping:
        """The relations that an aggregate stands for: O(its size)."""
        columns = _columns(aggregate)
        alone = replace(aggregate, group=columns, values=())
        bindings = FactAtom(f"{_BINDINGS}{alone}", columns or (Variable("anything"),))
        values = tuple(value.variable for value in aggregate.values)
        return cls(aggregate, bindings, FactAtom(f"{_RESULT}{aggregate}", (*aggregate.group, *values)))

    def rules(self, owner: Rule) -> Iterator[Rule]:
        """The rules for the bindings, and the grouping rule, under the name of their owner."""
        head = self.bindings if _columns(self.aggregate) else FactAtom(self.bindings.name, (_ANYTHING,))
        yield from expanded(self.aggregate.deriving(head, name=owner.name, position=owner.position))
        grouped = Aggregate((self.bindings,), self.aggregate.group, self.aggregate.values)
        yield Rule((self.result,), (), name=owner.name, position=owner.position, aggregates=(grouped,))


def _columns(aggregate: Aggregate) -> tuple[Variable, ...]:
    """The variables whose bindings count: the group, then those after DISTINCT, or all but anonymous ones."""
    distinct = [variable for value in aggregate.values for variable in value.distinct]
    if all(value.distinct for value in aggregate.values):
        return tuple(dict.fromkeys((*aggregate.group, *distinct)))
    arguments = [value.argument for value in aggregate.values if value.argument is not None]
    needed: tuple[Argument, ...] = (*aggregate.group, *arguments, *distinct)
    bound = _bound(aggregate.deriving(FactAtom("", needed or (_ANYTHING,))))
    named = [each for each in _variables(aggregate) if each in bound and not is_anonymous(each)]
    return tuple(dict.fromkeys((*aggregate.group, *named, *arguments)))


def _bound(inner: Rule) -> set[Variable]:
    """The variables that a rule gives one value for each of its bindings."""
    bound = bound_variables(inner)
    for every in (atom for atom in inner.body if isinstance(atom, Every)):
        bound -= local_variables(inner, every)
    return bound


def _variables(aggregate: Aggregate) -> Iterator[Variable]:
    """The variables that an aggregate names, in order."""
    for atom in aggregate.body:
        yield from any_variables(atom)
    for nested in aggregate.aggregates:
        yield from nested.bound
    for assignment in aggregate.assignments:
        yield assignment.variable


def main_rule(rule: Rule) -> Rule:
    """The rule with facts in the place of its aggregates; a grouping rule stays as it is."""
    if not rule.aggregates or is_grouping(rule):
        return rule
    results = tuple(Grouping.of(aggregate).result for aggregate in rule.aggregates)
    return replace(rule, body=(*rule.body, *results), aggregates=())


def expanded(rule: Rule) -> Iterator[Rule]:
    """The rules that stand for a rule: the rule itself where it has no aggregates."""
    if not is_grouping(rule):
        for aggregate in rule.aggregates:
            yield from Grouping.of(aggregate).rules(rule)
    yield main_rule(rule)


def is_grouping(rule: Rule) -> bool:
    """Whether a rule derives the values of the groups of one relation."""
    return any(isinstance(head, FactAtom) and head.name.startswith(_RESULT) for head in rule.heads)


def aggregated_atoms(rule: Rule) -> Iterator[Atom]:
    """The atoms about triples and facts in the aggregates of a rule, negated ones too."""
    for aggregate in rule.aggregates:
        inner = aggregate.deriving()
        yield from ordinary_atoms(inner)
        yield from inner.negated
        yield from aggregated_atoms(inner)
