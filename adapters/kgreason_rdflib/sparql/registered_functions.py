"""Functions that users registered with rdflib: evaluated by rdflib, term by term.

Nobody can have registered one before rdflib's SPARQL is imported, so it is not imported for that: it makes a grammar.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Final

from rdflib.graph import Graph
from rdflib.term import BNode, Literal, Node, URIRef

from kgreason.algebra.expressions.tree import FallbackCall
from kgreason.errors import FunctionError
from kgreason.rdf.model import IRI, Term
from kgreason.sparql import algebra
from kgreason_rdflib.rdflib_terms import from_model, to_model

_OPERATORS: Final = "rdflib.plugins.sparql.operators"


def is_overridden(iri: str) -> bool:
    """Whether a user replaced one of the casts."""
    operators = _operators()
    if operators is None:
        return False
    known = operators._CUSTOM_FUNCTIONS.get(URIRef(iri))
    return known is not None and known[0] is not operators.default_cast


def fallback_call(
    iri: IRI, arguments: tuple[algebra.Expression, ...], base: str | None
) -> algebra.Expression:
    """A call of the function that is registered under a name when the query runs, if one is."""

    def apply(*terms: Term) -> Term:
        operators = _operators()
        if operators is None:
            raise FunctionError(f"no function {iri}")
        return _as_term(_evaluated(operators, URIRef(iri.value), list(map(from_model, terms)), base))

    return FallbackCall(str(iri), arguments, apply)


def _operators() -> ModuleType | None:
    return sys.modules.get(_OPERATORS)


def _evaluated(operators: ModuleType, iri: URIRef, terms: list[Any], base: str | None) -> Any:
    from rdflib.plugins.sparql.parserutils import Expr
    from rdflib.plugins.sparql.sparql import FrozenBindings, Prologue, QueryContext, SPARQLError

    expression = Expr("Function", operators.Function, iri=iri, expr=terms)
    context = QueryContext(Graph(), initBindings={})
    context.prologue = Prologue()
    context.prologue.base = base
    # rdflib takes a blank node among the arguments for a variable.
    themselves = {term: term for term in terms if isinstance(term, BNode)}
    found = expression.eval(FrozenBindings(context, themselves))
    if isinstance(found, SPARQLError):
        raise FunctionError(str(found))
    return found


def _as_term(value: Any) -> Term:
    return to_model(value if isinstance(value, Node) else Literal(value))
