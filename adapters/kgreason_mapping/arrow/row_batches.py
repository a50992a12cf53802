"""Batches of rows, and the readers that give them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from kgreason.errors import MappingError
from kgreason_mapping.arrow.columns import Rows, ValueColumn


@dataclass(frozen=True, slots=True)
class Fault:
    """A row that cannot be read: the reason, and the row as JSON."""

    reason: str
    row: str


class RowBatch(Protocol):
    """Rows of one source."""

    @property
    def length(self) -> int:
        """How many rows there are."""

    @property
    def faults(self) -> Sequence[Fault]:
        """The rows that cannot be read, which are not among these."""

    def values(self, reference: str) -> ValueColumn:
        """The values of a reference."""

    def records(self, iterator: str) -> tuple[Rows, RowBatch]:
        """The records that an iterator selects in each row, and the row that each is of."""

    def row_json(self, row: int) -> str:
        """A row as JSON."""


class Records(Protocol):
    """What may be asked of records of one form."""

    def check(self, reference: str) -> None:
        """Raise MappingError where a reference means nothing in these records."""

    def nested(self, iterator: str) -> Records:
        """What may be asked of the records that an iterator selects in these; MappingError where it cannot."""


class Reader(Records, Protocol):
    """A source of rows. Pieces are read in order, and may be parsed by several threads."""

    @property
    def name(self) -> str:
        """How the mapping calls the source."""

    def pieces(self) -> Iterator[Any]:
        """The source in pieces of some megabytes, as they are read; LoadError where one cannot be."""

    def parse(self, piece: Any) -> RowBatch:
        """The rows of a piece."""


def no_records(name: str, iterator: str) -> NoReturn:
    """Raise MappingError for an iterator in rows that have values alone."""
    raise MappingError(f"the rows of {name} have no records in them that {iterator!r} could select")
