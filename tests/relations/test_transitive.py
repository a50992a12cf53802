"""The transitive closure scheme against naive closures, and on large random graphs against scipy's products."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.relations.label_sets import LabelSets
from kgreason.relations.transitive import closing, closure_tuning
from kgreason.relations.transitive import closure_table as table
from kgreason.relations.transitive import versions as changes
from kgreason.relations.transitive.closing import close
from kgreason.relations.transitive.closure_table import TransitiveTable
from kgreason.relations.transitive.label_closure import Closure
from kgreason.relations.transitive.node_labels import Labelling
from tests.relations.edge_histories import BESIDE, LIMITS, Step, assert_versions, histories, set_limits
from tests.relations.table_reads import EXAMPLES, Pairs, edges_of, facts_of, ids, inverted, naive_closure
from tests.thresholds import Tuned, tuning_context


@pytest.mark.parametrize("limits", LIMITS)
def test_every_version_equals_the_naive_closure(limits: str, tuned: Tuned) -> None:
    set_limits(tuned, limits)

    @given(history=histories())
    @settings(max_examples=EXAMPLES)
    def check(history: tuple[Pairs, list[Step]]) -> None:
        assert_versions(history, TransitiveTable.of, naive_closure, lambda _, after, __: after.closure._check())

    check()


@given(histories())
@settings(max_examples=EXAMPLES)
def test_nodes_of_a_cycle_share_a_representative(history: tuple[Pairs, list[Step]]) -> None:
    def look(_: TransitiveTable, after: TransitiveTable, edges: Pairs) -> None:
        pairs = naive_closure(edges)
        nodes = sorted({node for edge in edges for node in edge})
        found = dict(zip(nodes, after.representatives(ids(*nodes)).tolist(), strict=True))
        for one, other in combinations(nodes, 2):
            assert (found[one] == found[other]) == ((one, other) in pairs and (other, one) in pairs)

    assert_versions(history, TransitiveTable.of, naive_closure, look)


def closure_pairs(version: TransitiveTable) -> set[tuple[int, int]]:
    version.closure._check()
    return {pair for columns in version.chunks() for pair in zip(*(c.tolist() for c in columns), strict=True)}


@pytest.mark.slow
@pytest.mark.parametrize(
    "edges", [[(0, 1), (2, 3)], [(0, 1), (1, 0), (2, 3), (3, 2)], [(3, 2), (2, 1), (1, 0), (2, 2)]]
)
def test_every_batch_of_up_to_three_edges(edges: list, tuned: Tuned) -> None:
    """Four nodes that are known and a fresh one: mergers that other new edges lead to, from and through."""
    set_limits(tuned, BESIDE)
    before = TransitiveTable.of(edges_of(edges))
    fresh = [edge for edge in product([0, 1, 2, 3, 4], repeat=2) if edge not in edges]
    for size in (1, 2, 3):
        for batch in combinations(fresh, size):
            after = before.changed(edges_of(batch), edges_of([]))
            assert closure_pairs(after) == naive_closure([*edges, *batch]), batch
    assert closure_pairs(before) == naive_closure(edges)


@pytest.mark.parametrize("steps", [["is acyclic"], ["is acyclic", "has cycles"], ["has cycles"]])
def test_edges_that_go_while_others_come(steps: list[str], tuned: Tuned) -> None:
    """Sets are made anew once for both, unless components merge or come apart."""
    set_limits(tuned, BESIDE)
    chance = np.random.default_rng(len(steps) + len(steps[0]))
    for _ in range(40):
        nodes = int(chance.integers(4, 12))
        everything = [(one, other) for one in range(nodes) for other in range(nodes)]
        edges = {edge for edge in everything if edge[0] < edge[1] and chance.random() < 0.3}
        version = TransitiveTable.of(edges_of(edges))
        for step in steps * 3:
            downward = [edge for edge in everything if step == "has cycles" or edge[0] < edge[1]]
            gone = [edge for edge in edges if chance.random() < 0.2]
            come = [edge for edge in downward if edge not in edges and chance.random() < 0.08]
            edges = edges.difference(gone).union(come)
            version = version.changed(edges_of(come), edges_of(gone))
            assert closure_pairs(version) == naive_closure([*edges])
            assert version.inverse().contains(version.columns()[::-1]).all()


@pytest.mark.slow
def test_every_part_of_a_graph_can_go(tuned: Tuned) -> None:
    """Components that share nodes, a self-loop in one and one alone, something above and below, and other ways."""
    set_limits(tuned, BESIDE)
    edges = [(9, 0), (0, 1), (1, 2), (2, 0), (2, 3), (3, 1), (1, 1), (3, 4), (0, 4), (4, 4), (4, 5)]
    before = TransitiveTable.of(edges_of(edges))
    for size in range(1, len(edges) + 1):
        for gone in combinations(edges, size):
            after = before.changed(edges_of([]), edges_of(gone))
            assert closure_pairs(after) == naive_closure({*edges} - {*gone}), gone
    assert closure_pairs(before) == naive_closure(edges)


@pytest.mark.parametrize("limits", LIMITS)
def test_the_inverse_catches_up_with_the_changes_since(limits: str, tuned: Tuned) -> None:
    """What came and went again, or went and came again, before the inverse is asked for once more."""
    set_limits(tuned, limits)
    edges = {(node, node + 1) for node in range(40)}
    first = TransitiveTable.of(edges_of(edges))
    mirror = first.inverse()
    second = first.changed(edges_of([(40, 0), (50, 51)]), edges_of([(3, 4), (8, 9)]))
    third = second.changed(edges_of([(3, 4), (52, 53)]), edges_of([(50, 51), (20, 21)]))
    fourth = third.changed(edges_of([(50, 51)]), edges_of([(52, 53)]))
    for version in (fourth, third, second, first):
        expected = inverted(naive_closure(facts_of(version.edges)))
        assert facts_of(version.inverse()) == expected
        assert version.inverse() is version.inverse()
        version._check()
    assert first.inverse() is mirror


def closed_from_scratch(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of edges of each closure that is made from scratch from now on."""
    made: list[int] = []

    def counting(edges: table.BinaryTable) -> Closure:
        made.append(len(edges))
        return close(edges)

    for module in (changes, closing, table):
        monkeypatch.setattr(module, "close", counting)
    return made


def test_only_large_changes_are_closed_from_scratch(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = TransitiveTable.of(edges_of((node, node + 1) for node in range(60)))
    made = closed_from_scratch(monkeypatch)
    small = chain.changed(edges_of([(60, 61)]), edges_of([(5, 6)]))
    assert made == []
    assert small.closure.reached._buffer is chain.closure.reached._buffer
    large = chain.changed(edges_of((200 + node, 201 + node) for node in range(60)), edges_of([]))
    assert made == [120]
    assert len(large) == 60 * 61


def test_the_inverse_is_closed_again_only_when_too_much_is_pending(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = TransitiveTable.of(edges_of((node, node + 1) for node in range(1000)))
    made = closed_from_scratch(monkeypatch)
    chain.inverse()
    assert made == [1000]
    changed = chain
    for node in range(10):
        changed = changed.changed(edges_of([]), edges_of([(node, node + 1)]))
    changed.inverse()
    assert made == [1000], "ten changes are followed"
    for node in range(100, 200):
        changed = changed.changed(edges_of([]), edges_of([(node, node + 1)]))
    changed.inverse()
    assert made == [1000, 890], "a hundred are not"
    assert len(changed) == 800 * 801 // 2 + 90 * 91 // 2


def test_single_objects_are_searched_for_until_labels_are_worth_their_time(tuned: Tuned) -> None:
    tuned(BACKWARD_SEARCHES=3, LAYERS=4)
    edges = frozenset({(0, 1), (1, 2), (2, 0), (2, 3), (5, 3), (3, 4)})
    known, closed = naive_closure(edges), TransitiveTable.of(edges_of(edges))

    for object in (3, 0, 9, 4, 3):
        expected = sorted(a for a, b in known if b == object)
        assert closed.fanout(1, ids(object)).tolist() == [len(expected)]
        assert sorted(closed.image_of(1, object).tolist()) == expected
        assert sorted(closed.lookup({1: ids(object)})[1][0].tolist()) == expected

    assert closed.searched_subjects(ids(4)) is None


def test_few_subjects_are_searched_for_where_a_version_before_has_an_inverse(tuned: Tuned) -> None:
    tuned(FEW_SUBJECTS=3)
    edges = {(node, node + 1) for node in range(40)}
    before = TransitiveTable.of(edges_of(edges))
    before.inverse()

    closed = before.changed(edges_of([(50, 2)]), edges_of([(0, 1)]))

    known = naive_closure(frozenset(edges - {(0, 1)} | {(50, 2)}))
    assert [found.tolist() for found in closed.searched_subjects(ids(3)) or []] == [[1, 2, 50]]
    assert closed.searched_subjects(ids(5)) is None, "it has more than three"
    for object in (3, 5):
        assert sorted(closed.lookup({1: ids(object)})[1][0].tolist()) == sorted(a for a, b in known if b == object)


def test_few_objects_are_searched_for_together(tuned: Tuned) -> None:
    tuned(BACKWARD_SEARCHES=4)
    edges = frozenset({(0, 1), (1, 2), (2, 0), (2, 3), (5, 3), (3, 4)})
    known, closed = naive_closure(edges), TransitiveTable.of(edges_of(edges))

    for objects, are_searched in (((4, 3), True), ((9, 0), True), ((9, 0), True), ((1, 9), False)):
        wanted = ids(*objects)
        assert (closed.searched_subjects(wanted) is not None) == are_searched
        index, (subjects, _) = closed.lookup({1: wanted})
        pairs = {(subject, objects[at]) for at, subject in zip(index.tolist(), subjects.tolist(), strict=True)}
        assert pairs == {pair for pair in known if pair[1] in objects}
        counts = [sum(end == object for _, end in known) for object in objects]
        assert closed.fanout(1, wanted).tolist() == counts
        assert closed.expected_fanout(1, wanted) == sum(counts) / 2


@given(
    edges=st.frozensets(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=20),
    wanted=st.lists(st.lists(st.integers(0, 11), max_size=12), max_size=4),
)
@settings(max_examples=EXAMPLES)
def test_objects_that_come_again_are_searched_for_once(
    edges: frozenset[tuple[int, int]], wanted: list[list[int]]
) -> None:
    known = naive_closure(edges)
    subjects = {object: sorted(a for a, b in known if b == object) for object in range(12)}
    with tuning_context() as tuned:
        tuned(BACKWARD_SEARCHES=3, LAYERS=12)
        closed = TransitiveTable.of(edges_of(edges))
        for objects in wanted:
            searched = closed.searched_subjects(ids(*objects))
            assert searched is None or [each.tolist() for each in searched] == [
                subjects[each] for each in sorted({*objects})
            ]
        again = TransitiveTable.of(edges_of(edges))
        assert again.searched_subjects(ids(*[1, 2] * 20, 3)) is not None
        for objects in wanted:
            index, (found, ends) = closed.lookup({1: ids(*objects)})
            assert ends.tolist() == [objects[place] for place in index.tolist()]
            rows = [sorted(found[index == place].tolist()) for place in range(len(objects))]
            assert rows == [subjects[object] for object in objects]
            assert closed.fanout(1, ids(*objects)).tolist() == [len(subjects[object]) for object in objects]


@given(
    edges=st.frozensets(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=20), least=st.sampled_from([2, 99])
)
@settings(max_examples=EXAMPLES)
def test_subjects_of_many_objects_are_counted_without_labels_of_the_inverse(
    edges: frozenset[tuple[int, int]], least: int
) -> None:
    with tuning_context() as tuned:
        tuned(BACKWARD_SEARCHES=0, HUB_LEAST=least, SMALL_SET=1)
        counts = Counter(end for _, end in naive_closure(edges))
        closed = TransitiveTable.of(edges_of(edges))
        is_counted = len(closed) <= closure_tuning.COUNTED_PAIRS * len(edges)
        assert closed.fanout(1, ids(*range(15), 3)).tolist() == [counts[node] for node in (*range(15), 3)]
        assert (closed._mirror is None) == is_counted
        tuned(COUNTED_PAIRS=0)
        again = TransitiveTable.of(edges_of(edges))
        assert again.fanout(1, ids(*range(15))).tolist() == [counts[node] for node in range(15)]
        closed._check()


def test_search_along_a_long_path_leaves_the_object_to_labels(tuned: Tuned) -> None:
    tuned(LAYERS=4)
    chain = TransitiveTable.of(edges_of((n, n + 1) for n in range(9)))

    assert chain.searched_subjects(ids(3)) is not None
    assert chain.searched_subjects(ids(9)) is None
    assert sorted(chain.image_of(1, 9).tolist()) == [*range(9)]


def test_no_change_is_the_same_version() -> None:
    version = TransitiveTable.of(edges_of([(1, 2)]))
    assert version.changed(edges_of([]), edges_of([])) is version
    assert version.compacted() is version


def test_a_fragmented_closure_is_relabelled(tuned: Tuned) -> None:
    """Labels that fit a chain do not fit what random shortcuts the other way make of it."""
    tuned(RELABEL_LEAST=0, REMADE_SETS_LEAST=1 << 20)
    generator = np.random.default_rng(2)
    size = 600
    version = TransitiveTable.of(edges_of((node, node + 1) for node in range(0, size, 2)))
    assert version.compacted() is version
    nodes = generator.permutation(size).tolist()
    for first in range(0, size - 40, 40):
        part = nodes[first : first + 40]
        version = version.changed(
            edges_of({*zip(part, part[7:], strict=False)} - facts_of(version.edges)), edges_of([])
        )
    assert version.closure.is_fragmented()
    merged = version.compacted()
    assert not merged.closure.is_fragmented()
    assert merged.compacted() is merged
    assert merged.closure.reached.nbytes * 2 < version.closure.reached.nbytes
    assert merged.edges is version.edges
    assert facts_of(merged) == facts_of(version)
    assert merged.closure.labelling is not version.closure.labelling


def test_changed_sets_are_written_together_when_merged(tuned: Tuned) -> None:
    tuned(SETS_MERGE_LEAST=3)
    version = TransitiveTable.of(edges_of((node, node + 1) for node in range(20)))
    few = version.changed(edges_of([(2, 30)]), edges_of([]))
    assert few.compacted() is few
    many = version.changed(edges_of([(18, 30)]), edges_of([]))
    mirror = many.inverse()
    merged = many.compacted()
    assert merged is not many
    assert merged.closure.reached._buffer is not many.closure.reached._buffer
    assert not merged.closure.reached._changed
    assert merged.inverse() is mirror
    assert facts_of(merged) == facts_of(many) == naive_closure(facts_of(many.edges))


def test_what_a_change_does_not_reach_is_shared() -> None:
    """Two chains: a change in one leaves the sets of the other, and those below the change, where they are."""
    edges = {(node, node + 1) for node in range(200) if node != 100}
    version = TransitiveTable.of(edges_of(edges))
    for changed in (
        version.changed(edges_of([]), edges_of([(50, 51)])),
        version.changed(edges_of([(50, 500)]), edges_of([])),
    ):
        different = changed.changed_subjects(version)
        assert different is not None
        assert {*different.tolist()} - {500} == {*range(51)}
        assert facts_of(changed) == naive_closure(facts_of(changed.edges))


def test_reflexive_pairs_are_those_of_cycles() -> None:
    version = TransitiveTable.of(edges_of([(1, 2), (2, 3), (3, 2), (4, 4), (3, 5)]))
    assert {s for s, o in facts_of(version) if s == o} == {2, 3, 4}
    assert version.symmetric_count() == 5
    split = version.changed(edges_of([(2, 2)]), edges_of([(3, 2), (4, 4)]))
    assert {s for s, o in facts_of(split) if s == o} == {2}
    assert split.symmetric_count() == 1


@pytest.mark.parametrize("dense", [0, 4])
def test_labels_of_dense_and_sparse_ids(dense: int, tuned: Tuned) -> None:
    tuned(DENSE_LABELS=dense)
    labelling = Labelling(ids(3, 0, 7, 2))
    wanted = [0, 1, 2, 3, 7, 8, 2**32 - 1, 3]
    expected = [1, -1, 3, 0, 2, -1, -1, 0]
    assert [labelling.label(node) for node in wanted] == expected
    assert labelling.labels(ids(*wanted)).tolist() == expected
    assert labelling.labels(ids()).tolist() == []
    assert labelling.extended(ids(3, 7)) is labelling
    longer = labelling.extended(ids(9, 3, 5, 9))
    assert longer.nodes.tolist() == [3, 0, 7, 2, 5, 9]
    assert len(longer) == 6
    assert labelling.nbytes < longer.nbytes
    longer._check()
    nothing = Labelling(ids())
    assert (len(nothing), nothing.label(0), nothing.labels(ids(0, 5)).tolist()) == (0, -1, [-1, -1])
    with pytest.raises(AssertionError):
        Labelling(ids(1, 2, 1))._check()


def broken_closures() -> dict[str, Closure]:
    whole = close(edges_of([(1, 2), (2, 3), (3, 2), (3, 4)]))
    whole._check()
    everything = bytes(whole.reached.get(3).serialize())
    more = whole.reached.changed({0: everything}, 4)
    (group,) = whole.groups
    return {
        "pairs": replace(whole, pairs=whole.pairs + 1),
        "component": replace(whole, component=whole.component[::-1].copy()),
        "no groups": replace(whole, groups={}),
        "a group of one": replace(whole, groups={**whole.groups, 0: np.array([0])}),
        "a group that lost its least": replace(whole, groups={group: whole.groups[group][1:]}),
        "a label behind": replace(whole, reached=more, pairs=sum(len(more.get(n)) for n in whole.component.tolist())),
        "an edge": replace(whole, edges=edges_of([(1, 2), (4, 1)])),
        "no sets": replace(whole, reached=LabelSets.empty()),
    }


@pytest.mark.parametrize("name", broken_closures())
def test_check_sees_a_broken_closure(name: str) -> None:
    broken = broken_closures()[name]
    with pytest.raises(AssertionError):
        broken._check()


def test_check_sees_a_mirror_of_another_table() -> None:
    version = TransitiveTable.of(edges_of([(1, 2), (2, 3)]))
    version._mirror = TransitiveTable.of(edges_of([(2, 1)]))
    with pytest.raises(AssertionError):
        version._check()
