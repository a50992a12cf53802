"""Pairs of chains looked for from either end, against all of them: a search from the wider end, which makes as many
rows as a hub has pairs for each pair that is asked for, or one that forgets where it is turned round."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from kgreason import tuning
from kgreason.relations.chain import ChainTable
from kgreason.relations.transitive.closure_table import TransitiveTable
from tests.profiles import examples
from tests.relations.edge_histories import edge_sets
from tests.relations.table_reads import DENSE, Pairs, edges_of, naive_closure
from tests.thresholds import Tuned

some_edges = edge_sets(DENSE, 12)


def naive_chain(left: Pairs, inner: Pairs, right: Pairs) -> set[tuple[int, int]]:
    before = {(node, node) for node in DENSE} | {*naive_closure(left)}
    after = {(node, node) for node in DENSE} | {*naive_closure(right)}
    ways = {(x, z) for x, y in before for a, z in inner if a == y}
    return {(x, z) for x, y in ways for a, z in after if a == y}


def continued(edges: Pairs) -> TransitiveTable | None:
    return TransitiveTable.of(edges_of(edges)) if edges else None


@pytest.mark.parametrize("most", [2, tuning.JOIN_ROWS])
def test_pairs_are_found_from_either_end(most: int, tuned: Tuned) -> None:
    tuned(JOIN_ROWS=most)
    subjects, objects = (column.ravel() for column in np.meshgrid(np.array(DENSE, dtype=np.uint32), DENSE))
    asked = subjects, objects.astype(np.uint32)

    @given(left=some_edges, inner=some_edges, right=some_edges)
    @settings(max_examples=examples(100))
    def check(left: Pairs, inner: Pairs, right: Pairs) -> None:
        chain = ChainTable(edges_of(inner), continued(left), continued(right))
        expected = naive_chain(left, inner, right)

        found = chain.contains(asked)

        assert {*zip(asked[0][found].tolist(), asked[1][found].tolist(), strict=True)} == expected
        assert np.array_equal(chain.inverse().contains(asked[::-1]), found)

    check()


def test_pairs_of_a_hub_are_looked_up_one_by_one(tuned: Tuned) -> None:
    """20,000 things in one group, below ten more: from the groups there would be 20,000 ways for each pair."""
    things, count = np.arange(100, 20_100, dtype=np.uint32), 20_000
    groups = TransitiveTable.of(edges_of((node, node + 1) for node in range(10)))
    chain = ChainTable(edges_of((thing, 0) for thing in things.tolist()), None, groups).inverse()

    found = chain.contains((np.full(count, 7, dtype=np.uint32), things))

    assert found.all()
