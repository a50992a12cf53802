"""Closures of large random graphs against scipy, and closures that are made again as a whole."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from kgreason.relations.transitive.closure_table import TransitiveTable
from tests.relations.edge_histories import set_limits
from tests.relations.table_reads import EXAMPLES, assert_combines, edges_of, facts_of, naive_closure
from tests.thresholds import Tuned, tuning_context


def scipy_closure(size: int, edges: np.ndarray) -> np.ndarray:
    """Which node reaches which, from products of scipy's sparse matrix with what is reached so far."""
    adjacent = csr_matrix((np.ones(len(edges), dtype=np.bool_), (edges[:, 0], edges[:, 1])), shape=(size, size))
    reached = adjacent.toarray()
    while True:
        more = reached | (adjacent @ reached)
        if np.array_equal(more, reached):
            return reached
        reached = more


def random_edges(kind: str, size: int, generator: np.random.Generator) -> np.ndarray:
    match kind:
        case "sparse digraph":
            return generator.integers(0, size, (size * 9 // 10, 2))
        case "digraph with one large component":
            return generator.integers(0, size, (size * 3 // 2, 2))
        case "random DAG":
            return np.sort(generator.integers(0, size, (size * 2, 2)), axis=1)[:, ::-1]
        case _:
            children = np.arange(1, size)
            parents = np.column_stack((children, (children * generator.random(size - 1)).astype(np.int64)))
            cross = np.sort(generator.integers(0, size, (size // 2, 2)), axis=1)[:, ::-1]
            back = generator.integers(0, size, (size // 200, 2))
            return np.concatenate((parents, cross, back))


GRAPHS = ["sparse digraph", "digraph with one large component", "random DAG", "categories"]


def assert_equals_matrix(version: TransitiveTable, names: np.ndarray, expected: np.ndarray, seed: int) -> None:
    """Enumeration, membership and expansion from both ends; `names` are the ids of the nodes, in order."""
    version.closure._check()
    assert len(version) == int(expected.sum())
    found = np.zeros(expected.shape, dtype=np.bool_)
    for subjects, objects in version.chunks():
        found[np.searchsorted(names, subjects), np.searchsorted(names, objects)] = True
    assert (found == expected).all()
    size = len(names)
    generator = np.random.default_rng(seed)
    left, right = generator.integers(0, size, (2, 100_000))
    assert (version.contains((names[left], names[right])) == expected[left, right]).all()
    for position, matrix in ((0, expected), (1, expected.T)):
        wanted = generator.integers(0, size, 300)
        index, columns = version.lookup({position: names[wanted]})
        others = np.searchsorted(names, columns[1 - position])
        assert len(index) == int(matrix[wanted].sum())
        assert matrix[wanted[index], others].all()
        assert len(np.unique(index * size + others)) == len(index)
        assert (version.distinct(position) == names[matrix.any(axis=1)]).all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", GRAPHS)
@pytest.mark.parametrize("limits", ["as they are", "all beside"])
def test_large_random_graphs_equal_scipy(kind: str, limits: str, tuned: Tuned) -> None:
    set_limits(tuned, limits)
    generator = np.random.default_rng(GRAPHS.index(kind))
    size = 2000
    names = np.sort(generator.choice(2**32 - 1, size, replace=False)).astype(np.uint32)
    edges = np.unique(random_edges(kind, size, generator), axis=0)
    version = TransitiveTable.of(edges_of(map(tuple, names[edges].tolist())))
    assert_equals_matrix(version, names, scipy_closure(size, edges), 0)
    for seed in range(1, 4):
        kept = generator.random(len(edges)) > 0.02
        fresh = random_edges(kind, size, generator)[: len(edges) // 50]
        fresh = fresh[~np.isin(fresh @ [size, 1], edges @ [size, 1])]
        fresh = np.unique(fresh, axis=0)
        came, gone = (edges_of(map(tuple, names[part].tolist())) for part in (fresh, edges[~kept]))
        version = version.changed(came, gone)
        edges = np.concatenate((edges[kept], fresh))
        if seed == 2:
            version = version.compacted()
        assert_equals_matrix(version, names, scipy_closure(size, edges), seed)


def test_tables_of_several_closures_combine() -> None:
    left, right = {(1, 2), (2, 3), (3, 1)}, {(2, 3), (3, 4), (9, 9)}
    first, second = TransitiveTable.of(edges_of(left)), TransitiveTable.of(edges_of(right))
    assert_combines(first, naive_closure(left), second, naive_closure(right))
    assert_combines(first, naive_closure(left), edges_of(right), right)
    assert_combines(edges_of(right), right, first, naive_closure(left))
    assert_combines(first, naive_closure(left), edges_of([]), set())


NODE = st.integers(0, 9)


DOWN = st.tuples(NODE, NODE).map(lambda edge: (max(edge), min(edge)))


@settings(max_examples=EXAMPLES)
@given(
    edges=st.sets(DOWN, min_size=2),
    chosen=st.sets(st.integers(0, 40), max_size=6),
    come=st.sets(st.one_of(DOWN, st.just((1, 30))), max_size=3),
    with_circle=st.booleans(),
)
def test_a_batch_that_leaves_the_components_is_closed_again(
    edges: set[tuple[int, int]], chosen: set[int], come: set[tuple[int, int]], with_circle: bool
) -> None:
    """Edges lead down, and some nodes lead to themselves; a circle is added on top, and new nodes below."""
    known = sorted(edges | ({(20, 21), (21, 22), (22, 20), (22, 5)} if with_circle else set()))
    gone = {known[number % len(known)] for number in chosen} - come
    before = TransitiveTable.of(edges_of(known))
    left = {*known} - gone | come
    with tuning_context() as tuned:
        tuned(CLOSE_BATCH=1, CLOSE_BATCH_FRACTION=1000, CLOSE_FRACTION=0)
        after = before.changed(edges_of(come - {*known}), edges_of(gone))
    after.closure._check()
    assert facts_of(after) == facts_of(TransitiveTable.of(edges_of(left)))
    assert facts_of(after.difference(before)) == facts_of(after) - facts_of(before)


def test_it_is_closed_again_under_the_same_labels() -> None:
    edges = {(node + 1, node) for node in range(100)} | {(node + 50, node) for node in range(50)}
    before = TransitiveTable.of(edges_of(edges))
    for come, gone in ((set(), {*list(edges)[:70]}), ({(node + 7, node) for node in range(90)}, {(50, 0)})):
        after = before.changed(edges_of(come), edges_of(gone))
        assert after.closure.labelling is before.closure.labelling
        assert facts_of(after) == facts_of(TransitiveTable.of(edges_of(edges - gone | come)))
