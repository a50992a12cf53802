"""Functions that users registered with rdflib: evaluated by rdflib, term by term."""

from __future__ import annotations

from typing import Any

from rdflib.graph import Graph
from rdflib.plugins.sparql import operators
from rdflib.plugins.sparql.parserutils import Expr
from rdflib.plugins.sparql.sparql import FrozenBindings, Prologue, QueryContext, SPARQLError
from rdflib.term import BNode, Literal, Node, URIRef

from kgreason.algebra.expressions.tree import FallbackCall
from kgreason.errors import FunctionError
from kgreason.rdf.model import Term
from kgreason.sparql import algebra
from kgreason_rdflib.rdflib_terms import from_model, to_model


def is_overridden(iri: URIRef) -> bool:
    """Whether a user replaced one of the casts."""
    known = operators._CUSTOM_FUNCTIONS.get(iri)
    return known is not None and known[0] is not operators.default_cast


def fallback_call(
    iri: URIRef, arguments: tuple[algebra.Expression, ...], prologue: Prologue
) -> algebra.Expression:
    """A call of the function that is registered under a name when the query runs, if one is."""

    def apply(*terms: Term) -> Term:
        expression = Expr("Function", operators.Function, iri=iri, expr=[from_model(term) for term in terms])
        return _as_term(_evaluated(expression, prologue))

    return FallbackCall(f"<{iri}>", arguments, apply)


def _evaluated(expression: Expr, prologue: Prologue) -> Any:
    context = QueryContext(Graph(), initBindings={})
    context.prologue = prologue
    # rdflib takes a blank node among the arguments for a variable.
    themselves = {term: term for term in expression.expr if isinstance(term, BNode)}
    found = expression.eval(FrozenBindings(context, themselves))
    if isinstance(found, SPARQLError):
        raise FunctionError(str(found))
    return found


def _as_term(value: Any) -> Term:
    return to_model(value if isinstance(value, Node) else Literal(value))
