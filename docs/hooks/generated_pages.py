"""Pages that are made from the code when the site is built: commands, rule sets, and cases of suites that fail."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files as resources
from itertools import groupby
from pathlib import Path
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from typer import Context
from typer.core import TyperGroup
from typer.main import get_command

from kgreason.cli.app import app

RULE_SETS: Final = {
    "rdfs": ("RDFS", "https://www.w3.org/TR/rdf11-mt/#patterns-of-rdfs-entailment-informative"),
    "rdfs-plus": (
        "RDFS and a part of OWL",
        "https://www.w3.org/TR/owl2-profiles/#Reasoning_in_OWL_2_RL_and_RDF_Graphs_using_Rules",
    ),
    "owl-rl": ("OWL 2 RL", "https://www.w3.org/TR/owl2-profiles/#Reasoning_in_OWL_2_RL_and_RDF_Graphs_using_Rules"),
    "owl-rl-full": (
        "OWL 2 RL, with triples that say nothing",
        "https://www.w3.org/TR/owl2-profiles/#Reasoning_in_OWL_2_RL_and_RDF_Graphs_using_Rules",
    ),
    "skos": ("SKOS", "https://www.w3.org/TR/skos-reference/"),
}


SUITES: Final = {
    "owl2rl-skip.txt": "OWL 2 test cases, the profile RL",
    "owl2-rdfs-skip.txt": "OWL 2 RDF-based semantics test cases, under `rdfs`",
    "rdf-mt-skip.txt": "RDF 1.1 and 1.2 semantics",
    "sparql-entailment-skip.txt": "SPARQL 1.1 entailment regimes",
    "sparql-skip.txt": "SPARQL 1.0, 1.1 and 1.2 query, update and results",
    "parsers-skip.txt": "RDF/XML, JSON-LD and other parsers",
    "rules-skip.txt": "SPARQL-RL",
    "../mapping/suites-skip.txt": "R2RML and RML",
}
CASES: Final = Path(__file__).parents[2] / "tests" / "conformance"
MAPPING_CASES: Final = CASES.parent / "mapping"
COUNTS: Final = {
    "<!-- counts -->": CASES / "counts.txt",
    "<!-- mapping counts -->": MAPPING_CASES / "suite-counts.txt",
}
"""What stands on the page for the counts of suites."""


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Add the counts of suites and the cases that fail to the page about conformance."""
    if page.file.src_uri != "reference/conformance.md":
        return markdown
    whole = "\n".join([markdown, *_failing_cases()])
    for place, counts in COUNTS.items():
        whole = whole.replace(place, counts.read_text(encoding="utf-8"))
    return whole


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages to those that are written by hand."""
    files.append(File.generated(config, "reference/command-line.md", content="\n".join(_commands())))
    files.append(File.generated(config, "reference/rule-sets.md", content="\n".join(_rule_sets())))
    return files


def _failing_cases() -> Iterator[str]:
    for name, title in SUITES.items():
        lines = (CASES / name).read_text(encoding="utf-8").splitlines()
        cases = [line.partition(": ")[::2] for line in lines if line and not line.startswith("#")]
        yield f"\n### {title}: {len(cases)}\n\n| cases | why |\n|---|---|"
        for reason, group in groupby(sorted(cases, key=lambda case: case[1]), key=lambda case: case[1]):
            yield f"| {', '.join(f'`{case}`' for case, _ in group)} | {_cell(reason)} |"


def _commands() -> Iterator[str]:
    yield "# Command line\n"
    yield "Exit codes are 0 for success, 1 for a reported problem in the data, and 2 for wrong usage."
    yield "An error is one line on stderr.\n"
    root = get_command(app)
    assert isinstance(root, TyperGroup)
    yield from _group(root, "kgreason")


def _group(group: TyperGroup, name: str) -> Iterator[str]:
    for title, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from _group(command, f"{name} {title}")
            continue
        yield f"## {name} {title}\n"
        context = Context(command, info_name=f"{name} {title}")
        yield _unwrapped(command.help or "") + "\n"
        yield f"    {' '.join(command.get_usage(context).split()).removeprefix('Usage: ')}\n"
        yield "| option | what it does |\n|---|---|"
        for parameter in command.get_params(context):
            record = parameter.get_help_record(context)
            if record is not None:
                name = re.sub(r" <.*>$", "", record[0]) if parameter.param_type_name == "argument" else record[0]
                yield f"| `{name}` | {_cell(record[1])} |"
        yield ""


def _cell(text: str) -> str:
    return _unwrapped(text).replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def _unwrapped(text: str) -> str:
    return re.sub(r"(?<!\n)\n(?!\n)", " ", text.replace("\b", "").replace("\f", "")).strip()


def _rule_sets() -> Iterator[str]:
    yield "# Rule sets\n"
    yield "Each rule stands below its name, that of the W3C where there is one."
    yield "Proofs and inconsistencies show these names.\n"
    for name, (title, source) in RULE_SETS.items():
        text = (resources("kgreason_ontologies") / f"{name}.dl").read_text(encoding="utf-8")
        introduction, _, rules = text.partition("\n\n")
        yield f"## `{name}`: {title}\n"
        yield re.sub(r"^# ?", "", introduction, flags=re.MULTILINE) + "\n"
        yield f"Source: <{source}>\n"
        for part in re.split(r"^## ", rules, flags=re.MULTILINE):
            heading, _, body = part.partition("\n")
            if part.startswith(("@", "#")):
                heading, body = "", part
            if heading:
                yield f"### {name}: {heading}\n"
            yield f"```prolog\n{body.strip()}\n```\n"
