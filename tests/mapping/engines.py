"""Engines that run mappings, behind one interface, so that the same tests ask all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from kgreason.access import NOTHING, Access
from kgreason_mapping.arrow import Sources, map_to_table
from kgreason_mapping.arrow.csv_batches import CsvReader
from kgreason_mapping.arrow.local_files import files_at
from kgreason_mapping.documents import Mapping
from kgreason_mapping.documents.mapping_model import Dialect

Quad = tuple[str, str, str, str | None]
Fields = tuple[str | None, ...]


@dataclass(frozen=True)
class Unmapped:
    """A row in quarantine."""

    source: str
    triples_map: str | None
    reason: str
    detail: str | None
    row: str


@dataclass(frozen=True)
class Mapped:
    """What came of a mapping."""

    quads: list[Quad]
    quarantined: list[Unmapped]
    rows: dict[str, int] = field(default_factory=dict)
    without_subject: dict[str, int] = field(default_factory=dict)

    @property
    def reasons(self) -> dict[str, int]:
        """Rows in quarantine, by reason."""
        return dict(Counter(one.reason for one in self.quarantined))


class Engine(Protocol):
    """Runs mappings, and reads CSV."""

    def __call__(
        self,
        mapping: Mapping | Path,
        *,
        inputs: AnyMapping[str, Any] | None = None,
        directory: Path | None = None,
        base: str | None = None,
        access: Access = NOTHING,
        database: str | None = None,
    ) -> Mapped:
        """What comes of a mapping over its sources."""

    def read_csv(
        self, path: Path, dialect: Dialect, encoding: str | None, multiline: bool | None
    ) -> tuple[list[Fields], list[str]]:
        """The fields of good rows, and the reasons of the others."""


class ArrowEngine:
    """The engine of this machine, in two threads."""

    def __call__(
        self,
        mapping: Mapping | Path,
        *,
        inputs: AnyMapping[str, Any] | None = None,
        directory: Path | None = None,
        base: str | None = None,
        access: Access = NOTHING,
        database: str | None = None,
    ) -> Mapped:
        sources = Sources(inputs or {}, directory, access=access, database=database)
        made = map_to_table(mapping, sources, base=base, threads=2)
        quads = [tuple(row.values()) for row in made.quads.to_pylist()]
        problems = [Unmapped(source, one.triples_map, one.reason, one.detail, one.row) for source, one in made.problems]
        return Mapped(quads, problems, made.rows, made.without_subject)

    def read_csv(
        self, path: Path, dialect: Dialect, encoding: str | None, multiline: bool | None
    ) -> tuple[list[Fields], list[str]]:
        reader = CsvReader(files_at(str(path), unfinished=False), path.name, frozenset(), dialect, encoding)
        batches = [reader.parse(piece) for piece in reader.pieces()]
        columns = [[column.to_pylist() for column in batch.columns] for batch in batches]
        good = [row for batch in columns for row in zip(*batch, strict=True)]
        return good, [fault.reason for batch in batches for fault in batch.faults]
