"""The door for queries that rdflib parsed and whose text it did not keep: from its algebra to a question."""

from __future__ import annotations

from itertools import chain
from typing import Any

from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Query
from rdflib.term import URIRef, Variable

from kgreason.sparql.rewrites import rewritten
from kgreason_rdflib.sparql.questions import Clauses, Question, Triples
from kgreason_rdflib.sparql.translation import Translation


def question_of_prepared(query: Query) -> Question:
    """The question of a query as rdflib has it: numbers and white space in its literals are what rdflib made of them.

    Raises:
        UntranslatableError: it has a construct that is not known here.
    """
    main = query.algebra
    translation = Translation(query.prologue)
    node = None if main.p is None else translation.node(main.p)
    template = _template_of(main) if main.name == "ConstructQuery" else ()
    return Question(
        form=main.name.removesuffix("Query").upper(),
        node=None if node is None else rewritten(node),
        variables=_names_wanted(main, template),
        clauses=clauses_of(main.datasetClause),
        goes_over_graphs=translation.goes_over_graphs,
        graph_names=frozenset(translation.graph_names),
        foreign=translation.foreign,
        base=translation.base,
        template=template,
        described=tuple(name for name in main.PV or () if isinstance(name, URIRef)),
    )


def clauses_of(clauses: Any) -> Clauses | None:
    """FROM and FROM NAMED, or USING and USING NAMED; None without any."""
    if not clauses:
        return None
    return Clauses(
        tuple(clause.default for clause in clauses if clause.default),
        tuple(clause.named for clause in clauses if clause.named),
    )


def _template_of(construct: CompValue) -> Triples:
    """The template of a CONSTRUCT, which is its pattern where it has none."""
    return tuple(construct.template or _pattern(construct.p).triples)


def _names_wanted(main: CompValue, template: Triples) -> tuple[str, ...]:
    """The variables that an answer needs: those of the template of a CONSTRUCT, or those that are selected."""
    mentioned = chain.from_iterable(template) if main.name == "ConstructQuery" else main.PV or ()
    return tuple(dict.fromkeys(str(term) for term in mentioned if isinstance(term, Variable)))


def _pattern(part: CompValue) -> CompValue:
    """The pattern of a CONSTRUCT WHERE, which is its template."""
    while part.name != "BGP":
        part = part.p
    return part
