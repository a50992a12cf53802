"""Relative IRIs to absolute ones (RFC 3986, section 5.2), without any other change to what is written."""

from __future__ import annotations

import re
from typing import Final

_PARTS: Final = re.compile(r"(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")


def is_absolute(iri: str) -> bool:
    """Whether an IRI begins with a scheme."""
    return _SCHEME.match(iri) is not None


def resolved(iri: str, base: str) -> str:
    """An IRI as it is meant where `base` holds. One with a scheme stays as it is, with its dots."""
    if is_absolute(iri):
        return iri
    scheme, authority, path, query, _ = _split(base)
    _, own_authority, own_path, own_query, fragment = _split(f"x:{iri}")
    if own_authority is not None:
        authority, path, query = own_authority, _without_dots(own_path), own_query
    elif own_path:
        merged = own_path if own_path.startswith("/") else _merged(authority, path, own_path)
        path, query = _without_dots(merged), own_query
    elif own_query is not None:
        query = own_query
    return "".join((
        f"{scheme}:" if scheme else "",
        "" if authority is None else f"//{authority}",
        path,
        "" if query is None else f"?{query}",
        "" if fragment is None else f"#{fragment}",
    ))  # fmt: skip


def _split(iri: str) -> tuple[str | None, str | None, str, str | None, str | None]:
    found = _PARTS.fullmatch(iri)
    assert found is not None, "any text has these parts"
    scheme, authority, path, query, fragment = found.groups()
    return scheme, authority, path or "", query, fragment


def _merged(authority: str | None, base: str, path: str) -> str:
    if authority is not None and not base:
        return f"/{path}"
    return base[: base.rfind("/") + 1] + path


def _without_dots(path: str) -> str:
    """Section 5.2.4: no steps to the same place or the one above."""
    if "." not in path:
        return path
    *most, last = path.split("/")
    kept: list[str] = []
    for step in most:
        if step == "..":
            if len(kept) > 1 or (kept and kept[0]):
                kept.pop()
        elif step != ".":
            kept.append(step)
    if last == "..":
        if len(kept) > 1 or (kept and kept[0]):
            kept.pop()
        last = ""
    return "/".join([*kept, "" if last == "." else last])
