"""Components of graphs against searches in plain Python and scipy's, with every contraction that makes large graphs
small: labels that are not those of the components, or not in a topological order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from kgreason.checkpoints import heeding
from kgreason.columns.components import topological_components, undirected_components
from tests.thresholds import replaced_constants

COUNT = 8
EDGES = st.lists(st.tuples(st.integers(0, COUNT - 1), st.integers(0, COUNT - 1)), max_size=20)
DAG_EDGES = EDGES.map(lambda edges: [(max(edge), min(edge)) for edge in edges if edge[0] != edge[1]])

Edges = list[tuple[int, int]]
Columns = tuple[int, np.ndarray, np.ndarray]


@pytest.fixture(params=["contracted", "node by node"], autouse=True, scope="module")
def least(request: pytest.FixtureRequest) -> Iterator[None]:
    """Graphs of any size are contracted as far as that goes, or not at all."""
    with replaced_constants(CONTRACTED_LEAST=1 if request.param == "contracted" else 1 << 60):
        yield


def columns(edges: Edges) -> tuple[np.ndarray, np.ndarray]:
    found = np.array(edges, dtype=np.int32).reshape(-1, 2)  # as narrow as closures have them
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


@given(EDGES)
def test_undirected_components(edges: Edges) -> None:
    labels = undirected_components(COUNT, *columns(edges)).tolist()
    both = [*edges, *((target, source) for source, target in edges)]
    for left in range(COUNT):
        below = reached(both, left)
        assert [labels[left] == labels[right] for right in range(COUNT)] == [n in below for n in range(COUNT)]


@pytest.mark.parametrize("times", [127, 128, 255, 256, 512])
def test_an_edge_that_comes_many_times_is_one_edge(times: int) -> None:
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


def assert_equals_scipy(count: int, sources: np.ndarray, targets: np.ndarray) -> None:
    """The same components as scipy finds, numbered without gaps; those of directed graphs in topological order."""
    graph = csr_matrix((np.ones(len(sources)), (sources, targets)), shape=(count, count))
    labels = topological_components(count, sources, targets)
    for found, kind in ((labels, "strong"), (undirected_components(count, sources, targets), "weak")):
        number, expected = connected_components(graph, directed=True, connection=kind)
        assert np.unique(found).tolist() == [*range(number)]
        assert len(np.unique(found << 32 | expected)) == number
    assert (labels[sources] <= labels[targets]).all()


@given(st.integers(1, 40), st.data())
def test_random_graphs_equal_scipy(count: int, data: st.DataObject) -> None:
    ends = st.integers(0, count - 1)
    assert_equals_scipy(count, *columns(data.draw(st.lists(st.tuples(ends, ends), max_size=2 * count))))


@given(st.integers(2, 12), st.data())
def test_graphs_with_many_edges_for_each_node_equal_scipy(count: int, data: st.DataObject) -> None:
    """Would catch what a sample of the edges leaves out of a component, and a contraction that takes nothing away."""
    ends = st.integers(0, count - 1)
    edges = data.draw(st.lists(st.tuples(ends, ends), min_size=2 * count, max_size=12 * count))
    with replaced_constants(GIANT_EDGES=1, GRAPH_EDGES=3):
        assert_equals_scipy(count, *columns(edges))


@pytest.mark.parametrize("share", [0, 3, 30])
def test_dense_graphs_with_few_ways_back_equal_scipy(share: int) -> None:
    generator = np.random.default_rng(share)
    ends = np.sort(generator.integers(0, 300, (2, 60_000)), axis=0)
    back = generator.integers(0, 60_000, share)
    ends[:, back] = ends[::-1, back]
    assert_equals_scipy(300, *ends)


ENDS = st.integers(0, 29)


@given(st.lists(ENDS, min_size=30, max_size=30), st.lists(st.tuples(ENDS, ENDS), max_size=6))
def test_functions_with_more_edges_equal_scipy(successors: list[int], more: Edges) -> None:
    """One edge from each node, which makes trees that lead into cycles, and a few that close wider ones."""
    assert_equals_scipy(30, *columns([*enumerate(successors), *more]))


@pytest.mark.parametrize("density", [0.5, 1.0, 1.5, 2.0, 4.0])
def test_large_random_graphs_equal_scipy(density: float) -> None:
    generator = np.random.default_rng(1)
    assert_equals_scipy(5000, *generator.integers(0, 5000, (2, int(5000 * density))))


def path(size: int) -> Columns:
    return size, np.arange(size - 1), np.arange(1, size)


def cycle(size: int) -> Columns:
    return size, np.arange(size), np.roll(np.arange(size), 1)


def star(size: int) -> Columns:
    return size, np.zeros(size - 1, dtype=np.int64), np.arange(1, size)


def clique(size: int) -> Columns:
    side = size // 50
    return side, np.repeat(np.arange(side), side), np.tile(np.arange(side), side)


def ladder(size: int) -> Columns:
    """Two long ways, with steps between them in both directions."""
    nodes = np.arange(size)
    left, right = nodes[::2], nodes[1::2]
    return size, np.concatenate((nodes[:-2], left, right)), np.concatenate((nodes[2:], right, left))


def cycles_in_a_row(size: int) -> Columns:
    """Cycles of five, each with an edge to the next one."""
    nodes = np.arange(size)
    begins = nodes[:-5:5]
    return size, np.append(nodes, begins + 2), np.append(nodes - nodes % 5 + (nodes + 1) % 5, begins + 5)


@pytest.mark.parametrize("shape", [path, cycle, star, clique, ladder, cycles_in_a_row])
@pytest.mark.parametrize("is_shuffled", [False, True])
@pytest.mark.parametrize("is_reversed", [False, True])
def test_shapes_equal_scipy(shape: object, is_shuffled: bool, is_reversed: bool) -> None:
    assert callable(shape)
    count, sources, targets = shape(5000)
    if is_shuffled:
        names = np.random.default_rng(2).permutation(count)
        sources, targets = names[sources], names[targets]
    assert_equals_scipy(count, *((targets, sources) if is_reversed else (sources, targets)))


def test_giant_component_that_is_too_deep_is_searched_node_by_node() -> None:
    """A cycle of 200 cliques of three: few nodes have a single successor, and the search for a giant gives up."""
    cliques = np.arange(600).reshape(200, 3)
    inner = [(a, b) for row in cliques.tolist() for a in row for b in row if a != b]
    outer = zip(cliques.ravel().tolist(), np.roll(cliques, 1, axis=0).ravel().tolist(), strict=True)
    with replaced_constants(GIANT_STEPS=8):
        assert_equals_scipy(600, *columns([*inner, *outer]))


class Stopped(Exception):
    """What the check raises."""


def test_search_node_by_node_can_be_stopped() -> None:
    count, sources, targets = cycle(50_000)

    def check(_: int) -> None:
        raise Stopped

    with pytest.raises(Stopped), heeding(check):
        topological_components(count, sources, targets)
