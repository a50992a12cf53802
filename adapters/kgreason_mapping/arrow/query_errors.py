"""Errors of databases as ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from kgreason.errors import LoadError, MappingError, one_line
from kgreason_mapping.sources.databases import Database


@contextmanager
def refused_query(kind: type[Exception], query: str) -> Iterator[None]:
    """Make a MappingError, which names the query, of errors of a kind."""
    try:
        yield
    except (kind, pa.ArrowException) as error:
        raise MappingError(f"its query {' '.join(query.split())!r} cannot be run: {one_line(error)}") from error


@contextmanager
def query_errors(kind: type[Exception], database: Database) -> Iterator[None]:
    """Make a LoadError, which names the database, of errors of a kind."""
    try:
        yield
    except (kind, pa.ArrowException) as error:
        raise LoadError(f"cannot be read: {one_line(error)}", path=database.shown) from error
