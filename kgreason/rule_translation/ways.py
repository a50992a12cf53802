"""Ways to match a pattern: bodies of rules while they are put together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from kgreason.algebra.expressions.tree import Call, Variable, expression_variables
from kgreason.program.rule_variables import any_variables, relation_variables, substitute
from kgreason.program.rules import Argument, Assignment, Expression, FactAtom, Rule, TripleAtom
from kgreason.program.safety import ASSERTED
from kgreason.rdf.model import IRI, Literal, TripleTerm
from kgreason.rule_translation.rule_graph import TranslationError, digest, equate

THIS: Final = Variable("this")
"""What is given to a SHACL rule before its query is put."""


def _may_match(atom: object) -> bool:
    """Whether an atom can be a triple: VALUES may put a literal in the place of a subject."""
    if not isinstance(atom, TripleAtom):
        return True
    return not isinstance(atom.subject, Literal | TripleTerm) and isinstance(atom.predicate, IRI | Variable)


@dataclass(frozen=True, slots=True)
class Way:
    """One way to match a pattern: a body, what is assigned, what is the same, and rules that it needs."""

    atoms: tuple[TripleAtom | FactAtom, ...] = ()
    negated: tuple[FactAtom, ...] = ()
    filters: tuple[Expression, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    same: tuple[tuple[Argument, Argument], ...] = ()
    rules: tuple[Rule, ...] = ()

    @property
    def bound(self) -> set[Variable]:
        """The variables that it gives a value."""
        found = {variable for atom in self.atoms for variable in any_variables(atom)}
        found |= {each.variable for each in self.assignments}
        return found | {part for pair in self.same for part in pair if isinstance(part, Variable)}

    @property
    def mentioned(self) -> set[Variable]:
        """The variables that it gives a value, or that its conditions are about."""
        found = self.bound | {v for each in self.filters for v in expression_variables(each)}
        return found | {v for atom in self.negated for v in any_variables(atom)}

    @property
    def is_asserted(self) -> bool:
        """Whether asserted triples alone decide on it: it is no step of a circle through a negation then."""
        are_asserted = all(isinstance(atom, FactAtom) and atom.name == ASSERTED for atom in self.atoms)
        return are_asserted and not self.negated and self.mentioned <= self.bound

    def joined(self, other: Way) -> Way:
        """Both together."""
        return Way(
            tuple(dict.fromkeys((*self.atoms, *other.atoms))), (*self.negated, *other.negated),
            (*self.filters, *other.filters), (*self.assignments, *other.assignments), (*self.same, *other.same),
            tuple(dict.fromkeys((*self.rules, *other.rules))),
        )  # fmt: skip

    def rule(self, heads: tuple[TripleAtom | FactAtom, ...], name: str = "") -> list[Rule]:
        """The rule with some heads, and the assignments that they and the filters need; none where things would have to
        be the same that are not, or a literal a subject."""
        needed = self._needed(heads)
        bound = replace(self, assignments=()).bound
        assignments: list[Assignment] = []
        filters = list(self.filters)
        for each in self.assignments:
            if each.variable in bound:
                filters.append(Call("sameterm", (each.variable, each.expression)))
            elif each.variable in needed:
                assignments.append(each)
                bound.add(each.variable)
        found = Rule(heads, self.atoms, self.negated, tuple(filters), tuple(assignments), name)
        self._check_ends()
        values: dict[Variable, Argument] = {}
        if not all(equate(left, right, values) for left, right in self.same):
            return []
        made = substitute(found, values) if values else found
        return _in_steps(made) if all(map(_may_match, (*made.heads, *made.body))) else []

    def _needed(self, heads: tuple[TripleAtom | FactAtom, ...]) -> set[Variable]:
        """The variables that heads, filters, negated atoms and needed assignments read."""
        assigned = [each.variable for each in self.assignments]
        needed = {variable for variable in assigned if assigned.count(variable) > 1}
        needed |= {variable for atom in (*heads, *self.negated) for variable in any_variables(atom)}
        needed |= {variable for each in self.filters for variable in expression_variables(each)}
        while more := {
            v for each in self.assignments if each.variable in needed for v in expression_variables(each.expression)
        } - needed:
            needed |= more
        return needed

    def _check_ends(self) -> None:
        """Refuse a path of no step between variables that nothing but VALUES or BIND gives a value: it is one from each
        node of the data to itself, and from no other term."""
        known = {THIS, *(variable for atom in self.atoms for variable in any_variables(atom))}
        pairs = [pair for pair in self.same if all(isinstance(part, Variable) for part in pair)]
        while ready := [pair for pair in pairs if known.intersection(pair)]:
            known.update(part for pair in ready for part in pair if isinstance(part, Variable))
            pairs = [pair for pair in pairs if pair not in ready]
        if pairs:
            raise TranslationError(f"a path of no step from {pairs[0][0]}, which no triple binds")


def _in_steps(rule: Rule) -> list[Rule]:
    """A rule, or where it computes which relations its heads are about two: one that computes them, and one that reads
    their names as it would those of a schema."""
    computed = {each.variable for each in rule.assignments}
    if computed.isdisjoint(variable for head in rule.heads for variable in relation_variables(head)):
        return [rule]
    told = tuple(dict.fromkeys(variable for head in rule.heads for variable in any_variables(head)))
    step = FactAtom(f"computed-{digest(str(rule))}", told)
    return [replace(rule, heads=(step,)), Rule(rule.heads, (step,), name=rule.name)]
