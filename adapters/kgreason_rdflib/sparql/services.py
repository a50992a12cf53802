"""SERVICE: asked by rdflib, and joined like any other part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pyparsing import ParseResults
from rdflib.graph import Graph
from rdflib.plugins.sparql.evaluate import evalServiceQuery
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Prologue, QueryContext
from rdflib.term import URIRef, Variable

from kgreason.sparql import algebra
from kgreason.terms.model import Term
from kgreason_rdflib.sparql.expressions import UntranslatableError
from kgreason_rdflib.terms import to_model


def service(part: CompValue, prologue: Prologue) -> algebra.Foreign:
    """The solutions of a SERVICE clause; with SILENT a failure is one solution that binds nothing."""
    if not isinstance(part.term, URIRef):
        raise UntranslatableError("SERVICE with a variable")
    found: dict[str, None] = {}
    _collect(part.graph, found)
    # rdflib takes the clause from this text, and knows neither SILENT nor prefixed names in it.
    body = part.service_string[part.service_string.index("{") :]
    clause = CompValue(part.name, **part | {"service_string": f"SERVICE <{part.term}> {body}"})

    def solve() -> Iterable[Mapping[str, Term]]:
        context = QueryContext(Graph(), initBindings={})
        context.prologue = prologue
        try:
            rows = evalServiceQuery(context, clause)
            return [{str(name): to_model(term) for name, term in row.items()} for row in rows]
        except Exception:
            if part.silent:
                return [{}]
            raise

    return algebra.Foreign(f"SERVICE {part.term.n3()}", tuple(found), solve)


def _collect(part: Any, found: dict[str, None]) -> None:
    if isinstance(part, Variable):
        found[str(part)] = None
    elif isinstance(part, CompValue):
        for value in part.values():
            _collect(value, found)
    elif isinstance(part, (list, tuple, ParseResults)):
        for value in part:
            _collect(value, found)
