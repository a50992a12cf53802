"""Answers in JSON that belong to a version of the store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from kgreason.checkpoints import heeding
from kgreason.sparql.limits import Limits
from kgreason_server.conditional_requests import not_modified
from kgreason_server.replies import Cancellation
from kgreason_server.served_store import Version
from kgreason_server.server_parts import ServerParts

JsonObject = Mapping[str, Any]


async def answer_in_json(
    parts: ServerParts,
    request: Request,
    work: Callable[[Version], JsonObject],
    *,
    seconds: float | None = None,
    has_tag: bool = True,
) -> Response:
    """What `work` makes of the version that there is, with its name; in a thread, which ends when the client goes."""
    version = parts.served.version
    headers = {"Cache-Control": "no-cache", "ETag": f'W/"{version.name}"'} if has_tag else {}
    if has_tag and not_modified(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    cancellation = Cancellation()
    limits = Limits(seconds or parts.options.timeout, is_cancelled=cancellation.is_set, work="the answer")

    def made() -> Response:
        with heeding(limits.check):
            return JSONResponse({"version": version.name, **work(version)}, headers=headers)

    return await parts.workers.run(request, cancellation, made)
