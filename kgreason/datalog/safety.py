"""Safety: every variable of a rule gets its values from the positive body."""

from __future__ import annotations

from kgreason.datalog.model import Every, FactAtom, Member, Path, Rule, TripleAtom, Variable
from kgreason.datalog.specialise import any_variables, expression_variables, list_variables, relation_variables
from kgreason.errors import UnsafeRuleError


def check_safety(rule: Rule) -> None:
    """Raise UnsafeRuleError unless heads, negated atoms and built-ins use only variables that the body binds."""
    bound = _bound(rule)
    for atom in rule.heads:
        _require(rule, set(any_variables(atom)) - bound, "of the head")
    for atom in rule.negated:
        _require(rule, set(any_variables(atom)) - bound, "of a negated atom")
    for expression in rule.filters:
        _require(rule, set(expression_variables(expression)) - bound, f"of {expression}")
    for assignment in rule.assignments:
        _require(rule, {*expression_variables(assignment.expression), assignment.variable} - bound, f"of {assignment}")
    for variable in list_variables(rule):
        if not any(_names(atom, variable) for atom in rule.body):
            reason = f"nothing says which list {variable} is: it must be in a triple atom with a constant predicate"
            raise UnsafeRuleError(reason, rule.position)


def _bound(rule: Rule) -> set[Variable]:
    bound: set[Variable] = set()
    for atom in rule.body:
        match atom:
            case TripleAtom() | FactAtom():
                bound |= set(any_variables(atom))
            case Member(_, index, member):
                bound |= {variable for variable in (index, member) if isinstance(variable, Variable)}
            case Every(member, _, atoms):
                bound |= {v for inner in atoms for v in any_variables(inner)} - {member}
            case Path(start, _, end):
                bound |= {variable for variable in (start, end) if isinstance(variable, Variable)}
    waiting = list(rule.assignments)
    while ready := [a for a in waiting if set(expression_variables(a.expression)) <= bound]:
        bound |= {assignment.variable for assignment in ready}
        waiting = [assignment for assignment in waiting if assignment not in ready]
    return bound


def _names(atom: object, variable: Variable) -> bool:
    return isinstance(atom, TripleAtom) and variable in atom.arguments and not relation_variables(atom)


def _require(rule: Rule, unbound: set[Variable], where: str) -> None:
    if unbound:
        names = ", ".join(sorted(map(str, unbound)))
        raise UnsafeRuleError(f"unsafe rule: no positive body atom binds {names} {where}", rule.position)
