"""Lines of N-Triples in pieces: rows of compressed text, beside the problems of the same pass.

The columns are SOURCE, CONTENT (compressed lines, or null), LINES and NAMED (how many there are, and how many in named
graphs), and those of problems (`kgreason_spark.frames`), null beside lines. A piece is a member of gzip, a frame of
Zstandard, or plain text, so pieces one after the other are a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

from kgreason_mapping.arrow.ntriples_sink import compressed
from kgreason_mapping.run_outputs import Compression
from kgreason_spark.frames import GRAPH, PROBLEM, REASON, SOURCE
from kgreason_spark.ingestion.arrow_scans import COUNTED, joined_lines, line_rows, lines_schema, problem_rows
from kgreason_spark.ingestion.entries import rows_of_entries
from kgreason_spark.token_columns import statement_line

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_LINE: Final = "line"
_NAMED: Final = "is_named"


def lines_of_entries(frame: DataFrame, compression: Compression) -> DataFrame:
    """The columns ENTRY, SOURCE and ROW of one source as lines and problems."""
    rows = rows_of_entries(frame)
    line = F.when(F.col(REASON).isNull(), statement_line()).alias(_LINE)
    named = (F.col(REASON).isNull() & F.col(GRAPH).isNotNull()).alias(_NAMED)
    made = rows.select(line, named, *PROBLEM).mapInArrow(_Compressor(compression), f"{SOURCE} string, {lines_schema()}")
    return made.drop(COUNTED)


@dataclass(frozen=True, slots=True)
class _Compressor:
    compression: Compression

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            is_line = pc.is_valid(batch.column(_LINE))
            lines = batch.column(_LINE).filter(is_line)
            if len(lines):
                named = pc.sum(batch.column(_NAMED)).as_py() or 0
                written = compressed(iter([joined_lines(lines)]), self.compression)
                yield _of(batch.column(SOURCE)[0].as_py(), line_rows(written, len(lines), named, None))
            if len(lines) < batch.num_rows:
                problems = batch.filter(pc.invert(is_line))
                rows = problem_rows([problems.column(name) for name in PROBLEM[1:]])
                yield _of(batch.column(SOURCE)[0].as_py(), rows)


def _of(source: str, rows: pa.RecordBatch) -> pa.RecordBatch:
    names = pa.repeat(pa.scalar(source, pa.string()), rows.num_rows)
    return pa.RecordBatch.from_arrays([names, *rows.columns], [SOURCE, *rows.schema.names])
