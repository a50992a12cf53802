"""The primitive operations on graphs, against searches in plain Python."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kgreason.columns.graphs import depth_first_order, rows_of

COUNT = 8
EDGES = st.lists(st.tuples(st.integers(0, COUNT - 1), st.integers(0, COUNT - 1)), max_size=20)
DAG_EDGES = EDGES.map(lambda edges: [(max(edge), min(edge)) for edge in edges if edge[0] != edge[1]])

Edges = list[tuple[int, int]]


def columns(edges: Edges) -> tuple[np.ndarray, np.ndarray]:
    found = np.array(edges, dtype=np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def test_graphs_without_nodes_and_edges() -> None:
    nothing = columns([])
    offsets, targets = rows_of(0, *nothing)
    assert (offsets.tolist(), targets.tolist()) == ([0], [])
    assert depth_first_order(offsets, targets).tolist() == []
    assert sorted(depth_first_order(*rows_of(3, *nothing)).tolist()) == [0, 1, 2]


@given(EDGES)
def test_rows_of_edges_have_the_neighbours_of_each_node(edges: Edges) -> None:
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
