"""What two tables say of where they differ: subjects and ends, among them all that have changed.

Would catch one that is left out, and comparisons that keep a table from being sent to another process.
"""

from __future__ import annotations

import pickle
import random

import pytest

from kgreason.relations.chain import ChainTable
from kgreason.relations.inverse import InverseTable, inverse_view
from kgreason.relations.table_difference import DifferenceTable
from kgreason.relations.transitive.affected import affected_subjects
from kgreason.relations.transitive.closure_table import TransitiveTable
from tests.relations.table_reads import edges_of, facts_of, naive_closure
from tests.thresholds import Tuned


def test_ends_that_a_difference_changes() -> None:
    """Ids that only one of the tables has at a position; of a table that is no difference, all ids."""
    before = TransitiveTable.of(edges_of((node, node + 1) for node in range(20)))
    after = before.changed(edges_of([(3, 40), (50, 0)]), edges_of([(19, 20)]))
    for whole, part in ((after, before), (before, after)):
        for position in (0, 1):
            expected = {fact[position] for fact in facts_of(whole)} - {fact[position] for fact in facts_of(part)}
            assert whole.difference(part).new_keys(position).tolist() == sorted(expected)
            inverse = inverse_view(whole).difference(inverse_view(part))
            assert inverse.new_keys(1 - position).tolist() == sorted(expected)
            assert DifferenceTable(whole, part).new_keys(position).tolist() == sorted(expected)
    assert after.new_keys(0).tolist() == after.distinct(0).tolist()
    assert InverseTable(after).new_keys(0).tolist() == after.distinct(1).tolist()


def test_changed_subjects_between_tables() -> None:
    table, plain = TransitiveTable.of(edges_of([(1, 2)])), edges_of([(1, 2), (3, 4)])
    nothing = edges_of([])
    assert table.changed_subjects(table).tolist() == []
    assert nothing.changed_subjects(table).tolist() == []
    assert plain.changed_subjects(nothing).tolist() == [1, 3]
    assert table.changed_subjects(nothing).tolist() == [1]
    assert plain.changed_subjects(edges_of([(1, 2), (3, 5), (6, 7)])).tolist() == [3, 6]
    assert plain.changed_subjects(table) is None
    assert table.changed_subjects(plain) is None
    assert table.changed_subjects(TransitiveTable.of(edges_of([(1, 2)]))).tolist() == []
    assert table.changed_subjects(TransitiveTable.of(edges_of([(2, 1)]))).tolist() == [1], "labels of their own"


def test_a_table_that_was_compared_can_be_sent_to_another_process() -> None:
    table, other = TransitiveTable.of(edges_of([(1, 2), (2, 3)])), TransitiveTable.of(edges_of([(1, 2)]))
    assert table.changed_subjects(other).tolist() == [1, 2]

    found = pickle.loads(pickle.dumps(table))

    assert facts_of(found) == facts_of(table)
    assert found.changed_subjects(other).tolist() == [1, 2]


def test_changed_subjects_of_closures_with_labels_of_their_own_are_those_that_lead_to_the_change() -> None:
    """Two chains, closed twice from the start: only what comes before an edge of one of them may differ."""
    edges = {(node, node + 1) for node in range(200) if node != 100}
    whole, part = TransitiveTable.of(edges_of(edges)), TransitiveTable.of(edges_of({*edges} - {(50, 51)}))
    circle = TransitiveTable.of(edges_of({*edges, (20, 10)}))

    assert not whole.shares_labels(part)
    assert not whole.shares_labels(circle)
    assert whole.changed_subjects(part).tolist() == [*range(51)]
    assert part.changed_subjects(whole).tolist() == [*range(50)], "50 has no pair now"
    assert circle.changed_subjects(whole).tolist() == whole.changed_subjects(circle).tolist() == [*range(21)]


@pytest.mark.parametrize("seed", range(20))
def test_subjects_that_lead_to_a_change_are_the_same_by_a_search_and_by_a_look_at_all_sets(
    tuned: Tuned, seed: int
) -> None:
    chance = random.Random(seed)
    edges = [(chance.randrange(40), chance.randrange(40)) for _ in range(chance.randrange(1, 60))]
    others = [(chance.randrange(40), chance.randrange(40)) for _ in range(3)]
    expected = {one for one, other in naive_closure([*edges, *others]) if (one, other) not in naive_closure(edges)}
    found = []
    for cost in (0, 4, 1 << 30):
        tuned(LAYER_SETS=cost)
        whole, part = TransitiveTable.of(edges_of([*edges, *others])), TransitiveTable.of(edges_of(edges))
        found.append(affected_subjects(whole, part).tolist())

    assert found[0] == found[1] == found[2]
    assert {*found[0]} >= expected


@pytest.mark.parametrize("seed", range(20))
def test_changed_objects_of_chains_are_all_that_differ_and_are_told_from_what_leads_to_them(seed: int) -> None:
    """Would catch an object that is missed because a closure at either end of the chain has changed."""
    chance = random.Random(seed)
    versions = [_random_chain(chance) for _ in range(2)]
    for whole, part in (versions, versions[::-1]):
        expected = {end for _, end in facts_of(whole) - facts_of(part)}
        found = {*InverseTable(whole).changed_subjects(InverseTable(part)).tolist()}
        assert found >= expected

    one = _random_chain(chance)
    assert one.changed_objects(one).tolist() == []
    assert one.changed_objects(edges_of([(1, 2)])) is None


def _random_chain(chance: random.Random) -> ChainTable:
    inner, *closures = (
        edges_of((chance.randrange(12), chance.randrange(12)) for _ in range(chance.randrange(1, 9))) for _ in range(3)
    )
    left, right = (TransitiveTable.of(edges) if chance.random() < 0.7 else None for edges in closures)
    return ChainTable(inner, left, right)
