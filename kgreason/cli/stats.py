"""``kgreason stats``: how large the closure is, and where."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from kgreason.cli.inputs import Inputs, load
from kgreason.cli.options import Limits, RuleNames, Schemes, option_groups
from kgreason.cli.printed_tables import print_table


@option_groups
def stats(
    rules: RuleNames,
    *,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=0, help="Show so many relations.")] = 30,
    as_json: Annotated[bool, typer.Option("--json", help="Everything, as one JSON object.")] = False,
    schemes: Schemes = "auto",
    inputs: Inputs,
    limits: Limits,
) -> None:
    """Count triples, rules and bytes: in total, and relation by relation, the largest first."""
    statistics = load(inputs, rules, schemes, limits=limits).statistics()
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
