"""``/mcp``: the tools of agents over HTTP, as `kgreason mcp` has them over stdin and stdout.

Each request stands alone (the streamable transport without sessions), and what its token may is what its tools may:
one that may write has `apply_change`, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

import anyio
import anyio.from_thread
import anyio.to_thread
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from kgreason.sparql.limits import Limits
from kgreason_rdflib.store import ReasoningStore
from kgreason_server.authorization import WritePermit
from kgreason_server.log_lines import LOG
from kgreason_server.problems import RequestError
from kgreason_server.server_parts import ServerParts

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from kgreason_mcp.agent_stores import Work

_PERMIT: Final[ContextVar[WritePermit | None]] = ContextVar("permit", default=None)
"""The permit of the request at hand."""


class ServedAgentStore:
    """The store of a server, for tools."""

    def __init__(self, parts: ServerParts) -> None:
        self._parts = parts

    @property
    def current(self) -> ReasoningStore:
        """The last version."""
        return self._parts.served.version.store

    def change(self, work: Work) -> str:
        """Change the store as the request at hand may; to be called in a thread of the application.

        Raises:
            AnswerError: the request is not permitted, or its time is over.
        """
        from kgreason_mcp.short_answers import AnswerError

        parts, permit = self._parts, _PERMIT.get()
        if permit is None:
            raise AnswerError("this token is for reading only")
        limits = Limits(parts.options.timeout)

        async def changed() -> str:
            answer, _ = await parts.workers.change(lambda: parts.served.change(permit, work, limits), limits)
            return answer

        try:
            return anyio.from_thread.run(changed)
        except RequestError as error:
            raise AnswerError(error.detail) from None


class AgentEndpoint:
    """Answers the requests of agents, as an ASGI application."""

    def __init__(self, parts: ServerParts) -> None:
        self._parts = parts
        self._reading: StreamableHTTPSessionManager | None = None
        self._writing: StreamableHTTPSessionManager | None = None
        self._is_wanted, self._is_running = asyncio.Event(), asyncio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Answer while the body runs, if the package `mcp` is there."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._run)
            yield
            group.cancel_scope.cancel()

    async def _run(self) -> None:
        """Wait for the first request, because the package takes seconds to import, and then be ready for requests."""
        await self._is_wanted.wait()
        try:
            reading, writing = await anyio.to_thread.run_sync(self._managers)
        except Exception as error:  # a release of the package may fail in any way; all but the tools can be served
            LOG.warning("there are no tools for agents: %s", error)
            self._is_running.set()
            return
        async with reading.run(), writing.run():
            self._reading, self._writing = reading, writing
            self._is_running.set()
            await anyio.sleep_forever()

    def _managers(self) -> tuple[StreamableHTTPSessionManager, StreamableHTTPSessionManager]:
        """The managers of requests by clients that may only read, and by clients that may write."""
        from mcp.server.transport_security import TransportSecuritySettings

        from kgreason_mcp import AgentOptions, agent_server

        options, threads = self._parts.options, anyio.CapacityLimiter(self._parts.options.threads)
        # Names of hosts and origins are looked at here, for all requests alike.
        security = TransportSecuritySettings(enable_dns_rebinding_protection=False)

        def manager(allow_changes: bool) -> StreamableHTTPSessionManager:
            allowed = AgentOptions(allow_changes, options.timeout, options.max_rows or AgentOptions().max_rows)
            server = agent_server(ServedAgentStore(self._parts), allowed, threads=threads)
            server.streamable_http_app(
                stateless_http=True, json_response=True, transport_security=security,
                max_request_body_size=options.max_body,
            )  # fmt: skip
            return server.session_manager

        return manager(False), manager(True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request.

        Raises:
            RequestError: 401 or 403, the request is not permitted; 501, the package `mcp` is missing or does not fit.
        """
        request = Request(scope, receive, send)
        authorization = self._parts.authorization
        authorization.reader(request)
        authorization.check_origin(request)
        permit = authorization.permit(request)
        self._is_wanted.set()
        await self._is_running.wait()
        chosen = self._reading if permit is None else self._writing
        if chosen is None:
            raise RequestError(HTTPStatus.NOT_IMPLEMENTED, "there are no tools for agents: pip install 'kgreason[mcp]'")
        token = _PERMIT.set(permit)
        try:
            await chosen.handle_request(scope, receive, send)
        finally:
            _PERMIT.reset(token)
