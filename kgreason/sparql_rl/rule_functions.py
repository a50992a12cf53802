"""The functions that rules may call, and their calls as rules have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kgreason.algebra.expressions.function_table import FUNCTIONS, function_of_iri
from kgreason.algebra.expressions.tree import Call
from kgreason.errors import QueryError
from kgreason.program.rules import Expression
from kgreason.rdf.model import IRI, Literal, TripleTerm
from kgreason.sparql.algebra import Expression as QueryExpression
from kgreason.sparql.algebra import Fallback
from kgreason.sparql.syntax.requests import Service

_PAIR: Final = 2
_DEEPEST: Final = 90
"""The text of rules takes 100, and NOT puts some around an expression."""


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
    while expression.function in ("&&", "||") and len(arguments) > _PAIR:
        pairs = [arguments[at : at + _PAIR] for at in range(0, len(arguments), _PAIR)]
        arguments = tuple(Call(expression.function, pair) if len(pair) == _PAIR else pair[0] for pair in pairs)
    return Call(expression.function, arguments)


def check_depth(expression: Expression) -> None:
    """Raise QueryError for an expression that is nested too deep to be written in a rule of ours and read again."""
    depth, level = 0, [expression]
    while level:
        depth += 1
        level = [part for each in level if isinstance(each, Call) for part in each.arguments]
    if depth > _DEEPEST:
        raise QueryError("an expression is nested too deeply")


