"""The elements of a body to the parts of a rule: atoms, filters and assignments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.program.rule_variables import any_variables
from kgreason.program.rules import Argument, Assignment, Atom, BodyAtom, Expression, FactAtom, Rule, TripleAtom
from kgreason.program.safety import ASSERTED
from kgreason.rdf.model import Literal
from kgreason.sparql_rl.rule_set import Parts, Patterns

_PLACES: Final = ("subject", "predicate", "object")
SEED: Final = FactAtom("sparql-rl", (Literal("true"),))
"""The fact that rules without patterns have in their body."""


@dataclass(slots=True)
class BodyParts:
    """The parts of a body, as far as they are known, and the variables that it has defined."""

    atoms: list[Atom] = field(default_factory=list)
    negated: list[Atom] = field(default_factory=list)
    filters: list[Expression] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    defined: dict[Variable, None] = field(default_factory=dict)

    def add(self, patterns: Patterns, *, of_data: bool) -> None:
        """Take triple patterns in; triple terms with variables are taken apart by functions."""
        for triple in patterns.triples:
            self.atoms.append(matched(triple, of_data=of_data))
            self._define(*triple.arguments)
        # What contains others comes after them in a text, and gives them their values.
        for term, parts in reversed([*patterns.terms.items()]):
            self._take_apart(term, parts)

    def _take_apart(self, term: Variable, parts: Parts) -> None:
        self.filters.append(Call("istriple", (term,)))
        for name, part in zip(_PLACES, parts, strict=True):
            value: Expression = Call(name, (term,))
            if isinstance(part, Variable) and part not in self.defined:
                self.assignments.append(Assignment(part, value))
                self._define(part)
            else:
                self.filters.append(Call("sameterm", (value, part)))

    def assign(self, variable: Variable, expression: Expression, *, is_matched: bool) -> None:
        """Take an assignment in; with `is_matched` a pattern behind it has its variable, too."""
        if is_matched:
            self.filters.append(Call("sameterm", (variable, expression)))
        else:
            self.assignments.append(Assignment(variable, expression))
        self._define(variable)

    def _define(self, *parts: Argument) -> None:
        self.defined.update((part, None) for part in parts if isinstance(part, Variable))

    def body(self) -> tuple[BodyAtom, ...]:
        """The positive atoms, of which there is one at least."""
        return tuple(dict.fromkeys(self.atoms)) or (SEED,)

    def deriving(self, *heads: Atom, like: Rule) -> Rule:
        """The rule with this body and some heads, which has the name and position of another one. What was assigned to
        a variable that a later pattern has is compared with it."""
        negated = tuple(dict.fromkeys(self.negated))
        bound = {variable for atom in self.atoms for variable in any_variables(atom)}
        filters = dict.fromkeys(self.filters)
        for each in self.assignments:
            if each.variable in bound:
                filters[Call("sameterm", (each.variable, each.expression))] = None
        assigned = tuple(a for a in self.assignments if a.variable not in bound)
        parts = (self.body(), negated, tuple(filters), assigned)
        return Rule(heads, *parts, name=like.name, position=like.position)


def matched(triple: TripleAtom, *, of_data: bool) -> Atom:
    """The atom that matches a triple pattern: in all triples, or in the base graph alone."""
    return FactAtom(ASSERTED, triple.arguments) if of_data else triple


def renamed(part: Argument, names: Mapping[Variable, Argument]) -> Argument:
    """A place of a triple under other names of variables."""
    return names.get(part, part) if isinstance(part, Variable) else part
