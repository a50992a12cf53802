"""``kgreason report``: what a graph has, and what is wrong with it."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kgreason.cli.error_lines import DATA_PROBLEM, UsageError
from kgreason.cli.inputs import Inputs, check_inputs, load
from kgreason.cli.options import Limits, OutputFile, RuleNames, option_groups
from kgreason.cli.output import check_target, chosen_format, written
from kgreason.cli.progress_bar import progress_bar
from kgreason.errors import ListWarning, nearest, suggestion
from kgreason.rdf.vocabulary import STANDARD_PREFIXES

if TYPE_CHECKING:
    from kgreason.quality.check import Check

FORMATS: Final = ("text", "html", "json")
_ENDINGS: Final = {".txt": "text", ".html": "html", ".htm": "html", ".json": "json"}
_COLOURS: Final = {
    "inconsistent": "\033[1;31m",
    "error": "\033[1;31m",
    "warning": "\033[1;33m",
    "note": "\033[1;34m",
}
_ALIKE: Final = 0.5
"""Of names: enough for one of two words of a check."""
_SHOWN: Final = {"text": 10, "html": 100}


@option_groups
def report(
    rules: RuleNames,
    *,
    format: Annotated[
        str | None,
        typer.Option("--format", metavar="FORMAT", help="text, html or json; told by FILE, otherwise text."),
    ] = None,
    output: OutputFile = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", metavar="N", min=0, help="Show so many findings of a check: 10, in html 100, in json all."
        ),
    ] = None,
    only: Annotated[
        list[str],
        typer.Option(
            "--only",
            metavar="CHECK",
            help="Run this check alone; repeatable.",
            default_factory=list,
            show_default=False,
        ),
    ],
    skip: Annotated[
        list[str],
        typer.Option(
            "--skip",
            metavar="CHECK",
            help="Leave a check out; repeatable.",
            default_factory=list,
            show_default=False,
        ),
    ],
    language: Annotated[
        str, typer.Option("--language", metavar="TAG", help="Show labels in this language where there are some.")
    ] = "en",
    inputs: Inputs,
    limits: Limits,
) -> None:
    """Count what there is and look for mistakes; exit code 1 when something is found that is more than a note.

    Checked are what is declared and used, hierarchies, labels, languages and mappings of SKOS vocabularies (the issues
    of qSKOS), classes that cannot have members, and the integrity conditions of the rules, with proofs.
    """
    chosen = chosen_format(format, output, FORMATS, _ENDINGS) or "text"
    check_target(output)
    check_inputs(inputs)
    checks = _checks(only, skip)
    declared: dict[str, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ListWarning)
        knowledge = load(inputs, rules, prefixes=declared, limits=limits)
    from kgreason.cli.difference_texts import wants_colours
    from kgreason.cli.report_texts import ReportTexts, json_text, text_lines
    from kgreason.quality.report import report_on

    with progress_bar("checking"):
        found = report_on(knowledge, checks)
    shown = _SHOWN.get(chosen) if limit is None else limit
    texts = ReportTexts(knowledge, STANDARD_PREFIXES | declared, language, shown)
    name = ", ".join(inputs.files)
    with written(output) as stream:
        match chosen:
            case "json":
                stream.write(f"{json_text(found, texts)}\n".encode())
            case "html":
                from kgreason.cli.report_page import page

                stream.write(page(found, texts, name).encode())
            case _:
                show = _highlighted if output is None and wants_colours() else str
                stream.writelines(f"{show(line)}\n".encode() for line in text_lines(found, texts))
    if found.has_problems:
        raise typer.Exit(DATA_PROBLEM)


def _highlighted(line: str) -> str:
    """A line for a terminal, where headings have colours."""
    colour = _COLOURS.get(line.partition(":")[0])
    return line if colour is None else f"{colour}{line}\033[0m"


def _checks(only: list[str], skip: list[str]) -> list[Check]:
    """The checks to run."""
    from kgreason.quality.report import CHECKS

    names = [check.name for check in CHECKS]
    for name in (*only, *skip):
        if name not in names:
            near = nearest(name, names, _ALIKE)
            raise UsageError(f"unknown check {name}{suggestion(near)}", expected=f"one of {', '.join(names)}")
    return [check for check in CHECKS if check.name not in skip and (check.name in only or not only)]
