"""``kgreason spark``: what does not fit one machine. Under spark-submit it runs in the session that is there:

spark-submit --master yarn .../kgreason/__main__.py spark ingest --input hdfs:///dump/ --output hdfs:///encoded
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgreason.cli.loading import progress_bar
from kgreason.cli.output import check_target, written
from kgreason.cli.reporting import UsageError
from kgreason.cli.tables import print_table

if TYPE_CHECKING:
    from kgreason_spark.pipeline import Report
    from kgreason_spark.rows import Source

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_GLOB = re.compile(r"[{}\[\]*?]")

spark_commands = typer.Typer(
    name="spark", help="Big data with Spark: raw data in, encoded Parquet or N-Triples out.", rich_markup_mode=None
)


class OutputFormat(StrEnum):
    """What to write."""

    ENCODED = "encoded"
    NTRIPLES = "ntriples"
    BOTH = "both"


class PartCompression(StrEnum):
    """How parts of N-Triples are compressed."""

    GZIP = "gzip"
    ZSTD = "zstd"
    NONE = "none"


@spark_commands.callback()
def spark() -> None:
    """Big data with Spark: raw data in, encoded Parquet or N-Triples out."""


@spark_commands.command()
def ingest(
    inputs: Annotated[
        list[str],
        typer.Option("--input", "-i", metavar="PATH", help="N-Triples or N-Quads, or a folder of them; repeatable."),
    ],
    output: Annotated[str, typer.Option("--output", "-o", metavar="DIR", help="Where to write: a new directory.")],
    *,
    format: Annotated[OutputFormat, typer.Option("--format", help="Encoded Parquet, N-Triples, or both.")] = (
        OutputFormat.ENCODED
    ),
    compression: Annotated[
        PartCompression, typer.Option("--compression", help="Of the parts of N-Triples.")
    ] = PartCompression.GZIP,
    master: Annotated[
        str | None,
        typer.Option("--master", metavar="URL", help="Spark's cluster, or local[N]; this machine's cores if left out."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace what is in the directory, once all is written.")
    ] = False,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="Write the report there as JSON.")
    ] = None,
) -> None:
    """Read raw data into a directory that a store loads without parsing.

    Rows that cannot become triples go to DIR/quarantine, with their reasons. N-Triples go to DIR/ntriples.
    """
    check_target(report)
    _check_paths(inputs, output, overwrite)
    from kgreason_spark.session import spark_session

    with progress_bar("starting Spark") as progress:
        session = spark_session(master)
        from kgreason_spark.pipeline import Outputs, run

        wanted = Outputs(
            encoded=format is not OutputFormat.NTRIPLES,
            ntriples=None if format is OutputFormat.ENCODED else compression.value,
        )
        done = run(session, _source(inputs), output, wanted, overwrite=overwrite, progress=progress)
    if report is not None:
        with written(report) as stream:
            stream.write((json.dumps(asdict(done), indent=2) + "\n").encode())
    _print_report(done)


def _source(inputs: Sequence[str]) -> Source:
    """Where the quads come from."""
    from kgreason_spark.sources.ntriples import NTriplesFiles

    return NTriplesFiles(tuple(inputs))


def _check_paths(inputs: Sequence[str], output: str, overwrite: bool) -> None:
    """Refuse, before Spark starts, paths of this machine that cannot be used.

    Raises:
        UsageError: an input that does not exist, or an output that is a file or has something in it.
    """
    for path in inputs:
        if not _SCHEME.match(path) and not _GLOB.search(path) and not Path(path).exists():
            raise UsageError(f"{path}: no such file or directory")
    target = Path(output)
    if _SCHEME.match(output) or not target.exists():
        return
    if not target.is_dir():
        raise UsageError(f"{output}: is not a directory")
    if any(target.iterdir()) and not overwrite:
        raise UsageError(f"{output}: exists and is not empty; choose another, or --overwrite")


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
