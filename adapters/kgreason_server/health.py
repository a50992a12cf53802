"""For those who look after the server: whether it runs, whether it can answer, and what it has done."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from kgreason_server.openapi import openapi_document
from kgreason_server.server_parts import ServerParts


@dataclass(frozen=True, slots=True)
class Health:
    """Answers those who look after the server. Only counts ask for a token."""

    parts: ServerParts

    async def live(self, request: Request) -> Response:
        """The process answers."""
        return PlainTextResponse("ok\n", headers={"Cache-Control": "no-store"})

    async def ready(self, request: Request) -> Response:
        """The store is open: 200, or else 503."""
        is_ready = self.parts.served.is_ready
        text = "ready\n" if is_ready else "the store is not open\n"
        return PlainTextResponse(text, 200 if is_ready else 503, {"Cache-Control": "no-store"})

    async def metrics(self, request: Request) -> Response:
        """What was counted."""
        self.parts.authorization.reader(request)
        served = self.parts.served
        gauges = {
            "kgreason_ready": ("Whether the store is open.", float(served.is_ready)),
            "kgreason_requests_running": ("Requests that are being answered.", float(self.parts.metrics.running)),
            "kgreason_listeners": ("Clients of the feed of changes.", float(served.changes.listeners)),
        }
        if served.is_ready:
            version = served.version
            triples = version.store.knowledge_base.all().count()
            gauges["kgreason_version"] = ("Versions of the store since the start.", float(version.number))
            gauges["kgreason_changed_seconds"] = ("When the store has changed, since 1970.", version.changed)
            gauges["kgreason_triples"] = ("Explicit and inferred triples.", float(triples))
        text = "\n".join([*self.parts.metrics.lines(gauges), ""])
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    async def description(self, request: Request) -> Response:
        """The OpenAPI description."""
        return JSONResponse(openapi_document())
