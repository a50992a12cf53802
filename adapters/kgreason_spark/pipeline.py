"""From a source to outputs by way of a stage, so that the source is read once; and what a run reports."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from kgreason.io.encoded.manifest import MANIFEST
from kgreason_mapping.run_outputs import NTRIPLES, QUARANTINE, Outputs
from kgreason_mapping.run_reports import Report, SourceReport
from kgreason_spark.directories import Directory, replaced
from kgreason_spark.outputs.encoded import Layout, encode
from kgreason_spark.outputs.quarantine import write_quarantine
from kgreason_spark.outputs.statement_files import write_parts
from kgreason_spark.stage import Staged, stage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kgreason_spark.frames import Source

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
) -> Report:
    """Read a source and write outputs into a directory, all of them or none; `layout` is that of encoded Parquet.

    Raises:
        LoadError: the source cannot be read.
        SparkError: the directory has something in it, unless it is to be overwritten; or Spark fails.
    """
    clock = _Clock(progress)
    manifest, lines = None, None
    with replaced(Directory(spark, directory), overwrite=overwrite, last=MANIFEST) as (content, scratch):
        with clock.stage("reading"):
            extracted = source.extract(spark)
            staged = stage(extracted.rows, scratch / "rows")
        rows = staged.size.quads
        if staged.quarantined:
            with clock.stage(QUARANTINE, sum(staged.quarantined_by_reason().values())):
                write_quarantine(staged.quarantine, content / QUARANTINE)
        if outputs.ntriples is not None:
            with clock.stage("N-Triples", rows):
                (content / NTRIPLES).make()
                lines = write_parts(staged.quads, content / NTRIPLES, scratch, outputs.ntriples)
        if outputs.encoded:
            with clock.stage("encoding", rows):
                manifest = encode(staged.quads, staged.size, content, layout or Layout())
    return Report(
        sources=_sources(staged, extracted.rows_in(staged.rows())),
        triples_read=rows,
        triples_encoded=None if manifest is None else manifest.triples,
        terms=None if manifest is None else manifest.terms,
        lines_written=lines,
        quarantined=staged.quarantined_by_reason(),
        seconds=clock.seconds,
    )


def _sources(staged: Staged, rows_in: Mapping[str, int]) -> dict[str, SourceReport]:
    names = sorted({*rows_in, *staged.quads_out, *staged.quarantined})
    return {
        name: SourceReport(
            rows_in.get(name, 0), staged.quads_out.get(name, 0), sum(staged.quarantined.get(name, {}).values())
        )
        for name in names
    }


class _Clock:
    """Seconds by stage."""

    def __init__(self, progress: Progress | None) -> None:
        self.seconds: dict[str, float] = {}
        self._progress = progress

    @contextmanager
    def stage(self, name: str, rows: int = 0) -> Iterator[None]:
        """Time the body."""
        if self._progress is not None:
            self._progress(name, rows)
        begin = time.perf_counter()
        yield
        self.seconds[name] = round(time.perf_counter() - begin, 3)
