"""SERVICE: a part of a query that a server answers, by the SPARQL 1.1 Protocol; joined like any other part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import urlencode
from uuid import uuid4

from pyoxigraph import QueryBoolean, QueryResultsFormat, parse_query_results
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Prologue
from rdflib.term import URIRef

from kgreason.access import Document, fetch
from kgreason.errors import AccessError, KGReasonError, QueryError, one_line
from kgreason.io.parsed_documents import key_of_parsed
from kgreason.rdf.keys import term_of
from kgreason.rdf.model import Term
from kgreason.sparql import algebra
from kgreason.sparql.limits import Limits
from kgreason_rdflib.sparql.expression_translation import UntranslatableError, variables_in

Row = Mapping[str, Term]

_ACCEPTED: Final = "application/sparql-results+json, application/sparql-results+xml;q=0.8"
_FORM: Final = "application/x-www-form-urlencoded"
# Longer requests are posted, as servers limit the length of an address.
_SHORT: Final = 600
_SHOWN: Final = 200


def service(part: CompValue, prologue: Prologue) -> algebra.Fallback:
    """The solutions of a SERVICE clause; with SILENT a failure is one solution that binds nothing."""
    if not isinstance(part.term, URIRef):
        raise UntranslatableError("SERVICE with a variable")
    names = tuple(dict.fromkeys(map(str, variables_in(part.graph))))
    iri = str(part.term)
    query = _query(part.service_string, prologue)
    is_silent = bool(part.silent)

    def solve(limits: Limits) -> list[Row]:
        try:
            return _asked(iri, query, limits)
        except KGReasonError as error:
            limits.check()
            if is_silent:
                return [{}]
            kind = AccessError if isinstance(error, AccessError) else QueryError
            raise kind.like(error).locate(path=iri, part="SERVICE") from None

    return algebra.Fallback(f"SERVICE {part.term.n3()}", names, solve)


def _query(clause: str, prologue: Prologue) -> str:
    """The query that a server is asked for a clause, with the prefixes that its text may use."""
    body = clause[clause.index("{") :]
    lines = [f"BASE <{prologue.base}>"] if prologue.base else []
    if prologue.namespace_manager is not None:
        known = prologue.namespace_manager.store.namespaces()
        lines += [f"PREFIX {prefix}: <{name}>" for prefix, name in known if f"{prefix}:" in body]
    return "\n".join([*lines, f"SELECT * WHERE {body}"])


def _asked(iri: str, query: str, limits: Limits) -> list[Row]:
    form = urlencode({"query": query})
    headers = {"Accept": _ACCEPTED}
    if len(query) < _SHORT:
        address = f"{iri}{'&' if '?' in iri else '?'}{form}"
        found = fetch(address, limits.access, seconds=limits.remaining, headers=headers, shown=iri)
    else:
        headers["Content-Type"] = _FORM
        found = fetch(iri, limits.access, seconds=limits.remaining, headers=headers, form=form.encode())
    try:
        return list(_rows(found, limits))
    except (SyntaxError, ValueError, OSError) as error:
        raise QueryError(f"its answer cannot be read: {one_line(error)[:_SHOWN]}", path=iri) from None


def _rows(found: Document, limits: Limits) -> Iterator[Row]:
    format = QueryResultsFormat.from_media_type(found.media_type or "") or QueryResultsFormat.JSON
    results = parse_query_results(found.content, format=format)
    if isinstance(results, QueryBoolean):
        raise ValueError("a truth value, where rows were asked for")
    names = [variable.value for variable in results.variables]
    scope = f"s{uuid4().hex}"
    for number, row in enumerate(results, 1):
        if not number % 1024:
            limits.check(number)
        bound = zip(names, row, strict=True)
        yield {name: term_of(key_of_parsed(term, scope)) for name, term in bound if term is not None}
