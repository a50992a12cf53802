"""The facts about things that are equal to others than before: each has another representative, or other names.

All relations that are kept over representatives have these facts changed, before any of their rules is asked. So as
soon as the classes are known it can be told about how much work that takes.
"""

from __future__ import annotations

from kgreason.engine import rule_tuning
from kgreason.engine.modules.pass_state import PassState
from kgreason.relations.alike import classes_of


def moved_facts(state: PassState, code: int) -> float:
    """About how many facts of relations that are kept over representatives are about things whose class has other
    members than before the pass, by some of these: O(relations); 0 where a relation makes nothing equal, or few things
    have moved."""
    strata = state.strata
    kept = [strata.definition(number) for number in strata.readers(code)]
    members = [
        member.code
        for definition in kept
        if definition is not None and code in {each.code for each in definition.equality}
        for member in definition.members
    ]
    if not members:
        return 0.0
    moved = classes_of(state.facts.get(code)).moved(classes_of(state.before.get(code)))
    if len(moved) < rule_tuning.MOVED_LEAST:
        return 0.0
    some = moved[:: max(1, len(moved) // rule_tuning.MOVED_SAMPLE)]
    tables = [table for table in map(state.external.get, members) if table and table.arity == 2]
    each = sum(table.expected_fanout(position, some) for table in tables for position in (0, 1))
    return each * len(moved)
