"""``kgreason check``: whether the data keep to the integrity conditions of the rules."""

from __future__ import annotations

import warnings
from typing import Annotated

import typer

from kgreason.cli.error_lines import DATA_PROBLEM
from kgreason.cli.inputs import Inputs, load
from kgreason.cli.options import Limits, RuleNames, option_groups
from kgreason.errors import ListWarning
from kgreason.html_fragments import printable
from kgreason.plurals import counted
from kgreason.rdf.vocabulary import STANDARD_PREFIXES


@option_groups
def check(
    rules: RuleNames,
    *,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=0, help="Show so many violations.")] = 100,
    inputs: Inputs,
    limits: Limits,
) -> None:
    """Look for inconsistencies and broken lists; exit code 1 when there are some.

    Each is shown as the name of the rule that is violated and the triples, explicit or inferred, that clash. A list
    that is cut off or cyclic is shown with the cell where it breaks, the axioms that name it and its triples.
    """
    from kgreason.lookup.readable_terms import ReadableTerms

    declared: dict[str, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ListWarning)
        knowledge = load(inputs, rules, prefixes=declared, limits=limits)
    found = knowledge.inconsistencies()
    terms = ReadableTerms(knowledge, STANDARD_PREFIXES | declared)
    for inconsistency in found[:limit]:
        print(f"{inconsistency.rule or 'rule without a name'}: {printable(inconsistency.reason)}".rstrip())
        for triple in inconsistency.triples:
            print(f"    {terms.triple(triple)} .")
    if len(found) > limit:
        print(f"... and {len(found) - limit:,} more")
    triples = len(knowledge.all())
    lists = sum(bool(inconsistency.reason) for inconsistency in found)
    if len(found) > lists:
        print(f"inconsistent: {counted(len(found) - lists, 'violation')} in {counted(triples, 'triple')}")
    if lists:
        print(f"defective: {counted(lists, 'list')} cut off or cyclic in {counted(triples, 'triple')}")
    if found:
        raise typer.Exit(DATA_PROBLEM)
    print(f"consistent: {counted(triples, 'triple')}")
