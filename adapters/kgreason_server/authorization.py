"""Who may read and who may write."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hmac import compare_digest
from http import HTTPStatus

from starlette.requests import HTTPConnection

from kgreason_server.options import ServerOptions
from kgreason_server.problems import RequestError

_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="kgreason"'}


@dataclass(frozen=True, slots=True)
class WritePermit:
    """Only `writer` makes one, so that no code changes a store without having asked."""


@dataclass(frozen=True, slots=True)
class Authorization:
    """Looks at the tokens of requests."""

    options: ServerOptions

    def reader(self, request: HTTPConnection) -> None:
        """Let a reader in. Where the server has no tokens, those of a proxy before it are not looked at.

        Raises:
            RequestError: 401, it shows a token that is not of this server, or none where reading needs one.
        """
        known = (*self.options.read_tokens, *self.options.write_tokens)
        token = _token_of(request)
        if token is not None and known and not _is_one_of(token, known):
            raise RequestError(HTTPStatus.UNAUTHORIZED, "this is no token of this server", _CHALLENGE)
        if token is None and self.options.read_tokens:
            raise RequestError(HTTPStatus.UNAUTHORIZED, "reading needs a token", _CHALLENGE)

    def writer(self, request: HTTPConnection) -> WritePermit:
        """Let a writer in.

        Raises:
            RequestError: 401 without a token of this server; 403 for one who may only read, from a foreign page, or
                where no one may write.
        """
        options = self.options
        if options.read_only or not options.write_tokens:
            raise RequestError(HTTPStatus.FORBIDDEN, "this server is read-only")
        token = _token_of(request)
        if token is not None and _is_one_of(token, options.write_tokens):
            self.check_origin(request)
            return WritePermit()
        if token is not None and _is_one_of(token, options.read_tokens):
            raise RequestError(HTTPStatus.FORBIDDEN, "this token is for reading only")
        raise RequestError(HTTPStatus.UNAUTHORIZED, "writing needs a token", _CHALLENGE)

    def permit(self, request: HTTPConnection) -> WritePermit | None:
        """A permit for one who may write; None for others."""
        try:
            return self.writer(request)
        except RequestError:
            return None

    def check_origin(self, request: HTTPConnection) -> None:
        """Refuse a page of another origin, unless the owner has listed it.

        Raises:
            RequestError: 403.
        """
        origin = request.headers.get("origin")
        if origin is None or origin in self.options.origins or "*" in self.options.origins:
            return
        if origin.partition("://")[2] != request.headers.get("host"):
            raise RequestError(HTTPStatus.FORBIDDEN, "pages of this origin may not write")


def _token_of(request: HTTPConnection) -> str | None:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _is_one_of(token: str, known: Iterable[str]) -> bool:
    """Compared with all of them, each in a time that does not depend on where they differ."""
    found = False
    for each in known:
        found |= compare_digest(token.encode(), each.encode())
    return found
