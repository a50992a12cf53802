"""The server as a process: uvicorn, with limits that it lacks by itself."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
from typing import Any, Final

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

_HEADER_BYTES: Final = 64 << 10
_HEADER_SECONDS: Final = 10.0
_CONNECTIONS: Final = 1000
_STOPPING_SECONDS: Final = 30


class PatientProtocol(H11Protocol):
    """HTTP/1.1 that gives a client so many seconds for its headers, from the first byte of the connection on."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for headers."""
        super().connection_made(transport)
        self._wait()

    def handle_events(self) -> None:
        """Stop waiting once the headers of a request are there."""
        before = self.cycle
        super().handle_events()
        if self.cycle is not None and self.cycle is not before and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def on_response_complete(self) -> None:
        """Wait for the headers of the next request."""
        super().on_response_complete()
        if not self.transport.is_closing() and self._timer is None and self.conn.trailing_data[0]:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._timer = self.loop.call_later(_HEADER_SECONDS, self.transport.close)


def serve(app: ASGIApp, host: str, port: int, *, quiet: bool = False) -> None:
    """Serve until the process is told to stop by SIGINT or SIGTERM: what runs by then is finished.

    Raises:
        OSError: the address cannot be had.
    """
    if not quiet:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter('{"time":"%(asctime)s","level":"%(levelname)s","message":%(message)s}'))
        logging.getLogger("kgreason.server").addHandler(handler)
        logging.getLogger("kgreason.server").setLevel(logging.INFO)
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=PatientProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=_HEADER_BYTES,
        limit_concurrency=_CONNECTIONS,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=_STOPPING_SECONDS,
    )
    with _bound(host, port) as listening:
        uvicorn.Server(config).run(sockets=[listening])


def _bound(host: str, port: int) -> socket.socket:
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
