"""``kgreason check``: whether the data keep to the integrity conditions of the rules."""

from __future__ import annotations

from typing import Annotated

import typer

from kgreason.cli.loading import Inputs, load
from kgreason.cli.options import (
    Columns,
    Files,
    InputFormat,
    Lenient,
    MaxBytes,
    MaxFacts,
    MaxSeconds,
    RuleNames,
    Terms,
    Unfinished,
)
from kgreason.cli.reporting import DATA_PROBLEM
from kgreason.engine.budget import Budget


def check(
    files: Files,
    rules: RuleNames,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=0, help="Show so many violations.")] = 100,
    input_format: InputFormat = None,
    lenient: Lenient = False,
    unfinished: Unfinished = False,
    columns: Columns = None,
    terms: Terms = None,
    max_facts: MaxFacts = None,
    max_seconds: MaxSeconds = None,
    max_bytes: MaxBytes = None,
) -> None:
    """Look for inconsistencies; exit code 1 when there are some.

    Each is shown as the name of the rule that is violated and the triples, explicit or inferred, that clash.
    """
    inputs = Inputs(files, input_format, lenient, unfinished, columns, terms)
    knowledge = load(inputs, rules, budget=Budget(max_facts, max_seconds, max_bytes))
    found = knowledge.inconsistencies()
    for inconsistency in found[:limit]:
        print(f"{inconsistency.rule or 'rule without a name'}:")
        for triple in inconsistency.triples:
            print("   ", *triple, ".")
    if len(found) > limit:
        print(f"... and {len(found) - limit:,} more")
    triples = len(knowledge.all())
    if found:
        print(f"inconsistent: {len(found):,} violations in {triples:,} triples")
        raise typer.Exit(DATA_PROBLEM)
    print(f"consistent: {triples:,} triples")
