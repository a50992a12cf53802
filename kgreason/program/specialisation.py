"""Specialisation: what a rule becomes when its schema atoms are evaluated first (partial evaluation).

A *schema variable* stands where a relation is named: as the predicate of a triple, or as its class. The body
atoms with a constant relation that share such a variable are the rule's *guard*; each distinct answer to
the guard makes one specialised rule, in which the schema variables are constants. A schema variable without a
guard is *universal*: it ranges over all relations that have facts. Where it names no relation in the body
(``[?y, a, ?x] :- [?x, a, ?y]``), the atoms that bind it join the guard. So ``[?x, a, ?c] :- [?p, rdfs:domain, ?c],
[?x, ?p, ?y]`` becomes, for each pair of the guard ``[?p, rdfs:domain, ?c]``, the rule ``c(?x) :- p(?x, ?y)``.

Rules over lists are written out before (`list_rules`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kgreason.algebra.expressions.tree import Call, Variable, expression_variables
from kgreason.errors import UnsafeRuleError
from kgreason.program.list_rules import without_members
from kgreason.program.rule_variables import (
    TYPE,
    atoms_of,
    class_variable,
    plain_body,
    property_variable,
    relation_variables,
    substitute,
    variables_of,
)
from kgreason.program.rules import Atom, Expression, Rule
from kgreason.rdf.model import IRI


@dataclass(frozen=True, slots=True)
class Template:
    """A rule with at most one head, ready for specialisation.

    `guard` gives the bindings of `schema`, the guarded schema variables; None where there are none. `rule` is what
    is left to be done for each of them; `universals` range over classes or properties (`is_class`).
    """

    rule: Rule
    schema: tuple[Variable, ...]
    universals: tuple[Variable, ...]
    guard: tuple[Atom, ...]
    guard_filters: tuple[Expression, ...]

    def is_class(self, variable: Variable) -> bool:
        """Whether a universal variable ranges over classes: over properties where the body has it as one."""
        if any(property_variable(atom) == variable for atom in plain_body(self.rule)):
            return False
        return any(class_variable(atom) == variable for atom in atoms_of(self.rule))


def templates(rule: Rule) -> list[Template]:
    """The templates of a rule without `every` and `path`: one for each head, and one more for each universal
    predicate variable, with rdf:type in its place; none where a filter keeps a constant apart from itself."""
    found: dict[Rule, Template] = {}
    for head in rule.heads or (None,):
        _collect(replace(rule, heads=(head,) if head else (), body=without_members(rule)), found)
    return list(found.values())


def _collect(rule: Rule, found: dict[Rule, Template]) -> None:
    if rule in found or any(map(_is_contradiction, rule.filters)):
        return
    template = _template(rule)
    found[rule] = template
    for variable in template.universals:
        if not template.is_class(variable) or any(property_variable(a) == variable for a in atoms_of(rule)):
            _collect(substitute(rule, {variable: TYPE}), found)


def _is_contradiction(condition: Expression) -> bool:
    """Whether a filter says that an IRI is not itself."""
    if not isinstance(condition, Call) or condition.function != "!=":
        return False
    left, right = condition.arguments
    return isinstance(left, IRI) and left == right


def _template(rule: Rule) -> Template:
    order = _schema_variables(rule)
    if not order:  # most rules
        return Template(rule, (), (), (), ())
    schema = set(order)
    guard = _guard(rule, plain_body(rule), schema)
    guarded = {variable for atom in guard for variable in variables_of(atom)} & schema
    universals = schema - guarded
    rest = _residual(rule, guard, schema)
    on_schema = [f for f in rule.filters if guard and set(expression_variables(f)) <= guarded]
    filters = tuple(f for f in rule.filters if f not in on_schema)
    return Template(
        replace(rule, body=rest, filters=filters),
        tuple(variable for variable in order if variable in guarded),
        tuple(variable for variable in order if variable in universals),
        tuple(guard),
        tuple(on_schema),
    )


def _schema_variables(rule: Rule) -> dict[Variable, None]:
    return {variable: None for atom in atoms_of(rule) for variable in relation_variables(atom)}


def _guard(rule: Rule, body: tuple[Atom, ...], schema: set[Variable]) -> list[Atom]:
    """The atoms that bind schema variables: those over constant relations, and others for what is only bound there; and
    with these the atoms without variables, which hold for all of the specialised rules or for none."""
    guard = [atom for atom in body if not relation_variables(atom) and schema & set(variables_of(atom))]
    named = {variable for atom in body for variable in relation_variables(atom)}
    unnamed = schema - named - {variable for atom in guard for variable in variables_of(atom)}
    for variable in unnamed:
        binding = [atom for atom in body if variable in variables_of(atom) and atom not in guard]
        if not binding:
            raise UnsafeRuleError(f"nothing says which relation {variable} is", rule.position)
        guard += binding
    if guard:
        guard += [atom for atom in body if not variables_of(atom) and atom not in guard]
    return guard


def _residual(rule: Rule, guard: list[Atom], schema: set[Variable]) -> tuple[Atom, ...]:
    """The body without the guard atoms whose variables nothing else needs."""
    outside: set[Variable] = set()
    body = plain_body(rule)
    for atom in (*rule.heads, *rule.negated, *(a for a in body if a not in guard)):
        outside |= set(variables_of(atom))
    for expression in (*rule.filters, *(a.expression for a in rule.assignments)):
        outside |= set(expression_variables(expression))
    outside -= schema
    kept: list[Atom] = []
    waiting = list(guard)
    while True:
        needed = [atom for atom in waiting if outside & set(variables_of(atom))]
        if not needed:
            break
        for atom in needed:
            waiting.remove(atom)
            kept.append(atom)
            outside |= set(variables_of(atom)) - schema
    return tuple(atom for atom in body if atom in kept or atom not in guard)
