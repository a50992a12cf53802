"""What goes wrong with a request, as an answer: one JSON object (RFC 9457), one line of text in it, no traceback."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from kgreason.errors import (
    AccessError,
    BudgetError,
    FunctionError,
    KGReasonError,
    KnownTripleError,
    ListError,
    LoadError,
    LockedError,
    OptionError,
    QueryError,
    QueryLimitError,
    ReadOnlyError,
    RuleError,
    StoreError,
    StratificationError,
    TermError,
    UnknownTripleError,
    WriteError,
)


class RequestError(Exception):
    """An answer that is not what the client asked for."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})

    def response(self) -> JSONResponse:
        """The answer."""
        title = HTTPStatus(self.status).phrase
        content = {"status": self.status, "title": title, "detail": self.detail}
        return JSONResponse(content, self.status, self.headers, media_type="application/problem+json")


_STATUS: Final[tuple[tuple[type[BaseException], int], ...]] = (
    (AccessError, HTTPStatus.FORBIDDEN),
    (ReadOnlyError, HTTPStatus.FORBIDDEN),
    (KnownTripleError, HTTPStatus.CONFLICT),
    (UnknownTripleError, HTTPStatus.NOT_FOUND),
    (ListError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (StratificationError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (LockedError, HTTPStatus.SERVICE_UNAVAILABLE),
    (QueryError, HTTPStatus.BAD_REQUEST),
    (FunctionError, HTTPStatus.BAD_REQUEST),
    (RuleError, HTTPStatus.BAD_REQUEST),
    (TermError, HTTPStatus.BAD_REQUEST),
    (OptionError, HTTPStatus.BAD_REQUEST),
    (LoadError, HTTPStatus.BAD_REQUEST),
    (MemoryError, HTTPStatus.SERVICE_UNAVAILABLE),
)
"""The first that suits counts. What the list does not have is the server's own fault."""


async def problem_response(request: Request, error: Exception) -> Response:
    """The answer where no route suits: which methods there are, for one who asks by OPTIONS."""
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED and request.method == "OPTIONS":
        allowed = ", ".join(sorted({*headers.get("Allow", "").replace(" ", "").split(","), "OPTIONS"} - {""}))
        return Response(status_code=HTTPStatus.NO_CONTENT, headers={"Allow": allowed})
    return RequestError(error.status_code, error.detail, headers).response()


def problem_of(error: BaseException) -> RequestError | None:
    """What a client is told of an error; None for one that says more about the server than a client may know."""
    if isinstance(error, RequestError):
        return error
    if isinstance(error, QueryLimitError | BudgetError):
        is_time = error.limit in ("seconds", "cancelled")
        return RequestError(HTTPStatus.SERVICE_UNAVAILABLE if is_time else HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
    if isinstance(error, MemoryError):
        return RequestError(HTTPStatus.SERVICE_UNAVAILABLE, "there is not enough memory for this request")
    for kind, status in _STATUS:
        if isinstance(error, kind):
            return RequestError(status, str(error))
    if isinstance(error, WriteError | StoreError):  # these name files of the server
        return RequestError(HTTPStatus.SERVICE_UNAVAILABLE, "the store cannot be written at the moment")
    if isinstance(error, KGReasonError):
        return RequestError(HTTPStatus.BAD_REQUEST, str(error))
    return None
