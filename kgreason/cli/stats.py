"""``kgreason stats``: how large the closure is, and where."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kgreason.cli.inputs import Inputs, load
from kgreason.cli.options import Limits, RuleNames, Schemes, option_groups
from kgreason.cli.printed_tables import print_table
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import STANDARD_PREFIXES

if TYPE_CHECKING:
    from kgreason.lookup.readable_terms import ReadableTerms
    from kgreason.store.statistics import RelationStatistics

_AUXILIARY: Final = "auxiliary"
_GUARD: Final = "guard "
_GUARDS: Final = "(which axioms rules are for)"
_HEAD: Final = ("relation", "kind", "scheme", "facts", "bytes", "bytes per fact")


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
    from kgreason.lookup.readable_terms import ReadableTerms

    declared: dict[str, str] = {}
    knowledge = load(inputs, rules, schemes, prefixes=declared, limits=limits)
    statistics = knowledge.statistics()
    if as_json:
        print(json.dumps(asdict(statistics), indent=2))
        return
    totals = asdict(statistics)
    del totals["relations"]
    counts = [(name.replace("_", " "), f"{value:,}") for name, value in totals.items()]
    print_table(("total", "count"), counts, frozenset({1}))
    print()
    rows = _rows(statistics.relations, ReadableTerms(knowledge, STANDARD_PREFIXES | declared))
    print_table(_HEAD, rows[:limit], frozenset({3, 4, 5}))
    if len(rows) > limit:
        print(f"... and {len(rows) - limit:,} more relations")


def _rows(relations: Sequence[RelationStatistics], terms: ReadableTerms) -> list[tuple[str, ...]]:
    """A row for each relation, and one for all that rules keep of the axioms that they are for."""
    guards = [entry for entry in relations if _is_guard(entry)]
    rows = [
        _row(_shown(entry, terms), entry.kind, entry.scheme, entry.facts, entry.bytes)
        for entry in relations
        if not _is_guard(entry)
    ]
    if guards:
        sums = sum(entry.facts for entry in guards), sum(entry.bytes for entry in guards)
        rows.append(_row(_GUARDS, _AUXILIARY, "", *sums))
    return rows


def _is_guard(entry: RelationStatistics) -> bool:
    return entry.kind == _AUXILIARY and entry.name.startswith(_GUARD)


def _shown(entry: RelationStatistics, terms: ReadableTerms) -> str:
    return entry.name if entry.kind == _AUXILIARY else terms.term(IRI(entry.name))


def _row(name: str, kind: str, scheme: str, facts: int, size: int) -> tuple[str, ...]:
    return name, kind, scheme, f"{facts:,}", f"{size:,}", f"{size / facts if facts else 0:.3g}"
