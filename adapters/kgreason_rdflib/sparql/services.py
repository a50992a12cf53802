"""SERVICE: a part of a query that a server answers, by the SPARQL 1.1 Protocol; joined like any other part.

An answer is read while it comes, and a query that needs no more rows ends the connection. With SILENT it is read whole.
With a variable, each server is asked that the parts beside bind it to (SPARQL 1.1 Federated Query, section 4).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import IO, Final, cast
from urllib.parse import urlencode
from uuid import uuid4

from pyoxigraph import QueryBoolean, QueryResultsFormat, parse_query_results

from kgreason.errors import AccessError, KGReasonError, QueryError, QueryLimitError, one_line, quoted
from kgreason.fetching import RemoteRequest
from kgreason.io.parsed_documents import key_of_parsed
from kgreason.rdf.keys import term_of
from kgreason.rdf.model import IRI, Term
from kgreason.remote_streams import RemoteStream
from kgreason.sparql import algebra
from kgreason.sparql.limits import Limits
from kgreason.sparql.syntax.requests import Service

Row = Mapping[str, Term]

_HEADERS: Final = {"Accept": "application/sparql-results+json, application/sparql-results+xml;q=0.8"}
_FORM: Final = "application/x-www-form-urlencoded"
# Longer requests are posted, as servers limit the length of an address.
_SHORT: Final = 600
_SHOWN: Final = 200


def solutions_of(service: Service) -> algebra.Fallback:
    """The solutions of a SERVICE clause; with SILENT a failure is one solution that binds nothing."""
    name = f"SERVICE {service.server}"
    given = None if isinstance(service.server, IRI) else service.server.name

    def solve(limits: Limits, server: Term | None) -> Iterator[Row]:
        beside: Row = {} if given is None or server is None else {given: server}
        iri = service.server.value if isinstance(service.server, IRI) else None
        try:
            iri = iri or _endpoint(server)
            rows = _asked(iri, service.query, limits)
            # With SILENT, a failure leaves one empty solution alone, so no row is given before all have come.
            for row in list(rows) if service.silent else rows:
                if beside.items() <= {**beside, **row}.items():
                    yield {**row, **beside}
        except QueryLimitError:
            raise
        except KGReasonError as error:
            limits.check()
            if not service.silent:
                kind = AccessError if isinstance(error, AccessError) else QueryError
                raise kind.like(error).locate(path=iri, part="SERVICE" if given is None else name) from None
            yield beside

    return algebra.Fallback(name, service.variables, solve, given)


def _endpoint(server: Term | None) -> str:
    """The IRI of the server that a variable is bound to."""
    if isinstance(server, IRI):
        return server.value
    if server is None:
        raise QueryError("the variable is unbound", expected="a pattern beside that binds it to IRIs of servers")
    raise QueryError(f"{quoted(str(server))} is not the IRI of a server")


def _asked(iri: str, query: str, limits: Limits) -> Iterator[Row]:
    """The rows of an answer, while it comes."""
    form = urlencode({"query": query})
    if len(query) < _SHORT:
        address = f"{iri}{'&' if '?' in iri else '?'}{form}"
        asked = RemoteRequest(address, headers=_HEADERS, shown=iri)
    else:
        asked = RemoteRequest(iri, form.encode(), _HEADERS | {"Content-Type": _FORM})
    with RemoteStream(asked, limits.access, seconds=limits.remaining) as stream:
        try:
            yield from _rows(stream, limits)
        except (SyntaxError, ValueError, OSError) as error:
            if stream.error is not None:
                raise stream.error from None
            raise QueryError(f"its answer cannot be read: {one_line(error)[:_SHOWN]}", path=iri) from None


def _rows(stream: RemoteStream, limits: Limits) -> Iterator[Row]:
    format = QueryResultsFormat.from_media_type(stream.media_type or "") or QueryResultsFormat.JSON
    results = parse_query_results(cast(IO[bytes], stream), format=format)
    if isinstance(results, QueryBoolean):
        raise ValueError("a truth value, where rows were asked for")
    names = [variable.value for variable in results.variables]
    scope = f"s{uuid4().hex}"
    for number, row in enumerate(results, 1):
        if not number % 1024:
            limits.check(number)
        bound = zip(names, row, strict=True)
        yield {name: term_of(key_of_parsed(term, scope)) for name, term in bound if term is not None}
