"""Raw data to quads: a mapping over files, databases and DataFrames, by the Arrow engine or as expressions.

* `ingestion`: a mapping and its sources as DataFrames of quads and of quarantined rows, and the counts of a run.
* `source_frames`, `csv_rows`, `json_rows`, `typed_rows`, `source_rows`: logical sources as rows, and what references
  mean in them; `reader_rows`: XML and databases, which one task reads; `whole_files`: files that are not split;
  `view_rows`: logical views.
* `triples`, `object_map_joins`: the plan of a mapping (`kgreason_mapping.plan`) over rows; `columns`, `entries`: what a
  row makes.
* `term_expressions`: rules for terms; `function_expressions`: functions of mappings; `reference_values`: their values
  and all combinations of them.
* `natural`, `json_paths`, `percent_encoding`, `checks`: values of typed columns and of JSON, text in IRIs, what is
  valid.
* `scans`: a source by the Arrow engine in executors (`arrow_scans`, small parents of joins from `arrow_parents`) or by
  the expressions above; `line_frames`: lines of N-Triples in the place of quads.
* `mapped`: a mapping as a source of the pipeline; `run_reports`: what a run counts.
"""

from __future__ import annotations

from kgreason_spark.ingestion.ingestion import Ingestion, ingest
from kgreason_spark.ingestion.run_reports import Counts
from kgreason_spark.ingestion.source_frames import Input, Sources

__all__ = ["Counts", "Ingestion", "Input", "Sources", "ingest"]
