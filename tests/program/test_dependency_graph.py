"""Dependencies of relations against reach by plain search: a component that is torn apart or merged, a way that is
longer than it has to be."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from kgreason.program.dependency_graph import component_numbers, shortest_path

COUNT = 7
GRAPHS = st.lists(st.lists(st.integers(0, COUNT - 1), max_size=3), min_size=COUNT, max_size=COUNT)


def distances(successors: list[list[int]], start: int) -> dict[int, int]:
    """How many steps away each node is that a node reaches."""
    found = {start: 0}
    for steps in range(1, COUNT):
        fresh = {target for node in found for target in successors[node]} - found.keys()
        found |= dict.fromkeys(fresh, steps)
    return found


@given(GRAPHS)
def test_components_are_those_of_mutual_reach(successors: list[list[int]]) -> None:
    numbers = component_numbers(successors)

    reached = [distances(successors, node) for node in range(COUNT)]
    for left in range(COUNT):
        for right in range(COUNT):
            mutual = right in reached[left] and left in reached[right]
            assert (numbers[left] == numbers[right]) == mutual


@given(GRAPHS, st.integers(0, COUNT - 1))
def test_shortest_path_follows_edges_and_is_as_long_as_the_distance(successors: list[list[int]], start: int) -> None:
    for end, distance in distances(successors, start).items():
        path = shortest_path(successors, start, end)

        assert (path[0], path[-1], len(path)) == (start, end, distance + 1)
        assert all(target in successors[source] for source, target in pairwise(path))


def test_long_chain_of_dependencies_needs_no_recursion() -> None:
    count = 20_000
    chain = [[node + 1] for node in range(count - 1)] + [[0]]

    assert len({*component_numbers(chain)}) == 1
    assert len(shortest_path(chain, 0, count - 1)) == count
