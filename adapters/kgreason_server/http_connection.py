"""Connections over HTTP/1.1: those of uvicorn on the parser of httptools, with limits of time and size."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from kgreason_server.options import ServerOptions

_TOO_LARGE: Final = b"HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class PatientProtocol(HttpToolsProtocol):
    """HTTP/1.1 with limits for clients: `header_seconds` for the headers of a request, from the start of the connection
    or from the first byte of a later request, `header_bytes` for headers and between two pieces of a body, and
    `body_seconds` in which a client takes something of what waits for it.

    A client may offer another protocol, as Java's does with its first request. It is answered in HTTP/1.1. The parser
    skips the bodies of such requests, so they are parsed once more without the offer.
    """

    header_seconds = ServerOptions().header_seconds
    header_bytes = ServerOptions().header_bytes
    body_seconds = ServerOptions().body_seconds
    _timer: asyncio.TimerHandle | None = None
    _unread = 0
    """Bytes received since the end of headers or of a piece of a body."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Begin to wait for headers."""
        self._ending = EndingTransport(transport, self.loop, self.body_seconds)
        super().connection_made(self._ending)  # type: ignore[arg-type]  # it has all that a transport has
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Stop waiting once the headers of a request are there; begin when some of the next have come."""
        before = self.cycle
        self._unread += len(data)
        self._unset_keepalive_if_required()
        try:
            self._feed(data)
        except httptools.HttpParserError:
            self.send_400_response("Invalid HTTP request received.")
            return
        if self.cycle is not before:
            self._stop_waiting()
        elif self._unread > self.header_bytes:
            self.transport.write(_TOO_LARGE)
            self.transport.close()
        elif self._timer is None and (self.cycle is None or self.cycle.response_complete):
            self._wait()

    def _feed(self, data: bytes) -> None:
        """Parse what has come.

        Raises:
            HttpParserError: it is malformed, or asks for a tunnel.
        """
        while True:
            try:
                self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as offer:
                method, version = self.parser.get_method(), self.parser.get_http_version()
                if method == b"CONNECT":
                    raise httptools.HttpParserError("no tunnels") from None
                kept = b"".join(b"%b: %b\r\n" % each for each in self.headers if each[0] != b"upgrade")
                head = b"%b %b HTTP/%b\r\n%b\r\n" % (method, self.url, version.encode(), kept)
                data = head + data[offer.args[0] :]
                self.parser = httptools.HttpRequestParser(self)
            else:
                return

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header of a request. A field behind a body is ignored."""
        if self.scope.get("method") is None:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Begin with the request, unless it is read once more."""
        self._unread = 0
        if not self.parser.should_upgrade():
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a piece of a body."""
        self._unread = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Take the end of a body."""
        if not self.parser.should_upgrade():
            super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        self._ending.stop_watching()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Wait for the client to take what was written."""
        super().pause_writing()
        self._ending.watch()

    def resume_writing(self) -> None:
        """Go on: the client has taken most of it."""
        self._ending.stop_watching()
        super().resume_writing()

    def _wait(self) -> None:
        self._timer = self.loop.call_later(self.header_seconds, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class EndingTransport:
    """A transport that ends: it drops its client if that takes nothing for some seconds while it is watched, which it
    is from `close` on. A transport of asyncio waits for its client without an end, and counts as a connection."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop, seconds: float) -> None:
        self._transport = transport
        self._loop = loop
        self._seconds = seconds
        self._timer: asyncio.TimerHandle | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def close(self) -> None:
        """Close the connection once the client has taken what waits for it."""
        self._transport.close()
        self.watch()

    def watch(self) -> None:
        """Begin to look whether the client takes anything, unless that is looked at already."""
        if self._timer is None:
            self._look_later(self._transport.get_write_buffer_size())

    def stop_watching(self) -> None:
        """Let the client take its time."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look_later(self, size: int) -> None:
        self._timer = self._loop.call_later(self._seconds, self._look, size) if size else None

    def _look(self, size: int) -> None:
        left = self._transport.get_write_buffer_size()
        if left >= size:
            self._transport.abort()
        else:
            self._look_later(left)
