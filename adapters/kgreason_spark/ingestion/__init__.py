"""Raw data to quads: an RML mapping over CSV, JSON, Parquet and DataFrames, compiled to column expressions.

* `ingest`: a mapping and its sources as DataFrames of quads and of quarantined rows, and the counts of a run.
* `sources`, `csv_rows`, `json_rows`, `typed_rows`, `rows`: logical sources as rows, and what references mean in them.
* `triples`, `joins`: triples maps over rows; `columns`, `entries`: what a row makes.
* `terms`: term maps; `values`: their values and all combinations of them.
* `natural`, `json_paths`, `encoding`, `checks`: values of typed columns and of JSON, text in IRIs, what is valid.
* `reasons`, `reports`: why rows are in quarantine, and what a run counts.
"""

from __future__ import annotations

from kgreason_spark.ingestion.ingest import Ingestion, ingest
from kgreason_spark.ingestion.reports import Counts
from kgreason_spark.ingestion.sources import Input, Sources

__all__ = ["Counts", "Ingestion", "Input", "Sources", "ingest"]
