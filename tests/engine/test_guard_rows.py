"""Would catch guard facts of a reached relation that are passed over, or that come twice, and look-ups for each of many
columns of few facts.

What is compared: sets of tuples.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from kgreason.engine import rule_tuning
from kgreason.engine.rules.guard_rows import facts_naming, name_all
from kgreason.engine.rules.reached import Reached
from kgreason.relations.codes import CLASS, PROPERTY
from kgreason.relations.plain import table_of
from kgreason.relations.table import Table
from tests.profiles import examples

Fact = tuple[int, ...]


def table(facts: list[Fact], arity: int) -> Table:
    rows = np.array(facts, dtype=np.uint32).reshape(len(facts), arity)
    return table_of(tuple(np.ascontiguousarray(column) for column in rows.T))


@pytest.mark.parametrize("scanned", [0, 1 << 40])
@pytest.mark.parametrize("seed", range(examples(60)))
def test_facts_that_name_reached_relations(seed: int, scanned: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_tuning, "SCANNED_GUARDS", scanned)
    draw = random.Random(seed)
    arity, most = draw.randint(2, 7), draw.choice((4, 30))
    facts = [tuple(draw.randrange(most) for _ in range(arity)) for _ in range(draw.choice((0, 1, 5, 80)))]
    named = [(place, draw.choice((CLASS, PROPERTY))) for place in draw.sample(range(arity), draw.randint(1, arity))]
    ids = {kind: {draw.randrange(most) for _ in range(draw.choice((0, 1, 6)))} for kind in (CLASS, PROPERTY)}
    reached = Reached(*(np.array(sorted(ids[kind]), dtype=np.int64) for kind in (CLASS, PROPERTY)))

    rows = facts_naming(table(facts, arity), named, reached)
    all_named = name_all(rows, named, reached)

    naming = sorted({fact for fact in facts if any(fact[place] in ids[kind] for place, kind in named)})
    assert [*map(tuple, rows.tolist())] == naming
    assert rows.shape == (len(naming), arity)
    assert all_named.tolist() == [all(fact[place] in ids[kind] for place, kind in named) for fact in naming]


def test_few_facts_of_many_columns_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = [tuple(range(n, n + 20)) for n in range(50)]
    guards, looked_up = table(facts, 20), list[int]()
    lookup = type(guards).lookup
    monkeypatch.setattr(type(guards), "lookup", lambda self, bound: looked_up.extend(bound) or lookup(self, bound))

    rows = facts_naming(guards, [(place, CLASS) for place in range(1, 20)], Reached(np.array([30], dtype=np.int64)))

    assert len(rows) == 19
    assert not looked_up
