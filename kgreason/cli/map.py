"""``kgreason map``: raw data into a directory that a store loads without parsing, on this machine and without Java."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
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
from kgreason.cli.options import Unfinished
from kgreason.cli.output import check_new_directory, check_target, written, written_directory
from kgreason.cli.progress_bar import progress_bar

if TYPE_CHECKING:
    from kgreason_mapping.arrow import Sources
    from kgreason_mapping.documents import Mapping


def map_sources(
    mapping: Annotated[Path, typer.Argument(metavar="MAPPING", help="An RML mapping, in Turtle.")],
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RAW",
            help="The folder of its sources, or NAME=PATH for one of them by the name that the mapping has for it."
            " Without a folder, they are in that of the mapping or the current one.",
        ),
    ] = None,
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="The directory to make.")
    ],
    database: DatabaseUrl = None,
    base: Annotated[
        str | None, typer.Option("--base", metavar="IRI", help="What stands before relative IRIs of the mapping.")
    ] = None,
    format: Annotated[OutputFormat, typer.Option("--format", help="Encoded Parquet, N-Triples, or both.")] = (
        OutputFormat.ENCODED
    ),
    compression: Annotated[
        PartCompression, typer.Option("--compression", help="Of the parts of N-Triples.")
    ] = PartCompression.GZIP,
    since: Annotated[
        Path | None,
        typer.Option(
            "--since",
            metavar="OLD",
            help="What an earlier run wrote: what came and went goes to DIR/changes, for kgreason apply.",
        ),
    ] = None,
    samples: Samples = None,
    unfinished: Unfinished = False,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="Write the report there as JSON.")
    ] = None,
) -> None:
    """Turn CSV, JSON, XML, Parquet and databases into triples: by an RML mapping, on this machine.

    DIR is a directory of encoded triples, which all commands read in the place of files. N-Triples go to DIR/ntriples;
    rows that cannot become triples go to DIR/quarantine, with their reasons.
    """
    check_new_directory(output)
    check_target(report)
    if since is not None and format is OutputFormat.NTRIPLES:
        raise UsageError("--since compares encoded triples, which --format ntriples does not write")
    from kgreason_mapping.arrow import map_to_directory
    from kgreason_mapping.documents import read_mapping
    from kgreason_mapping.run_outputs import Outputs

    if not mapping.is_file():
        raise UsageError("no such file", path=mapping)
    document = read_mapping(mapping)
    wanted = Outputs(
        encoded=format is not OutputFormat.NTRIPLES,
        ntriples=None if format is OutputFormat.ENCODED else compression.value,
    )
    with progress_bar("mapping"), written_directory(output) as directory:
        done = map_to_directory(
            document, directory, _sources(document, inputs or [], database, unfinished), outputs=wanted, base=base,
            name=str(mapping), since=since, samples=samples,
        )  # fmt: skip
    if report is not None:
        with written(report) as stream:
            stream.write((json.dumps(asdict(done), indent=2) + "\n").encode())
    print_report(done)
    check_sources(done)


def _sources(document: Mapping, inputs: Sequence[str], database: str | None, unfinished: bool) -> Sources:
    """The sources of a mapping: in a folder, or each at a location of its own.

    Raises:
        UsageError: there is no such location.
        OptionError: there is more than one folder.
    """
    from kgreason_mapping.arrow import Sources
    from kgreason_mapping.sources.named_inputs import folder_and_locations, source_names

    folder, named = folder_and_locations(source_names(document), inputs)
    if folder is not None and not Path(folder).exists():
        raise UsageError("no such file or directory", path=folder)
    if folder is not None and not Path(folder).is_dir():
        raise UsageError("is not a directory; a source of a mapping is given as NAME=PATH", path=folder)
    return Sources(
        named, None if folder is None else Path(folder), document.directory, unfinished, database=database
    )
