"""The functions that rules may call, and their calls as rules have them."""

from __future__ import annotations

from collections.abc import Sequence

from kgreason.algebra.expressions.function_table import FUNCTIONS, function_of_iri
from kgreason.algebra.expressions.tree import Call
from kgreason.errors import QueryError
from kgreason.program.rules import Expression
from kgreason.rdf.model import IRI, Literal, TripleTerm
from kgreason.sparql.algebra import Expression as QueryExpression
from kgreason.sparql.algebra import Fallback
from kgreason.sparql.syntax.requests import Service


class RuleFunctions:
    """The functions that rules call by IRIs: casts, and those of ours."""

    def function(
        self, iri: IRI, arguments: Sequence[QueryExpression], base: str | None
    ) -> tuple[QueryExpression, bool]:
        name = function_of_iri(iri.value, len(arguments))
        if name is None:
            raise QueryError(f"unknown function {iri} of {len(arguments)} arguments", expected="a cast to a datatype")
        return Call(name, tuple(arguments)), False

    def service(self, service: Service) -> Fallback:
        raise AssertionError("rules have no SERVICE")


def check_function(part: QueryExpression, *, with_nodes: bool) -> None:
    """Raise QueryError for a call of what is new in each solution or query; BNODE is allowed `with_nodes`."""
    if not isinstance(part, Call) or FUNCTIONS[part.function].in_rules or (part.function == "bnode" and with_nodes):
        return
    raise QueryError(f"a rule cannot call {part.function.upper()}: its value is not that of its arguments")


def paired(expression: QueryExpression) -> Expression:
    """The same with ``&&`` and ``||`` of two, as rules have them."""
    if not isinstance(expression, Call):
        return expression  # type: ignore[return-value]  # EXISTS and others of queries are refused
    arguments = tuple(map(paired, expression.arguments))
    if expression.function == "triple":
        match arguments:
            case (IRI() as subject, IRI() as predicate, IRI() | Literal() | TripleTerm() as object):
                return TripleTerm(subject, predicate, object)
    if expression.function not in ("&&", "||"):
        return Call(expression.function, arguments)
    found, *others = arguments
    for other in others:
        found = Call(expression.function, (found, other))
    return found


