"""Safety: every variable of a rule gets its values from the positive body, and every relation is named there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Final, TypeGuard

from kgreason.algebra.expressions.tree import Variable, expression_variables
from kgreason.errors import UnsafeRuleError
from kgreason.program.list_rules import list_variables
from kgreason.program.negation import is_anonymous
from kgreason.program.rule_variables import any_variables, relation_variables, variables_of
from kgreason.program.rules import Aggregate, Assignment, Atom, Every, FactAtom, Member, Path, Rule, TripleAtom

_TRIPLE: Final = 3
ASSERTED: Final = "asserted-triple"
"""The relation of the triples that are asserted, those that only follow aside: subject, predicate, object."""


def check_safety(rule: Rule) -> None:
    """Raise UnsafeRuleError unless the rule is safe: O(size of the rule), times its assignments.

    Heads, negated atoms, filters and assignments use only variables that a positive body atom binds, or an assignment
    from such variables; only the anonymous variables of a negated atom are existential. A variable that
    names a relation there is one of an ordinary body atom. A list is named by a triple with a constant predicate.
    """
    if rule.is_fact and not any(map(variables_of, rule.heads)):
        return
    for aggregate in rule.aggregates:
        _check_aggregate(rule, aggregate)
    bound = bound_variables(rule)
    for atom in rule.heads:
        _require(rule, any_variables(atom), bound, f"of the head {atom}")
    for atom in rule.negated:
        named = (variable for variable in any_variables(atom) if not is_anonymous(variable))
        _require(rule, named, bound, f"of ~{atom}")
    for assignment in rule.assignments:
        _require(rule, (*expression_variables(assignment.expression), assignment.variable), bound, f"of {assignment}")
    for expression in rule.filters:
        _require(rule, expression_variables(expression), bound, f"of {expression}")
    _check_relations(rule)
    for variable in list_variables(rule):
        if not any(isinstance(atom, TripleAtom) and variable in _named(atom) for atom in rule.body):
            reason = f"nothing says which list {variable} is: it must be in a triple atom with a constant predicate"
            raise UnsafeRuleError(reason, rule.position)


def _check_aggregate(rule: Rule, aggregate: Aggregate) -> None:
    inner = aggregate.deriving(position=rule.position)
    check_safety(inner)
    bound, values = bound_variables(inner), [value.variable for value in aggregate.values]
    arguments = [v for value in aggregate.values for v in (value.argument, *value.distinct) if v is not None]
    _require(rule, (*aggregate.group, *arguments), bound, f"of {aggregate}")
    taken = sorted({str(v) for v in values if v in bound or values.count(v) > 1})
    if taken:
        raise UnsafeRuleError(f"{', '.join(taken)} cannot be the value of {aggregate}: it has another", rule.position)


def bound_variables(rule: Rule) -> set[Variable]:
    """The variables that the positive body, aggregates and assignments of a rule bind."""
    bound: set[Variable] = {variable for aggregate in rule.aggregates for variable in aggregate.bound}
    for atom in rule.body:
        match atom:
            case TripleAtom() | FactAtom():
                bound.update(any_variables(atom))
            case Member(_, index, member):
                bound |= {variable for variable in (index, member) if isinstance(variable, Variable)}
            case Every(member, _, atoms):
                bound |= {v for inner in atoms for v in any_variables(inner)} - {member}
            case Path(start, _, end):
                bound |= {variable for variable in (start, end) if isinstance(variable, Variable)}
    return bound | _assigned(rule.assignments, bound)


def _assigned(assignments: Sequence[Assignment], bound: Set[Variable]) -> set[Variable]:
    """The variables that assignments bind, in whichever order their expressions allow."""
    found: set[Variable] = set()
    waiting = list(assignments)
    while ready := [each for each in waiting if set(expression_variables(each.expression)) <= bound | found]:
        found |= {assignment.variable for assignment in ready}
        waiting = [assignment for assignment in waiting if assignment not in ready]
    return found


def _require(rule: Rule, variables: Iterable[Variable], bound: set[Variable], where: str) -> None:
    unbound = set(variables) - bound
    if unbound:
        names = ", ".join(sorted("_" if is_anonymous(v) else str(v) for v in unbound))
        raise UnsafeRuleError(f"unsafe rule: no positive body atom binds {names} {where}", rule.position)


def _check_relations(rule: Rule) -> None:
    """A value that is computed, or reached by a path, cannot say which relation a head is about."""
    relations = (variable for atom in (*rule.heads, *rule.negated) for variable in relation_variables(atom))
    open_variables = {variable for variable in relations if not is_anonymous(variable)}
    if not open_variables:
        return
    naming = {variable for atom in ordinary_atoms(rule) for variable in (*_named(atom), *relation_variables(atom))}
    naming |= {v for atom in rule.body if isinstance(atom, Member) for v in any_variables(atom)}
    naming |= {variable for aggregate in rule.aggregates for variable in aggregate.bound}
    for variable in sorted(open_variables - naming, key=str):
        reason = f"nothing says which relation {variable} is: it must be in an atom of the positive body"
        raise UnsafeRuleError(f"unsafe rule: {reason}", rule.position)


def asserted_atoms(rule: Rule) -> Iterator[TripleAtom]:
    """What a rule says of asserted triples alone, as atoms about triples."""
    for atom in (*ordinary_atoms(rule), *rule.negated):
        if is_asserted(atom):
            yield TripleAtom(*atom.arguments)


def is_asserted(atom: Atom) -> TypeGuard[FactAtom]:
    """Whether an atom is about asserted triples alone."""
    return isinstance(atom, FactAtom) and atom.name == ASSERTED and len(atom.arguments) == _TRIPLE


def ordinary_atoms(rule: Rule) -> Iterator[Atom]:
    """The positive body atoms about triples and facts, those inside `every` too."""
    for atom in rule.body:
        if isinstance(atom, Every):
            yield from atom.atoms
        elif isinstance(atom, TripleAtom | FactAtom):
            yield atom


def _named(atom: Atom) -> tuple[Variable, ...]:
    """The variables of an atom with a constant relation."""
    return () if relation_variables(atom) else tuple(any_variables(atom))
