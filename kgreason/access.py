"""What a store may reach for outside of itself: hosts of the network and folders of files, none by default.

A query may come from a stranger, so LOAD, SERVICE, imports and everything else that follows an IRI asks an `Access`
first::

    ReasoningStore(access=Access(hosts=("dbpedia.org",), folders=("data",)))

Redirections are checked like the IRI itself, links of the file system where they lead. What is fetched has limits of
time and size that hold for any server, because it is fetched by a thread that no caller waits for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import IO, TYPE_CHECKING, Final, Protocol, TypeVar
from urllib.parse import SplitResult, urlsplit

from kgreason import memory
from kgreason.checkpoints import checkpoint
from kgreason.errors import AccessError, LoadError, OptionError, one_line, quoted

if TYPE_CHECKING:
    from http.client import HTTPMessage, HTTPResponse
    from urllib.request import Request

Found_co = TypeVar("Found_co", covariant=True)


class Waiting(Protocol[Found_co]):
    """A queue that is waited for."""

    def get(self, block: bool = True, timeout: float | None = None) -> Found_co:
        """The next item; Empty where none comes in time."""


_PORTS: Final = {"http": 80, "https": 443}
_PIECE: Final = 1 << 16
_SHOWN: Final = 200
_HOST: Final = "the name of a server, as example.org or localhost:3030"
_LOOK: Final = 0.05
"""So many seconds may pass between two looks at the limits of who waits."""


@dataclass(frozen=True, slots=True)
class Access:
    """What may be reached for.

    Attributes:
        hosts: names of servers as in IRIs. ``example.org`` allows its usual port of a scheme, ``example.org:3030``
            another one, ``*.example.org`` all names below it, ``*`` every server, those of the local network, too.
        folders: folders of this machine whose files, and those of their folders, may be read.
        schemes: those by which servers are reached.
        seconds: how long one document, or one answer of a service, may take.
        bytes: how large it may be.

    Raises:
        OptionError: a text in the place of a tuple, a URL in the place of a host, a limit that is negative.
    """

    hosts: tuple[str, ...] = ()
    folders: tuple[str | Path, ...] = ()
    schemes: tuple[str, ...] = ("http", "https")
    seconds: float = 60.0
    bytes: int = 1 << 30

    def __post_init__(self) -> None:
        for name in ("hosts", "folders", "schemes"):
            places = getattr(self, name)
            if isinstance(places, str | Path):
                raise OptionError(f"{name}={quoted(str(places))}", name, places, expected="a tuple of them")
        for host in self.hosts:
            if not host or "/" in host:
                raise OptionError(f"the host {quoted(host)}", "hosts", host, expected=_HOST)
        for name in ("seconds", "bytes"):
            limit = getattr(self, name)
            if not (isinstance(limit, int | float) and limit >= 0):
                raise OptionError(f"an access of {limit!r} {name}", name, limit, expected="0 or more")

    def check(self, iri: str) -> None:
        """Refuse what may not be reached for.

        Raises:
            AccessError: it names what would allow it.
        """
        parts = _split(iri)
        if parts.scheme == "file":
            self._allowed_file(iri, parts)
        elif parts.scheme not in _PORTS or parts.scheme not in self.schemes:
            raise AccessError(f"the scheme {parts.scheme!r} is not allowed here (allowed: {self._shown()})", path=iri)
        elif not self._has_host(parts):
            raise AccessError(f"the host {parts.netloc!r} is not allowed here (allowed: {self._shown()})", path=iri)

    def file(self, iri: str) -> Path:
        """The path of a file that may be read, without links; AccessError for another."""
        return self._allowed_file(iri, _split(iri))

    @property
    def is_open(self) -> bool:
        """Whether everything is allowed."""
        return "*" in self.hosts and any(Path(folder).resolve() == Path("/") for folder in self.folders)

    def _has_host(self, parts: SplitResult) -> bool:
        try:
            name, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
        except ValueError:
            return False
        usual = port == _PORTS[parts.scheme]
        return any(_matches(pattern.lower(), name, port, usual) for pattern in self.hosts)

    def _allowed_file(self, iri: str, parts: SplitResult) -> Path:
        # Heavy, as in `_answered`.
        from urllib.request import url2pathname

        name = url2pathname(parts.path)
        if parts.netloc not in ("", "localhost") or parts.query or "\0" in name:
            raise AccessError("not a file of this machine", path=iri)
        path = Path(name).resolve()
        if not any(path.is_relative_to(Path(folder).resolve()) for folder in self.folders):
            raise AccessError(f"files of its folder are not allowed here (allowed: {self._shown()})", path=iri)
        return path

    def _shown(self) -> str:
        return ", ".join([*self.hosts, *map(str, self.folders)]) or "nothing; the owner of the store says what is"


NOTHING: Final = Access()
"""Nothing is reached for."""
EVERYTHING: Final = Access(hosts=("*",), folders=("/",))
"""Everything may be reached for: only for queries that the owner wrote."""


@dataclass(frozen=True, slots=True)
class Document:
    """What was found under an IRI: its bytes, the media type that a server told, and where it was found in the end."""

    content: bytes
    media_type: str | None
    iri: str


def fetch(
    iri: str,
    access: Access,
    *,
    seconds: float | None = None,
    form: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    shown: str | None = None,
) -> Document:
    """The document of an IRI, or what a server answers to a form.

    Args:
        seconds: how long it may take, if that is less than the access allows.
        shown: what errors call it, where the IRI itself is long.

    Raises:
        AccessError: it may not be reached for, or leads to where that is so.
        LoadError: it cannot be read, takes too long, or is too large.
    """
    access.check(shown or iri)
    access.check(iri)
    allowed = access.seconds if seconds is None else max(0.0, min(seconds, access.seconds))
    if urlsplit(iri).scheme == "file":
        return _in_time(lambda _: _read(iri, access), iri, allowed)
    return _in_time(lambda end: _answered(iri, access, end, form, dict(headers or {})), shown or iri, allowed)


def _in_time(work: Callable[[float], Document], iri: str, seconds: float) -> Document:
    """What a thread of its own makes, if it does so in time; it is told when it should have ended."""
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
    """What is to be raised where a thread that fetches met an error, or was not done in time (None)."""
    if error is None or isinstance(error, TimeoutError):
        return LoadError(f"not read within {seconds:g} s", path=iri)
    if isinstance(error, AccessError | LoadError) or not isinstance(error, Exception):
        return error
    return LoadError(f"cannot be read: {_reason(error)}", path=iri)


def awaited(found: Waiting[Found_co], end: float) -> Found_co | None:
    """What is put into a queue until some time, None for nothing; the limits of the work at hand hold meanwhile."""
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


def opened(
    iri: str, access: Access, end: float, form: bytes | None, headers: Mapping[str, str]
) -> HTTPResponse:
    """What a server answers, to be read from: it has until `end`, and is reached only along what the access allows."""
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
    asked = request.Request(iri, data=form, headers={"User-Agent": "kgreason", **headers})
    try:
        response: HTTPResponse = opener.open(asked, timeout=max(0.001, end - monotonic()))
    except HTTPError as error:
        error.close()
        raise
    return response


def pieces_of(response: HTTPResponse, iri: str, access: Access, end: float) -> Iterator[bytes]:
    """An answer as it comes; LoadError where it is too large, TimeoutError where it takes too long."""
    size = 0
    while piece := response.read1(_PIECE):
        size += len(piece)
        if size > access.bytes:
            raise _too_large(iri, access)
        if monotonic() > end:
            raise TimeoutError  # what has come is not the document, and may be there before the caller leaves
        yield piece


def media_type_of(response: HTTPResponse) -> str | None:
    """The media type that a server told."""
    return response.headers.get_content_type() if "content-type" in response.headers else None


def _answered(iri: str, access: Access, end: float, form: bytes | None, headers: Mapping[str, str]) -> Document:
    with opened(iri, access, end, form, headers) as response:
        content = b"".join(pieces_of(response, iri, access, end))
        return Document(content, media_type_of(response), response.url)


def _too_large(iri: str, access: Access) -> LoadError:
    return LoadError(f"larger than the {access.bytes:,} bytes that are allowed", path=iri)


def _split(iri: str) -> SplitResult:
    try:
        return urlsplit(iri)
    except ValueError as error:
        raise AccessError(f"not an address: {one_line(error)}", path=iri) from None


def _matches(pattern: str, name: str, port: int, usual: bool) -> bool:
    if pattern == "*":
        return True
    host, _, own_port = pattern.rpartition(":") if pattern.rpartition(":")[2].isdigit() else (pattern, "", "")
    if not (str(port) == own_port if own_port else usual):
        return False
    host = host.strip("[]")
    return name.endswith(host[1:]) if host.startswith("*.") else name == host


def _reason(error: Exception) -> str:
    inner = getattr(error, "reason", None)  # of a URLError
    reason = inner if isinstance(inner, Exception) else error
    return (getattr(reason, "strerror", None) or one_line(reason) or type(reason).__name__)[:_SHOWN]
