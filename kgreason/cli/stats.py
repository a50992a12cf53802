"""``kgreason stats``: how large the closure is, and where."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from kgreason.cli.inputs import Inputs, load
from kgreason.cli.options import (
    Columns,
    Files,
    InputFormat,
    Lenient,
    MaxBytes,
    MaxFacts,
    MaxSeconds,
    RuleNames,
    Schemes,
    Strict,
    Terms,
    Unfinished,
)
from kgreason.cli.printed_tables import print_table
from kgreason.engine.budget import Budget


def stats(
    files: Files,
    rules: RuleNames,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=0, help="Show so many relations.")] = 30,
    as_json: Annotated[bool, typer.Option("--json", help="Everything, as one JSON object.")] = False,
    schemes: Schemes = "auto",
    input_format: InputFormat = None,
    lenient: Lenient = False,
    strict: Strict = False,
    unfinished: Unfinished = False,
    columns: Columns = None,
    terms: Terms = None,
    max_facts: MaxFacts = None,
    max_seconds: MaxSeconds = None,
    max_bytes: MaxBytes = None,
) -> None:
    """Count triples, rules and bytes, in total and relation by relation, the largest first."""
    inputs = Inputs(files, input_format, lenient, unfinished, columns, terms)
    budget = Budget(max_facts, max_seconds, max_bytes)
    statistics = load(inputs, rules, schemes, budget=budget, strict=strict).statistics()
    if as_json:
        print(json.dumps(asdict(statistics), indent=2))
        return
    totals = asdict(statistics)
    del totals["relations"]
    counts = [(name.replace("_", " "), f"{value:,}") for name, value in totals.items()]
    print_table(("total", "count"), counts, frozenset({1}))
    print()
    rows = [
        (entry.name, entry.kind, entry.scheme, f"{entry.facts:,}", f"{entry.bytes:,}", f"{entry.bytes_per_fact:.3g}")
        for entry in statistics.relations[:limit]
    ]
    print_table(("relation", "kind", "scheme", "facts", "bytes", "bytes per fact"), rows, frozenset({3, 4, 5}))
    if len(statistics.relations) > limit:
        print(f"... and {len(statistics.relations) - limit:,} more relations")
