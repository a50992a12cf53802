"""Transactions of RDF4J: begun by POST, then one request for each action, the last one COMMIT or DELETE.

Source: RDF4J REST API, https://rdf4j.org/documentation/reference/rest-api/.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from kgreason.errors import quoted
from kgreason.io.readers import gather_documents
from kgreason.sparql.limits import Limits
from kgreason_rdflib.store import ReasoningStore
from kgreason_server.authorization import WritePermit
from kgreason_server.problems import RequestError
from kgreason_server.rdf4j_statements import StatementParameters, add_statements, load_of, read_statements, size_of
from kgreason_server.request_reading import address_of, media_type_of
from kgreason_server.server_parts import ServerParts
from kgreason_server.sparql_endpoints import SparqlEndpoints
from kgreason_server.sparql_requests import SparqlRequest, sparql_of, sparql_request
from kgreason_server.transactions import Transactions

_DONE: Final = HTTPStatus.NO_CONTENT
_ACTIONS: Final = "ADD, COMMIT, DELETE, GET, PING, PREPARE, QUERY, SIZE or UPDATE"


class TransactionEndpoints:
    """Answers requests of transactions. They need the permission to write, also those that only read."""

    def __init__(self, parts: ServerParts, sparql: SparqlEndpoints) -> None:
        self._parts = parts
        self._sparql = sparql
        self._open = Transactions(parts.options.transactions, parts.options.transaction_seconds)

    async def begin(self, request: Request) -> Response:
        """Begin one."""
        permit, parts = self._parts.authorization.writer(request), self._parts
        self._open.check_room()
        branch = await parts.workers.change(lambda: parts.served.begin(permit), Limits(parts.options.timeout))
        self._open.check_room()
        return Response(
            status_code=HTTPStatus.CREATED, headers={"Location": f"{address_of(request)}/{self._open.add(branch)}"}
        )

    async def act(self, request: Request) -> Response:
        """One of the actions of a transaction.

        Raises:
            RequestError: 404, it is not open; 409, the store has changed since it began and cannot take it.
        """
        permit = self._parts.authorization.writer(request)
        name: str = request.path_params["transaction"]
        with self._open.using(name) as transaction:
            if request.method == "DELETE":
                self._open.end(name)
                return Response(status_code=_DONE)
            asked = StatementParameters.of(request)
            match asked.asked.one("action"):
                case "PING":
                    return PlainTextResponse(str(int(1000 * self._parts.options.transaction_seconds)))
                case "PREPARE":
                    return Response()
                case "COMMIT":
                    async with transaction.turn():
                        if transaction.is_changed:
                            await self._commit(permit, transaction.branch)
                        self._open.end(name)
                    return Response()
                case "GET" | "SIZE" | "QUERY" as action:
                    return await self._read(request, asked, action, transaction.branch)
                case "UPDATE" | "ADD" | "DELETE" as action:
                    limits = Limits(self._parts.options.timeout, work="the change")
                    work = await self._work(request, asked, action, limits)
                    async with transaction.turn():
                        await self._parts.workers.finish(lambda: transaction.change(work, limits))
                    return Response(status_code=_DONE)
                case None:
                    raise RequestError(HTTPStatus.BAD_REQUEST, f"action is missing (expected {_ACTIONS})")
                case action:
                    raise RequestError(HTTPStatus.BAD_REQUEST, f"action is {quoted(action)} (expected {_ACTIONS})")

    async def _read(
        self, request: Request, asked: StatementParameters, action: str, branch: ReasoningStore
    ) -> Response:
        """What an action that changes nothing shows of a branch."""
        if action == "SIZE":
            return PlainTextResponse(str(size_of(branch, asked)))
        if action == "GET":
            return await read_statements(self._sparql, request, asked, branch)
        return await self._sparql.query(request, await self._sparql_of(request, "query"), branch=branch)

    async def _work(
        self, request: Request, asked: StatementParameters, action: str, limits: Limits
    ) -> Callable[[ReasoningStore], None]:
        """What an action does to a store."""
        if action == "UPDATE":
            return self._sparql.update_of(request, await self._sparql_of(request, "update"), limits)
        load = await load_of(self._parts, request, asked, limits)
        if action == "ADD":
            return lambda store: add_statements(store, load, asked.contexts)

        def remove(store: ReasoningStore) -> None:
            for name in asked.contexts or (None,):
                store.apply_loaded(gather_documents([]).into, load, name)

        return remove

    async def _commit(self, permit: WritePermit, branch: ReasoningStore) -> None:
        parts = self._parts
        limits = Limits(parts.options.timeout, work="the change")
        await parts.workers.change(lambda: parts.served.adopt(permit, branch), limits)

    async def _sparql_of(self, request: Request, kind: str) -> SparqlRequest:
        """The query or update of a request, in the address or in the body."""
        parameters = StatementParameters.of(request).asked
        if kind in parameters and not media_type_of(request):
            return sparql_of("update" if kind == "update" else "query", parameters, None, self._parts.options)
        found = await sparql_request(request, self._parts, only="update" if kind == "update" else "query")
        assert found is not None, "only requests by GET have none"
        return found
