"""Times of the searches for components beside scipy's: python -m tests.benchmarks.components

Seconds of processor time, the least of five runs each, and the ratio. Names of nodes are shuffled unless said
otherwise: where all edges lead up, as in a file that names what is broader first, there is nothing to search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import process_time
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from kgreason.columns.components import topological_components, undirected_components

Ends: TypeAlias = NDArray[np.int64]
Graph: TypeAlias = tuple[int, Ends, Ends]
SIZE = 1_000_000
RUNS = 5


def graphs() -> Iterator[tuple[str, Graph]]:
    """Graphs of a million nodes, but for the clique."""
    generator = np.random.default_rng(1)
    nodes = np.arange(SIZE)
    names = generator.permutation(SIZE)

    def shuffled(sources: Ends, targets: Ends) -> Graph:
        return SIZE, names[sources], names[targets]

    def anywhere(edges: int) -> tuple[Ends, Ends]:
        sources, targets = generator.integers(0, SIZE, (2, edges))
        return sources, targets

    yield "path", shuffled(nodes[:-1], nodes[1:])
    yield "path, in order", (SIZE, nodes[:-1], nodes[1:])
    yield "random, 3 edges each", shuffled(*anywhere(3 * SIZE))
    ends = np.sort(np.stack(anywhere(3 * SIZE)), axis=0)
    yield "random acyclic, 3 edges each", shuffled(ends[0], ends[1])
    yield "cycle", shuffled(nodes, np.roll(nodes, -1))
    base = np.repeat(nodes[::10], 15)
    yield "components of ten", shuffled(*(base + generator.integers(0, 10, len(base)) for _ in range(2)))
    yield "star", shuffled(np.zeros(SIZE - 1, dtype=np.int64), nodes[1:])
    yield "tree", shuffled((generator.random(SIZE - 1) * nodes[1:]).astype(np.int64), nodes[1:])
    left, right = nodes[:-3:2], nodes[1:-2:2]
    ends_of_ladder = np.concatenate((nodes[2:], right, left + 3))
    yield "ladder, closed to a cycle", shuffled(
        np.concatenate((nodes[:-2], left, left, nodes[-1:])), np.append(ends_of_ladder, 0)
    )
    side = np.arange(2000)
    yield "clique of 2,000", (2000, np.repeat(side, 2000), np.tile(side, 2000))


def with_scipy(count: int, sources: Ends, targets: Ends, connection: str) -> Any:
    """The labels of scipy, as it numbers them."""
    graph = csr_matrix((np.ones(len(sources), dtype=np.int8), (sources, targets)), shape=(count, count))
    return connected_components(graph, directed=connection == "strong", connection=connection)[1]


def seconds(search: Callable[[], object]) -> float:
    """The least of some runs."""
    times = []
    for _ in range(RUNS):
        begin = process_time()
        search()
        times.append(process_time() - begin)
    return min(times)


def main() -> None:
    """Print the table."""
    print(f"{'':30}{'strong':>9}{'scipy':>8}{'ratio':>7}{'weak':>9}{'scipy':>8}{'ratio':>7}")
    for name, graph in graphs():
        print(f"{name:30}", end="")
        for connection, search in (("strong", topological_components), ("weak", undirected_components)):
            ours = seconds(lambda search=search, graph=graph: search(*graph))
            theirs = seconds(lambda graph=graph, connection=connection: with_scipy(*graph, connection))
            print(f"{ours:9.3f}{theirs:8.3f}{ours / theirs:7.2f}", end="", flush=True)
        print()


if __name__ == "__main__":
    main()
