"""``kgreason materialise``: write down what is explicit and what follows."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from kgreason.cli.inputs import Inputs, load, progress_bar
from kgreason.cli.options import Limits, RuleNames, Schemes, option_groups
from kgreason.cli.output import check_target, output_format, written


@option_groups
def materialise(
    rules: RuleNames,
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where to write; stdout if left out."),
    ] = None,
    inferred_only: Annotated[
        bool, typer.Option("--inferred-only", help="Leave out what was asserted.")
    ] = False,
    output_format_name: Annotated[
        str | None,
        typer.Option("--output-format", metavar="FORMAT", help="nt, ttl or rdf; told by FILE."),
    ] = None,
    schemes: Schemes = "auto",
    inputs: Inputs,
    limits: Limits,
) -> None:
    """Write all triples, explicit and inferred, each once."""
    check_target(output)
    format = output_format(output, output_format_name)
    knowledge = load(inputs, rules, schemes, limits=limits)
    from kgreason.store.triple_writer import write_triples

    view = knowledge.inferred() if inferred_only else knowledge.all()
    with progress_bar("writing"), written(output) as stream:
        write_triples(view, knowledge.dictionary, stream, format)
    if sys.stderr.isatty():
        explicit, inferred = len(knowledge.explicit()), len(knowledge.inferred())
        print(f"{explicit:,} explicit and {inferred:,} inferred triples", file=sys.stderr)
