"""What follows by clauses, against rounds over all of them: a clause that is counted down twice, or never."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.columns.horn_clauses import consequences
from tests.profiles import examples

NUMBERS = st.integers(0, 7)
CLAUSES = st.lists(st.tuples(NUMBERS, st.frozensets(NUMBERS, max_size=3)), max_size=20)


def by_rounds(known: frozenset[int], clauses: list[tuple[int, frozenset[int]]]) -> set[int]:
    found = {*known}
    while more := {head for head, body in clauses if body <= found} - found:
        found |= more
    return found


def found_by(known: frozenset[int], clauses: list[tuple[int, frozenset[int]]], count: int) -> set[int]:
    holds = np.zeros(count, dtype=np.bool_)
    holds[[*known]] = True
    heads = np.array([head for head, _ in clauses], dtype=np.int64)
    asked = [(number, each) for number, (_, body) in enumerate(clauses) for each in body]
    numbers, bodies = np.array(asked, dtype=np.int64).reshape(-1, 2).T
    return {*np.flatnonzero(consequences(holds, heads, numbers, bodies)).tolist()}


@settings(max_examples=examples(200), deadline=None)
@given(st.frozensets(NUMBERS), CLAUSES)
def test_what_follows_is_what_rounds_find(known: frozenset[int], clauses: list[tuple[int, frozenset[int]]]) -> None:
    assert found_by(known, clauses, 8) == by_rounds(known, clauses)


def test_a_long_chain_is_followed_to_its_end() -> None:
    chain = [(number + 1, frozenset({number})) for number in range(20_000)]

    assert found_by(frozenset({3}), chain, 20_001) == {*range(3, 20_001)}
