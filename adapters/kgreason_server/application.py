"""The server as an ASGI application.

    app = application(ReasoningStore(rules="owl-rl"), ServerOptions(write_tokens=(token,)))

The store belongs to the application from its start to its end, when it is committed and closed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import BaseRoute, Route

from kgreason_rdflib.store import ReasoningStore
from kgreason_server.agent_endpoint import AgentEndpoint
from kgreason_server.authorization import Authorization
from kgreason_server.change_events import ChangeEvents
from kgreason_server.graph_store import METHODS, GraphStore
from kgreason_server.health import Health
from kgreason_server.large_bodies import LargeBodies
from kgreason_server.log_lines import LOG
from kgreason_server.metrics import Metrics
from kgreason_server.openapi import openapi_document
from kgreason_server.options import ServerOptions
from kgreason_server.problems import problem_response
from kgreason_server.rdf4j_endpoints import Rdf4jEndpoints
from kgreason_server.reasoning_endpoints import ReasoningEndpoints
from kgreason_server.replies import Workers
from kgreason_server.request_guard import RequestGuard
from kgreason_server.served_store import Opening, ServedStore
from kgreason_server.server_parts import ServerParts
from kgreason_server.sparql_endpoints import SparqlEndpoints
from kgreason_server.whatif import WhatIfEndpoint
from kgreason_server.workbench.routes import workbench_routes

_HEADERS: Final = ("Authorization", "Content-Type", "If-Match", "If-None-Match", "Last-Event-ID")
"""What a page of another origin may send beside what every page may."""


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
    threads = ThreadPoolExecutor(options.threads, "query")
    served = ServedStore(opening, options.changes_kept)
    metrics = Metrics([*(path.split("{")[0].rstrip("/") for path in openapi_document()["paths"]), "/rdf4j"])
    parts = ServerParts(served, options, Authorization(options), Workers(threads), metrics, LargeBodies(options))
    agents = AgentEndpoint(parts)
    agent_route = Route("/mcp", agents, methods=["POST"])
    routes = [*_routes(parts), agent_route, *workbench_routes(parts), *more]
    lifespan = partial(_lifespan, parts, agents, threads)
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={HTTPException: problem_response})
    app.state.server_parts = parts
    app.state.on_failure = _raised
    if options.origins:
        app.add_middleware(
            CORSMiddleware, allow_origins=options.origins, allow_methods=[*METHODS], allow_headers=_HEADERS,
            expose_headers=["ETag", "Location", "X-Request-Id"],
        )  # fmt: skip
    app.add_middleware(RequestGuard, parts=parts)
    return app


@asynccontextmanager
async def _lifespan(
    parts: ServerParts, agents: AgentEndpoint, threads: ThreadPoolExecutor, app: Starlette
) -> AsyncIterator[None]:
    """Open the store in the background, follow what other processes commit, and close the store at the end."""
    served = parts.served

    async def opened() -> None:
        try:
            await anyio.to_thread.run_sync(served.open)
        except Exception as error:  # the command ends with any failure to open
            app.state.on_failure(error)

    async def followed() -> None:
        while True:
            await anyio.sleep(parts.options.follow_seconds)
            try:
                await anyio.to_thread.run_sync(served.follow)
            except Exception:  # the server goes on with the version that it has, and tries again
                LOG.exception("what others have committed cannot be shown")

    async with agents.running(), anyio.create_task_group() as group:
        group.start_soon(opened)
        group.start_soon(followed)
        yield
        group.cancel_scope.cancel()
    with anyio.CancelScope(shield=True):
        await anyio.to_thread.run_sync(served.close)
    threads.shutdown(wait=False)


def _raised(error: Exception) -> None:
    """What an application does with an error of opening unless its owner replaces `on_failure`."""
    raise error


def _routes(parts: ServerParts) -> list[BaseRoute]:
    sparql, graphs, health = SparqlEndpoints(parts), GraphStore(parts), Health(parts)
    reasoning = ReasoningEndpoints(parts)
    return [
        Route("/sparql", sparql.sparql, methods=["GET", "POST"]),
        Route("/update", sparql.update, methods=["POST"]),
        Route("/data", graphs.graph, methods=[*METHODS]),
        Route("/data/{graph:path}", graphs.graph, methods=[*METHODS]),
        Route("/explain", reasoning.explain),
        Route("/why-not", reasoning.why_not),
        Route("/inconsistencies", reasoning.inconsistencies),
        Route("/statistics", reasoning.statistics),
        Route("/prefixes", reasoning.prefixes),
        Route("/rules", reasoning.rules, methods=["GET", "POST", "DELETE"]),
        Route("/whatif", WhatIfEndpoint(parts).what_if, methods=["POST"]),
        Route("/changes", ChangeEvents(parts).changes),
        Route("/livez", health.live),
        Route("/readyz", health.ready),
        Route("/metrics", health.metrics),
        Route("/openapi.json", health.description),
        *Rdf4jEndpoints(parts, sparql).routes(),
    ]
