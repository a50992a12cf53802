"""Documents of IRIs and answers of servers, within what an `Access` allows.

A thread that no caller waits for fetches them, so that limits of time and size hold for any server.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import IO, TYPE_CHECKING, Final, Protocol, TypeVar
from urllib.parse import urlsplit

from kgreason import memory
from kgreason.access import Access
from kgreason.checkpoints import checkpoint
from kgreason.errors import AccessError, LoadError, one_line

if TYPE_CHECKING:
    from http.client import HTTPMessage, HTTPResponse
    from urllib.request import Request

Found_co = TypeVar("Found_co", covariant=True)

_PIECE: Final = 1 << 16
_SHOWN: Final = 200
_LOOK: Final = 0.05
"""Seconds between two looks at the limits of the caller that waits."""


class Waiting(Protocol[Found_co]):
    """A queue, to be waited for."""

    def get(self, block: bool = True, timeout: float | None = None) -> Found_co:
        """The next item; Empty where none comes in time."""


@dataclass(frozen=True, slots=True)
class RemoteRequest:
    """What is asked for.

    Attributes:
        form: what is posted, if anything.
        shown: the name of the IRI in errors, where it is long.
    """

    iri: str
    form: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    shown: str | None = None

    @property
    def name(self) -> str:
        """The name in errors."""
        return self.shown or self.iri

    def seconds(self, access: Access, most: float | None) -> float:
        """How long it may take, if that is at most so many seconds.

        Raises:
            AccessError: the access does not allow it.
        """
        access.check(self.name)
        access.check(self.iri)
        return access.seconds if most is None else max(0.0, min(most, access.seconds))


@dataclass(frozen=True, slots=True)
class Document:
    """What was found under an IRI: its bytes, the media type that a server told, and where it was found in the end."""

    content: bytes
    media_type: str | None
    iri: str


def fetch(asked: RemoteRequest, access: Access) -> Document:
    """The document of an IRI, or what a server answers to a form.

    Raises:
        AccessError: the IRI, or one that it redirects to, is not allowed.
        LoadError: it cannot be read, takes too long, or is too large.
    """
    allowed = asked.seconds(access, None)
    if urlsplit(asked.iri).scheme == "file":
        return _in_time(lambda _: _read(asked.iri, access), asked.iri, allowed)
    return _in_time(lambda end: _answered(asked, access, end), asked.name, allowed)


def _in_time(work: Callable[[float], Document], iri: str, seconds: float) -> Document:
    """The result of `work` in a thread of its own, which is given the time by which it should end."""
    found: SimpleQueue[Document | BaseException] = SimpleQueue()
    end = monotonic() + seconds

    def run() -> None:
        try:
            found.put(work(end))
        except BaseException as error:
            found.put(error)

    with memory.starting_threads():
        Thread(target=run, name="kgreason-fetching", daemon=True).start()
    result = awaited(found, end)
    if result is None or isinstance(result, BaseException):
        raise failure(result, iri, seconds) from None
    return result


def failure(error: BaseException | None, iri: str, seconds: float) -> BaseException:
    """The exception for the error of a thread that fetches, or for none in time (None)."""
    if error is None or isinstance(error, TimeoutError):
        return LoadError(f"not read within {seconds:g} s", path=iri)
    if isinstance(error, AccessError | LoadError) or not isinstance(error, Exception):
        return error
    return LoadError(f"cannot be read: {_reason(error)}", path=iri)


def awaited(found: Waiting[Found_co], end: float) -> Found_co | None:
    """The next item of a queue, None if there is none until `end`. The limits of the current work hold meanwhile."""
    while True:
        checkpoint()
        try:
            return found.get(timeout=max(0.0, min(_LOOK, end - monotonic())))
        except Empty:
            if monotonic() >= end:
                return None


def _read(iri: str, access: Access) -> Document:
    path = access.file(iri)
    if not path.is_file():
        raise LoadError("cannot be read: no such file", path=iri)
    with path.open("rb") as stream:
        content = stream.read(access.bytes + 1)
    if len(content) > access.bytes:
        raise _too_large(iri, access)
    return Document(content, None, iri)


def opened(asked: RemoteRequest, access: Access, end: float) -> HTTPResponse:
    """The answer of a server, to be read from. It has until `end`, and redirections go where the access allows."""
    # Heavy: HTTP, TLS and mail headers, for stores that may reach for servers.
    from urllib import request
    from urllib.error import HTTPError

    class Redirections(request.HTTPRedirectHandler):
        """Follows only where the access allows to go."""

        def redirect_request(
            self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
        ) -> Request | None:
            try:
                access.check(newurl)
            except AccessError:
                fp.close()
                raise
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler(),
        request.HTTPHandler(),
        request.HTTPSHandler(),
        Redirections(),
        request.HTTPDefaultErrorHandler(),
        request.HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    made = request.Request(asked.iri, data=asked.form, headers={"User-Agent": "kgreason", **asked.headers})
    try:
        response: HTTPResponse = opener.open(made, timeout=max(0.001, end - monotonic()))
    except HTTPError as error:
        error.close()
        raise
    return response


def pieces_of(response: HTTPResponse, iri: str, access: Access, end: float) -> Iterator[bytes]:
    """An answer as it comes; LoadError where it is too large or breaks off, TimeoutError where it takes too long."""
    size, announced = 0, response.length
    while piece := response.read1(_PIECE):
        size += len(piece)
        if size > access.bytes:
            raise _too_large(iri, access)
        if monotonic() > end:
            raise TimeoutError  # what has come is not the document, and may be there before the caller leaves
        yield piece
    if announced is not None and size < announced:
        raise LoadError(f"it breaks off after {size:,} of {announced:,} bytes", path=iri)


def media_type_of(response: HTTPResponse) -> str | None:
    """The media type in the headers of an answer."""
    return response.headers.get_content_type() if "content-type" in response.headers else None


def _answered(asked: RemoteRequest, access: Access, end: float) -> Document:
    with opened(asked, access, end) as response:
        content = b"".join(pieces_of(response, asked.iri, access, end))
        return Document(content, media_type_of(response), response.url)


def _too_large(iri: str, access: Access) -> LoadError:
    return LoadError(f"larger than the {access.bytes:,} bytes that are allowed", path=iri)


def _reason(error: Exception) -> str:
    inner = getattr(error, "reason", None)  # of a URLError
    reason = inner if isinstance(inner, Exception) else error
    return one_line(reason)[:_SHOWN]
