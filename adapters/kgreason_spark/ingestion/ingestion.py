"""Ingestion: a mapping and its sources as two DataFrames, quads and quarantined rows.

Each logical source is scanned once for all its triples maps, and once more for each side of a join.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final, TypeAlias

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from kgreason.errors import KGReasonError, MappingError
from kgreason_mapping.documents.mapping_documents import parse_mapping
from kgreason_mapping.documents.mapping_model import LogicalSource, Mapping
from kgreason_mapping.locations import Location, location, shown
from kgreason_mapping.plan import JoinPlan, SourcePlan, compile_mapping
from kgreason_mapping.quarantine_reasons import REASONS
from kgreason_spark.directories import Directory
from kgreason_spark.failures import clear_errors
from kgreason_spark.frames import DETAIL, QUAD, REASON, TRIPLES_MAP
from kgreason_spark.frames import ROW as ROW_COLUMN
from kgreason_spark.ingestion.entries import ENTRY, fault_entry
from kgreason_spark.ingestion.object_map_joins import Side, joined_entries
from kgreason_spark.ingestion.reference_values import Values
from kgreason_spark.ingestion.run_reports import Counts
from kgreason_spark.ingestion.source_frames import Sources
from kgreason_spark.ingestion.source_rows import ROW, ROW_NUMBER, SourceRows
from kgreason_spark.ingestion.term_expressions import Row
from kgreason_spark.ingestion.triples import compile_source
from kgreason_spark.observations import counts_of
from kgreason_spark.triple_frames import Changes

Write: TypeAlias = Callable[[DataFrame], None]

_SOURCE: Final = "source"


@dataclass(frozen=True, slots=True)
class _Observed:
    """The metrics of one source: its name, and the triples maps in the order of the metrics."""

    name: str
    triples_maps: tuple[str, ...]
    observation: Observation


@dataclass(frozen=True, slots=True)
class Ingestion:
    """The quads of a mapping over its sources; nothing is computed until one of the DataFrames is.

    Attributes:
        quads: `subject`, `predicate`, `object`, `graph`: dictionary keys, the graph null for the default graph. As
            rows may repeat triples, so does this.
        quarantined: `source`, `triples_map` (null where the row itself cannot be read), `reason` (one of
            `kgreason_mapping.quarantine_reasons`), `detail` (part of the triple and text that is not a term),
            `row` (as JSON).
        rows: both in one frame (`kgreason_spark.frames`), for a single pass over the sources.
        changes: what came and went since an earlier ingestion; None where none was named.
    """

    quads: DataFrame
    quarantined: DataFrame
    rows: DataFrame
    _sources: tuple[_Observed, ...]
    _entries: Observation
    _reasons: Observation
    changes: Changes | None = None

    def rows_in(self) -> dict[str, int]:
        """The rows of the logical sources by name, once `rows` has been evaluated; those of one file with two iterators
        count together."""
        total: Counter[str] = Counter()
        for one in self._sources:
            total[one.name] += counts_of(one.observation)["rows"]
        return dict(total)

    def write(self, write_quads: Write, write_quarantined: Write) -> Counts:
        """Write both and count on the way: the sources are read once, and again only when something is in quarantine.

        Each writer is given its DataFrame and must compute all of it in its first action; the second one is not
        called when there is nothing for it.
        """
        write_quads(self.quads)
        entries = counts_of(self._entries)
        bad: dict[str, int] = {}
        if entries["problems"]:
            write_quarantined(self.quarantined)
            bad = {reason: count for reason, count in counts_of(self._reasons).items() if count}
        without: dict[str, int] = {}
        for one in self._sources:
            metrics = counts_of(one.observation)
            without |= {name: metrics[f"map{i}"] for i, name in enumerate(one.triples_maps) if metrics[f"map{i}"]}
        return Counts(self.rows_in(), entries["entries"] - entries["problems"], bad, without)


def ingest(
    session: SparkSession,
    mapping: Mapping | Location,
    sources: Sources | None = None,
    *,
    base: str | None = None,
) -> Ingestion:
    """Compile a mapping, or the mapping document in a file, over its sources.

    Args:
        session: Spark 4.
        mapping: a mapping, or the location of one on any file system.
        sources: where its logical sources are; by default where the mapping says.
        base: what stands before relative IRIs of triples maps without a base of their own; without any, a relative
            IRI is an error where the mapping makes all IRIs relative, and goes to quarantine otherwise.

    Raises:
        MappingError: the mapping cannot be used with any data; names the triples map.
        LoadError: a source cannot be read.
    """
    document = mapping if isinstance(mapping, Mapping) else mapping_at(session, mapping)
    found = sources or Sources()
    if found.mapping_directory is None:
        found = replace(found, mapping_directory=document.directory)
    named = "the mapping" if isinstance(mapping, Mapping) else shown(location(mapping))
    try:
        with clear_errors(f"compiling {named}"):
            return _Plan(session, document, found, base).ingestion()
    except MappingError as error:
        raise error.locate(path=named) from None


def mapping_at(session: SparkSession, place: Location) -> Mapping:
    """The mapping document at a location, on any file system.

    Raises:
        MappingError: it cannot be read, or is not a mapping.
    """
    file = Directory(session, location(place))
    try:
        text = file.read_text()
    except KGReasonError as error:
        raise MappingError(f"cannot read the mapping {shown(str(file))}: {str(error).rpartition(': ')[2]}") from error
    return parse_mapping(text, place=file.qualified(), source=shown(str(file)))


class _Plan:
    """The rows of each logical source, and the plans over them."""

    def __init__(self, session: SparkSession, mapping: Mapping, sources: Sources, base: str | None) -> None:
        self._session = session
        self._mapping = mapping
        self._plan = compile_mapping(mapping, base)
        self._rows = [self._read(one.source, sources) for one in self._plan.sources]

    def ingestion(self) -> Ingestion:
        scans = [self._scan(source) for source in self._plan.sources]
        joins = [self._joined(join) for join in self._plan.joins]
        entries = reduce(DataFrame.unionByName, [frame for frame, _ in scans] + joins).where(F.col(ENTRY).isNotNull())
        counted, reasons = Observation(), Observation()
        entries = entries.observe(
            counted, F.count(F.lit(1)).alias("entries"), F.count(F.col(ENTRY)["reason"]).alias("problems")
        )
        quads = entries.where(F.col(ENTRY)["reason"].isNull()).select(
            *(F.col(ENTRY)[name].alias(name) for name in ("subject", "predicate", "object", "graph"))
        )
        problems = entries.where(F.col(ENTRY)["reason"].isNotNull()).select(
            _SOURCE,
            F.col(ENTRY)["subject"].alias("triples_map"),
            F.col(ENTRY)["reason"].alias("reason"),
            F.concat_ws(": ", F.col(ENTRY)["predicate"], F.col(ENTRY)["object"]).alias("detail"),
            ROW,
        )
        is_quad = F.col(ENTRY)["reason"].isNull()
        whole = entries.select(
            *(F.when(is_quad, F.col(ENTRY)[name]).alias(name) for name in QUAD),
            F.col(_SOURCE),
            F.when(~is_quad, F.col(ENTRY)["subject"]).alias(TRIPLES_MAP),
            F.col(ENTRY)["reason"].alias(REASON),
            F.when(~is_quad, F.concat_ws(": ", F.col(ENTRY)["predicate"], F.col(ENTRY)["object"])).alias(DETAIL),
            F.col(ROW).alias(ROW_COLUMN),
        )
        metrics = [F.count_if(F.col("reason") == reason).alias(reason) for reason in REASONS]
        return Ingestion(
            quads,
            problems.withColumnRenamed(ROW, "row").observe(reasons, *metrics),
            whole,
            tuple(observed for _, observed in scans),
            counted,
            reasons,
        )

    def _scan(self, plan: SourcePlan) -> tuple[DataFrame, _Observed]:
        """The entries of all triples maps over one source, with the rows that they come from."""
        rows = self._rows[plan.number]
        compiled = compile_source(plan, self._row(plan.number))
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
        result = exploded.select(ENTRY, F.lit(rows.name).alias(_SOURCE), row.alias(ROW))
        return result, _Observed(rows.name, tuple(compiled.without_subject), observation)

    def _joined(self, join: JoinPlan) -> DataFrame:
        entries = joined_entries(join, self._side(join.child), self._side(join.parent))
        name = self._rows[join.child].name
        return entries.select(ENTRY, F.lit(name).alias(_SOURCE), F.lit(None).cast("string").alias(ROW))

    def _side(self, source: int) -> Side:
        rows = self._rows[source]
        frame = rows.numbered()
        return Side(frame if rows.fault is None else frame.where(rows.fault.isNull()), self._row(source))

    def _row(self, source: int) -> Row:
        number = F.concat(F.lit(f"{source}_"), F.col(ROW_NUMBER))
        return Row(self._rows[source].resolve, number)

    def _read(self, source: LogicalSource | None, sources: Sources) -> SourceRows:
        if source is None:
            return SourceRows("the mapping", self._session.range(1).select(), _no_reference, F.lit("{}"))
        try:
            return sources.rows(self._session, source)
        except MappingError as error:
            name = next(one.name for one in self._mapping.triples_maps if one.source == source)
            raise MappingError(error.reason, error.triples_map or name) from None


def _no_reference(reference: str) -> Values:
    raise MappingError(f"no logical source has {reference!r}")
