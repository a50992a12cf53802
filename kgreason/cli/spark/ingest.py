"""``kgreason spark ingest``: raw data into a directory that a store loads without parsing."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgreason.cli.loading import progress_bar
from kgreason.cli.output import check_target, written
from kgreason.cli.reporting import UsageError
from kgreason.cli.spark.options import Master, Overwrite, PartCompression, ReportFile, check_directories, check_inputs
from kgreason.cli.tables import print_table

if TYPE_CHECKING:
    from kgreason_spark.pipeline import Report
    from kgreason_spark.rows import Source


class OutputFormat(StrEnum):
    """What to write."""

    ENCODED = "encoded"
    NTRIPLES = "ntriples"
    BOTH = "both"


def ingest(
    output: Annotated[str, typer.Option("--output", "-o", metavar="DIR", help="Where to write: a new directory.")],
    *,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            "-i",
            metavar="PATH",
            help="N-Triples or N-Quads, or a folder of them; with a mapping the folder of its sources, or NAME=PATH for"
            " one of them. Repeatable.",
        ),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option("--mapping", "-m", metavar="FILE", help="An RML mapping, for CSV, JSON and Parquet."),
    ] = None,
    base: Annotated[
        str | None, typer.Option("--base", metavar="IRI", help="What stands before relative IRIs of a mapping.")
    ] = None,
    line_breaks: Annotated[
        bool,
        typer.Option(
            "--line-breaks/--no-line-breaks",
            help="Whether quoted CSV fields may have line breaks in them; if none has, files need no looking through.",
        ),
    ] = True,
    format: Annotated[OutputFormat, typer.Option("--format", help="Encoded Parquet, N-Triples, or both.")] = (
        OutputFormat.ENCODED
    ),
    compression: Annotated[
        PartCompression, typer.Option("--compression", help="Of the parts of N-Triples.")
    ] = PartCompression.GZIP,
    master: Master = None,
    overwrite: Overwrite = False,
    report: ReportFile = None,
) -> None:
    """Read raw data into a directory that a store loads without parsing.

    Rows that cannot become triples go to DIR/quarantine, with their reasons. N-Triples go to DIR/ntriples.
    """
    check_target(report)
    source = _files(inputs or []) if mapping is None else _mapped(mapping, inputs or [], base, line_breaks)
    check_directories([] if mapping is not None else inputs or [], output, overwrite)
    from kgreason_spark.session import spark_session

    with progress_bar("starting Spark") as progress:
        session = spark_session(master)
        from kgreason_spark.pipeline import Outputs, run  # needs pyspark, of which spark_session tells how to get it

        wanted = Outputs(
            encoded=format is not OutputFormat.NTRIPLES,
            ntriples=None if format is OutputFormat.ENCODED else compression.value,
        )
        done = run(session, source(), output, wanted, overwrite=overwrite, progress=progress)
    if report is not None:
        with written(report) as stream:
            stream.write((json.dumps(asdict(done), indent=2) + "\n").encode())
    _print_report(done)


def _files(inputs: Sequence[str]) -> Callable[[], Source]:
    """Files of N-Triples and N-Quads; Spark is imported only when it is wanted."""
    if not inputs:
        raise UsageError("nothing to read: give --input, or --mapping")

    def source() -> Source:
        from kgreason_spark.sources.ntriples import NTriplesFiles

        return NTriplesFiles(tuple(inputs))

    return source


def _mapped(mapping: Path, inputs: Sequence[str], base: str | None, line_breaks: bool) -> Callable[[], Source]:
    """The sources of a mapping: in a folder, or each at a path of its own.

    Raises:
        UsageError: there is no such mapping or path, or more than one folder.
    """
    named = dict(given.split("=", 1) for given in inputs if "=" in given)
    folders = [given for given in inputs if "=" not in given]
    if len(folders) > 1:
        raise UsageError("the sources of a mapping can be in one folder; give others as NAME=PATH")
    check_inputs([str(mapping), *named.values(), *folders])
    if folders and not Path(folders[0]).is_dir():
        raise UsageError(f"{folders[0]}: is not a directory; a source of a mapping is given as NAME=PATH")

    def source() -> Source:
        from kgreason_spark.ingestion.mapped import MappedSources

        folder = Path(folders[0]) if folders else None
        return MappedSources.of(mapping, named, folder, base, multiline=None if line_breaks else False)

    return source


def _print_report(report: Report) -> None:
    rows = [
        (name, f"{source.rows:,}", f"{source.triples:,}", f"{source.quarantined:,}")
        for name, source in report.sources.items()
    ]
    print_table(("source", "rows", "triples", "quarantined"), rows, frozenset({1, 2, 3}))
    if report.quarantined:
        print()
        reasons = [(reason, f"{count:,}") for reason, count in report.quarantined.items()]
        print_table(("quarantined because", "rows"), reasons, frozenset({1}))
    print()
    totals = {
        "triples read": report.triples_read,
        "distinct triples encoded": report.triples_encoded,
        "terms": None if report.terms is None else len(report.terms),
        "lines of N-Triples": report.lines_written,
    }
    counts = [(name, f"{value:,}") for name, value in totals.items() if value is not None]
    seconds = [(f"seconds of {stage}", f"{value:.1f}") for stage, value in report.seconds.items()]
    print_table(("total", "count"), [*counts, *seconds], frozenset({1}))
