"""SERVICE: asked by rdflib, and joined like any other part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rdflib.graph import Graph
from rdflib.plugins.sparql.evaluate import evalServiceQuery
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Prologue, QueryContext
from rdflib.term import URIRef

from kgreason.sparql import algebra
from kgreason.terms.model import Term
from kgreason_rdflib.sparql.expressions import UntranslatableError, variables_in
from kgreason_rdflib.terms import to_model


def service(part: CompValue, prologue: Prologue) -> algebra.Foreign:
    """The solutions of a SERVICE clause; with SILENT a failure is one solution that binds nothing."""
    if not isinstance(part.term, URIRef):
        raise UntranslatableError("SERVICE with a variable")
    names = tuple(dict.fromkeys(map(str, variables_in(part.graph))))
    # rdflib takes the clause from this text, and knows neither SILENT nor prefixed names in it.
    body = part.service_string[part.service_string.index("{") :]
    clause = CompValue(part.name, **part | {"service_string": f"SERVICE <{part.term}> {body}"})

    def solve() -> Iterable[Mapping[str, Term]]:
        context = QueryContext(Graph(), initBindings={})
        context.prologue = prologue
        try:
            rows = evalServiceQuery(context, clause)
            return [{str(name): to_model(term) for name, term in row.items()} for row in rows]
        except Exception:  # whatever a connection, a server or rdflib's parsers raise
            if not part.silent:
                raise
            return [{}]

    return algebra.Foreign(f"SERVICE {part.term.n3()}", names, solve)
