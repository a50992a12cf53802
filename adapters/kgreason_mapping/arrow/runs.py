"""Runs of a mapping on this machine: batches of rows go through threads, and what they make goes to sinks in order."""

from __future__ import annotations

import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeVar

import pyarrow as pa

from kgreason import memory, progress
from kgreason.errors import MappingError, OptionError
from kgreason_mapping.arrow.columns import ValueColumn
from kgreason_mapping.arrow.joins import JoinedChild, ParentGathering
from kgreason_mapping.arrow.quads import BatchOutcome, Problem, json_line, translate
from kgreason_mapping.arrow.readers import Sources
from kgreason_mapping.arrow.row_batches import Fault, Reader
from kgreason_mapping.arrow.sinks import Compression, EncodedSink, NTriplesSink, Sink, TableSink
from kgreason_mapping.arrow.terms import BatchTerms
from kgreason_mapping.documents.mapping_documents import read_mapping
from kgreason_mapping.documents.mapping_model import LogicalSource, Mapping
from kgreason_mapping.plan import JoinPlan, MappingPlan, SourcePlan, compile_mapping
from kgreason_mapping.plan.tree import references_of
from kgreason_mapping.run_reports import Report, SourceReport

NTRIPLES: Final = "ntriples"
QUARANTINE: Final = "quarantine"
THE_MAPPING: Final = "the mapping"

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Outputs:
    """The outputs to write; quarantined rows are always written when there are any.

    Attributes:
        encoded: encoded Parquet, in the directory itself.
        ntriples: N-Triples with a compression, in the folder NTRIPLES; None for none.
    """

    encoded: bool = True
    ntriples: Compression | None = None


@dataclass(slots=True)
class _Counts:
    rows: Counter[str] = field(default_factory=Counter)
    triples: Counter[str] = field(default_factory=Counter)
    quarantined: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    without_subject: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class MappedTable:
    """What a mapping makes, in memory.

    Attributes:
        quads: a table of dictionary keys: `subject`, `predicate`, `object`, `graph`, null in the default graph. As
            rows may repeat triples, so does this.
        problems: what could not become a quad, with the name of its source.
        rows: the rows of each source.
        without_subject: rows of which a triples map made nothing as they have no value for its subject.
    """

    quads: pa.Table
    problems: list[tuple[str, Problem]]
    rows: dict[str, int]
    without_subject: dict[str, int]


def map_to_directory(
    mapping: Mapping | Path,
    directory: Path,
    sources: Sources | None = None,
    *,
    outputs: Outputs | None = None,
    base: str | None = None,
    threads: int | None = None,
    name: str = THE_MAPPING,
    since: Path | None = None,
) -> Report:
    """Write what a mapping makes of its sources into an empty directory.

    Args:
        sources: where its logical sources are; by default where the mapping says.
        base: what stands before relative IRIs of triples maps without a base of their own.
        threads: at most; by default one for each core.
        name: what errors call a mapping that is not a path.
        since: the encoded triples of an earlier run: what came is written to ``changes/added``, what went to
            ``changes/removed``, as encoded triples that `store.apply` takes as one change.

    Raises:
        MappingError: the mapping cannot be used with any data; names the triples map.
        LoadError: a source cannot be read; or triples with blank nodes have changed since.
        OptionError: there are no encoded triples that could have changed.
        WriteError: a file cannot be written.

    Memory: some batches of each thread, the compared values and subjects of the parents of joins, and for encoded
    triples the distinct terms and 16 bytes a triple.
    """
    wanted = outputs or Outputs()
    if since is not None and not wanted.encoded:
        raise OptionError("changes are those of encoded triples, which are not written", "since", since)
    begin = time.perf_counter()
    seconds: dict[str, float] = {}
    sinks: list[Sink] = []
    encoded, lines = None, None
    if wanted.ntriples is not None:
        (directory / NTRIPLES).mkdir()
        lines = NTriplesSink(directory / NTRIPLES, wanted.ntriples)
        sinks.append(lines)
    if wanted.encoded:
        encoded = EncodedSink()
        sinks.append(encoded)
    quarantine = _Quarantine(directory / QUARANTINE)
    try:
        counts = _run(mapping, sources, base, threads, sinks, quarantine.take, name)
    finally:
        quarantine.close()
        if lines is not None:
            lines.close()
    if lines is not None:
        lines.finish()
    seconds["mapping"] = round(time.perf_counter() - begin, 3)
    manifest, changes = None, None
    if encoded is not None:
        begin = time.perf_counter()
        progress.begin("writing")
        manifest, changes = encoded.finish(directory, since)
        seconds["encoding"] = round(time.perf_counter() - begin, 3)
    return Report(
        sources={
            name: SourceReport(number, counts.triples[name], counts.quarantined[name])
            for name, number in sorted(counts.rows.items())
        },
        triples_read=counts.triples.total(),
        triples_encoded=None if manifest is None else manifest.triples,
        terms=None if manifest is None else manifest.terms,
        lines_written=None if lines is None else lines.lines,
        quarantined=dict(sorted(counts.reasons.items())),
        seconds=seconds,
        added=None if changes is None else changes.added,
        removed=None if changes is None else changes.removed,
    )


def map_to_table(
    mapping: Mapping | Path, sources: Sources | None = None, *, base: str | None = None, threads: int | None = None
) -> MappedTable:
    """What a mapping makes of its sources, in memory; arguments and errors as of `map_to_directory`."""
    sink = TableSink()
    problems: list[tuple[str, Problem]] = []

    def keep(source: str, found: Sequence[Problem]) -> None:
        problems.extend((source, problem) for problem in found)

    counts = _run(mapping, sources, base, threads, [sink], keep)
    return MappedTable(sink.table(), problems, dict(counts.rows), dict(counts.without_subject))


class _Quarantine:
    """A folder with a file of JSON lines, made when something comes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: Any = None

    def take(self, source: str, problems: Sequence[Problem]) -> None:
        if problems and self._file is None:
            self._folder.mkdir()
            self._file = (self._folder / "part-00000.json").open("w", encoding="utf-8", errors="replace")
        for problem in problems:
            self._file.write(json_line(source, problem))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def _run(
    mapping: Mapping | Path,
    sources: Sources | None,
    base: str | None,
    threads: int | None,
    sinks: Sequence[Sink],
    quarantine: Callable[[str, Sequence[Problem]], None],
    name: str = THE_MAPPING,
) -> _Counts:
    document = mapping if isinstance(mapping, Mapping) else read_mapping(mapping)
    try:
        plan = compile_mapping(document, base)
        found = (sources or Sources()).of_mapping(document.directory)
        workers = ThreadPoolExecutor(threads or _cores(), "kgreason-mapping")
        with memory.starting_threads(), workers as pool:
            return _Run(plan, document, found, pool, sinks, quarantine).counts()
    except MappingError as error:
        raise error.locate(path=name if isinstance(mapping, Mapping) else str(mapping)) from None


class _Run:
    """The readers of a plan, and the passes over them."""

    def __init__(
        self,
        plan: MappingPlan,
        document: Mapping,
        sources: Sources,
        pool: ThreadPoolExecutor,
        sinks: Sequence[Sink],
        quarantine: Callable[[str, Sequence[Problem]], None],
    ) -> None:
        self._plan, self._document = plan, document
        self._pool, self._sinks, self._quarantine = pool, sinks, quarantine
        self._readers = [self._reader(one.source, sources) for one in plan.sources]
        self._counts = _Counts()

    def counts(self) -> _Counts:
        """Run everything."""
        for source in self._plan.sources:
            self._check(source)
        parents = [self._parent(join) for join in self._plan.joins]
        for source in self._plan.sources:
            self._map(source, [one for one in parents if one.plan.child == source.number])
        return self._counts

    def _reader(self, source: LogicalSource | None, sources: Sources) -> Callable[[], Reader]:
        if source is None:
            return _OneRow
        try:
            return sources.reader(source)
        except MappingError as error:
            name = next(one.name for one in self._document.triples_maps if one.source == source)
            raise MappingError(error.reason, error.triples_map or name) from None

    def _check(self, source: SourcePlan) -> None:
        """Refuse references that mean nothing, before anything long begins."""
        reader = self._readers[source.number]()
        for problem in source.problems:
            for reference in references_of(problem.rule):
                try:
                    reader.check(reference.text)
                except MappingError as error:
                    raise MappingError(error.reason, error.triples_map or problem.triples_map) from None

    def _parent(self, join: JoinPlan) -> JoinedChild:
        gathering = ParentGathering(join)
        for part in self._each(join.parent, gathering.part):
            gathering.add(part)
        return JoinedChild(join, gathering.parent())

    def _map(self, source: SourcePlan, joins: Sequence[JoinedChild]) -> None:
        def work(batch: BatchTerms) -> tuple[BatchOutcome, list[Any]]:
            outcome = translate(source, joins, batch)
            return outcome, [sink.prepare(outcome) for sink in self._sinks]

        name = THE_MAPPING if source.source is None else source.source.location
        progress.begin("mapping", name)
        counts = self._counts
        counts.rows[name] += 0
        for outcome, prepared in self._each(source.number, work):
            counts.rows[name] += outcome.rows
            counts.triples[name] += outcome.quad_count
            counts.quarantined[name] += len(outcome.problems)
            counts.reasons.update(problem.reason for problem in outcome.problems)
            counts.without_subject.update(outcome.without_subject)
            self._quarantine(name, outcome.problems)
            for sink, part in zip(self._sinks, prepared, strict=True):
                sink.take(part)

    def _each(self, number: int, work: Callable[[BatchTerms], Result]) -> Iterator[Result]:
        """What the batches of a source give, in order; some of them wait for each thread."""
        reader = self._readers[number]()

        def task(piece: Any, position: int) -> Result:
            return work(BatchTerms(reader.parse(piece), f"{number}_{position}"))

        waiting: deque[Future[Result]] = deque()
        try:
            for position, piece in zip(count(), reader.pieces(), strict=False):
                waiting.append(self._pool.submit(task, piece, position))
                if len(waiting) > 2 * self._pool._max_workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


class _OneRow:
    """The one row, without values, of triples maps without a source."""

    name: Final = THE_MAPPING
    length: Final = 1
    faults: Final[Sequence[Fault]] = ()

    def check(self, reference: str) -> None:
        raise MappingError(f"no logical source has {reference!r}")

    def pieces(self) -> Iterator[_OneRow]:
        yield self

    def parse(self, piece: _OneRow) -> _OneRow:
        return piece

    def values(self, reference: str) -> ValueColumn:
        raise MappingError(f"no logical source has {reference!r}")

    def row_json(self, row: int) -> str:
        return "{}"


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


