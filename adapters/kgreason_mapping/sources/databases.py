"""Databases that the owner names, as a URL or as a file of one; a mapping never opens any.

    postgresql://user@host/name     duckdb:///path     sqlite:///path     or the path of a file of SQLite or DuckDB
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from kgreason.errors import OptionError
from kgreason_mapping.documents.mapping_model import LogicalSource
from kgreason_mapping.locations import Location

_URL: Final = re.compile(r"(?P<kind>sqlite|duckdb)://(?:localhost)?/(?P<path>.+)")
_POSTGRESQL: Final = re.compile(r"postgres(?:ql)?://")
_EXPECTED: Final = "postgresql://..., duckdb:///PATH, sqlite:///PATH, or a file of SQLite or DuckDB"


class DatabaseKind(Enum):
    """What runs the queries."""

    SQLITE = "sqlite"
    DUCKDB = "duckdb"
    POSTGRESQL = "postgresql"


@dataclass(frozen=True, slots=True)
class Database:
    """A database; `place` is a path, or a URI of PostgreSQL."""

    kind: DatabaseKind
    place: str

    @property
    def shown(self) -> str:
        """How errors call it: without a password."""
        return re.sub(r"(//[^/:@]*):[^/@]*@", r"\1@", self.place)

    def absolute(self) -> Database:
        """The same database, named so that a process with another working directory finds it."""
        return self if self.kind is DatabaseKind.POSTGRESQL else replace(self, place=os.path.abspath(self.place))


def database_of(
    source: LogicalSource, given: Location | None, inputs: Mapping[str, Any], default: str | None
) -> Database | None:
    """The database of a table or a query; None where its input is a file, or no database is named.

    Args:
        given: the input that takes the place of the table or the query.
        inputs: those of the owner, by name; one may have the name of the database in the mapping.
        default: the database of sources for which no input is given.

    Raises:
        OptionError: the input or the default is not a database.
    """
    if given is not None:
        return database_or_none(os.fspath(given))
    named = None if source.database is None else inputs.get(source.database)
    chosen = named if named is not None else default
    return None if chosen is None else database(os.fspath(chosen))


def database(given: str) -> Database:
    """The database that a URL or a path names.

    Raises:
        OptionError: it does not name a database.
    """
    found = database_or_none(given)
    if found is None:
        raise OptionError(f"{given} is not a database", "database", given, expected=_EXPECTED)
    return found


def database_or_none(given: str) -> Database | None:
    """The database that a URL or a path names; None for another place."""
    if _POSTGRESQL.match(given):
        return Database(DatabaseKind.POSTGRESQL, given)
    if url := _URL.fullmatch(given):
        return Database(DatabaseKind(url["kind"]), unquote(url["path"]))
    try:
        with Path(given).open("rb") as file:
            head = file.read(16)
    except OSError:
        return None
    if head.startswith(b"SQLite format 3"):
        return Database(DatabaseKind.SQLITE, given)
    return Database(DatabaseKind.DUCKDB, given) if head[8:12] == b"DUCK" else None
