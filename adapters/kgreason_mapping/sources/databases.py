"""Databases that the owner names, as a URL or as a file of one; a mapping never opens any.

    postgresql://user@host/name     duckdb:///path     sqlite:///path     or the path of a file of SQLite or DuckDB
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from kgreason.errors import OptionError

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


def database(given: str) -> Database:
    """The database that a URL or a path names.

    Raises:
        OptionError: it names none.
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
