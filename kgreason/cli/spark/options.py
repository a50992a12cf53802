"""The arguments that the commands on Spark share, and what is refused before Spark starts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from kgreason.cli.reporting import UsageError


class PartCompression(StrEnum):
    """How parts of N-Triples are compressed."""

    GZIP = "gzip"
    ZSTD = "zstd"
    NONE = "none"


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_GLOB = re.compile(r"[{}\[\]*?]")

Master: TypeAlias = Annotated[
    str | None,
    typer.Option("--master", metavar="URL", help="Spark's cluster, or local[N]; this machine's cores if left out."),
]
Overwrite: TypeAlias = Annotated[
    bool, typer.Option("--overwrite", help="Replace what is in the directory, once all is written.")
]
ReportFile: TypeAlias = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help="Write the report there as JSON.")
]


def check_directories(inputs: Iterable[str], output: str, overwrite: bool) -> None:
    """Refuse paths of this machine that cannot be used; other file systems are looked at by Spark.

    Raises:
        UsageError: an input that does not exist, or an output that is a file or has something in it.
    """
    check_inputs(inputs)
    target = Path(output)
    if _SCHEME.match(output) or not target.exists():
        return
    if not target.is_dir():
        raise UsageError(f"{output}: is not a directory")
    from kgreason_spark.directories import WORK

    if not overwrite and any(not path.name.startswith(WORK) for path in target.iterdir()):
        raise UsageError(f"{output}: exists and is not empty; choose another, or --overwrite")


def check_inputs(inputs: Iterable[str]) -> None:
    """Refuse paths of this machine where nothing is.

    Raises:
        UsageError: an input that does not exist.
    """
    for path in inputs:
        if not _SCHEME.match(path) and not _GLOB.search(path) and not Path(path).exists():
            raise UsageError(f"{path}: no such file or directory")
