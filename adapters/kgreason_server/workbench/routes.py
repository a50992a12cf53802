"""The routes of the workbench."""

from __future__ import annotations

from starlette.routing import BaseRoute, Route

from kgreason_server.server_parts import ServerParts
from kgreason_server.workbench.page_files import page
from kgreason_server.workbench.workbench_endpoints import WorkbenchEndpoints


def workbench_routes(parts: ServerParts) -> list[BaseRoute]:
    """The page, and what it asks."""
    endpoints = WorkbenchEndpoints(parts)
    return [
        Route("/", page),
        Route("/workbench/names", endpoints.names),
        Route("/workbench/hierarchy", endpoints.hierarchy),
        Route("/workbench/resource", endpoints.resource),
        Route("/workbench/find", endpoints.find),
        Route("/workbench/{name}", page),
    ]
