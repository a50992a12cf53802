"""The arguments that the commands on Spark share, and what is refused before anything long begins.

Inputs, mappings and outputs are locations as Hadoop knows them: URIs with a scheme, or paths on the file system that is
its default. So only Spark can look at them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from kgreason.cli.error_lines import UsageError
from kgreason.cli.output import check_target, written
from kgreason_mapping.locations import is_uri

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Master: TypeAlias = Annotated[
    str | None,
    typer.Option("--master", metavar="URL", help="Spark's cluster, or local[N]; this machine's cores if left out."),
]
Overwrite: TypeAlias = Annotated[
    bool, typer.Option("--overwrite", help="Replace what is in the directory, once all is written.")
]
ReportFile: TypeAlias = Annotated[
    str | None, typer.Option("--report", metavar="FILE", help="Write the report there as JSON: a file, or a URI.")
]


def check_output(session: SparkSession, output: str, overwrite: bool) -> None:
    """Refuse a directory, on any file system, that cannot be written.

    Raises:
        UsageError: it is a file, or has something in it.
    """
    from kgreason_spark.directories import WORK, Directory
    from kgreason_spark.failures import clear_errors

    try:
        with clear_errors(f"writing to {output}"):
            names = Directory(session, output).names()
    except NotADirectoryError:
        raise UsageError("is not a directory", path=output) from None
    if not overwrite and any(not name.startswith(WORK) for name in names):
        raise UsageError("exists and is not empty; choose another, or --overwrite", path=output)


def check_inputs(session: SparkSession, inputs: Iterable[str]) -> None:
    """Refuse locations, on any file system, where nothing is.

    Raises:
        UsageError: an input that does not exist, or a pattern that nothing matches.
    """
    from kgreason_spark.directories import matching

    for place in inputs:
        if not matching(session, place):
            raise UsageError("no such file or directory", path=place)


def check_report(report: str | None) -> None:
    """Refuse, before Spark starts, a file of this machine that cannot be written."""
    if report is not None and not is_uri(report):
        check_target(Path(report))


def write_report(session: SparkSession, report: str | None, done: Any) -> None:
    """Write a report, a dataclass, as JSON: to a file of this machine, or to a URI."""
    if report is None:
        return
    text = json.dumps(asdict(done), indent=2) + "\n"
    if not is_uri(report):
        with written(Path(report)) as stream:
            stream.write(text.encode())
        return
    from kgreason_spark.directories import Directory
    from kgreason_spark.failures import clear_errors

    folder, _, name = report.rpartition("/")
    with clear_errors(f"writing {report}"):
        Directory(session, folder).write_text(name, text)
