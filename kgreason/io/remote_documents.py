"""Documents from where their IRIs lead, if the owner of the store allows it: for LOAD, imports and URLs of sources."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from kgreason.access import Access
from kgreason.fetching import RemoteRequest, fetch
from kgreason.io.contents import Allowance, Content
from kgreason.io.formats import format_of_media_type

# What servers call a document of which they do not know what it is.
_UNKNOWN: Final = (None, "text/plain", "text/html", "application/octet-stream", "application/xml", "text/xml")
_ACCEPTED: Final = ", ".join(
    ("text/turtle", "application/n-triples", "application/rdf+xml;q=0.9", "application/ld+json;q=0.8", "*/*;q=0.1")
)


@dataclass(frozen=True, slots=True)
class Fetched:
    """A document that was fetched: its bytes, a path whose endings may tell a format, and what else is known of it."""

    data: bytes
    path: Path
    content: Content


def fetch_document(iri: str, access: Access) -> Fetched:
    """The document of an IRI, in the format that its server tells, if any. It may decompress to as many bytes as the
    access allows.

    Raises:
        AccessError: it may not be reached for, or leads to where that is so.
        LoadError: it cannot be read, takes too long, or is too large.
    """
    found = fetch(RemoteRequest(iri, headers={"Accept": _ACCEPTED}), access)
    told = None if found.media_type in _UNKNOWN else format_of_media_type(found.media_type or "")
    content = Content(
        f"<{iri}>",
        lambda: nullcontext(BytesIO(found.content)),
        base=found.iri,
        format=told,
        allowance=Allowance(access.bytes),
    )
    return Fetched(found.content, Path(unquote(urlsplit(found.iri).path) or "/"), content)
