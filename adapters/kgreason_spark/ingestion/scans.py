"""Scans of logical sources, each counted on the way: by the Arrow engine in executors, or by column expressions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from pyspark.sql import Observation
from pyspark.sql import functions as F

from kgreason_spark.frames import PROBLEM, SOURCE
from kgreason_spark.ingestion.arrow_scans import COUNTED, ArrowRows
from kgreason_spark.ingestion.entries import ENTRY, fault_entry, rows_of_entries
from kgreason_spark.ingestion.line_frames import lines_of_entries
from kgreason_spark.ingestion.source_rows import ROW, SourceRows
from kgreason_spark.local_id_frames import PIECE_COLUMNS, with_local_ids
from kgreason_spark.observations import counts_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from kgreason_mapping.arrow.joins import JoinedChild
    from kgreason_mapping.plan import SourcePlan
    from kgreason_mapping.run_outputs import Compression
    from kgreason_spark.ingestion.triples import Compiled

ARROW: Final = "arrow"
COLUMNS: Final = "columns"


@dataclass(frozen=True, slots=True)
class Observed:
    """A frame of one source, which counts while it is evaluated: its rows, and those without a subject in each triples
    map."""

    name: str
    frame: DataFrame
    triples_maps: tuple[str, ...]
    observation: Observation

    def rows(self) -> int:
        """The rows of the source, once the frame has been evaluated."""
        return counts_of(self.observation)["rows"] or 0

    def without_subject(self) -> dict[str, int]:
        """The rows without a subject by triples map, where there are such."""
        metrics = counts_of(self.observation)
        return {name: metrics[f"map{i}"] for i, name in enumerate(self.triples_maps) if metrics[f"map{i}"]}


def rows_in(sources: Iterable[Observed]) -> dict[str, int]:
    """The rows of sources by name; those of one file with two iterators count together."""
    total: Counter[str] = Counter()
    for one in sources:
        total[one.name] += one.rows()
    return dict(total)


class Scan(Protocol):
    """What a plan makes of one source."""

    @property
    def name(self) -> str:
        """How the mapping calls the source."""

    @property
    def engine(self) -> str:
        """ARROW or COLUMNS."""

    def observed(self) -> Observed:
        """The columns ENTRY, SOURCE and ROW."""

    def lines(self, compression: Compression) -> Observed:
        """The columns of `line_frames`."""

    def local_ids(self) -> Observed:
        """The columns LOCAL_IDS and PROBLEM."""


@dataclass(frozen=True, slots=True)
class ArrowScan:
    """A scan by the Arrow engine."""

    name: str
    plan: SourcePlan
    rows: ArrowRows
    joins: Sequence[JoinedChild]
    engine: str = ARROW

    def observed(self) -> Observed:
        """As `Scan` has it."""
        return self._counted(self.rows.entries(self.plan, self.joins), (ENTRY, SOURCE, ROW))

    def lines(self, compression: Compression) -> Observed:
        """As `Scan` has it."""
        found = self.rows.lines(self.plan, self.joins, compression)
        return self._counted(found, tuple(name for name in (SOURCE, *found.columns) if name != COUNTED))

    def local_ids(self) -> Observed:
        """As `Scan` has it."""
        return self._counted(self.rows.local_ids(self.plan, self.joins), (*PIECE_COLUMNS, *PROBLEM))

    def _counted(self, frame: DataFrame, columns: tuple[str, ...]) -> Observed:
        observation = Observation()
        maps = tuple(self.plan.subjects)
        sums = [F.sum(F.get(COUNTED, F.lit(i + 1))).alias(f"map{i}") for i in range(len(maps))]
        counted = frame.observe(observation, F.sum(F.get(COUNTED, F.lit(0))).alias("rows"), *sums)
        return Observed(self.name, counted.withColumn(SOURCE, F.lit(self.name)).select(*columns), maps, observation)


@dataclass(frozen=True, slots=True)
class ColumnScan:
    """A scan by column expressions."""

    name: str
    rows: SourceRows
    compiled: Compiled
    number: int
    engine: str = COLUMNS

    def observed(self) -> Observed:
        """As `Scan` has it."""
        rows, compiled = self.rows, self.compiled
        frame = compiled.columns.added_to(rows.numbered())
        read = F.lit(True) if rows.fault is None else rows.fault.isNull()
        observation = Observation()
        without = compiled.without_subject.values()
        missing = [F.count_if(read & column).alias(f"map{i}") for i, column in enumerate(without)]
        frame = frame.observe(observation, F.count(F.lit(1)).alias("rows"), *missing)
        entries = compiled.entries
        if rows.fault is not None:
            entries = F.when(read, entries).otherwise(F.array(fault_entry(rows.fault)))
        exploded = frame.select("*", F.explode(entries).alias(ENTRY))
        row = F.when(F.col(ENTRY)["reason"].isNotNull(), rows.row)
        result = exploded.select(ENTRY, F.lit(rows.name).alias(SOURCE), row.alias(ROW))
        return Observed(rows.name, result, tuple(compiled.without_subject), observation)

    def lines(self, compression: Compression) -> Observed:
        """As `Scan` has it."""
        found = self.observed()
        return Observed(self.name, lines_of_entries(found.frame, compression), found.triples_maps, found.observation)

    def local_ids(self) -> Observed:
        """As `Scan` has it."""
        found = self.observed()
        frame = with_local_ids(rows_of_entries(found.frame), self.number)
        return Observed(self.name, frame, found.triples_maps, found.observation)
