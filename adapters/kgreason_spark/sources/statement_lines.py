"""Lines of N-Triples and N-Quads as quads, read in the executors as a store reads them (`kgreason.io.ntriples_blocks`).

Whole columns at a time, half of what regular expressions of Java take (`tests.benchmarks.spark`), and one grammar for
both. A line that is not a statement comes back as it is; why, is for `line_faults` to tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

from kgreason.io.ntriples_blocks import Reading, read_block
from kgreason.io.parts import Part
from kgreason_spark.frames import QUAD, ROW, SOURCE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SCOPE: Final = "scope"

_SCHEMA: Final = ", ".join(f"{name} string" for name in (*QUAD, SOURCE, ROW))


def quads_of_lines(lines: DataFrame, quads: bool) -> DataFrame:
    """The columns QUAD and SOURCE of the lines in ROW, which stays, with nothing in QUAD, where they are no statements.
    SCOPE is what is put before labels of blank nodes, the same for all lines of a source. Lines are neither blank nor
    comments."""
    return lines.select(SOURCE, SCOPE, F.col(ROW).cast("binary").alias(ROW)).mapInArrow(_Reader(quads), _SCHEMA)


@dataclass(frozen=True, slots=True)
class _Reader:
    quads: bool

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for source in pc.unique(batch.column(SOURCE)).to_pylist():
                own = batch.filter(pc.equal(batch.column(SOURCE), source))
                reading = Reading(self.quads, own.column(SCOPE)[0].as_py(), lenient=True)
                columns = _read(own.column(ROW), reading)
                names = pa.repeat(pa.scalar(source, pa.string()), len(columns[0]))
                yield pa.RecordBatch.from_arrays([*columns[:-1], names, columns[-1]], [*QUAD, SOURCE, ROW])


def _read(lines: pa.Array, reading: Reading) -> list[pa.Array]:
    """The keys of the good lines, and then the others."""
    # A value of a table may have line breaks, a line of a file has none.
    broken = pc.match_substring_regex(lines, r"[\r\n]")
    whole = lines.filter(pc.invert(broken))
    found = read_block(_block(whole), reading)
    bad = pa.concat_arrays([lines.filter(broken), whole.take(pa.array(found.malformed))])
    keys, texts = _keys(found.part), pc.cast(bad, pa.string(), safe=False)
    none, nothing = pa.nulls(len(bad), pa.string()), pa.nulls(len(found.part), pa.string())
    return [pa.concat_arrays([column, none]) for column in keys] + [pa.concat_arrays([nothing, texts])]


def _block(lines: pa.Array) -> bytes:
    """Lines of a binary column, each with a newline."""
    ended = pc.binary_join_element_wise(lines, pa.scalar(b"\n"), pa.scalar(b""))
    offsets = np.frombuffer(ended.buffers()[1], dtype=np.int32)[[ended.offset, ended.offset + len(ended)]].tolist()
    return bytes(memoryview(ended.buffers()[2])[slice(*offsets)])


def _keys(part: Part) -> list[pa.Array]:
    written = part.column().keys
    texts = written.spellings.put_in(written.texts, np.arange(len(written)))
    terms = pa.concat_arrays([texts.cast(pa.string()), pa.nulls(1, pa.string())])
    found = part.quads
    columns = (found.subject, found.predicate, found.object, found.graph)
    # The default graph is beyond all terms.
    return [terms.take(pa.array(np.minimum(np.asarray(column), len(terms) - 1))) for column in columns]
