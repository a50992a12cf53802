"""The parents of joins that every executor gets whole, for scans by the Arrow engine.

A parent of at most `spark_tuning.PARENT_ROWS` rows is read at once, comes to the driver and goes to all executors, as
in a broadcast join. A larger one is joined by Spark, which shuffles both sides (`object_map_joins`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from kgreason.rdf.keys import BLANK_KIND, IRI_KIND
from kgreason_mapping.arrow.joins import ParentGathering, ParentRows, parent_rows
from kgreason_mapping.arrow.term_columns import TermColumn
from kgreason_mapping.plan.tree import BlankNodeTerm, ConstantTerm, JoinPlan, unguarded
from kgreason_spark import spark_tuning
from kgreason_spark.arrow_frames import to_arrow
from kgreason_spark.ingestion.arrow_scans import ReadRows, labelled_pieces

if TYPE_CHECKING:
    from kgreason_spark.ingestion.arrow_scans import ArrowRows


_KEY: Final = "key"
_TERM: Final = "term"


def parent_of(join: JoinPlan, rows: ArrowRows) -> ParentRows | None:
    """The rows of the parent of a join, which are not told by their numbers; None where they are more than PARENT_ROWS.
    Cost: a job."""
    gathered = rows.frame.mapInArrow(_Gathering(join, rows.read), f"{_KEY} string, {_TERM} string")
    found = to_arrow(gathered.limit(spark_tuning.PARENT_ROWS + 1))
    if found.num_rows > spark_tuning.PARENT_ROWS:
        return None
    keys, terms = (found[name].combine_chunks().cast(pa.string()) for name in (_KEY, _TERM))
    if _is_blank(join):
        return parent_rows(keys, TermColumn(BLANK_KIND, (pc.utf8_slice_codeunits(terms, 2),), len(terms)))
    return parent_rows(keys, TermColumn(IRI_KIND, (terms,), len(terms)))


def _is_blank(join: JoinPlan) -> bool:
    rule = unguarded(join.object)
    return isinstance(rule, BlankNodeTerm) or (isinstance(rule, ConstantTerm) and rule.key.startswith("_:"))


@dataclass(frozen=True, slots=True)
class _Gathering:
    """What an executor does with the rows of a parent."""

    join: JoinPlan
    read: ReadRows

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        gathering = ParentGathering(self.join)
        for piece in labelled_pieces(batches, self.read, self.join.parent):
            keys, terms = gathering.part(piece)
            yield pa.RecordBatch.from_arrays([keys, terms.keys], [_KEY, _TERM])
