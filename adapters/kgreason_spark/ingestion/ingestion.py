"""Ingestion: a mapping and its sources as two DataFrames, quads and quarantined rows.

Each logical source is scanned once for all its triples maps, and once more for each side of a join.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import TypeAlias

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from kgreason.errors import KGReasonError, MappingError
from kgreason_mapping.arrow.joins import JoinedChild
from kgreason_mapping.documents.mapping_documents import parse_mapping
from kgreason_mapping.documents.mapping_model import Mapping
from kgreason_mapping.locations import Location, location, shown
from kgreason_mapping.plan import JoinPlan, MappingPlan, SourcePlan, compile_mapping
from kgreason_mapping.plan.tree import FreshBlankNode, TermRule, references_of, unguarded
from kgreason_mapping.quarantine_reasons import REASONS
from kgreason_mapping.run_outputs import Compression
from kgreason_spark.changes import Changes
from kgreason_spark.directories import Directory
from kgreason_spark.failures import clear_errors
from kgreason_spark.frames import SOURCE, Extracted
from kgreason_spark.ingestion.arrow_parents import parent_of
from kgreason_spark.ingestion.entries import ENTRY, rows_of_entries
from kgreason_spark.ingestion.line_frames import lines_of_entries
from kgreason_spark.ingestion.object_map_joins import Side, joined_entries
from kgreason_spark.ingestion.reference_values import Values
from kgreason_spark.ingestion.run_reports import Counts
from kgreason_spark.ingestion.scans import ArrowScan, ColumnScan, Observed, Scan, rows_in
from kgreason_spark.ingestion.source_frames import Sources
from kgreason_spark.ingestion.source_rows import ROW, ROW_NUMBER, SourceRows
from kgreason_spark.ingestion.term_expressions import Row
from kgreason_spark.ingestion.triples import compile_source
from kgreason_spark.local_id_frames import with_local_ids
from kgreason_spark.observations import counts_of

Write: TypeAlias = Callable[[DataFrame], None]

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
        engines: ``arrow`` or ``columns`` for each source: what makes triples of its rows.
        lines: the quads as lines of N-Triples, compressed, and problems (`line_frames`), for a single pass.
        local_ids: the quads with local ids (`local_id_frames`), and problems, for a single pass.
        references: those of the rules of each part of a triples map, by the names of both.
        changes: what came and went since an earlier ingestion; None where none was named.
    """

    quads: DataFrame
    quarantined: DataFrame
    rows: DataFrame
    _sources: tuple[Observed, ...]
    _entries: Observation
    _reasons: Observation
    engines: AnyMapping[str, str]
    lines: Callable[[Compression], Extracted]
    local_ids: Callable[[], Extracted]
    references: AnyMapping[tuple[str, str], tuple[str, ...]]
    changes: Changes | None = None

    def rows_in(self) -> dict[str, int]:
        """The rows of the logical sources by name, once `rows` has been evaluated; those of one file with two iterators
        count together."""
        return rows_in(self._sources)

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
        without = {name: count for one in self._sources for name, count in one.without_subject().items()}
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
        self._rows = [self._read(one, sources) for one in self._plan.sources]
        self._arrow = {} if sources.engine == "columns" else {
            number: rows.arrow for number, rows in enumerate(self._rows) if rows.arrow is not None
        }  # fmt: skip
        self._parents = self._small_parents()

    def ingestion(self) -> Ingestion:
        scans = [self._scan(source) for source in self._plan.sources]
        joins = [self._joined(join) for join in self._plan.joins if id(join) not in self._parents]
        observed = [scan.observed() for scan in scans]
        entries = reduce(DataFrame.unionByName, [one.frame for one in observed] + joins)
        entries = entries.where(F.col(ENTRY).isNotNull())
        counted, reasons = Observation(), Observation()
        entries = entries.observe(
            counted, F.count(F.lit(1)).alias("entries"), F.count(F.col(ENTRY)["reason"]).alias("problems")
        )
        quads = entries.where(F.col(ENTRY)["reason"].isNull()).select(
            *(F.col(ENTRY)[name].alias(name) for name in ("subject", "predicate", "object", "graph"))
        )
        problems = entries.where(F.col(ENTRY)["reason"].isNotNull()).select(
            SOURCE,
            F.col(ENTRY)["subject"].alias("triples_map"),
            F.col(ENTRY)["reason"].alias("reason"),
            F.concat_ws(": ", F.col(ENTRY)["predicate"], F.col(ENTRY)["object"]).alias("detail"),
            ROW,
        )
        whole = rows_of_entries(entries)
        metrics = [F.count_if(F.col("reason") == reason).alias(reason) for reason in REASONS]
        return Ingestion(
            quads,
            problems.withColumnRenamed(ROW, "row").observe(reasons, *metrics),
            whole,
            tuple(observed),
            counted,
            reasons,
            {scan.name: scan.engine for scan in scans},
            lambda compression: _lines(scans, joins, compression),
            lambda: _local_ids(scans, joins),
            _references(self._plan),
        )

    def _scan(self, plan: SourcePlan) -> Scan:
        """What all triples maps make of one source."""
        rows = self._rows[plan.number]
        compiled = compile_source(plan, self._row(plan.number))
        if plan.number in self._arrow:
            joins = [one for one in self._parents.values() if one.plan.child == plan.number]
            return ArrowScan(rows.name, plan, self._arrow[plan.number], joins)
        return ColumnScan(rows.name, rows, compiled, plan.number)

    def _small_parents(self) -> dict[int, JoinedChild]:
        """The joins that the Arrow engine does by itself, by their identity."""
        found: dict[int, JoinedChild] = {}
        for join in self._plan.joins:
            if join.child in self._arrow and join.parent in self._arrow and not _is_by_row(join.object):
                self._check(join)
                if (parent := parent_of(join, self._arrow[join.parent])) is not None:
                    found[id(join)] = JoinedChild(join, parent)
        for number in _joined_by_row([join for join in self._plan.joins if id(join) not in found]):
            self._arrow.pop(number, None)
        # What is evaluated by columns is joined so, too.
        return {name: one for name, one in found.items() if {one.plan.child, one.plan.parent} <= self._arrow.keys()}

    def _check(self, join: JoinPlan) -> None:
        """Refuse a condition that refers to what does not exist."""
        for conditions, source in zip(zip(*join.conditions, strict=True), (join.child, join.parent), strict=False):
            for reference in (one.text for text in conditions for one in references_of(text)):
                try:
                    self._rows[source].resolve(reference)
                except MappingError as error:
                    raise MappingError(error.reason, error.triples_map or join.triples_map) from None

    def _joined(self, join: JoinPlan) -> DataFrame:
        entries = joined_entries(join, self._side(join.child), self._side(join.parent))
        name = self._rows[join.child].name
        return entries.select(ENTRY, F.lit(name).alias(SOURCE), F.lit(None).cast("string").alias(ROW))

    def _side(self, source: int) -> Side:
        rows = self._rows[source]
        frame = rows.numbered()
        return Side(frame if rows.fault is None else frame.where(rows.fault.isNull()), self._row(source))

    def _row(self, source: int) -> Row:
        number = F.concat(F.lit(f"{source}_"), F.col(ROW_NUMBER))
        return Row(self._rows[source].resolve, number)

    def _read(self, plan: SourcePlan, sources: Sources) -> SourceRows:
        source = plan.source
        if source is None:
            return SourceRows("the mapping", self._session.range(1).select(), _no_reference, F.lit("{}"))
        try:
            return sources.rows(self._session, source, plan.references()).of_session(self._session)
        except MappingError as error:
            raise MappingError(error.reason, error.triples_map or next(iter(plan.subjects))) from None


def _joined_by_row(joins: Iterable[JoinPlan]) -> set[int]:
    """The sources whose rows joins name by their numbers, which both engines count in ways of their own."""
    found: set[int] = set()
    for join in joins:
        if any(map(_is_by_row, join.child_rules())):
            found.add(join.child)
        if _is_by_row(join.object):
            found.add(join.parent)
    return found


def _is_by_row(rule: TermRule) -> bool:
    return isinstance(unguarded(rule), FreshBlankNode)


def _references(plan: MappingPlan) -> dict[tuple[str, str], tuple[str, ...]]:
    found: dict[tuple[str, str], dict[str, None]] = {}
    for problem in (one for source in plan.sources for one in source.problems):
        asked = found.setdefault((problem.triples_map, problem.part), {})
        asked.update(dict.fromkeys(reference.text for reference in references_of(problem.rule)))
    return {rule: tuple(asked) for rule, asked in found.items()}


def _lines(scans: Sequence[Scan], joins: Sequence[DataFrame], compression: Compression) -> Extracted:
    made = [scan.lines(compression) for scan in scans]
    frames = [one.frame for one in made] + [lines_of_entries(join, compression) for join in joins]
    engines = {scan.name: scan.engine for scan in scans}
    return Extracted(reduce(DataFrame.unionByName, frames), lambda _: rows_in(made), engines=engines)


def _local_ids(scans: Sequence[Scan], joins: Sequence[DataFrame]) -> Extracted:
    made = [scan.local_ids() for scan in scans]
    joined = [with_local_ids(rows_of_entries(join), number) for number, join in enumerate(joins, len(scans))]
    engines = {scan.name: scan.engine for scan in scans}
    frames = [one.frame for one in made] + joined
    return Extracted(reduce(DataFrame.unionByName, frames), lambda _: rows_in(made), engines=engines)


def _no_reference(reference: str) -> Values:
    raise MappingError(f"no logical source has {reference!r}")
