"""The equivalence scheme against naive closures, and on large random graphs against scipy's components."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from kgreason.relations.binary import as_binary
from kgreason.relations.equivalence import EquivalenceTable
from kgreason.relations.node_components import NodeComponents
from kgreason.relations.plain import table_of
from tests.relations.edge_histories import LIMITS, Step, assert_versions, histories, set_limits
from tests.relations.table_reads import EXAMPLES, Pairs, assert_combines, edges_of, facts_of, ids, naive_equivalence
from tests.thresholds import Tuned


@pytest.mark.parametrize("limits", [LIMITS[0], LIMITS[2]])
def test_every_version_equals_the_naive_closure(limits: str, tuned: Tuned) -> None:
    set_limits(tuned, limits)

    @given(history=histories())
    @settings(max_examples=EXAMPLES)
    def check(history: tuple[Pairs, list[Step]]) -> None:
        assert_versions(history, EquivalenceTable.of, naive_equivalence, lambda _, after, __: after._check())

    check()


def test_no_change_is_the_same_version() -> None:
    version = EquivalenceTable.of(edges_of([(1, 2)]))
    assert version.changed(edges_of([]), edges_of([])) is version
    assert version.inverse() is version
    assert version.compacted() is version


def test_a_node_without_edges_is_equivalent_to_nothing() -> None:
    version = EquivalenceTable.of(edges_of([(1, 2), (2, 3), (5, 5)]))
    assert facts_of(version) == {*naive_equivalence([(1, 2), (2, 3)]), (5, 5)}
    split = version.changed(edges_of([]), edges_of([(1, 2), (5, 5)]))
    assert facts_of(split) == naive_equivalence([(2, 3)])
    assert not split.has((1, 1))
    joined = split.changed(edges_of([(3, 1), (4, 4)]), edges_of([]))
    assert facts_of(joined) == {*naive_equivalence([(1, 2), (2, 3)]), (4, 4)}
    assert facts_of(version) == {*naive_equivalence([(1, 2), (2, 3)]), (5, 5)}


def test_only_what_a_change_touches_is_unlike() -> None:
    version = EquivalenceTable.of(edges_of((node, node + 1) for node in range(0, 100, 2)))
    changed = version.changed(edges_of([(0, 10), (200, 201)]), edges_of([(20, 21)]))
    assert (changed.changed_subjects(version) == ids(0, 1, 10, 11, 200, 201)).all()
    assert (version.changed_subjects(changed) == ids(0, 1, 10, 11, 20, 21)).all()
    assert changed.changed_subjects(edges_of([(1, 2)])) is None
    assert version.changed(edges_of([(1, 0)]), edges_of([])).is_subset_of(version) is True
    assert changed.is_subset_of(version) is False
    assert version.is_subset_of(edges_of([(1, 2)])) is None


def test_check_sees_a_broken_component() -> None:
    edges = edges_of([(1, 2), (3, 4)])
    EquivalenceTable(edges, NodeComponents.of(ids(1, 2, 3, 4), np.array([0, 2, 4])))._check()
    for members, starts in (([1, 3, 2, 4], [0, 2, 4]), ([1, 2, 3, 4], [0, 4]), ([1, 2, 3, 4, 5, 6], [0, 2, 4, 6])):
        with pytest.raises(AssertionError):
            EquivalenceTable(edges, NodeComponents.of(ids(*members), np.array(starts)))._check()


@pytest.mark.parametrize("degree", [0.3, 0.5, 1.0])
def test_large_random_graphs_equal_scipy(degree: float) -> None:
    """Below, at and above the degree where a giant component appears."""
    generator = np.random.default_rng(11)
    size = 3000
    names = np.sort(generator.choice(2**32, size, replace=False)).astype(np.uint32)
    edges = np.unique(generator.integers(0, size, (int(size * degree), 2)), axis=0)
    version = EquivalenceTable.of(edges_of(map(tuple, names[edges].tolist())))
    for seed in range(4):
        graph = csr_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(size, size))
        expected = connected_components(graph, directed=False)[1]
        used = np.zeros(size, dtype=np.bool_)
        used[edges] = True
        counts = np.bincount(expected[used])
        assert len(version) == int((counts**2).sum())
        left, right = generator.integers(0, size, (2, 50_000))
        together = (expected[left] == expected[right]) & used[left] & used[right]
        assert together.any()
        assert (version.contains((names[left], names[right])) == together).all()
        index, (subjects, objects) = version.lookup({1: names[left[:200]]})
        at = np.searchsorted(names, subjects)
        assert (objects == names[left[:200]][index]).all()
        assert (expected[at] == expected[left[:200]][index]).all()
        assert len(index) == sum(int(counts[expected[node]]) for node in left[:200] if used[node])
        assert len(np.unique(index * size + at)) == len(index)
        assert (version.distinct(seed % 2) == names[used]).all()
        kept = generator.random(len(edges)) > 0.1
        fresh = generator.integers(0, size, (len(edges) // 10, 2))
        fresh = np.unique(fresh[~np.isin(fresh @ [size, 1], edges @ [size, 1])], axis=0)
        version = version.changed(*(edges_of(map(tuple, names[part].tolist())) for part in (fresh, edges[~kept])))
        edges = np.concatenate((edges[kept], fresh))


def test_equivalences_combine() -> None:
    left, right = {(1, 2), (2, 3)}, {(3, 2), (4, 5)}
    first, second = EquivalenceTable.of(edges_of(left)), EquivalenceTable.of(edges_of(right))
    assert_combines(first, naive_equivalence(left), second, naive_equivalence(right))
    assert_combines(first, naive_equivalence(left), edges_of(right), right)
    assert_combines(edges_of(right), right, first, naive_equivalence(left))
    assert_combines(second, naive_equivalence(right), edges_of([]), set())


@pytest.mark.parametrize("gap", [1, 1000])
@pytest.mark.parametrize("asked", [1, 2000])
def test_components_are_found_by_many_and_few_ids_that_are_close_together_or_not(gap: int, asked: int) -> None:
    generator = np.random.default_rng(gap)
    edges = as_binary(table_of(tuple((generator.integers(3, 300, (2, 150)) * gap).astype(np.uint32))))
    table = EquivalenceTable.of(edges)
    groups: dict[int, set[int]] = {}
    for one, other in zip(*(column.tolist() for column in edges.columns()), strict=True):
        merged = groups.get(one, {one}) | groups.get(other, {other})
        groups.update(dict.fromkeys(merged, merged))

    for begin in range(0, 320 * gap, asked * gap):
        ids = np.arange(begin, begin + asked * gap, gap, dtype=np.uint32)
        expected = [min(groups.get(each, {each})) for each in ids.tolist()]
        assert table.least(ids).tolist() == expected
        assert table.contains((ids, ids)).tolist() == [each in groups for each in ids.tolist()]
