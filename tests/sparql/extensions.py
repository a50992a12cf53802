"""Functions and servers for parsing without a store: neither is ever called."""

from __future__ import annotations

from collections.abc import Sequence

from kgreason.algebra.expressions.tree import FallbackCall
from kgreason.errors import FunctionError
from kgreason.rdf.model import IRI, Term
from kgreason.sparql.algebra import Expression, Fallback
from kgreason.sparql.syntax.requests import Service


class Extensions:
    """Knows no function and no server."""

    def function(self, iri: IRI, arguments: Sequence[Expression], base: str | None) -> tuple[Expression, bool]:
        """The call of a function that fails."""
        return FallbackCall(str(iri), tuple(arguments), _fails), True

    def service(self, service: Service) -> Fallback:
        """A server without solutions."""
        return Fallback("SERVICE", service.variables, lambda limits, given: [])


def _fails(*terms: Term) -> Term:
    raise FunctionError("no function")
