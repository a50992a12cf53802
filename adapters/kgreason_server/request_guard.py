"""What every request goes through: the name that it calls the server by, errors as answers, one line in the log."""

from __future__ import annotations

import secrets
from http import HTTPStatus
from time import monotonic
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kgreason.errors import QueryLimitError
from kgreason_server.log_lines import LOG, log_fields
from kgreason_server.problems import RequestError, problem_of
from kgreason_server.server_parts import ServerParts

_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class RequestGuard:
    """Middleware around all of an application."""

    def __init__(self, app: ASGIApp, parts: ServerParts) -> None:
        self._app = app
        self._parts = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        watched = _Watched(send)
        begun = monotonic()
        self._parts.metrics.running += 1
        error: BaseException | None = None
        try:
            self._check_headers(scope)
            self._check_host(HTTPConnection(scope))
            async with self._parts.bodies.answering(scope):
                await self._app(scope, receive, watched)
        except Exception as raised:  # every error is an answer
            error = _only(raised)
            await self._answer(error, watched, scope, receive)
        finally:
            self._parts.metrics.running -= 1
            self._log(scope, watched, monotonic() - begun, error)

    def _check_headers(self, scope: Scope) -> None:
        """Refuse headers that are too large together; uvicorn looks at those alone that come in pieces."""
        size = len(scope.get("raw_path") or b"") + len(scope["query_string"])
        size += sum(len(name) + len(value) for name, value in scope["headers"])
        if size > self._parts.options.header_bytes:
            raise RequestError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "the headers or the address are too long")

    def _check_host(self, request: HTTPConnection) -> None:
        """Refuse names that are not the server's, by which a web page might reach it (DNS rebinding)."""
        allowed = self._parts.options.hosts
        host = request.headers.get("host", "")
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        if allowed and name.strip("[]").lower() not in allowed:
            raise RequestError(HTTPStatus.MISDIRECTED_REQUEST, "this server is not called by this name")

    async def _answer(self, error: BaseException, watched: _Watched, scope: Scope, receive: Receive) -> None:
        if watched.status is not None or isinstance(error, ClientDisconnect):
            return  # the connection breaks off, so that the client sees that it lacks the end
        problem = problem_of(error)
        if problem is None:
            LOG.error("request %s failed", watched.identifier, exc_info=error)
            detail = f"the server has failed; its log has the request {watched.identifier}"
            problem = RequestError(HTTPStatus.INTERNAL_SERVER_ERROR, detail)
        await problem.response()(scope, receive, watched)

    def _log(self, scope: Scope, watched: _Watched, seconds: float, error: BaseException | None) -> None:
        was_cancelled = isinstance(error, QueryLimitError) and error.limit == "cancelled"
        status = 499 if was_cancelled or isinstance(error, ClientDisconnect) else watched.status or 499
        self._parts.metrics.add(scope["method"], scope["path"], status, seconds, watched.bytes)
        line: dict[str, object] = {
            "request": watched.identifier,
            "client": (scope.get("client") or ("",))[0],
            "method": scope["method"],
            "path": scope["path"],
            "status": status,
            "seconds": round(seconds, 6),
            "bytes": watched.bytes,
            **({} if error is None else {"error": type(error).__name__}),
        }
        log_fields(line)


class _Watched:
    """Sends on, with the headers of every answer, and remembers what was sent."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.identifier = secrets.token_hex(8)
        self.status: int | None = None
        self.bytes = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["X-Request-Id"] = self.identifier
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        else:
            self.bytes += len(message.get("body", b""))
        await self._send(message)


def _only(error: BaseException) -> BaseException:
    """The error in a group of one, as task groups raise it."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error
