"""From a source to outputs by way of a stage, so that the source is read once; and what a run reports."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from kgreason.io.encoded.manifest import MANIFEST, Manifest
from kgreason_mapping.run_outputs import NTRIPLES, QUARANTINE, Compression, Outputs
from kgreason_mapping.run_reports import ProblemCount, Report, SourceReport
from kgreason_spark.directories import Directory, replaced
from kgreason_spark.local_id_frames import with_local_ids
from kgreason_spark.outputs.encoded import Layout, encode
from kgreason_spark.outputs.quarantine import write_quarantine
from kgreason_spark.outputs.statement_files import write_parts, write_pieces
from kgreason_spark.stage import Counts, Staged, stage, stage_ids, stage_lines, stage_quads

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kgreason_spark.frames import Extracted, Source

Progress: TypeAlias = Callable[[str, int], None]
"""Called with the name of the stage that begins, and the number of rows that it has to do with."""


def run(
    spark: SparkSession,
    source: Source,
    directory: str,
    outputs: Outputs,
    *,
    layout: Layout | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
    samples: int | None = None,
) -> Report:
    """Read a source and write outputs into a directory, all of them or none; `layout` is that of encoded Parquet, and
    of each kind of problems so many `samples` go to quarantine, None for all.

    Raises:
        LoadError: the source cannot be read.
        SparkError: the directory has something in it, unless it is to be overwritten; or Spark fails.
    """
    clock = _Clock(progress, samples)
    with replaced(Directory(spark, directory), overwrite=overwrite, last=MANIFEST) as (content, scratch):
        with clock.stage("reading"):
            extracted = source.extract(spark)
        if outputs.ntriples is None:
            return _write_ids(extracted, content, scratch, layout or Layout(), clock)
        if extracted.lines is not None and not outputs.encoded:
            return _write_lines(extracted.lines(outputs.ntriples), content, scratch, outputs.ntriples, clock)
        return _write_rows(extracted, content, scratch, outputs, layout or Layout(), clock)


def _write_rows(
    extracted: Extracted, content: Directory, scratch: Directory, outputs: Outputs, layout: Layout, clock: _Clock
) -> Report:
    manifest, lines = None, None
    with clock.stage("reading"):
        staged = stage(extracted.rows, scratch / "rows")
    rows = staged.counts.total
    _write_quarantine(staged, content, clock)
    if outputs.ntriples is not None:
        with clock.stage("N-Triples", rows):
            (content / NTRIPLES).make()
            lines = write_parts(staged.quads, content / NTRIPLES, scratch, outputs.ntriples)
    if outputs.encoded:
        with clock.stage("encoding", rows):
            manifest = encode(*stage_quads(staged.quads, scratch / "ids", are_keys=True), content, layout)
    return _report(extracted, staged.counts, clock, manifest, lines)


def _write_ids(
    extracted: Extracted, content: Directory, scratch: Directory, layout: Layout, clock: _Clock
) -> Report:
    """Encoded triples alone: terms become numbers where the rows are."""
    with clock.stage("reading"):
        if extracted.local_ids is not None:
            made = extracted.local_ids()
        else:
            made = replace(extracted, rows=with_local_ids(extracted.rows))
        staged, size = stage_ids(made.rows, scratch / "ids")
    _write_quarantine(staged, content, clock)
    with clock.stage("encoding", size.quads):
        manifest = encode(staged.quads, size, content, layout)
    return _report(made, staged.counts, clock, manifest, None)


def _write_lines(
    extracted: Extracted, content: Directory, scratch: Directory, compression: Compression, clock: _Clock
) -> Report:
    """N-Triples alone: the lines are made where the rows are."""
    with clock.stage("reading"):
        staged = stage_lines(extracted.rows, scratch / "rows")
    _write_quarantine(staged, content, clock)
    lines = staged.counts.total
    with clock.stage("N-Triples", lines):
        (content / NTRIPLES).make()
        write_pieces(staged.quads, bool(staged.counts.named), content / NTRIPLES, scratch, compression)
    return _report(extracted, staged.counts, clock, None, lines)


def _write_quarantine(staged: Staged, content: Directory, clock: _Clock) -> None:
    if staged.counts.quarantined:
        with clock.stage(QUARANTINE, sum(staged.counts.by_reason().values())):
            write_quarantine(staged.quarantine, content / QUARANTINE, clock.samples)


def _report(
    extracted: Extracted, counts: Counts, clock: _Clock, manifest: Manifest | None, lines: int | None
) -> Report:
    return Report(
        sources=_sources(counts, extracted),
        triples_read=counts.total,
        triples_encoded=None if manifest is None else manifest.triples,
        terms=None if manifest is None else manifest.terms,
        lines_written=lines,
        quarantined=counts.by_reason(),
        seconds=clock.seconds,
        engines=extracted.engines,
        problems=_problems(counts, extracted.references),
    )


def _problems(
    counts: Counts, references: Mapping[tuple[str, str], tuple[str, ...]]
) -> tuple[ProblemCount, ...]:
    """What is in quarantine by rule, the most frequent first."""
    return tuple(
        ProblemCount(
            kind.source, kind.triples_map, kind.part,
            references.get((kind.triples_map or "", kind.part or ""), ()), kind.reason, rows,
        )
        for kind, rows in sorted(counts.quarantined.items(), key=lambda one: (-one[1], one[0].source, one[0].reason))
    )  # fmt: skip


def _sources(counts: Counts, extracted: Extracted) -> dict[str, SourceReport]:
    triples = counts.quads
    bad = counts.by_source()
    rows_in = extracted.rows_in(Counter(triples) + Counter(bad))
    return {
        name: SourceReport(rows_in.get(name, 0), triples.get(name, 0), bad.get(name, 0))
        for name in sorted({*rows_in, *triples, *bad})
    }


class _Clock:
    """Seconds by stage, and how many samples of problems are kept."""

    def __init__(self, progress: Progress | None, samples: int | None) -> None:
        self.samples = samples
        self.seconds: dict[str, float] = {}
        self._progress = progress

    @contextmanager
    def stage(self, name: str, rows: int = 0) -> Iterator[None]:
        """Time the body."""
        if self._progress is not None:
            self._progress(name, rows)
        begin = time.perf_counter()
        yield
        self.seconds[name] = round(self.seconds.get(name, 0.0) + time.perf_counter() - begin, 3)
