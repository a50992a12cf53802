"""What queries may use beside SPARQL itself: functions by their IRIs, and servers."""

from __future__ import annotations

from collections.abc import Sequence

from kgreason.algebra.expressions.function_table import function_of_iri
from kgreason.algebra.expressions.tree import Call
from kgreason.rdf.model import IRI
from kgreason.sparql.algebra import Expression, Fallback
from kgreason.sparql.syntax.requests import Service
from kgreason_rdflib.sparql.registered_functions import fallback_call, is_overridden


class RdflibExtensions:
    """Casts and our own functions, those that users registered with rdflib, and SERVICE."""

    def function(self, iri: IRI, arguments: Sequence[Expression], base: str | None) -> tuple[Expression, bool]:
        """The call of a function, and whether rdflib evaluates it."""
        function = None if is_overridden(iri.value) else function_of_iri(iri.value, len(arguments))
        if function is not None:
            return Call(function, tuple(arguments)), False
        return fallback_call(iri, tuple(arguments), base), True

    def service(self, service: Service) -> Fallback:
        """The solutions of a SERVICE."""
        from kgreason_rdflib.sparql.services import solutions_of

        return solutions_of(service)
