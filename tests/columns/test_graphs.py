"""The primitive operations on graphs, against searches in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.columns.graphs import (
    _sorted_labels,
    depth_first_order,
    rows_of,
    topological_components,
    undirected_components,
)

COUNT = 8
EDGES = st.lists(st.tuples(st.integers(0, COUNT - 1), st.integers(0, COUNT - 1)), max_size=20)
DAG_EDGES = EDGES.map(lambda edges: [(max(edge), min(edge)) for edge in edges if edge[0] != edge[1]])

Edges = list[tuple[int, int]]


def columns(edges: Edges) -> tuple[np.ndarray, np.ndarray]:
    found = np.array(edges, dtype=np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def reached(edges: Edges, start: int) -> set[int]:
    """The nodes that a node reaches, and itself."""
    found, waiting = {start}, [start]
    while waiting:
        node = waiting.pop()
        fresh = {target for source, target in edges if source == node} - found
        found |= fresh
        waiting += fresh
    return found


def assert_topological(count: int, edges: Edges, labels: list[int]) -> None:
    """Components are those of mutual reach, numbered without gaps, and no edge goes back."""
    assert {*labels} == {*range(len({*labels}))}
    below = [reached(edges, node) for node in range(count)]
    for left in range(count):
        for right in range(count):
            mutual = right in below[left] and left in below[right]
            assert (labels[left] == labels[right]) == mutual
    assert all(labels[source] <= labels[target] for source, target in edges)


@given(EDGES)
def test_topological_components(edges: Edges) -> None:
    assert_topological(COUNT, edges, topological_components(COUNT, *columns(edges)).tolist())


@given(DAG_EDGES, st.permutations(range(COUNT)))
def test_topological_components_of_acyclic_graphs(edges: Edges, names: list[int]) -> None:
    renamed = [(names[source], names[target]) for source, target in edges]
    labels = topological_components(COUNT, *columns(renamed)).tolist()
    assert sorted(labels) == [*range(COUNT)]
    assert_topological(COUNT, renamed, labels)


@given(DAG_EDGES, st.permutations(range(COUNT)))
def test_a_sort_of_labels_in_no_order(edges: Edges, names: list[int]) -> None:
    """What is done when the labels of scipy are not in an order, whichever version that is."""
    renamed = [(names[source], names[target]) for source, target in edges]
    order = _sorted_labels(COUNT, *columns(renamed)).tolist()
    assert sorted(order) == [*range(COUNT)]
    assert all(order[source] < order[target] for source, target in renamed)


@pytest.mark.parametrize("orientation", ["up", "down", "mixed"])
def test_components_when_scipy_numbers_them_in_another_way(orientation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    edges = [(0, 1), (1, 0), (1, 2), (2, 3), (3, 4), (4, 3), (0, 5)]
    numbers = {"up": [0, 0, 1, 2, 2, 3], "down": [3, 3, 2, 1, 1, 0], "mixed": [1, 1, 3, 0, 0, 2]}[orientation]
    monkeypatch.setattr(
        "kgreason.columns.graphs.connected_components", lambda *_, **__: (4, np.array(numbers, dtype=np.int32))
    )
    assert_topological(6, edges, topological_components(6, *columns(edges)).tolist())


@given(EDGES)
def test_undirected_components(edges: Edges) -> None:
    labels = undirected_components(COUNT, *columns(edges)).tolist()
    both = [*edges, *((target, source) for source, target in edges)]
    for left in range(COUNT):
        below = reached(both, left)
        assert [labels[left] == labels[right] for right in range(COUNT)] == [n in below for n in range(COUNT)]


@pytest.mark.parametrize("times", [127, 128, 255, 256, 512])
def test_an_edge_that_comes_many_times_is_one_edge(times: int) -> None:
    """The numbers of a sparse matrix overflow where duplicates are summed: an edge must not come out as none."""
    edges = [(0, 1), (1, 0), (2, 1)] * times
    assert_topological(4, edges[:3], topological_components(4, *columns(edges)).tolist())
    labels = undirected_components(4, *columns(edges)).tolist()
    assert labels[0] == labels[1] == labels[2] != labels[3]


def test_graphs_without_nodes_and_edges() -> None:
    nothing = columns([])
    assert topological_components(0, *nothing).tolist() == []
    assert undirected_components(0, *nothing).tolist() == []
    assert sorted(topological_components(3, *nothing).tolist()) == [0, 1, 2]
    assert sorted(undirected_components(3, *nothing).tolist()) == [0, 1, 2]
    offsets, targets = rows_of(0, *nothing)
    assert (offsets.tolist(), targets.tolist()) == ([0], [])
    assert depth_first_order(offsets, targets).tolist() == []
    assert sorted(depth_first_order(*rows_of(3, *nothing)).tolist()) == [0, 1, 2]


@given(EDGES)
def test_rows(edges: Edges) -> None:
    offsets, targets = rows_of(COUNT, *columns(edges))
    assert len(offsets) == COUNT + 1
    for node in range(COUNT):
        row = targets[offsets[node] : offsets[node + 1]].tolist()
        assert row == sorted({target for source, target in edges if source == node})


@given(DAG_EDGES, st.permutations(range(COUNT)))
def test_depth_first_order(edges: Edges, names: list[int]) -> None:
    """Every node once, its targets before it, and each node that the search entered in the run of its parent."""
    renamed = [(names[source], names[target]) for source, target in edges]
    order = depth_first_order(*rows_of(COUNT, *columns(renamed))).tolist()
    assert order == post_order(renamed)
    place = {node: at for at, node in enumerate(order)}
    assert all(place[target] < place[source] for source, target in renamed)


def post_order(edges: Edges) -> list[int]:
    """The same by recursion."""
    order: list[int] = []
    seen: set[int] = set()

    def enter(node: int) -> None:
        seen.add(node)
        for target in sorted({target for source, target in edges if source == node}):
            if target not in seen:
                enter(target)
        order.append(node)

    for root in sorted({*range(COUNT)} - {target for _, target in edges}):
        enter(root)
    return order


def test_a_long_chain_needs_no_recursion() -> None:
    count = 20_000
    chain = np.arange(count)
    assert (depth_first_order(*rows_of(count, chain[:-1], chain[1:])) == chain[::-1]).all()


@pytest.mark.parametrize("density", [0.5, 1.0, 4.0])
def test_components_of_large_graphs(density: float) -> None:
    """Edges never go back, and every component is one: its nodes reach its first node, and that one reaches them."""
    generator = np.random.default_rng(1)
    count = 5000
    edges = generator.integers(0, count, (int(count * density), 2))
    labels = topological_components(count, edges[:, 0], edges[:, 1])
    assert (labels[edges[:, 0]] <= labels[edges[:, 1]]).all()
    assert len(np.unique(labels)) == labels.max() + 1
    inner = edges[labels[edges[:, 0]] == labels[edges[:, 1]]].tolist()
    for sources, targets in ((0, 1), (1, 0)):
        successors: dict[int, list[int]] = {}
        for edge in inner:
            successors.setdefault(edge[sources], []).append(edge[targets])
        seen: set[int] = set()
        waiting = np.unique(labels, return_index=True)[1].tolist()
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                waiting += successors.get(node, ())
        assert len(seen) == count
