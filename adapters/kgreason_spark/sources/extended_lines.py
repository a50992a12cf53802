"""Lines of RDF 1.2, with triple terms or base directions: read as a store reads them, for triple terms are nested.

`may_be_extended` looks for a few characters alone; a line of RDF 1.1 that has them comes out as it does elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

from kgreason.io.ntriples_blocks import MalformedLineError, Reading, read_block
from kgreason.io.parts import Part
from kgreason_spark.frames import QUAD, ROW, SOURCE

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

SCOPE: Final = "scope"

_SCHEMA: Final = ", ".join(f"{name} string" for name in (*QUAD, SOURCE, ROW))


def may_be_extended(line: Column) -> Column:
    """Whether a line may have a triple term or a base direction."""
    # Blanks may stand before the sign of a tag.
    directed = F.contains(line, F.lit("@")) & F.contains(line, F.lit("--"))
    return F.contains(line, F.lit("<<(")) | directed


def extended_quads(lines: DataFrame, quads: bool) -> DataFrame:
    """The columns QUAD and SOURCE of the lines in ROW, which stays, with nothing in QUAD, where they are no statements.
    SCOPE is what is put before labels of blank nodes, the same for all lines of a source."""
    return lines.select(SOURCE, SCOPE, F.col(ROW).cast("binary").alias(ROW)).mapInArrow(_Reader(quads), _SCHEMA)


@dataclass(frozen=True, slots=True)
class _Reader:
    quads: bool

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for source in pc.unique(batch.column(SOURCE)).to_pylist():
                own = batch.filter(pc.equal(batch.column(SOURCE), source))
                lines = own.column(ROW)
                reading = Reading(self.quads, own.column(SCOPE)[0].as_py(), lenient=False)
                for columns, count in self._read(lines, reading):
                    names = pa.repeat(pa.scalar(source, pa.string()), count)
                    yield pa.RecordBatch.from_arrays([*columns[:4], names, columns[4]], [*QUAD, SOURCE, ROW])

    def _read(self, lines: pa.Array, reading: Reading) -> Iterator[tuple[list[pa.Array], int]]:
        """The keys of lines, or the line that is malformed; halves of the lines are read until it stands alone."""
        if not len(lines):
            return
        try:
            part = read_block(b"\n".join(lines.to_pylist()), reading).part
        except MalformedLineError:
            if len(lines) == 1:
                yield [*[pa.nulls(1, pa.string())] * len(QUAD), pc.cast(lines, pa.string(), safe=False)], 1
            else:
                middle = len(lines) // 2
                yield from self._read(lines[:middle], reading)
                yield from self._read(lines[middle:], reading)
        else:
            yield [*_keys(part), pa.nulls(len(part), pa.string())], len(part)


def _keys(part: Part) -> list[pa.Array]:
    terms = pa.array([*part.column().keys.listed(), None], pa.string())
    found = part.quads
    columns = (found.subject, found.predicate, found.object, found.graph)
    # The default graph is beyond all terms.
    return [terms.take(pa.array(np.minimum(np.asarray(column), len(terms) - 1))) for column in columns]
