"""Room for large bodies: only so many are in memory as texts, however many clients send them at once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Final

import anyio
from starlette.types import Scope

from kgreason_server.options import ServerOptions
from kgreason_server.problems import RequestError

_HOLDER: Final = "kgreason.holder"


class LargeBodies:
    """As many requests as queries are worked on hold the text of a large body, each until it is answered. Others wait
    for room, with what they sent in a file."""

    def __init__(self, options: ServerOptions) -> None:
        self._options = options
        self._room = anyio.CapacityLimiter(options.threads)
        self._holders: set[object] = set()

    @asynccontextmanager
    async def answering(self, scope: Scope) -> AsyncIterator[None]:
        """A block in which a request is answered, and after which it holds nothing."""
        scope[_HOLDER] = holder = object()
        try:
            yield
        finally:
            if holder in self._holders:
                self._holders.remove(holder)
                self._room.release_on_behalf_of(holder)

    async def hold(self, scope: Scope) -> None:
        """Wait for room for the text of a request's body.

        Raises:
            RequestError: 503, there was none for as long as a request may take.
        """
        holder = scope[_HOLDER]
        if holder in self._holders:
            return
        try:
            with anyio.fail_after(self._options.timeout):
                await self._room.acquire_on_behalf_of(holder)
        except TimeoutError:
            reason = "too many large requests at once"
            raise RequestError(HTTPStatus.SERVICE_UNAVAILABLE, reason, {"Retry-After": "10"}) from None
        self._holders.add(holder)
