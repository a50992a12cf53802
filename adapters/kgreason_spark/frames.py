"""The frames that pass between sources and outputs.

*Quads* are frames of dictionary keys (`kgreason.dictionary.dictionary`) in the columns SUBJECT, PREDICATE, OBJECT and
GRAPH, the last null in the default graph; language tags are spelled as they were written. *Rows* are quads and what
could not become quads in one frame, so that one pass over a source gives both: a quad has a null REASON, and a
quarantined row has no terms.

*Lines* are rows with compressed lines of N-Triples in CONTENT, how many they are in LINES, and how many of them are in
named graphs in NAMED, in the place of quads.

*Local ids* are quads in pieces, each with a dictionary of its own (`local_id_frames`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from kgreason_mapping.run_outputs import Compression

SUBJECT: Final = "subject"
PREDICATE: Final = "predicate"
OBJECT: Final = "object"
GRAPH: Final = "graph"
QUAD: Final = (SUBJECT, PREDICATE, OBJECT, GRAPH)

SOURCE: Final = "source"
TRIPLES_MAP: Final = "triples_map"
REASON: Final = "reason"
DETAIL: Final = "detail"
ROW: Final = "row"
PROBLEM: Final = (SOURCE, TRIPLES_MAP, REASON, DETAIL, ROW)

CONTENT: Final = "content"
LINES: Final = "lines"
NAMED: Final = "named"


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a source gives.

    Attributes:
        rows: all strings: QUAD, and PROBLEM; SOURCE is known of quads as well.
        rows_in: how many rows each source had, by the name in SOURCE; asked for once `rows` has been evaluated, and
            given what staging counted per source, quads and quarantined rows together.
        lines: gives the same for a compression, with lines of N-Triples in pieces for quads; None where rows do.
        local_ids: gives the same with local ids for quads; None where rows are to be encoded.
        engines: what makes triples of the rows of each source, where there is a choice.
        references: those of the rules of each part of a triples map, by the names of both.
    """

    rows: DataFrame
    rows_in: Callable[[Mapping[str, int]], Mapping[str, int]]
    lines: Callable[[Compression], Extracted] | None = None
    local_ids: Callable[[], Extracted] | None = None
    engines: Mapping[str, str] = field(default_factory=dict)
    references: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)


class Source(Protocol):
    """Where quads come from: files of N-Triples, or raw data through a mapping."""

    def extract(self, spark: SparkSession) -> Extracted:
        """The frame, not evaluated yet; LoadError for what cannot be read."""
