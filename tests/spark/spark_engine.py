"""Spark as an engine of the tests that all engines share (`tests.mapping`)."""

from __future__ import annotations

from collections.abc import Mapping as AnyMapping
from pathlib import Path
from typing import Any, Literal

from pyspark.sql import SparkSession

from kgreason.access import NOTHING, Access
from kgreason_mapping.documents import Mapping
from kgreason_mapping.documents.mapping_model import Dialect
from kgreason_spark.failures import clear_errors
from kgreason_spark.ingestion import Sources, ingest
from kgreason_spark.ingestion.csv_rows import csv_rows
from tests.mapping.engines import Fields, Mapped, Quad, Unmapped


class SparkEngine:
    """Mappings on Spark."""

    def __init__(self, session: SparkSession, engine: Literal["auto", "columns"] = "auto") -> None:
        self.session, self.engine = session, engine

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
        sources = Sources(inputs or {}, directory, access=access, engine=self.engine, database=database)
        quads: list[Quad] = []
        problems: list[Unmapped] = []
        with clear_errors("test"):
            made = ingest(self.session, mapping, sources, base=base)
            counts = made.write(
                lambda frame: quads.extend(tuple(row) for row in frame.collect()),
                lambda frame: problems.extend(Unmapped(*row) for row in frame.collect()),
            )
        assert counts.triples == len(quads)
        found = Mapped(quads, problems, dict(counts.rows), dict(counts.without_subject))
        assert dict(counts.quarantined) == found.reasons
        return found

    def read_csv(
        self, path: Path, dialect: Dialect, encoding: str | None, multiline: bool | None
    ) -> tuple[list[Fields], list[str]]:
        with clear_errors("test"):
            made = csv_rows(
                self.session, str(path), path.name, frozenset(), dialect, encoding=encoding, multiline=multiline
            )
            rows = made.frame.collect()
        width = len(made.frame.columns) - 2
        good = [tuple(row)[:width] for row in rows if row["__fault"] is None]
        return good, [row["__fault"] for row in rows if row["__fault"] is not None]
