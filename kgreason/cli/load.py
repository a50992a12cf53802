"""``kgreason load``: RDF files as encoded triples, which load without parsing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgreason.cli.inputs import Inputs, check_inputs, load_files_only, loaded, store_on_disk
from kgreason.cli.inputs import load as knowledge_of
from kgreason.cli.options import Limits, option_groups
from kgreason.cli.output import check_new_directory, written_directory
from kgreason.cli.progress_bar import progress_bar
from kgreason.plurals import counted

if TYPE_CHECKING:
    from kgreason.dictionary.dictionary import Dictionary
    from kgreason.io.load_report import LoadReport
    from kgreason.io.quads import Quads


@option_groups
def load(
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="The directory to make, with encoded triples in it.")
    ],
    rules: Annotated[
        list[str] | None,
        typer.Option("--rules", "-r", metavar="RULES", help="Write what follows under these rules, too; repeatable."),
    ] = None,
    inputs: Inputs,
    limits: Limits,
) -> None:
    """Write the triples of all files as encoded triples: Parquet files, a dictionary and a manifest.

    All commands read such a directory in the place of files, some ten times faster.
    """
    check_new_directory(output)
    check_inputs(inputs)
    from kgreason.dictionary.dictionary import Dictionary
    from kgreason.io.encoded.encoded_writer import write_encoded
    from kgreason.io.quads import DEFAULT_GRAPH

    dictionary = Dictionary()
    reports: list[LoadReport] = []
    if store_on_disk(inputs.files) is not None:
        dictionary, quads = _stored(inputs, rules or [], limits)
    elif rules:
        dictionary, quads = _closed(inputs, rules, reports, limits)
    else:
        read = loaded(inputs, dictionary)
        ignored = (f"{inferred.directory}: not used, since no rules are given" for inferred in read.inferred)
        reports.append(replace(read.report, notes=tuple(ignored)))
        quads = read.quads
    with progress_bar("writing"), written_directory(output) as directory:
        manifest = write_encoded(
            directory, dictionary, quads.subject, quads.predicate, quads.object, quads.graph, DEFAULT_GRAPH
        )
    from kgreason.io.load_report import LoadReport

    if reports:
        print(LoadReport.joined(reports))
    print(f"{output}: {counted(manifest.triples, 'different triple')}, {counted(len(manifest.terms), 'term')}")


def _closed(
    inputs: Inputs, rules: list[str], reports: list[LoadReport], limits: Limits
) -> tuple[Dictionary, Quads]:
    """Explicit triples in their graphs, and what follows from them in the default graph."""
    from kgreason.store.quad_export import all_quads

    knowledge = load_files_only(inputs, rules, reports.append, limits=limits)
    return knowledge.dictionary, all_quads(knowledge)


def _stored(inputs: Inputs, rules: list[str], limits: Limits) -> tuple[Dictionary, Quads]:
    """The explicit triples of a store on disk, and with rules what follows from them."""
    from kgreason.store.quad_export import all_quads, explicit_quads

    knowledge = knowledge_of(inputs, rules, limits=limits)
    return knowledge.dictionary, all_quads(knowledge) if rules else explicit_quads(knowledge)
