"""Requests of the SPARQL 1.1 Protocol as data: a query or an update, with the graphs that it is asked.

Source: SPARQL 1.1 Protocol, sections 2.1 to 2.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, Literal

import anyio.to_thread
from starlette.requests import Request

from kgreason_rdflib.sparql.questions import Clauses
from kgreason_server.options import ServerOptions
from kgreason_server.problems import RequestError
from kgreason_server.request_reading import Parameters, media_type_of, text_of_body
from kgreason_server.server_parts import ServerParts
from kgreason_server.term_parameters import iri_of

QUERY: Final = "application/sparql-query"
UPDATE: Final = "application/sparql-update"
FORM: Final = "application/x-www-form-urlencoded"
_GRAPHS: Final = {
    "query": ("default-graph-uri", "named-graph-uri"),
    "update": ("using-graph-uri", "using-named-graph-uri"),
}


@dataclass(frozen=True, slots=True)
class SparqlRequest:
    """A query or an update as a client sent it.

    Attributes:
        dataset: the graphs that are asked, in the place of those of the text; None where there are none.
        inferred: whether what only follows is shown.
    """

    kind: Literal["query", "update"]
    text: str
    dataset: Clauses | None
    inferred: bool
    timeout: float
    max_rows: int | None


async def sparql_request(
    request: Request, parts: ServerParts, *, only: Literal["query", "update"] | None = None
) -> SparqlRequest | None:
    """The query or update of a request; None for a GET without one.

    Raises:
        RequestError: the request has no query or update, or more than one.
    """
    asked, options = Parameters.of(request.url.query), parts.options
    if request.method in ("GET", "HEAD"):
        if "update" in asked:
            raise RequestError(HTTPStatus.METHOD_NOT_ALLOWED, "an update is sent by POST", {"Allow": "POST"})
        if "query" not in asked:
            return None
        return sparql_of("query", asked, None, options)
    media_type = media_type_of(request)
    if media_type not in (QUERY, UPDATE, FORM):
        known = ", ".join((QUERY, UPDATE, FORM))
        raise RequestError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"a body of an unknown type (expected {known})")
    text = await text_of_body(request, parts)
    if media_type == FORM:
        asked |= await anyio.to_thread.run_sync(Parameters.of, text)  # which may be long
        kinds = [kind for kind in ("query", "update") if kind in asked]
        if len(kinds) != 1:
            found = "no query or update" if not kinds else "a query and an update"
            raise RequestError(HTTPStatus.BAD_REQUEST, f"the form has {found} (expected one of them)")
        kind, body = kinds[0], None
    else:
        kind, body = ("query" if media_type == QUERY else "update"), text
        if "query" in asked or "update" in asked:
            raise RequestError(HTTPStatus.BAD_REQUEST, "there is a request in the address beside the one in the body")
    if only is not None and kind != only:
        raise RequestError(HTTPStatus.BAD_REQUEST, f"this address takes no {kind} (expected one {only})")
    return sparql_of("update" if kind == "update" else "query", asked, body, options)


def sparql_of(
    kind: Literal["query", "update"], asked: Parameters, body: str | None, options: ServerOptions
) -> SparqlRequest:
    """The query or update of parameters, or of a body beside them; RequestError (400) for parameters of the other."""
    other = _GRAPHS["update" if kind == "query" else "query"]
    if any(name in asked for name in other):
        raise RequestError(HTTPStatus.BAD_REQUEST, f"{other[0]} and {other[1]} do not belong to one {kind}")
    default, named = (tuple(map(iri_of, asked.all(name))) for name in _GRAPHS[kind])
    rows = asked.number("max_rows", options.max_rows)
    return SparqlRequest(
        kind=kind,
        text=(asked.one(kind) or "") if body is None else body,
        dataset=Clauses(default, named) if default or named else None,
        inferred=asked.flag("inferred", True) and asked.flag("infer", True),
        timeout=asked.number("timeout", options.timeout) or options.timeout,
        max_rows=None if rows is None else int(rows),
    )
