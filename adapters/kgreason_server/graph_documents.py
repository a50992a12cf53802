"""Bodies of requests as documents for a graph, read in threads, before anything changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from email.parser import BytesParser
from email.policy import HTTP
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import IO

from kgreason.checkpoints import heeding
from kgreason.dictionary.dictionary import Dictionary
from kgreason.io.contents import Allowance, Content
from kgreason.io.documents import Document
from kgreason.io.formats import Format, format_of_media_type
from kgreason.io.load_report import Loaded
from kgreason.io.readers import gather_documents
from kgreason.sparql.limits import Limits
from kgreason_server.problems import RequestError
from kgreason_server.request_reading import MULTIPART

Load = Callable[[Dictionary], Loaded]
_NAME = "body"


@dataclass(frozen=True, slots=True)
class Body:
    """A body as it came, or a part of one, with its type and what relative IRIs start from."""

    stream: IO[bytes]
    media_type: str
    base: str | None


def read_body(body: Body, content_type: str, limits: Limits, most: int) -> Load:
    """What gives the triples of a body for a dictionary; `most` is how many bytes it may unpack to.

    Raises:
        RequestError: 415, a format that is not known; 400, a body of several parts that is none.
        LoadError: it is malformed.
    """
    parts = [body] if body.media_type != MULTIPART else _parts(body, content_type)
    allowance = Allowance(most)
    documents = [_document(part, number, allowance) for number, part in enumerate(parts, 1)]
    with heeding(limits.check):
        return gather_documents(documents).into


def _document(body: Body, number: int, allowance: Allowance) -> Document:
    @contextmanager
    def opened() -> Iterator[IO[bytes]]:
        body.stream.seek(0)
        yield body.stream

    name = _NAME if number == 1 else f"{_NAME}-{number}"
    content = Content(name, opened, base=body.base, format=_format(body.media_type), allowance=allowance)
    return Document(Path(name), content=content)


def _format(media_type: str) -> Format:
    known = format_of_media_type(media_type)
    if known is None:
        raise RequestError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a format that is not known (expected text/turtle, ...)")
    return known


def _parts(body: Body, content_type: str) -> Sequence[Body]:
    head = f"Content-Type: {content_type}\r\n\r\n".encode("latin-1", "replace")
    message = BytesParser(policy=HTTP).parsebytes(head + body.stream.read())
    parts = []
    for part in message.iter_parts():
        content = part.get_payload(decode=True)
        if isinstance(content, bytes):
            parts.append(Body(BytesIO(content), part.get_content_type(), body.base))
    if not parts:
        raise RequestError(HTTPStatus.BAD_REQUEST, "a body of several parts has none")
    return parts
