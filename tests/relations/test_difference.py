"""Differences that are found when asked for, against Python sets: of versions of one table, and of strangers."""

from __future__ import annotations

from functools import partial
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.relations.chain import ChainTable
from kgreason.relations.equivalence import EquivalenceTable
from kgreason.relations.inverse import InverseTable, inverse_view
from kgreason.relations.table_difference import DifferenceTable
from kgreason.relations.transitive.closure_table import TransitiveTable
from kgreason.relations.transitive.difference import ClosureDifference
from kgreason.relations.union import UnionTable
from kgreason.relations.virtual_pairs import VirtualPairs
from tests.profiles import examples
from tests.relations.edge_histories import LIMITS, Step, edge_sets, histories, set_limits
from tests.relations.table_reads import (
    DENSE,
    EXAMPLES,
    SPARSE,
    Pairs,
    assert_combines,
    assert_first_reads,
    assert_reads_as_a_whole,
    assert_reads_one_way,
    edges_of,
    facts_of,
    ids,
    inverted,
    naive_closure,
    naive_equivalence,
    rows_of,
)
from tests.thresholds import Tuned

NAIVE = {TransitiveTable: naive_closure, EquivalenceTable: naive_equivalence}


def assert_differs(left: VirtualPairs, mine: Pairs, right: VirtualPairs, theirs: Pairs) -> None:
    """Both ways round; a hint that tells which subjects may differ leaves none out that does."""
    expected = {*mine} - {*theirs}
    for whole, part, facts in (
        (left, right, expected),
        (inverse_view(left), inverse_view(right), inverted(expected)),
    ):
        difference = whole.difference(part)
        if expected:
            assert isinstance(difference, (DifferenceTable, InverseTable, type(whole)))
        assert bool(difference) == bool(facts)
        if isinstance(difference, DifferenceTable):
            none, some = difference.superset(0), difference.superset(1 << 16)
            assert none is None or not rows_of(none)
            assert some is None or facts <= {*rows_of(some)} <= facts_of(whole)
        assert_first_reads(partial(whole.difference, part), facts)
        assert_reads_one_way(difference, facts)
        assert_reads_one_way(difference.inverse(), inverted(facts))
        assert_reads_as_a_whole(difference, facts)
        hint = whole.changed_subjects(part)
        if hint is not None:
            lost = facts_of(part) - facts_of(whole)
            subjects = {*whole.distinct(0).tolist()}
            assert {*hint.tolist()} >= {subject for subject, _ in {*facts, *lost}} & subjects
        for position in (0, 1):
            hint, ends = whole.keys_missing_from(part, position), {*whole.distinct(position).tolist()}
            assert ends >= {*hint.tolist()} >= ends - {*part.distinct(position).tolist()}
        within = whole.is_subset_of(part)
        assert within is None or within == (not facts)


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("scheme", NAIVE)
def test_versions_of_one_table(scheme: type, limits: str, tuned: Tuned) -> None:
    """Each version against each other one: ancestors, and siblings whose fresh nodes have the same labels."""
    set_limits(tuned, limits)

    @given(history=histories(4))
    @settings(max_examples=EXAMPLES)
    def check(history: tuple[Pairs, list[Step]]) -> None:
        start, steps = history
        versions = [(scheme.of(edges_of(start)), start)]
        for step in steps:
            before, edges = versions[max(0, len(versions) - 1 - step.back)]
            came, gone = step.change(edges)
            after = before.changed(edges_of(came), edges_of(gone))
            versions.append((after.compacted() if step.is_merged else after, (edges - gone) | came))
        for (left, mine), (right, theirs) in permutations(versions[-4:], 2):
            assert_differs(left, NAIVE[scheme](mine), right, NAIVE[scheme](theirs))

    check()


NODES = st.sampled_from([DENSE, SPARSE, DENSE[:4]])
PAIRS_OF_TABLES = st.sampled_from([*permutations(range(7), 2)])


@pytest.mark.parametrize("limits", [LIMITS[0], LIMITS[2]])
def test_tables_that_have_nothing_to_do_with_each_other(limits: str, tuned: Tuned) -> None:
    set_limits(tuned, limits)

    @given(edges=NODES.flatmap(lambda nodes: st.tuples(*[edge_sets(nodes, 8)] * 3)), pair=PAIRS_OF_TABLES)
    @settings(max_examples=examples(3) * EXAMPLES)
    def check(edges: tuple[Pairs, Pairs, Pairs], pair: tuple[int, int]) -> None:
        first, second, third = edges
        known = [
            (TransitiveTable.of(edges_of(first)), naive_closure(first)),
            (TransitiveTable.of(edges_of(second)), naive_closure(second)),
            (EquivalenceTable.of(edges_of(second)), naive_equivalence(second)),
            (edges_of(third), third),
            (InverseTable(TransitiveTable.of(edges_of(third))), frozenset(inverted(naive_closure(third)))),
        ]
        known.append((UnionTable([known[0][0], known[2][0]]), known[0][1] | known[2][1]))
        virtual = known[0][0].difference(known[2][0])
        known.append((virtual, known[0][1] - known[2][1]))
        (left, mine), (right, theirs) = (known[number] for number in pair)
        assert_combines(left, mine, right, theirs)
        if left.is_virtual:
            assert_differs(left, mine, right, theirs)
        else:
            assert left.difference(right).scheme == "pairs"

    check()


def test_a_difference_from_nothing_is_the_table() -> None:
    for table in (TransitiveTable.of(edges_of([(1, 2), (2, 3)])), EquivalenceTable.of(edges_of([(1, 2)]))):
        assert table.difference(edges_of([])) is table
        assert table.union(edges_of([])) is table
        assert not table.difference(table)
        assert facts_of(table.difference(table)) == set()
        nothing = table.difference(table)
        assert table.difference(nothing) is table
        assert_reads_one_way(nothing, set())


def test_a_difference_of_versions_looks_at_what_changed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a thousand chains one is longer: reading what came visits that one."""
    edges = edges_of(edge for node in range(0, 10_000, 10) for edge in ((node, node + 1), (node + 1, node + 2)))
    before = TransitiveTable.of(edges)
    after = before.changed(edges_of([(5002, 5003)]), edges_of([(11, 12)]))
    visited: list[int] = []
    sets = after.closure.reached.__class__
    one, many = sets.get, sets.column

    def counting(sets: object, numbers: np.ndarray) -> object:
        visited.append(len(numbers))
        return many(sets, numbers)

    monkeypatch.setattr(sets, "column", counting)
    monkeypatch.setattr(sets, "get", lambda sets, number: visited.append(1) or one(sets, number))
    assert facts_of(after.difference(before)) == {(5000, 5003), (5001, 5003), (5002, 5003)}
    assert facts_of(before.difference(after)) == {(10, 12), (11, 12)}
    assert 0 < sum(visited) < 100
    assert after.difference(before)
    monkeypatch.setattr(sets, "contains", None)
    assert after.difference(before).estimate < 40


def test_objects_that_may_differ_are_found_once_for_all_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain makes another inverse whenever it is asked, of which no comparison is known yet."""
    edges = [(1, 2), (3, 2), (2, 4), (4, 5), (6, 5)]
    closure = TransitiveTable.of(edges_of(edges))
    after, before = (ChainTable(edges_of(inner), None, closure) for inner in ([(7, 1), (8, 6)], [(8, 6)]))
    made: list[ChainTable] = []
    inverse = ChainTable.inverse

    def counted(table: ChainTable) -> ChainTable:
        made.append(table)
        return inverse(table)

    monkeypatch.setattr(ChainTable, "inverse", counted)

    difference = after.difference(before)

    for _ in range(3):
        assert difference.image(0, ids(7, 8)).tolist() == [1, 2, 4, 5]
        assert difference.expected_fanout(1, ids(5)) == 2, "as in the whole"
    assert made.count(before) == 1, "only comparisons read it"


def test_the_count_of_a_virtual_table_without_plain_pairs_enumerates_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = TransitiveTable.of(edges_of((node, node + 1) for node in range(50)))
    monkeypatch.setattr(TransitiveTable, "chunks", None)
    assert len(chain.difference(edges_of([(0, 7), (3, 3), (90, 91), (49, 50)]))) == 51 * 50 // 2 - 2


@pytest.mark.slow
def test_siblings_whose_fresh_nodes_have_the_same_labels() -> None:
    """Two changes of one version number their fresh nodes alike, as objects, as subjects and in cycles."""
    edges = {(node, node + 1) for node in range(20)}
    parent = TransitiveTable.of(edges_of(edges))
    siblings = [
        (parent.changed(edges_of(fresh), edges_of([])), naive_closure(edges | {*fresh}))
        for fresh in (
            [(1, 100)],
            [(1, 200)],
            [(2, 100), (2, 300)],
            [(200, 5)],
            [(300, 5), (5, 300)],
            [(200, 5), (5, 200)],
            [(100, 100)],
        )
    ]
    for (left, mine), (right, theirs) in permutations([*siblings, (parent, naive_closure(edges))], 2):
        assert_differs(left, mine, right, theirs)


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("is_asked_of", [0, 1], ids=["subjects", "objects"])
def test_what_few_ids_lead_to_is_known_before_sets_are_compared(is_asked_of: int, limits: str, tuned: Tuned) -> None:
    """A search that goes by one version alone, or counts an id among what it leads to properly."""
    set_limits(tuned, limits)

    @given(edges=edge_sets(DENSE, 10), others=edge_sets(DENSE, 10), wanted=st.sets(st.sampled_from(DENSE), max_size=5))
    @settings(max_examples=examples(4) * EXAMPLES)
    def check(edges: Pairs, others: Pairs, wanted: set[int]) -> None:
        expected = inverted(set(naive_closure(edges) - naive_closure(others)))
        expected = inverted(expected) if is_asked_of == 0 else expected
        for is_proper in (False, True):
            difference = TransitiveTable.of(edges_of(edges)).difference(TransitiveTable.of(edges_of(others)))
            read = difference.proper_image if is_proper else difference.image

            found = read(is_asked_of, ids(*sorted(wanted)))

            led_to = {other for one, other in expected if one in wanted and not (is_proper and one == other)}
            assert {*found.tolist()} == led_to

    check()


@given(edges=edge_sets(DENSE, 10), others=edge_sets(DENSE, 10), some=st.sets(st.sampled_from(DENSE)))
@settings(max_examples=examples(8) * EXAMPLES)
def test_pairs_of_few_ends_are_known_before_sets_are_compared(edges: Pairs, others: Pairs, some: set[int]) -> None:
    """A look at one version alone: each read is of a difference of which nothing is known yet."""
    expected = set(naive_closure(edges) - naive_closure(others))
    whole, part = TransitiveTable.of(edges_of(edges)), TransitiveTable.of(edges_of(others))

    between = whole.difference(part).between(ids(*sorted(some)), ids(*DENSE))

    assert sorted(rows_of(between)) == sorted(pair for pair in expected if pair[0] in some)
    assert sorted(whole.difference(part).loops().tolist()) == sorted(one for one, other in expected if one == other)
    assert bool(whole.difference(part)) == bool(expected)
    assert bool(whole.difference(part).estimate) == bool(expected)


def test_few_reads_of_a_closure_made_anew_compare_no_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    edges = {(node, node + 1) for node in range(100)}
    whole = TransitiveTable.of(edges_of(edges | {(200, 201), (201, 200)}))
    part = TransitiveTable.of(edges_of((node + 1, node) for node in range(100)))
    monkeypatch.setattr(ClosureDifference, "_sets", None)
    difference = whole.difference(part)

    assert difference
    assert sorted(rows_of(difference.between(ids(3, 50), ids(4, 60)))) == [(3, 4), (3, 60), (50, 60)]
    assert difference.loops().tolist() == [200, 201]
    assert 2000 < difference.estimate < 10000


@pytest.mark.parametrize("members", [2, 4, 1 << 30])
def test_closures_made_anew_differ_in_the_same_pairs_for_any_size_of_components_that_are_read_at_once(
    tuned: Tuned, members: int
) -> None:
    """Graphs with large components, of which a few edges differ, closed under labels of their own."""
    tuned(LABELLED_ONCE=members)
    node = st.integers(0, 30)

    @given(edges=st.sets(st.tuples(node, node), max_size=60), others=st.sets(st.tuples(node, node), max_size=4))
    @settings(max_examples=examples(4) * EXAMPLES)
    def check(edges: Pairs, others: Pairs) -> None:
        one, other = TransitiveTable.of(edges_of(edges ^ others)), TransitiveTable.of(edges_of(edges))

        came, gone = one.difference(other), other.difference(one)

        assert facts_of(came) == naive_closure(edges ^ others) - naive_closure(edges)
        assert facts_of(gone) == naive_closure(edges) - naive_closure(edges ^ others)

    check()


@pytest.mark.parametrize("is_inverse", [False, True])
def test_pairs_that_few_others_have_the_other_way_round_are_looked_up(
    is_inverse: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain = TransitiveTable.of(edges_of((node, node + 1) for node in range(100)))
    table = inverse_view(chain) if is_inverse else chain
    others = edges_of([(3, 4), (50, 2), (7, 7), (60, 20), (4, 3), (300, 1)])
    expected = [(3, 4), (20, 60), (2, 50)]
    monkeypatch.setattr(TransitiveTable, "chunks", None)

    found = table.reciprocal(others)

    assert sorted(rows_of(found)) == sorted([(4, 3)] if is_inverse else expected)


@given(edges=edge_sets(DENSE, 12), at=st.integers(0, 11))
@settings(max_examples=examples(4) * EXAMPLES)
def test_the_pairs_that_are_lost_with_an_edge_are_counted_without_a_look_at_sets(edges: Pairs, at: int) -> None:
    gone = sorted(edges)[at % len(edges) : at % len(edges) + 1] if edges else []
    whole = TransitiveTable.of(edges_of(edges))

    lost = whole.difference(whole.changed(edges_of([]), edges_of(gone)))

    assert lost.estimate == len(naive_closure(edges) - naive_closure(edges - {*gone}))
