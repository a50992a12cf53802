"""SERVICE clauses of queries that rdflib prepared."""

from __future__ import annotations

from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Prologue
from rdflib.term import URIRef

from kgreason.algebra.expressions import tree
from kgreason.rdf.model import IRI
from kgreason.rdf.prefixes import declarable
from kgreason.sparql.syntax.requests import Service
from kgreason_rdflib.sparql.expression_translation import variables_in


def service_of(part: CompValue, prologue: Prologue) -> Service:
    """What a server is asked for a clause."""
    names = map(str, variables_in(part.graph))
    query = _query(part.service_string, prologue)
    if isinstance(part.term, URIRef):
        return Service(IRI(str(part.term)), tuple(dict.fromkeys(names)), query, bool(part.silent))
    name = str(part.term)
    return Service(tree.Variable(name), tuple(dict.fromkeys((name, *names))), query, bool(part.silent))


def _query(clause: str, prologue: Prologue) -> str:
    """The query of a clause, with the prefixes that its text may use."""
    body = clause[clause.index("{") :]
    lines = [f"BASE <{prologue.base}>"] if prologue.base else []
    if prologue.namespace_manager is not None:
        known = declarable(prologue.namespace_manager.store.namespaces())
        lines += [f"PREFIX {prefix}: <{name}>" for prefix, name in known.items() if f"{prefix}:" in body]
    return "\n".join([*lines, f"SELECT * WHERE {body}"])
