"""Transactions of RDF4J: begun by POST, then one request for each action, the last one COMMIT or DELETE.

Source: RDF4J REST API, https://rdf4j.org/documentation/reference/rest-api/.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

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
from kgreason_server.transactions import Transaction, Transactions

_DONE: Final = HTTPStatus.NO_CONTENT


class TransactionEndpoints:
    """Answers requests of transactions, which only those may begin who may write."""

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
            RequestError: 409, the store has changed since the transaction began and cannot take it.
        """
        permit = self._parts.authorization.writer(request)
        name: str = request.path_params["transaction"]
        transaction = self._open.of(name)
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
                await self._commit(permit, transaction.branch)
                self._open.end(name)
                return Response()
            case "GET":
                return await read_statements(self._sparql, request, asked, transaction.branch)
            case "SIZE":
                return PlainTextResponse(str(size_of(transaction.branch, asked)))
            case "QUERY":
                query = await self._sparql_of(request, "query")
                return await self._sparql.query(request, query, branch=transaction.branch)
            case "UPDATE" | "ADD" | "DELETE" as action:
                limits = Limits(self._parts.options.timeout)
                return await self._change(transaction, await self._work(request, asked, action, limits), limits)
            case action:
                raise RequestError(HTTPStatus.BAD_REQUEST, f"action={action}: there is no such action (expected ADD)")

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

    async def _change(
        self, transaction: Transaction, work: Callable[[ReasoningStore], None], limits: Limits
    ) -> Response:
        await self._parts.workers.finish(lambda: transaction.change(work, limits))
        return Response(status_code=_DONE)

    async def _commit(self, permit: WritePermit, branch: ReasoningStore) -> None:
        parts = self._parts
        limits = Limits(parts.options.timeout)
        await parts.workers.change(lambda: parts.served.adopt(permit, branch), limits)

    async def _sparql_of(self, request: Request, kind: str) -> SparqlRequest:
        """The query or update of a request, in the address or in the body."""
        options = self._parts.options
        parameters = StatementParameters.of(request).asked
        if kind in parameters and not media_type_of(request):
            return sparql_of("update" if kind == "update" else "query", parameters, None, options)
        found = await sparql_request(request, options, only="update" if kind == "update" else "query")
        assert found is not None, "only requests by GET have none"
        return found
