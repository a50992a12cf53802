"""Filters that say which IRIs a variable may be: ``?x = <a>``, ``sameTerm(?x, <a>)``, ``?x IN (<a>, <b>)``."""

from __future__ import annotations

from dataclasses import dataclass

from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.rdf.model import IRI
from kgreason.sparql.algebra import Expression


@dataclass(frozen=True, slots=True)
class Choice:
    """A variable, and the IRIs that it is one of."""

    name: str
    terms: frozenset[IRI]


def choice_of(condition: Expression) -> Choice | None:
    """What a filter says in this way. Literals are left out, since other ones may be equal to them."""
    match condition:
        case Call("=" | "sameterm", (Variable(name), IRI() as term) | (IRI() as term, Variable(name))):
            return Choice(name, frozenset((term,)))
        case Call("in", (Variable(name), *terms)):
            iris = [term for term in terms if isinstance(term, IRI)]
            return Choice(name, frozenset(iris)) if len(iris) == len(terms) else None
    return None
