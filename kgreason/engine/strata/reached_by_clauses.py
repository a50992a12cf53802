"""Which relations guard facts lead to, found at once: a chain of axioms leads to one more with each step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kgreason.columns import sorted_sets
from kgreason.columns.horn_clauses import consequences
from kgreason.engine.rules.copying import naming_of
from kgreason.engine.rules.groups import RuleGroup
from kgreason.engine.rules.guard_rows import Flags, ParameterRows, as_rows
from kgreason.engine.rules.reached import Numbers, Reached
from kgreason.engine.rules.rule_inputs import Reader
from kgreason.relations.table import Table

Admits = Callable[[RuleGroup, ParameterRows], Flags]
"""For each guard row of a group whether it may become a rule."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GuardFacts:
    """The guard facts of a group whose body relations they name, as tables that are written out: all of them; or some
    from which the rules of a group that copies lead as far."""

    group: RuleGroup
    tables: Sequence[Table]

    def __len__(self) -> int:
        return sum(map(len, self.tables))


def guard_facts(groups: Iterable[RuleGroup], get: Reader, hidden: int) -> Iterator[GuardFacts]:
    """Those of some groups that have any, but for what only a look at a virtual table would tell."""
    for group in groups:
        guards = get(group.guard) if group.guard is not None and group.template.head is not None else None
        if guards and group.named():
            tables = guards.generators() if guards.is_virtual and naming_of(group, hidden) is not None else (guards,)
            yield GuardFacts(group, [table for table in tables if table and not table.is_virtual])


def led_to(facts: Sequence[GuardFacts], reached: Reached, admits: Admits) -> Reached:
    """Relations that have been reached, and those that rules lead to from them, of the guard facts that are admitted:
    O(guard facts)."""
    heads, clauses, bodies = [_NONE], [_NONE], [_NONE]
    count = 0
    for each in facts:
        for table in each.tables:
            rows = as_rows(table.columns())
            rows = rows[admits(each.group, rows)]
            heads.append(each.group.heads_of(rows))
            numbers = np.arange(count, count + len(rows))
            for position, kind in each.group.named():
                clauses.append(numbers)
                bodies.append(rows[:, position] << 2 | kind)
            count += len(rows)
    head, clause, body = map(np.concatenate, (heads, clauses, bodies))
    known = reached.codes()
    codes = sorted_sets.unique(np.concatenate((known, head, body)))
    pairs = sorted_sets.unique(clause * len(codes) + codes.searchsorted(body))
    begin = np.zeros(len(codes), dtype=np.bool_)
    begin[codes.searchsorted(known)] = True
    holds = consequences(begin, codes.searchsorted(head), pairs // len(codes), pairs % len(codes))
    return Reached.of_codes(codes[holds])


_NONE: Numbers = np.empty(0, dtype=np.int64)
