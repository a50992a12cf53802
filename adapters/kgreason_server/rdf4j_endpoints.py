"""``/rdf4j``: the part of RDF4J's REST protocol by which its clients read, load and change one repository.

The repository is called `kgreason`. A statement of no context is one of the default graph, which `null` names. Most
requests are put as SPARQL, so they are answered in the same formats and within the same limits.

Source: RDF4J REST API, https://rdf4j.org/documentation/reference/rest-api/.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from rdflib.term import URIRef
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from kgreason.rdf.model import Literal
from kgreason.sparql.limits import Limits
from kgreason_rdflib.store import ReasoningStore
from kgreason_server.answers import prefixes_of
from kgreason_server.graph_store import METHODS, GraphStore
from kgreason_server.problems import RequestError
from kgreason_server.rdf4j_statements import (
    EVERY_STATEMENT,
    StatementParameters,
    add_statements,
    load_of,
    read_statements,
    remove_statements,
    size_of,
    statement_query,
)
from kgreason_server.rdf4j_transactions import TransactionEndpoints
from kgreason_server.request_reading import Parameters, address_of, media_type_of, text_of_body
from kgreason_server.server_parts import ServerParts
from kgreason_server.sparql_endpoints import SparqlEndpoints
from kgreason_server.sparql_requests import FORM, UPDATE, sparql_request
from kgreason_server.term_parameters import iri_of

NAME: Final = "kgreason"
PROTOCOL: Final = "12"
"""The version of the protocol that RDF4J 4 and 5 have."""
_ROOT: Final = f"/rdf4j/repositories/{NAME}"


@dataclass(frozen=True, slots=True)
class Rdf4jEndpoints:
    """Answers clients of RDF4J."""

    parts: ServerParts
    sparql: SparqlEndpoints

    def routes(self) -> list[Route]:
        """The addresses."""
        graphs, transactions = GraphStore(self.parts), TransactionEndpoints(self.parts, self.sparql)
        return [
            Route("/rdf4j/protocol", self.protocol),
            Route("/rdf4j/repositories", self.repositories),
            Route(_ROOT, self.repository, methods=["GET", "POST"]),
            Route(f"{_ROOT}/statements", self.statements, methods=["GET", "POST", "PUT", "DELETE"]),
            Route(f"{_ROOT}/contexts", self.contexts),
            Route(f"{_ROOT}/size", self.size),
            Route(f"{_ROOT}/namespaces", self.namespaces, methods=["GET", "DELETE"]),
            Route(f"{_ROOT}/namespaces/{{prefix}}", self.namespace, methods=["GET", "PUT", "DELETE"]),
            Route(f"{_ROOT}/rdf-graphs/service", graphs.graph, methods=[*METHODS]),
            Route(f"{_ROOT}/transactions", transactions.begin, methods=["POST"]),
            Route(f"{_ROOT}/transactions/{{transaction}}", transactions.act, methods=["POST", "PUT", "DELETE"]),
        ]

    async def protocol(self, request: Request) -> Response:
        """The version of the protocol."""
        return PlainTextResponse(PROTOCOL)

    async def repositories(self, request: Request) -> Response:
        """The one repository."""
        options = self.parts.options
        address = address_of(request).removesuffix("/")
        is_writable = bool(options.write_tokens) and not options.read_only
        row = f"(<{address}/{NAME}> '{NAME}' '{NAME}' true {str(is_writable).lower()})"
        return await self._rows(request, "?uri ?id ?title ?readable ?writable", [row])

    async def repository(self, request: Request) -> Response:
        """The answer to a query; 400 without one, or with values of variables in the address."""
        self.parts.authorization.reader(request)
        asked = await sparql_request(request, self.parts, only="query")
        if asked is None:
            raise RequestError(HTTPStatus.BAD_REQUEST, "there is no query")
        if any(name.startswith("$") for name in Parameters.of(request.url.query).values):
            raise RequestError(HTTPStatus.BAD_REQUEST, "values of variables are written as VALUES in the query")
        return await self.sparql.query(request, asked)

    async def statements(self, request: Request) -> Response:
        """The statements of a pattern, to be read, added, replaced or removed; or an update."""
        self.parts.authorization.reader(request)
        if request.method == "POST" and media_type_of(request) in (FORM, UPDATE):
            return await self.sparql.update(request)
        asked = StatementParameters.of(request)
        if request.method in ("GET", "HEAD"):
            return await read_statements(self.sparql, request, asked)
        parts, limits = self.parts, Limits(self.parts.options.timeout, work="the change")
        permit = parts.authorization.writer(request)
        load, pattern = None, EVERY_STATEMENT
        if request.method == "DELETE":
            pattern = asked.terms(prefixes_of(parts.served.version.store))
        else:
            load = await load_of(parts, request, asked, limits)

        def work(store: ReasoningStore) -> None:
            if request.method != "POST":
                remove_statements(store, pattern, asked.contexts)
            if load is not None:
                add_statements(store, load, asked.contexts)

        await parts.workers.change(lambda: parts.served.change(permit, work, limits), limits)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    async def contexts(self, request: Request) -> Response:
        """The named graphs."""
        self.parts.authorization.reader(request)
        query = "SELECT DISTINCT ?contextID { GRAPH ?contextID { ?s ?p ?o } }"
        return await self.sparql.query(request, statement_query(self.parts, query, (), False))

    async def size(self, request: Request) -> Response:
        """How many statements were asserted, in all graphs or in some."""
        self.parts.authorization.reader(request)
        return PlainTextResponse(str(size_of(self.parts.served.version.store, StatementParameters.of(request))))

    async def namespaces(self, request: Request) -> Response:
        """The prefixes; removes them by DELETE."""
        self.parts.authorization.reader(request)
        store = self.parts.served.version.store
        if request.method == "DELETE":
            return await self._rebound(request, {prefix: None for prefix, _ in store.namespaces()})
        rows = [f"({Literal(prefix)} {Literal(space)})" for prefix, space in sorted(prefixes_of(store).items())]
        return await self._rows(request, "?prefix ?namespace", rows)

    async def namespace(self, request: Request) -> Response:
        """The namespace of a prefix, to be read, set or removed; 404 for a prefix that is not there."""
        self.parts.authorization.reader(request)
        prefix = request.path_params["prefix"]
        if request.method == "PUT":
            self.parts.authorization.writer(request)
            text = await text_of_body(request, self.parts)
            return await self._rebound(request, {prefix: iri_of(text.strip())})
        if request.method == "DELETE":
            return await self._rebound(request, {prefix: None})
        found = prefixes_of(self.parts.served.version.store).get(prefix)
        if found is None:
            raise RequestError(HTTPStatus.NOT_FOUND, "there is no such prefix")
        return PlainTextResponse(found)

    async def _rebound(self, request: Request, spaces: dict[str, URIRef | None]) -> Response:
        parts, limits = self.parts, Limits(self.parts.options.timeout, work="the change")
        permit = parts.authorization.writer(request)

        def work(store: ReasoningStore) -> None:
            for prefix, space in spaces.items():
                if space is None:
                    store.unbind(prefix)
                else:
                    store.bind(prefix, space)

        await parts.workers.change(lambda: parts.served.change(permit, work, limits), limits)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    async def _rows(self, request: Request, variables: str, rows: Sequence[str]) -> Response:
        self.parts.authorization.reader(request)
        query = f"SELECT {variables} {{ VALUES ({variables}) {{ {' '.join(rows)} }} }}"
        return await self.sparql.query(request, statement_query(self.parts, query, (), False))
