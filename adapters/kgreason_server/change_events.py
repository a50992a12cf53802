"""``/changes``: net changes as server-sent events, which a client can take up again where it was.

An event ``change`` has the triples that came and went, explicit and inferred; a large change comes in several, and only
the last has the version as its id. So a client that was cut off in between gets the whole change again. An event
``reset`` says that changes were missed: the client must read the store anew.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any, Final, TypeAlias

import anyio
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from kgreason.dictionary.dictionary import Dictionary
from kgreason_server.change_feed import ServedChange
from kgreason_server.problems import RequestError
from kgreason_server.request_reading import Parameters
from kgreason_server.server_parts import ServerParts
from kgreason_server.term_parameters import listed

Json: TypeAlias = dict[str, Any]

_MEDIA_TYPE: Final = "text/event-stream"
_TRIPLES: Final = 500
"""So many triples has one event."""
_QUIET_SECONDS: Final = 15.0
_LISTENERS: Final = 200


@dataclass(frozen=True, slots=True)
class ChangeEvents:
    """Tells of changes."""

    parts: ServerParts

    async def changes(self, request: Request) -> Response:
        """The changes from now on, or after the version that the client has; 503 where too many listen already."""
        self.parts.authorization.reader(request)
        served = self.parts.served
        version = served.version
        if served.changes.listeners >= _LISTENERS:
            raise RequestError(HTTPStatus.SERVICE_UNAVAILABLE, "too many listen already", {"Retry-After": "10"})
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        if request.method == "HEAD":
            head = Response(None, headers=headers, media_type=_MEDIA_TYPE)
            del head.headers["content-length"]
            return head
        asked = Parameters.of(request.url.query)
        since = request.headers.get("last-event-id") or asked.one("since")
        events = self._events(version.number, version.name, since)
        return StreamingResponse(events, media_type=_MEDIA_TYPE, headers=headers)

    async def _events(self, number: int, name: str, since: str | None) -> AsyncIterator[str]:
        recent = self.parts.served.changes
        known = number if since in (None, name) else recent.number_of(since or "")
        if since is None:
            yield _event("version", {"version": name}, name)
        elif known is None:
            yield _event("reset", {"version": name}, name)
            known = number
        last = number if known is None else known
        with recent.listening() as event:
            while self.parts.served.is_ready:
                event.clear()
                changes = recent.after(last)
                if changes is None:
                    version = self.parts.served.version
                    last, changes = version.number, ()
                    yield _event("reset", {"version": version.name}, version.name)
                for change in changes:
                    pieces = self._pieces(change)
                    following = partial(next, pieces, None)
                    while (piece := await self.parts.workers.finish(following)) is not None:
                        yield piece
                    last = change.number
                with anyio.move_on_after(_QUIET_SECONDS) as waiting:
                    await event.wait()
                if waiting.cancelled_caught:
                    yield ": nothing new\n\n"

    def _pieces(self, change: ServedChange) -> Iterator[str]:
        """The events of one change."""
        dictionary = self.parts.served.version.store.knowledge_base.dictionary
        last: Json = {"added": [], "removed": []}
        for number, part in enumerate(_parts(change, dictionary)):
            if number:
                yield _event("change", {"version": change.version, **last, "is_last": False})
            last = part
        yield _event("change", {"version": change.version, **last, "is_last": True}, change.version)


def _parts(change: ServedChange, dictionary: Dictionary) -> Iterator[Json]:
    """Changes of so many triples each that together are the whole one, in its order."""
    part: Json = {"added": [], "removed": []}
    room = _TRIPLES
    for side, triple in _triples(change, dictionary):
        if not room:
            yield part
            part, room = {"added": [], "removed": []}, _TRIPLES
        part[side].append(triple)
        room -= 1
    yield part


def _triples(change: ServedChange, dictionary: Dictionary) -> Iterator[tuple[str, list[str]]]:
    """What goes, and then what comes, step by step."""
    for added, removed in change.steps:
        for side, view in (("removed", removed), ("added", added)):
            for chunk in view.match(None, None, None):
                for start in range(0, len(chunk[0]), _TRIPLES):
                    subjects, predicates, objects = (column[start : start + _TRIPLES] for column in chunk)
                    for triple in listed([(subjects, predicates, objects)], dictionary, _TRIPLES):
                        yield side, triple


def _event(name: str, data: dict[str, Any], identifier: str | None = None) -> str:
    end = "" if identifier is None else f"id: {identifier}\n"
    return f"event: {name}\n{end}data: {json.dumps(data, ensure_ascii=False)}\n\n"
