"""Instances of rules: whether premises and a rule give a conclusion, and all that a rule gives of a set of facts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kgreason.algebra.expressions.tree import Variable
from kgreason.errors import FunctionError
from kgreason.program.rules import Aggregate, Atom, FactAtom, Rule, TripleAtom
from kgreason.proof_checking.aggregates import aggregated, grouped
from kgreason.proof_checking.expression_values import assigned, is_true
from kgreason.proof_checking.fact_index import TRIPLE, TYPE, Binding, Fact, FactIndex, unified, value_of
from kgreason.proof_checking.matching import matches, matches_of
from kgreason.rdf.model import IRI, Literal, Term, TripleTerm

_STAGES: Final = (
    "its conclusion is not a head of the rule",
    "its premises are not what the body of the rule asks for",
    "the rule does not ask for all of its premises",
    "no group of the data has the values of an aggregate",
    "an assignment gives another value",
    "a condition is not true",
    "what the rule denies holds",
)


def refusal(rule: Rule, premises: FactIndex, conclusion: Fact, complete: FactIndex) -> str | None:
    """Why premises and a rule do not give a conclusion, by the instance that came furthest; None where they do.

    `complete` has all facts that the rule denies or aggregates.
    """
    furthest = 0
    for head in rule.heads:
        start = _head_binding(head, conclusion)
        if start is None:
            continue
        furthest = max(furthest, 1)
        for binding, used in matches(rule, premises, start):
            # The premises of an aggregate are examples of its bindings, not what it is made of.
            if len(used) < len(premises) and not rule.aggregates:
                furthest = max(furthest, 2)
                continue
            for stage in _stages(rule, binding, complete):
                if stage is None:
                    return None
                furthest = max(furthest, stage)
    return _STAGES[furthest]


def conclusions(rule: Rule, facts: FactIndex, complete: FactIndex) -> Iterator[Fact]:
    """All that a rule gives of facts; `complete` is what negated atoms and aggregates see."""
    for binding in bindings(rule, facts, complete):
        for head in rule.heads:
            fact = _fact(head, binding)
            if fact is not None:
                yield fact


def bindings(rule: Rule, facts: FactIndex, complete: FactIndex) -> Iterator[Binding]:
    """All bindings that satisfy the body of a rule."""
    for binding, _ in matches(rule, facts, {}):
        yield from _satisfied(rule, binding, complete)


def _satisfied(rule: Rule, binding: Binding, complete: FactIndex) -> Iterator[Binding]:
    for joined in _with_groups(rule.aggregates, binding, complete):
        known = assigned(rule.assignments, joined)
        if known is not None and _holds(rule, known, complete) is None:
            yield known


def _stages(rule: Rule, binding: Binding, complete: FactIndex) -> Iterator[int | None]:
    """For each way to complete a binding how far it comes, None for all the way."""
    yield 3
    for joined in _with_groups(rule.aggregates, binding, complete):
        known = assigned(rule.assignments, joined)
        yield 4 if known is None else _holds(rule, known, complete)


def _holds(rule: Rule, binding: Binding, complete: FactIndex) -> int | None:
    if not all(is_true(condition, binding) for condition in rule.filters):
        return 5
    return 6 if any(_is_present(atom, complete, binding) for atom in rule.negated) else None


def _is_present(atom: Atom, complete: FactIndex, binding: Binding) -> bool:
    return any(True for _ in matches_of(atom, complete, binding))


def _with_groups(aggregates: tuple[Aggregate, ...], binding: Binding, complete: FactIndex) -> Iterator[Binding]:
    """The binding joined with a group of each aggregate."""
    if not aggregates:
        yield binding
        return
    first, *others = aggregates
    # A head with the variables that count, so that they are not local to an `every`.
    counted = (part for value in first.values for part in (*value.distinct, value.argument) if part is not None)
    inner = first.deriving(FactAtom("group", (*first.group, *counted)))
    for group in grouped(bindings(inner, complete, complete), first.group):
        try:
            values = tuple(aggregated(value, group) for value in first.values)
        except FunctionError:
            continue
        key = tuple(group[0][variable] for variable in first.group)
        names = (*first.group, *(value.variable for value in first.values))
        joined = unified(names, (*key, *values), binding)
        if joined is not None:
            yield from _with_groups(tuple(others), joined, complete)


def _head_binding(head: Atom, conclusion: Fact) -> dict[Variable, Term] | None:
    if isinstance(head, TripleAtom) != (conclusion.relation == TRIPLE):
        return None
    if not isinstance(head, TripleAtom) and head.name != conclusion.relation:
        return None
    binding = unified(head.arguments, conclusion.arguments, {})
    return binding if binding is None or _fact(head, binding) == conclusion else None


def _fact(head: Atom, binding: Binding) -> Fact | None:
    """What a head says; None for what is no triple, and for a literal that a variable makes a class."""
    values: list[Term] = []
    for argument in head.arguments:
        value = value_of(argument, binding)
        if value is None:
            return None
        values.append(value)
    if not isinstance(head, TripleAtom):
        return Fact(head.name, tuple(values))
    subject, predicate, object = values
    if isinstance(subject, Literal | TripleTerm) or not isinstance(predicate, IRI):
        return None
    is_open = isinstance(head.predicate, Variable) or isinstance(head.object, Variable)
    if predicate == TYPE and isinstance(object, Literal | TripleTerm) and is_open:
        return None
    return Fact(TRIPLE, (subject, predicate, object))
