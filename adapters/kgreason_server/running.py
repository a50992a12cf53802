"""The server as a process: uvicorn, with limits that it lacks by itself."""

from __future__ import annotations

import asyncio
import signal
import socket
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from kgreason_server.log_lines import log_to_stderr
from kgreason_server.options import ServerOptions

_TOO_LARGE: Final = b"HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class PatientProtocol(HttpToolsProtocol):
    """HTTP/1.1 that gives a client so many seconds for the headers of its first request, and of each later one from
    its first byte on; and so many bytes for headers, or for what it sends between two pieces of a body."""

    header_seconds = ServerOptions().header_seconds
    header_bytes = ServerOptions().header_bytes
    _timer: asyncio.TimerHandle | None = None
    _unread = 0
    """Bytes that have come since headers, or a piece of a body, were there as a whole."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Begin to wait for headers."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Stop waiting once the headers of a request are there; begin when some of the next have come."""
        before = self.cycle
        self._unread += len(data)
        super().data_received(data)
        if self.cycle is not before:
            self._stop_waiting()
        elif self._unread > self.header_bytes and not self.transport.is_closing():
            self.transport.write(_TOO_LARGE)
            self.transport.close()
        elif self._timer is None and (self.cycle is None or self.cycle.response_complete):
            self._wait()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; what follows a body is none."""
        if self.scope.get("method") is None:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Begin with the request."""
        self._unread = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a piece of a body."""
        self._unread = 0
        super().on_body(body)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _unsupported_upgrade_warning(self) -> None:
        """A client that offers another protocol, as Java's does, goes on with this one."""

    def _wait(self) -> None:
        self._timer = self.loop.call_later(self.header_seconds, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def configured(app: ASGIApp, options: ServerOptions) -> uvicorn.Config:
    """How uvicorn serves an application."""
    limits = {"header_seconds": options.header_seconds, "header_bytes": options.header_bytes}
    protocol = type("Protocol", (PatientProtocol,), limits)
    return uvicorn.Config(
        app,
        http=protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=options.connections,
        timeout_keep_alive=max(1, int(options.header_seconds)),
        timeout_graceful_shutdown=int(options.stopping_seconds),
    )


def serve(app: Starlette, host: str, port: int, options: ServerOptions) -> None:
    """Serve until the process is told to stop by SIGINT or SIGTERM: what runs by then is finished, the store committed.

    Raises:
        OSError: the address cannot be had.
        KGReasonError: the store cannot be opened.
    """
    log_to_stderr()
    failures: list[Exception] = []
    server = uvicorn.Server(configured(app, options))

    def fail(error: Exception) -> None:
        failures.append(error)
        server.should_exit = True

    app.state.on_failure = fail
    with bound(host, port) as listening:
        # uvicorn sends the signals that stopped it once more, when it has stopped.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        server.run(sockets=[listening])
    if failures:
        raise failures[0]


def bound(host: str, port: int) -> socket.socket:
    """A socket on an address, so that one that is taken is known before anything else happens."""
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    bound = socket.socket(family, kind, protocol)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError as error:
        bound.close()
        error.filename = f"{host}:{port}"
        raise
    return bound
