"""What the commands that ingest raw data share: what they write, and the report that they print."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from kgreason.cli.error_lines import DATA_PROBLEM, print_line
from kgreason.cli.printed_tables import print_table
from kgreason.plurals import counted

if TYPE_CHECKING:
    from kgreason_mapping.run_reports import Report

DatabaseUrl: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help="Where tables and queries of the mapping are: postgresql://..., duckdb:///PATH, sqlite:///PATH, or a file"
        " of SQLite or DuckDB. An input NAME=URL for one of several, by the name that the mapping has for it.",
    ),
]


Samples: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--samples", metavar="N", min=0, help="How many rows of each kind of problems go to quarantine; else all."
    ),
]


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


def print_report(report: Report) -> None:
    """Print the counts of a run."""
    rows = [
        (name, f"{source.rows:,}", f"{source.triples:,}", f"{source.quarantined:,}")
        for name, source in report.sources.items()
    ]
    print_table(("source", "rows", "triples", "quarantined"), rows, frozenset({1, 2, 3}))
    if report.engines:
        print()
        print_table(("source", "mapped by"), [(name, report.engines[name]) for name in sorted(report.engines)])
    if report.quarantined:
        print()
        reasons = [(reason, f"{count:,}") for reason, count in report.quarantined.items()]
        print_table(("quarantined because", "rows"), reasons, frozenset({1}))
    if report.problems:
        print()
        rules = [
            (one.source, one.triples_map or "", one.part or "", ", ".join(one.references), one.reason, f"{one.rows:,}")
            for one in report.problems
        ]
        print_table(("source", "triples map", "part", "columns", "quarantined because", "rows"), rules, frozenset({5}))
    print()
    totals = {
        "triples read": report.triples_read,
        "distinct triples encoded": report.triples_encoded,
        "terms": None if report.terms is None else len(report.terms),
        "lines of N-Triples": report.lines_written,
        "triples that came": report.added,
        "triples that went": report.removed,
    }
    counts = [(name, f"{value:,}") for name, value in totals.items() if value is not None]
    seconds = [(f"seconds of {stage}", f"{value:.1f}") for stage, value in report.seconds.items()]
    print_table(("total", "count"), [*counts, *seconds], frozenset({1}))


def check_sources(report: Report) -> None:
    """Name the sources of a run that gave nothing but rows in quarantine, and end with the exit code for that.

    Some values of raw data cannot be triples. A source without any triple has a wrong mapping, or is a wrong file.
    """
    lost = [(name, source.quarantined) for name, source in report.sources.items() if source.is_lost]
    for name, rows in lost:
        print_line(f"{name}: no triple came of it, and {counted(rows, 'problem')} of it went to quarantine")
    if lost:
        raise typer.Exit(DATA_PROBLEM)
