"""``kgreason spark ingest``: raw data into a directory that a store loads without parsing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from kgreason.cli.error_lines import UsageError
from kgreason.cli.ingestion_options import (
    DatabaseUrl,
    OutputFormat,
    PartCompression,
    Samples,
    check_sources,
    print_report,
)
from kgreason.cli.options import Columns, Terms, Unfinished
from kgreason.cli.progress_bar import progress_bar
from kgreason.cli.spark.spark_options import (
    Master,
    Overwrite,
    ReportFile,
    check_inputs,
    check_output,
    check_report,
    write_report,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kgreason_spark.frames import Source
    from kgreason_spark.ingestion.mapped import MappedSources


def ingest(
    output: Annotated[str, typer.Option("--output", "-o", metavar="DIR", help="Where to write: a new directory.")],
    *,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            "-i",
            metavar="PATH",
            help="N-Triples, N-Quads, Parquet with a column for each place of a triple, or a folder of them; with a"
            " mapping the folder of its sources, or NAME=PATH for one of them by the name that the mapping has for it."
            " A path, or a URI of a file system that Hadoop knows (hdfs://, s3a://). Repeatable.",
        ),
    ] = None,
    mapping: Annotated[
        str | None,
        typer.Option(
            "--mapping",
            "-m",
            metavar="FILE",
            help="An RML or R2RML mapping, for CSV, JSON, XML, Parquet and databases; or its URI.",
        ),
    ] = None,
    database: DatabaseUrl = None,
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
    unfinished: Unfinished = False,
    columns: Columns = None,
    terms: Terms = None,
    format: Annotated[OutputFormat, typer.Option("--format", help="Encoded Parquet, N-Triples, or both.")] = (
        OutputFormat.ENCODED
    ),
    compression: Annotated[
        PartCompression, typer.Option("--compression", help="Of the parts of N-Triples.")
    ] = PartCompression.GZIP,
    samples: Samples = None,
    master: Master = None,
    overwrite: Overwrite = False,
    report: ReportFile = None,
    max_seconds: Annotated[
        float | None, typer.Option("--max-seconds", metavar="N", min=0, help="Give up when it takes longer.")
    ] = None,
) -> None:
    """Read raw data into a directory of encoded triples: a store loads it without parsing.

    Rows that cannot become triples go to DIR/quarantine, with their reasons. N-Triples go to DIR/ntriples.
    """
    check_report(report)
    given = inputs or []
    if not given and mapping is None:
        raise UsageError("nothing to read: give --input, or --mapping")
    from kgreason_spark.session import spark_session

    with progress_bar("starting Spark") as progress:
        session = spark_session(master)
        from kgreason.engine.budget import Budget
        from kgreason_mapping.run_outputs import Outputs
        from kgreason_spark.budgets import within
        from kgreason_spark.pipeline import run  # needs pyspark, of which spark_session tells how to get it
        from kgreason_spark.sources.statement_rows import NTriplesFiles

        if mapping is not None:
            source: Source = _mapped(session, mapping, given, database, base, line_breaks, unfinished)
        else:
            check_inputs(session, given)
            named = None if columns is None else tuple(columns.split(","))
            source = NTriplesFiles(tuple(given), unfinished, named, terms)
        check_output(session, output, overwrite)
        wanted = Outputs(
            encoded=format is not OutputFormat.NTRIPLES,
            ntriples=None if format is OutputFormat.ENCODED else compression.value,
        )
        with within(session, Budget(seconds=max_seconds), "reading"):
            done = run(session, source, output, wanted, overwrite=overwrite, progress=progress, samples=samples)
    write_report(session, report, done)
    print_report(done)
    check_sources(done)


def _mapped(
    session: SparkSession,
    mapping: str,
    inputs: Sequence[str],
    database: str | None,
    base: str | None,
    line_breaks: bool,
    unfinished: bool,
) -> MappedSources:
    """The sources of a mapping: in a folder, or each at a location of its own.

    Raises:
        UsageError: there is no such mapping or location.
        OptionError: there is more than one folder.
    """
    from kgreason_mapping.sources.databases import database_or_none
    from kgreason_mapping.sources.named_inputs import folder_and_locations, source_names
    from kgreason_spark.directories import Directory
    from kgreason_spark.ingestion.ingestion import mapping_at
    from kgreason_spark.ingestion.mapped import MappedSources
    from kgreason_spark.ingestion.source_frames import Sources

    check_inputs(session, [mapping])
    document = mapping_at(session, mapping)
    folder, named = folder_and_locations(source_names(document), inputs)
    files = [place for place in named.values() if database_or_none(place) is None]
    check_inputs(session, [*files, *(() if folder is None else (folder,))])
    if folder is not None and not Directory(session, folder).is_directory():
        raise UsageError("is not a directory; a source of a mapping is given as NAME=PATH", path=folder)
    sources = Sources(
        named, folder, document.directory, None if line_breaks else False, unfinished, database=database
    )
    return MappedSources(document, sources, base)
