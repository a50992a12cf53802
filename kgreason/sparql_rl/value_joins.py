"""Rules whose atoms have variables in common only by what is computed, with relations of their own for these.

    RULE { ?item :held ?value } WHERE { << ?item :p ?value ~ ?claim >> :end ?year . ?item a :Person }

A reified triple is taken apart by functions, and so its item would be computed, and compared, for each claim and each
person. With a relation of the claims and their items the rest is a join:

    joined(?claim, ?item) :- [?claim, rdf:reifies, ?t], FILTER(istriple(?t)), ?item := subject(?t), ... .
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from kgreason.algebra.connected_parts import connected
from kgreason.algebra.expressions.tree import Call, Variable, expression_variables
from kgreason.program.negation import is_anonymous
from kgreason.program.rule_variables import any_variables
from kgreason.program.rules import Assignment, BodyAtom, Expression, FactAtom, Rule
from kgreason.sparql_rl.negations import digest


@dataclass(slots=True)
class _Group:
    """Atoms connected by variables, and what can be computed of these alone."""

    atoms: list[BodyAtom]
    variables: set[Variable]
    filters: list[Expression] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)

    @property
    def computed(self) -> set[Variable]:
        return {each.variable for each in self.assignments}

    def assign(self, assignment: Assignment) -> None:
        self.assignments.append(assignment)
        self.variables.add(assignment.variable)

    def rule(self, wanted: Collection[Variable], like: Rule) -> Rule:
        """The rule that derives a relation of the variables that are wanted; its name and position are another's."""
        whole = Rule((), tuple(self.atoms), (), tuple(self.filters), tuple(self.assignments), like.name, like.position)
        shown = tuple(variable for variable in sorted(self.variables, key=str) if variable in wanted)
        return replace(whole, heads=(FactAtom(f"joined-{digest(str(whole))}", shown),))


def with_value_joins(rule: Rule) -> Iterator[Rule]:
    """The rule; or relations of the groups of atoms that share what they compute with others, and a rule of these."""
    found = connected((frozenset(any_variables(atom)), atom) for atom in rule.body)
    groups = [_Group(atoms, set(variables)) for variables, atoms in found]
    filters, assignments = _placed(rule, groups)
    joining = [group for group in groups if group.computed & _variables_beside(group, groups)]
    if not joining:
        yield rule
        return
    outside = [*filters, *(each.expression for each in assignments)]
    wanted = {v for atom in (*rule.heads, *rule.negated) for v in any_variables(atom) if not is_anonymous(v)}
    wanted.update(v for expression in outside for v in expression_variables(expression))
    body: list[BodyAtom] = []
    for group in groups:
        if group in joining:
            joined = group.rule(wanted | _variables_beside(group, groups), like=rule)
            yield joined
            body += joined.heads
        else:
            body += group.atoms
            filters += group.filters
            assignments = [*group.assignments, *assignments]
    yield replace(rule, body=tuple(body), filters=tuple(filters), assignments=tuple(assignments))


def _variables_beside(group: _Group, groups: Sequence[_Group]) -> set[Variable]:
    return {variable for other in groups if other is not group for variable in other.variables}


def _placed(rule: Rule, groups: Sequence[_Group]) -> tuple[list[Expression], list[Assignment]]:
    """Put filters and assignments of the variables of one group into it; the others."""
    assignments: list[Assignment] = []
    for each in rule.assignments:
        own = _group_of(each.expression, groups)
        if own is None:
            assignments.append(each)
        else:
            own.assign(each)
    filters: list[Expression] = []
    for test in rule.filters:
        own = _group_of(test, groups)
        if own is not None:
            own.filters.append(test)
        elif not _is_equated(test, groups):
            filters.append(test)
    return filters, assignments


def _group_of(expression: Expression, groups: Sequence[_Group]) -> _Group | None:
    """The group that has all variables of an expression, of which there is one at least."""
    variables = {*expression_variables(expression)}
    return next((group for group in groups if variables and variables <= group.variables), None)


def _is_equated(test: Expression, groups: Sequence[_Group]) -> bool:
    """Whether a test is that a group computes the value of a variable of another group; the group then has it, too."""
    match test:
        case Call("sameterm", (Call() as value, Variable() as variable)):
            own = _group_of(value, groups)
            if own is not None and any(variable in group.variables for group in groups):
                own.assign(Assignment(variable, value))
                return True
    return False
