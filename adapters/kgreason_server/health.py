"""``/livez`` and ``/readyz``: whether the process runs, and whether it can answer."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from kgreason_server.server_parts import ServerParts

OPEN_PATHS = frozenset(("/livez", "/readyz"))
"""What needs no token."""


@dataclass(frozen=True, slots=True)
class Health:
    """Answers those who look after the server."""

    parts: ServerParts

    async def live(self, request: Request) -> Response:
        """The process answers."""
        return PlainTextResponse("ok\n", headers={"Cache-Control": "no-store"})

    async def ready(self, request: Request) -> Response:
        """The store is open: 200, or else 503."""
        is_ready = self.parts.served.is_ready
        text = "ready\n" if is_ready else "the store is not open\n"
        return PlainTextResponse(text, 200 if is_ready else 503, {"Cache-Control": "no-store"})
