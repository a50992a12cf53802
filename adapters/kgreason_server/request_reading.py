"""What a request carries: parameters and bodies, within limits."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from gzip import GzipFile
from http import HTTPStatus
from io import SEEK_END, BytesIO
from tempfile import SpooledTemporaryFile
from typing import IO, Final
from urllib.parse import parse_qsl

import anyio
from starlette.requests import Request

from kgreason_server.options import ServerOptions
from kgreason_server.problems import RequestError
from kgreason_server.server_parts import ServerParts

MULTIPART: Final = "multipart/form-data"
_FIELDS: Final = 1000
_IN_MEMORY: Final = 1 << 20
_GZIP: Final = b"\x1f\x8b"
_PACKED: Final = 1 << 10
"""Gzip becomes a thousand times as many bytes at most: of so many, no more than `_IN_MEMORY`."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a query string or of a form, each perhaps several times."""

    values: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, text: bytes | str) -> Parameters:
        """Those of a query string or a form.

        Raises:
            RequestError: 400, they are not UTF-8, or more than a thousand.
        """
        try:
            decoded = text.decode("ascii") if isinstance(text, bytes) else text
            pairs = parse_qsl(decoded, keep_blank_values=True, errors="strict", max_num_fields=_FIELDS)
        except ValueError:
            raise RequestError(HTTPStatus.BAD_REQUEST, "the parameters are not UTF-8, or too many") from None
        values: dict[str, list[str]] = {}
        for name, value in pairs:
            values.setdefault(name, []).append(value)
        return cls(values)

    def __or__(self, other: Parameters) -> Parameters:
        names = dict.fromkeys([*self.values, *other.values])
        return Parameters({name: [*self.all(name), *other.all(name)] for name in names})

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def all(self, name: str) -> tuple[str, ...]:
        """All values of a parameter."""
        return tuple(self.values.get(name, ()))

    def one(self, name: str) -> str | None:
        """The value of a parameter that may be given once; None where it is not.

        Raises:
            RequestError: 400, it is given several times.
        """
        found = self.values.get(name, ())
        if len(found) > 1:
            raise RequestError(HTTPStatus.BAD_REQUEST, f"{name} is given {len(found)} times (expected once)")
        return found[0] if found else None

    def flag(self, name: str, default: bool) -> bool:
        """The value of a parameter that is true or false; RequestError (400) for any other, or several."""
        value = self.one(name)
        if value is None:
            return default
        if value.lower() not in ("true", "false"):
            raise RequestError(HTTPStatus.BAD_REQUEST, f"{name} is neither true nor false")
        return value.lower() == "true"

    def number(self, name: str, most: float | None) -> float | None:
        """The value of a parameter that is a number above 0, and not above `most`, which stands for it where it is not
        given; RequestError (400) for any other, or several."""
        value = self.one(name)
        if value is None:
            return most
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not 0 < number < float("inf"):
            raise RequestError(HTTPStatus.BAD_REQUEST, f"{name} is not a number above 0")
        return number if most is None else min(number, most)


def address_of(request: Request) -> str:
    """The address of a request without its parameters, percent-encoded as it came."""
    path = request.scope.get("raw_path") or request.url.path.encode()
    return f"{request.url.scheme}://{request.url.netloc}{path.decode('ascii', 'replace').partition('?')[0]}"


def media_type_of(request: Request) -> str:
    """The media type of a body, without its parameters; empty where it is not told.

    Raises:
        RequestError: 415, it is not in UTF-8.
    """
    name, *parameters = request.headers.get("content-type", "").split(";")
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key.strip().lower() == "charset" and value.strip().strip('"').lower() not in ("utf-8", "utf8", "us-ascii"):
            raise RequestError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a charset that is not supported (expected UTF-8)")
    return name.strip().lower()


async def text_of_body(request: Request, parts: ServerParts) -> str:
    """The body as text, which has no more bytes unpacked than a body may have. A large one, and one that may become
    large, waits for its room in memory.

    Raises:
        RequestError: also 400, it is not UTF-8, or not the gzip that its header says; 503, there is no room.
    """
    options = parts.options
    with await spooled_body(request, options) as stream:
        is_packed = _encoding_of(request) == "gzip"
        if stream.seek(0, SEEK_END) > (_PACKED if is_packed else _IN_MEMORY):
            await parts.bodies.hold(request.scope)
        stream.seek(0)
        content = await anyio.to_thread.run_sync(_unpacked, stream, options) if is_packed else stream.read()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RequestError(HTTPStatus.BAD_REQUEST, "the body is not UTF-8") from None


async def spooled_body(request: Request, options: ServerOptions) -> IO[bytes]:
    """The body as a file, in memory as long as it is small. One of several parts is unpacked, to no more bytes than a
    body may have; others are as they came.

    Raises:
        RequestError: 413, it is too large; 408, the client takes too long to send it; 415, it is encoded; 400, it is
            not the gzip that its header says.
    """
    if _encoding_of(request) not in ("identity", "gzip", ""):
        raise RequestError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a content encoding that is not known (expected gzip)")
    told = request.headers.get("content-length", "")
    if told.isdigit() and int(told) > options.max_body:
        raise _too_large(options)
    stream: IO[bytes] = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - the caller closes it
    size = 0
    try:
        pieces = request.stream()
        while True:
            with anyio.fail_after(options.body_seconds):
                piece = await anext(pieces, None)
            if piece is None:
                break
            size += len(piece)
            if size > options.max_body:
                raise _too_large(options)
            stream.write(piece)
    except TimeoutError:
        stream.close()
        raise RequestError(HTTPStatus.REQUEST_TIMEOUT, "the body took too long", {"Connection": "close"}) from None
    except BaseException:
        stream.close()
        raise
    stream.seek(0)
    if _encoding_of(request) == "gzip":
        if stream.read(len(_GZIP)) != _GZIP:
            stream.close()
            raise _not_gzip()
        stream.seek(0)
        if media_type_of(request) == MULTIPART:
            with stream:
                return BytesIO(await anyio.to_thread.run_sync(_unpacked, stream, options))
    return stream


def _encoding_of(request: Request) -> str:
    named = request.headers.get("content-encoding", "identity").strip().lower()
    return "gzip" if named == "x-gzip" else named  # RFC 9110, section 8.4.1.3


def _unpacked(stream: IO[bytes], options: ServerOptions) -> bytes:
    try:
        content = GzipFile(fileobj=stream, mode="rb").read(options.max_body + 1)
    except (OSError, EOFError, zlib.error):
        raise _not_gzip() from None
    if len(content) > options.max_body:
        raise _too_large(options)
    return content


def _not_gzip() -> RequestError:
    return RequestError(HTTPStatus.BAD_REQUEST, "the body is not gzip, as its header says")


def _too_large(options: ServerOptions) -> RequestError:
    return RequestError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        f"the body has more than {options.max_body:,} bytes",
        {"Connection": "close"},
    )


__all__ = ["MULTIPART", "Parameters", "address_of", "media_type_of", "spooled_body", "text_of_body"]
