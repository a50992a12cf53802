"""``kgreason diff``: what one graph has and another one lacks, explicit and inferred."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kgreason.cli.error_lines import DATA_PROBLEM, WRONG_USAGE, describe, print_line
from kgreason.cli.inputs import Reading, check_inputs, load, loaded, print_report, store_on_disk
from kgreason.cli.options import Limits, OutputFile, RuleNames, option_groups
from kgreason.cli.output import check_target, chosen_format, written
from kgreason.cli.progress_bar import progress_bar
from kgreason.errors import KGReasonError
from kgreason.rdf.vocabulary import STANDARD_PREFIXES

if TYPE_CHECKING:
    from kgreason.comparison.comparison import Comparison
    from kgreason.dictionary.dictionary import Dictionary
    from kgreason.io.quads import Quads
    from kgreason.store.rule_sets import RuleSource

FORMATS: Final = ("text", "patch", "json")
_ENDINGS: Final = {".txt": "text", ".diff": "text", ".rdfp": "patch", ".patch": "patch", ".json": "json"}


@option_groups
def diff(
    before: Annotated[str, typer.Argument(metavar="A", help="A file, a directory or a store on disk; - is stdin.")],
    after: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
    rules: RuleNames,
    *,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="text; patch: the explicit difference as RDF Patch; or json; told by FILE, otherwise text.",
        ),
    ] = None,
    output: OutputFile = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="N", min=0, help="Show so many triples of each sign in a section of text."),
    ] = None,
    stat: Annotated[bool, typer.Option("--stat", help="Print how many triples differ, and not which.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing; the exit code tells.")] = False,
    reading: Reading,
    limits: Limits,
) -> None:
    """Compare two graphs: what is asserted, and what follows; exit code 1 if they differ, 2 for trouble.

    Blank nodes are matched: graphs that differ in their labels alone are the same. Explicit triples
    are compared graph by graph. Inferred are those that follow in one and are neither explicit nor follow in the other.
    """
    chosen = chosen_format(format, output, FORMATS, _ENDINGS) or "text"
    check_target(output)
    check_inputs(reading.of(before, after))
    try:
        prefixes: dict[str, str] = {}
        found = compared(before, after, rules, reading, limits, prefixes)
        if found.explicit.is_approximate:
            print_line("warning: not all blank nodes could be matched in time; the difference may be too large")
        if not quiet:
            _print(found, chosen, output, STANDARD_PREFIXES | prefixes, (before, after), stat, limit)
    except BrokenPipeError:
        raise
    except (KGReasonError, OSError, MemoryError) as error:
        print_line(describe(error))
        raise typer.Exit(WRONG_USAGE) from None
    if found:
        raise typer.Exit(DATA_PROBLEM)


def compared(
    before: str, after: str, rules: Sequence[str], reading: Reading, limits: Limits, prefixes: dict[str, str]
) -> Comparison:
    """Load the first, and compare the second; `prefixes` takes those of both. Without `rules` a store on disk has its
    own, and files those of the store that they are compared with."""
    from kgreason.comparison.comparison import compare, quads_of_another

    chosen: Sequence[RuleSource] = rules
    if store_on_disk([after]) is None:
        knowledge = load(reading.of(before), chosen, prefixes=prefixes, limits=limits)

        def read(dictionary: Dictionary) -> Quads:
            found = loaded(reading.of(after), dictionary, prefixes)
            print_report(found.report)
            return found.quads

        with progress_bar("comparing"):
            return compare(knowledge, read)
    other = load(reading.of(after), rules, prefixes=prefixes, limits=limits)
    if not rules and store_on_disk([before]) is None:
        chosen = [other.program]
    knowledge = load(reading.of(before), chosen, prefixes=prefixes, limits=limits)
    with progress_bar("comparing"):
        return compare(knowledge, quads_of_another(other), other.rules)


def _print(
    found: Comparison,
    format: str,
    output: Path | None,
    prefixes: dict[str, str],
    names: tuple[str, str],
    stat: bool,
    limit: int | None,
) -> None:
    from kgreason.cli.difference_texts import coloured, json_text, patch_lines, summary, text_lines, wants_colours

    if stat:
        print(summary(found))
        return
    lines: Iterator[str]
    match format:
        case "json":
            lines = iter([json_text(found, names)])
        case "patch":
            lines = patch_lines(found)
        case _:
            headings = iter([f"--- {names[0]}", f"+++ {names[1]}"])
            lines = chain(headings, text_lines(found, prefixes, limit)) if found else iter(())
    is_coloured = format == "text" and output is None and wants_colours()
    with written(output) as stream:
        stream.writelines(f"{coloured(line) if is_coloured else line}\n".encode() for line in lines)


