"""The server as an ASGI application.

    app = application(ReasoningStore(rules="owl-rl"), ServerOptions(write_tokens=(token,)))

The store belongs to the application from its start to its end, when it is committed and closed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.applications import Starlette
from starlette.routing import BaseRoute, Route

from kgreason_rdflib.store import ReasoningStore
from kgreason_server.authorization import Authorization
from kgreason_server.graph_store import METHODS, GraphStore
from kgreason_server.health import Health
from kgreason_server.options import ServerOptions
from kgreason_server.replies import Workers
from kgreason_server.request_guard import RequestGuard
from kgreason_server.served_store import Opening, ServedStore
from kgreason_server.server_parts import ServerParts
from kgreason_server.sparql_endpoints import SparqlEndpoints


def application(
    store: ReasoningStore | Opening, options: ServerOptions | None = None, *, more: Sequence[BaseRoute] = ()
) -> Starlette:
    """The application over a store, or over what opens one once the application runs.

    Args:
        options: what the owner allows; reading alone, unless given.
        more: routes beside those of the server. `server_parts` of their application's state is for them.
    """
    opening: Opening = (lambda: store) if isinstance(store, ReasoningStore) else store
    options = options or ServerOptions()
    workers = Workers(CapacityLimiter(options.threads))
    parts = ServerParts(ServedStore(opening), options, Authorization(options), workers)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with anyio.create_task_group() as group:
            group.start_soon(anyio.to_thread.run_sync, parts.served.open)
            yield
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(parts.served.close)

    app = Starlette(routes=[*_routes(parts), *more], lifespan=lifespan)
    app.state.server_parts = parts
    app.add_middleware(RequestGuard, parts=parts)
    return app


def _routes(parts: ServerParts) -> list[BaseRoute]:
    sparql, graphs, health = SparqlEndpoints(parts), GraphStore(parts), Health(parts)
    return [
        Route("/sparql", sparql.sparql, methods=["GET", "POST"]),
        Route("/update", sparql.update, methods=["POST"]),
        Route("/data", graphs.graph, methods=[*METHODS]),
        Route("/data/{graph:path}", graphs.graph, methods=[*METHODS]),
        Route("/livez", health.live),
        Route("/readyz", health.ready),
    ]
