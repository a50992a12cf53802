"""Raw data with a mapping as a source of the pipeline."""

from __future__ import annotations

from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kgreason_mapping.documents.mapping_model import Mapping
from kgreason_mapping.locations import Location
from kgreason_spark.frames import Extracted
from kgreason_spark.ingestion.ingestion import ingest
from kgreason_spark.ingestion.source_frames import Sources

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class MappedSources:
    """What an RML mapping, or the one in a file on any file system, makes of its logical sources; `base` stands before
    relative IRIs."""

    mapping: Mapping | Location
    sources: Sources | None = None
    base: str | None = None

    @classmethod
    def of(
        cls,
        mapping: Mapping | Location,
        inputs: AnyMapping[str, Location],
        directory: Location | None,
        base: str | None,
    ) -> MappedSources:
        """A mapping whose sources are in a directory, or at locations given for the names that the mapping uses."""
        return cls(mapping, Sources(dict(inputs), directory), base)

    def extract(self, spark: SparkSession) -> Extracted:
        """The rows, not evaluated yet.

        Raises:
            MappingError: the mapping cannot be used.
            LoadError: a source cannot be read.
        """
        ingestion = ingest(spark, self.mapping, self.sources, base=self.base)
        return Extracted(
            ingestion.rows, lambda _: ingestion.rows_in(),
            lambda compression: replace(ingestion.lines(compression), references=ingestion.references),
            lambda: replace(ingestion.local_ids(), references=ingestion.references),
            ingestion.engines, ingestion.references,
        )  # fmt: skip
