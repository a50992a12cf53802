"""Answers that are made in threads, a piece at a time, and only as fast as the client takes them.

No thread is held while a client reads. What a query has begun ends when its client goes away.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import asynccontextmanager, closing
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event
from time import monotonic
from typing import Final, TypeAlias, TypeVar

import anyio
import anyio.to_thread
from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from kgreason.checkpoints import heeded
from kgreason.sparql.limits import Limits
from kgreason_server.content_negotiation import accepts_gzip
from kgreason_server.problems import RequestError

Made = TypeVar("Made")
Pieces: TypeAlias = Generator[bytes, None, None]
_COMPRESSED_FROM: Final = 1400
"""A smaller answer fits into one packet as it is."""
_SOON: Final = 0.02
"""Seconds after which a client is watched. To watch one costs as much as a small answer, 0.08 ms."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: its media type, its pieces, which are made as they are asked for, and more headers."""

    media_type: str
    pieces: Pieces
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int = 200

    def with_headers(self, headers: Mapping[str, str]) -> Reply:
        """The same with more headers."""
        return replace(self, headers={**self.headers, **headers})


class Cancellation:
    """Whether the client of a request has gone away."""

    def __init__(self) -> None:
        self._event = Event()
        self.is_set = self._event.is_set
        self.set = self._event.set


@dataclass(frozen=True, slots=True)
class Workers:
    """The threads of a server: those of readers, and the one of writers, who wait for each other without a thread."""

    threads: Executor
    writing: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(1))

    async def run(self, request: Request, cancellation: Cancellation, work: Callable[[], Made]) -> Made:
        """What `work` makes in a thread; the cancellation is set when the client goes away meanwhile."""
        made = self._begun(work)
        await _ended(made, cancellation, _SOON)
        if not made.done():
            async with _watched(request.receive, cancellation):
                await _ended(made, cancellation)
        return made.result()

    async def finish(self, work: Callable[[], Made]) -> Made:
        """What `work` makes in a thread, whether the client waits for it or not."""
        made = self._begun(work)
        await _ended(made)
        return made.result()

    def _begun(self, work: Callable[[], Made]) -> asyncio.Future[Made]:
        return asyncio.get_running_loop().run_in_executor(self.threads, copy_context().run, work)

    async def change(self, work: Callable[[], Made], limits: Limits) -> Made:
        """What `work` makes in the thread of writers, whether the client waits for it or not; its limits count from
        before it is its turn.

        Raises:
            RequestError: 503, the time was over before.
        """
        turn = object()
        with anyio.move_on_after(limits.remaining) as waiting:
            await self.writing.acquire_on_behalf_of(turn)
        if waiting.cancelled_caught:
            seconds = f"{limits.seconds:g} s"
            raise RequestError(503, f"other changes took longer than {seconds}; nothing changed", {"Retry-After": "1"})
        try:
            return await anyio.to_thread.run_sync(work, limiter=CapacityLimiter(1))
        finally:
            self.writing.release_on_behalf_of(turn)

    async def respond(
        self, request: Request, cancellation: Cancellation, make: Callable[[], Reply], patience: float
    ) -> Response:
        """The response that streams a reply; what fails before its first piece is an error of the request."""
        wants_gzip = accepts_gzip(request.headers.get("accept-encoding"))

        def begin() -> tuple[Reply, bytes, bool]:
            reply = make()
            head, has_more = _head_of(reply.pieces)
            if wants_gzip and (has_more or len(head) >= _COMPRESSED_FROM):
                headers = {**reply.headers, "Content-Encoding": "gzip"}
                reply = replace(reply, pieces=_compressed(_continued(head, reply.pieces)), headers=headers)
                head, has_more = _head_of(reply.pieces)
            return reply, head, has_more

        reply, head, has_more = await self.run(request, cancellation, begin)
        headers = {"Content-Type": reply.media_type, "Vary": "Accept, Accept-Encoding", **reply.headers}
        if request.method == "HEAD":
            reply.pieces.close()
            return Response(b"", reply.status, headers if has_more else {**headers, "Content-Length": str(len(head))})
        if not has_more:
            return Response(head, reply.status, headers)
        reply = replace(reply, pieces=_continued(head, reply.pieces), headers=headers)
        return PieceResponse(reply, self, cancellation, patience)


class PieceResponse(Response):
    """Sends pieces as they are made. Where one fails, the connection breaks off: the client sees that it lacks the
    end."""

    def __init__(self, reply: Reply, workers: Workers, cancellation: Cancellation, patience: float) -> None:
        super().__init__(None, reply.status, reply.headers)
        del self.headers["content-length"]
        self._pieces = reply.pieces
        self._workers = workers
        self._cancellation = cancellation
        self._patience = patience

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send all of it, as an ASGI application."""
        following = partial(next, self._pieces, None)
        try:
            async with _watched(receive, self._cancellation):
                await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
                while not self._cancellation.is_set():
                    piece = await self._workers.finish(following)
                    if piece is None:
                        await send({"type": "http.response.body", "body": b"", "more_body": False})
                        break
                    with anyio.fail_after(self._patience):
                        await send({"type": "http.response.body", "body": piece, "more_body": True})
        finally:
            self._cancellation.set()
            self._pieces.close()


def paced(pieces: Iterator[bytes], limits: Limits) -> Pieces:
    """The pieces, each made within the limits; the time that passes until the next one is asked for does not count."""
    for piece in heeded(limits.check, pieces):
        given = monotonic()
        yield piece
        limits.extend(monotonic() - given)


async def _ended(
    made: asyncio.Future[Made], cancellation: Cancellation | None = None, seconds: float | None = None
) -> None:
    """Wait for a thread, at most some seconds. A wait that is cancelled, as when the server stops, still lasts until
    the thread has ended."""
    try:
        await asyncio.wait((made,), timeout=seconds)
    except asyncio.CancelledError:
        if cancellation is not None:
            cancellation.set()
        with anyio.CancelScope(shield=True):
            await asyncio.wait((made,))
        raise


@asynccontextmanager
async def _watched(receive: Receive, cancellation: Cancellation) -> AsyncIterator[None]:
    """Set the cancellation when the client goes away while the body runs."""

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        cancellation.set()

    async with anyio.create_task_group() as group:
        group.start_soon(watch)
        yield
        group.cancel_scope.cancel()


def _head_of(pieces: Pieces) -> tuple[bytes, bool]:
    """The first pieces, as many as make a packet, and whether there may be more."""
    head = b""
    for piece in pieces:
        head += piece
        if len(head) >= _COMPRESSED_FROM:
            return head, True
    return head, False


def _continued(head: bytes, rest: Pieces) -> Pieces:
    with closing(rest):
        yield head
        yield from rest


def _compressed(pieces: Pieces) -> Pieces:
    """The pieces as one stream of gzip, each to be read by itself."""
    compressor = zlib.compressobj(level=4, wbits=16 + zlib.MAX_WBITS)
    with closing(pieces):
        for piece in pieces:
            yield compressor.compress(piece) + compressor.flush(zlib.Z_SYNC_FLUSH)
        yield compressor.flush()
