"""Runs of a mapping on this machine: into a directory, or into a table."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from kgreason import progress
from kgreason.errors import MappingError, OptionError
from kgreason.io.encoded.manifest import Manifest
from kgreason.io.line_blocks import threads as available_threads
from kgreason_mapping.arrow.encoded_changes import ChangeCounts
from kgreason_mapping.arrow.encoded_sink import EncodedSink
from kgreason_mapping.arrow.ntriples_sink import NTriplesSink
from kgreason_mapping.arrow.passes import THE_MAPPING, Counts, Passes
from kgreason_mapping.arrow.quads import Problem
from kgreason_mapping.arrow.quarantine_file import QuarantineFile
from kgreason_mapping.arrow.readers import Sources
from kgreason_mapping.arrow.sinks import Sink, TableSink
from kgreason_mapping.documents.mapping_documents import read_mapping
from kgreason_mapping.documents.mapping_model import Mapping
from kgreason_mapping.plan import compile_mapping
from kgreason_mapping.run_outputs import NTRIPLES, QUARANTINE, Outputs
from kgreason_mapping.run_reports import ProblemCount, Report, SourceReport


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
    samples: int | None = None,
) -> Report:
    """Write what a mapping makes of its sources into an empty directory.

    Args:
        sources: where its logical sources are; by default where the mapping says.
        base: what stands before relative IRIs of triples maps without a base of their own.
        threads: at most; by default one for each core.
        name: what errors call a mapping that is not a path.
        since: the encoded triples of an earlier run: what came is written to ``changes/added``, what went to
            ``changes/removed``, as encoded triples that `store.apply` takes as one change.
        samples: how many rows of each kind of problems go to quarantine; all are counted. None for all.

    Raises:
        MappingError: the mapping cannot be used with any data; names the triples map.
        LoadError: a source cannot be read; or triples with blank nodes have changed since.
        OptionError: there are no encoded triples that could have changed.
        WriteError: a file cannot be written.

    Memory: some batches of each thread, the compared values and subjects of the parents of joins, and for encoded
    triples the distinct terms, three times while they are sorted, and some 25 bytes a triple.
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
    quarantine = QuarantineFile(directory / QUARANTINE)
    try:
        counts = _run(mapping, sources, base, threads, sinks, quarantine.take, name, samples)
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
    return _report(counts, lines, manifest, changes, seconds)


def _report(
    counts: Counts,
    lines: NTriplesSink | None,
    manifest: Manifest | None,
    changes: ChangeCounts | None,
    seconds: dict[str, float],
) -> Report:
    """The report of a run with these counts; None for what was not written."""
    reasons: Counter[str] = Counter()
    quarantined: Counter[str] = Counter()
    for (source, kind), number in counts.problems.items():
        reasons[kind.reason] += number
        quarantined[source] += number
    return Report(
        sources={
            source: SourceReport(number, counts.triples[source], quarantined[source])
            for source, number in sorted(counts.rows.items())
        },
        triples_read=counts.triples.total(),
        triples_encoded=None if manifest is None else manifest.triples,
        terms=None if manifest is None else manifest.terms,
        lines_written=None if lines is None else lines.lines,
        quarantined=dict(sorted(reasons.items())),
        seconds=seconds,
        added=None if changes is None else changes.added,
        removed=None if changes is None else changes.removed,
        problems=tuple(
            ProblemCount(source, kind.triples_map, kind.part, kind.references, kind.reason, number)
            for (source, kind), number in counts.problems.most_common()
        ),
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


def _run(
    mapping: Mapping | Path,
    sources: Sources | None,
    base: str | None,
    threads: int | None,
    sinks: Sequence[Sink],
    quarantine: Callable[[str, Sequence[Problem]], None],
    name: str = THE_MAPPING,
    samples: int | None = None,
) -> Counts:
    document = mapping if isinstance(mapping, Mapping) else read_mapping(mapping)
    try:
        plan = compile_mapping(document, base)
        found = (sources or Sources()).of_mapping(document.directory)
        return Passes(plan, found, threads or available_threads(), sinks, quarantine, samples).counts()
    except MappingError as error:
        raise error.locate(path=name if isinstance(mapping, Mapping) else str(mapping)) from None
