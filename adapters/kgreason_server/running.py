"""The server as a process: uvicorn, with limits that it lacks by itself."""

from __future__ import annotations

import signal
import socket
import sys
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.types import ASGIApp

from kgreason_server.http_connection import PatientProtocol
from kgreason_server.log_lines import log_to_stderr
from kgreason_server.options import ServerOptions

_SWITCH_SECONDS: Final = 0.0005
"""How long a thread keeps the interpreter's lock while another waits for it. A commit gives it away some ten times, so
that beside 8 clients it took 109 ms at the median with Python's 5 ms, 61 with 1 ms and 50 with 0.2 ms, on a busy
machine; requests took the same processor time."""


def configured(app: ASGIApp, options: ServerOptions) -> uvicorn.Config:
    """How uvicorn serves an application."""
    names = ("header_seconds", "header_bytes", "body_seconds")
    protocol = type("Protocol", (PatientProtocol,), {name: getattr(options, name) for name in names})
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


def serve(app: Starlette, listening: socket.socket, options: ServerOptions) -> None:
    """Serve at a socket that is `bound` until SIGINT or SIGTERM: what runs by then is finished, the store committed.

    Raises:
        KGReasonError: the store cannot be opened.
    """
    log_to_stderr()
    sys.setswitchinterval(_SWITCH_SECONDS)
    failures: list[Exception] = []
    server = uvicorn.Server(configured(app, options))

    def fail(error: Exception) -> None:
        failures.append(error)
        server.should_exit = True

    app.state.on_failure = fail
    # uvicorn sends the signals that stopped it once more, when it has stopped.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    server.run(sockets=[listening])
    if failures:
        raise failures[0]


def bound(host: str, port: int) -> socket.socket:
    """A socket on an address, so that one that is taken is known before anything else happens.

    Raises:
        OSError: the address cannot be had.
    """
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
