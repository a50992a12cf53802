"""Raw data with a mapping as a source of the pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kgreason_spark.ingestion.ingest import ingest
from kgreason_spark.ingestion.sources import Sources
from kgreason_spark.rows import Extracted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class MappedSources:
    """What an RML mapping makes of its logical sources; `base` stands before relative IRIs."""

    mapping: Path
    sources: Sources | None = None
    base: str | None = None

    @classmethod
    def of(
        cls,
        mapping: Path,
        inputs: Mapping[str, str],
        directory: Path | None,
        base: str | None,
        *,
        multiline: bool | None = None,
    ) -> MappedSources:
        """A mapping whose sources are in a directory, or at paths given for the names that the mapping uses."""
        return cls(mapping, Sources(dict(inputs), directory, mapping.absolute().parent, multiline), base)

    def extract(self, spark: SparkSession) -> Extracted:
        """The rows, not evaluated yet.

        Raises:
            MappingError: the mapping cannot be used.
            LoadError: a source cannot be read.
        """
        ingestion = ingest(spark, self.mapping, self.sources, base=self.base)
        return Extracted(ingestion.rows, lambda _: ingestion.rows_in())
