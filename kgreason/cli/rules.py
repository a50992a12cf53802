"""``kgreason rules``: the rules that a store would have, as text."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from kgreason.cli.error_lines import DATA_PROBLEM
from kgreason.cli.options import RuleNamesWithoutStore, option_groups


class Language(StrEnum):
    """The languages that rules are written in."""

    DATALOG = "datalog"
    SPARQL_RL = "sparql-rl"


@option_groups
def rules(
    rules: RuleNamesWithoutStore,
    *,
    to: Annotated[Language, typer.Option("--to", "-t", help="The language of the text.")] = Language.DATALOG,
) -> None:
    """Write rules as text: rule sets by name, or rules that were read from another language.

    In SPARQL-RL, a comment names each rule that the language cannot say, with the reason; exit code 1 when there are
    some.
    """
    from kgreason.store.rule_sets import resolve_rules

    program = resolve_rules(list(rules) or "owl-rl")
    if to is Language.DATALOG:
        print(program)
        return
    from kgreason.sparql_rl.writer import write_rule_set

    written = write_rule_set(program)
    print(written.text, end="")
    if written.left_out:
        print(f"{len(written.left_out):,} of {len(program.rules):,} rules are not in SPARQL-RL", file=sys.stderr)
        raise typer.Exit(DATA_PROBLEM)
