"""``~p(?x, _)``: p has no fact about ?x.

An anonymous variable of a negated atom is existential. The atom becomes the negation of an auxiliary relation, the
projection of the atom to its other variables, which a rule of its own derives.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from kgreason.algebra.expressions.tree import Variable
from kgreason.program.rules import Argument, Atom, FactAtom, Rule, TripleAtom
from kgreason.rdf.model import IRI

_ANONYMOUS: Final = re.compile(r"_\d+")
_ANYTHING: Final = IRI("urn:x-kgreason:anything")
"""The argument of a projection to no variable: a relation has one or more."""


def is_anonymous(variable: Variable) -> bool:
    """Whether a variable was written ``_``; each is another one."""
    return _ANONYMOUS.fullmatch(variable.name) is not None


def projected(rule: Rule) -> tuple[Rule, list[Rule]]:
    """The rule without anonymous variables in negated atoms, and the rules for the projections that it denies now."""
    denied: list[Atom] = []
    rules: list[Rule] = []
    for atom in rule.negated:
        if any(isinstance(part, Variable) and is_anonymous(part) for part in atom.arguments):
            projection = _projection(atom)
            denied.append(projection)
            rules.append(Rule((projection,), (atom,), name=rule.name, position=rule.position))
        else:
            denied.append(atom)
    return (replace(rule, negated=tuple(denied)), rules) if rules else (rule, [])


def _projection(atom: Atom) -> FactAtom:
    """The auxiliary relation is named after the atom, so that rules share it."""
    kept = dict.fromkeys(p for p in atom.arguments if isinstance(p, Variable) and not is_anonymous(p))
    names: dict[Argument, Argument] = {variable: Variable(str(number)) for number, variable in enumerate(kept)}
    parts = tuple(
        Variable("_") if isinstance(part, Variable) and is_anonymous(part) else names.get(part, part)
        for part in atom.arguments
    )
    named = TripleAtom(*parts) if isinstance(atom, TripleAtom) else FactAtom(atom.name, parts)
    return FactAtom(f"some {named}", tuple(kept) or (_ANYTHING,))
