"""NOT: a negated atom, or the negation of a relation that a rule of its own derives.

The relation has the variables that NOT shares with the elements before it. A filter in NOT may look at variables that
only these elements bind: the rule has their atoms then, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from kgreason.algebra.expressions.tree import Call, Variable, expression_variables
from kgreason.program.rules import Argument, Atom, Expression, FactAtom, Rule
from kgreason.rdf.model import Literal
from kgreason.rdf.vocabulary import XSD_BOOLEAN
from kgreason.sparql_rl.bodies import BodyParts
from kgreason.sparql_rl.rule_set import Filter, Negation, Patterns

_TRUE: Final = Literal("true", XSD_BOOLEAN)
_FALSE: Final = Literal("false", XSD_BOOLEAN)
_NOTHING: Final = Literal("")
"""The argument of a relation without variables: it has one or more."""


def deny(negation: Negation, body: BodyParts, like: Rule, *, of_data: bool) -> Iterator[Rule]:
    """Add a NOT to a body; the rules that derive what it denies."""
    of_data = of_data or negation.of_data
    inner = BodyParts()
    for element in negation.elements:
        if isinstance(element, Patterns):
            inner.add(element, of_data=of_data)
    inner.filters += [element.expression for element in negation.elements if isinstance(element, Filter)]
    if not inner.atoms:
        body.filters.append(_none_holds(inner.filters))
        return
    if len(inner.atoms) == 1 and not inner.filters:
        atom = _with_anonymous(inner.atoms[0], body)
        if atom is not None:
            body.negated.append(atom)
            return
    denied, rule = _projected(inner, body, like)
    body.negated.append(denied)
    yield rule


def _none_holds(filters: list[Expression]) -> Expression:
    """That not all filters are true: an error in one is no truth."""
    found: Expression = _TRUE
    for each in filters:
        truth: Expression = Call("boolean", (each,))
        test: Expression = Call("coalesce", (truth, _FALSE))
        found = test if found == _TRUE else Call("&&", (found, test))
    return Call("!", (found,))


def _with_anonymous(atom: Atom, body: BodyParts) -> Atom | None:
    """The atom with anonymous variables for those of NOT alone; None where one stands there twice."""
    local = Counter(part for part in atom.arguments if isinstance(part, Variable) and part not in body.defined)
    if any(times > 1 for times in local.values()):
        return None
    names = {variable: Variable(f"_{number}") for number, variable in enumerate(local, 1 + _anonymous(body))}
    arguments: tuple[Argument, ...] = tuple(names.get(p, p) if isinstance(p, Variable) else p for p in atom.arguments)
    return FactAtom(atom.name, arguments) if isinstance(atom, FactAtom) else type(atom)(*arguments)


def _anonymous(body: BodyParts) -> int:
    return sum(isinstance(p, Variable) and p.name[:1] == "_" for atom in body.negated for p in atom.arguments)


def _projected(inner: BodyParts, body: BodyParts, like: Rule) -> tuple[FactAtom, Rule]:
    """The relation of the bindings for which a NOT has a match, and its rule."""
    looked_at = [variable for expression in inner.filters for variable in expression_variables(expression)]
    outer = [v for v in dict.fromkeys(looked_at) if v in body.defined and v not in inner.defined]
    if outer:
        inner.atoms = [*body.atoms, *inner.atoms]
        inner.filters = [*body.filters, *inner.filters]
        inner.assignments = [*body.assignments, *inner.assignments]
    shared = [variable for variable in body.defined if variable in inner.defined or variable in outer]
    arguments: tuple[Argument, ...] = tuple(shared) or (_NOTHING,)
    unnamed = inner.deriving(FactAtom("denied", arguments), like=like)
    denied = FactAtom(f"denied-{digest(str(unnamed))}", arguments)
    return denied, inner.deriving(denied, like=like)


def digest(text: str) -> str:
    """What the names of relations that rules share have of the text that says what they are."""
    return sha256(text.encode()).hexdigest()[:16]
