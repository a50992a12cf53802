"""Entity tags and what clients ask with them (RFC 9110, sections 8.8 and 13)."""

from __future__ import annotations

import re
from hashlib import blake2b
from http import HTTPStatus
from typing import Final

from starlette.requests import Request

from kgreason_server.problems import RequestError
from kgreason_server.served_store import Version
from kgreason_server.sparql_requests import SparqlRequest

_UNSTEADY: Final = re.compile(r"\b(rand|uuid|struuid|now|bnode|service)\b", re.IGNORECASE)
_TAG: Final = re.compile(r'(W/)?"([^"]*)"')


def query_tag(version: Version, asked: SparqlRequest) -> str | None:
    """The weak tag of the answer of a query, which is the same as long as the store is; None where the query may give
    another answer each time."""
    if _UNSTEADY.search(asked.text):
        return None
    # The parameters are in the address, to which a tag belongs.
    return f'W/"{version.name}"'


def graph_tag(version: Version, media_type: str) -> str:
    """The strong tag of a graph in one format, as of a version of the store."""
    return f'"{version.name}.{blake2b(media_type.encode(), digest_size=3).hexdigest()}"'


def not_modified(request: Request, tag: str) -> bool:
    """Whether the client has what it asks for already: If-None-Match, by weak comparison."""
    header = request.headers.get("if-none-match")
    return header is not None and (header.strip() == "*" or _opaque(tag) in map(_opaque, _tags(header)))


def check_preconditions(request: Request, version: Version, exists: bool) -> None:
    """Refuse a change of something that is not what the client took it for.

    Raises:
        RequestError: 412, there is another version, or there is something although If-None-Match says otherwise.
    """
    wanted = request.headers.get("if-match")
    if wanted is not None:
        strong = [tag for tag in _tags(wanted) if not tag.startswith("W/")]
        if not exists or not (wanted.strip() == "*" or version.name in map(_version_of, strong)):
            raise RequestError(HTTPStatus.PRECONDITION_FAILED, "the store has another version")
    unwanted = request.headers.get("if-none-match")
    if unwanted is None or not exists:
        return
    if unwanted.strip() == "*" or version.name in map(_version_of, _tags(unwanted)):
        raise RequestError(HTTPStatus.PRECONDITION_FAILED, "it is there already")


def _tags(header: str) -> list[str]:
    return [found.group() for found in _TAG.finditer(header)]


def _version_of(tag: str) -> str:
    """The version that a tag of ours names, which may go on with the format."""
    return _opaque(tag).partition(".")[0]


def _opaque(tag: str) -> str:
    return tag.removeprefix("W/").strip('"')
