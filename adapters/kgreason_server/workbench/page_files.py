"""The page as it was built: served from the package, to be asked for again only when it has changed."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

FILES: Final = {
    "index.html": "text/html; charset=utf-8",
    "workbench.js": "text/javascript; charset=utf-8",
    "workbench.css": "text/css; charset=utf-8",
    "licences.txt": "text/plain; charset=utf-8",
}
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Nothing of another host, and no script or style but the files here."""


async def page(request: Request) -> Response:
    """The page at ``/``, and its files. They hold nothing of the store, so they need no token."""
    name = request.path_params.get("name", "index.html")
    if name not in FILES:
        return Response("there is no such file\n", 404, media_type="text/plain")
    content, tag = _content(name)
    headers = {
        "ETag": tag,
        "Cache-Control": "no-cache",
        "Content-Type": FILES[name],
        "Content-Security-Policy": _POLICY,
    }
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers)


@cache
def _content(name: str) -> tuple[bytes, str]:
    content = (files(__package__) / "built" / name).read_bytes()
    return content, f'"{blake2b(content, digest_size=8).hexdigest()}"'
