"""Growing sets of pairs by bits, against Python's sets of pairs. A bug that this would catch: a pair that takes the bit
of another one once the table has grown, and is lost."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kgreason.columns import pairs
from kgreason.columns.pair_bits import PairBits
from tests.thresholds import replaced_constants

MOST = 1 << 20
IDS = st.one_of(st.integers(0, 5), st.integers(0, 300), st.integers(5_000, 5_130))
ROWS = st.lists(st.tuples(IDS, IDS), min_size=1, max_size=60)


def columns_of(rows: list[tuple[int, int]]) -> tuple[pairs.Ids, pairs.Ids]:
    left, right = np.array(rows, dtype=np.uint32).reshape(-1, 2).T
    return left.copy(), right.copy()


def keys_of(facts: set[tuple[int, int]]) -> pairs.Keys:
    return pairs.pack(*columns_of(sorted(facts)))


@given(st.sets(st.tuples(IDS, IDS), max_size=40), st.lists(ROWS, max_size=8))
def test_each_pair_comes_once(known: set[tuple[int, int]], batches: list[list[tuple[int, int]]]) -> None:
    with replaced_constants(JOIN_ROWS=7):
        found = PairBits.of(keys_of(known), MOST)
    assert found is not None

    for rows in batches:
        fresh = found.added(*columns_of(rows), MOST)

        assert fresh is not None
        assert fresh.tolist() == keys_of({*rows} - known).tolist()
        known |= {*rows}


def test_a_set_that_would_take_too_many_bytes_is_refused() -> None:
    ids = np.arange(1_000, dtype=np.uint32)
    found = PairBits.of(pairs.pack(ids[:10], ids[:10]), 1 << 14)
    assert found is not None

    assert found.added(ids, ids, 1 << 14) is None
    assert PairBits.of(pairs.pack(ids, ids), 1 << 14) is None
    assert PairBits.of(pairs.pack(ids[:2], ids[[0, 999]]), 3_999) is None
    assert PairBits.of(pairs.pack(ids, ids), 1 << 18) is not None
