"""Errors of requests that cannot be read, as users of rdflib catch them: as errors of pyparsing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kgreason import memory
from kgreason.errors import QuerySyntaxError


@contextmanager
def as_malformed() -> Iterator[None]:
    """Raise the syntax errors of the body as MalformedRequestErrors.

    Raises:
        MemoryError: there is hardly any left.
    """
    memory.check_reserve("a request")
    try:
        yield
    except QuerySyntaxError as error:
        from kgreason_rdflib.sparql.malformed_requests import MalformedRequestError  # imports pyparsing

        raise MalformedRequestError.of(error) from None
