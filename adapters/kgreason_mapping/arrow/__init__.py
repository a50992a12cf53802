"""A mapping on one machine, without Java: whole columns of Arrow through threads.

    from pathlib import Path
    from kgreason_mapping.arrow import Sources, map_to_directory, map_to_table

    map_to_directory(Path("mapping.ttl"), Path("encoded"), Sources(directory="raw"))
    map_to_table(Path("mapping.ttl"), Sources({"people": table})).quads

* `runs`: into a directory or a table; `passes`: batches through threads to sinks.
* `sinks`, `ntriples_sink`, `encoded_sink`: tables, N-Triples, encoded triples; `quarantine_file`: rows in quarantine;
  `encoded_changes`: what came and went; `local_ids`: quads as positions in a dictionary of their own, for Spark.
* `quads`, `joins`: the plan of a source over a batch; the rows of parents.
* `terms`, `term_columns`: rules as columns of terms, in pieces that are put together once.
* `function_columns`: functions of mappings over columns of texts.
* `columns`: columns of values, and all combinations of them; `text_checks`, `escapes`, `natural`: what is valid, what
  is escaped, and natural literals.
* `readers`: logical sources; `csv_pieces`, `csv_batches`, `json_batches`, `xml_batches`, `typed_batches`: rows by
  format, behind the protocols of `row_batches`; `local_files`: files and patterns.
* `view_records`, `field_rows`, `text_records`, `view_joins`: logical views: rows of fields, records in texts, joins.
* `query_batches`, `sqlite_batches`: what databases answer; `query_errors`: their errors.

pyarrow was chosen by measuring (one core, a million lines of N-Triples from two columns of strings): pyarrow 0.034 s,
Polars 0.022 s, DuckDB 0.13 s. It is a dependency already, and reading, compressing and encoding take longer.
"""

from __future__ import annotations

from kgreason_mapping.arrow.readers import Input, Sources
from kgreason_mapping.arrow.runs import MappedTable, map_to_directory, map_to_table
from kgreason_mapping.run_outputs import Outputs

__all__ = ["Input", "MappedTable", "Outputs", "Sources", "map_to_directory", "map_to_table"]
