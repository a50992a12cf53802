"""Graphs for the closure benchmarks, made from a seed: sorted distinct keys, ``source << 32 | target``, as uint64."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Keys: TypeAlias = NDArray[np.uint64]


def keys_of(sources: NDArray[np.int64], targets: NDArray[np.int64]) -> Keys:
    """Edges as sorted distinct keys."""
    return np.unique(sources.astype(np.uint64) << np.uint64(32) | targets.astype(np.uint64))


def random_dag(nodes: int, edges: int, seed: int = 1) -> Keys:
    """Random edges, each from the earlier node of a random order to the later one, as in Hu et al. 2019."""
    generator = np.random.default_rng(seed)
    order = generator.permutation(nodes)
    ends = generator.integers(0, nodes, (2, edges + edges // 50))
    ends = ends[:, ends[0] != ends[1]]
    keys = keys_of(order[ends.min(axis=0)], order[ends.max(axis=0)])
    return np.sort(generator.choice(keys, edges, replace=False))


def categories(nodes: int, more: tuple[float, ...] = (0.94,), back: float = 0.03, seed: int = 1) -> Keys:
    """A category graph like DBpedia's: edges are skos:broader.

    Every concept has a broader one among those before it, a share of them more (`more` gives the share for
    the second, the third, ...), and a share `back` of all edges goes anywhere, which makes cycles: a large
    component near the top that nearly all reach, as in Wikipedia's categories.
    """
    generator = np.random.default_rng(seed)
    concepts = np.arange(1, nodes)
    chosen = [concepts[generator.random(nodes - 1) < share] for share in more]
    sources = np.concatenate((concepts, *chosen))
    targets = (sources * generator.random(len(sources))).astype(np.int64)
    anywhere = generator.integers(0, nodes, (2, int(back * len(sources))))
    sources, targets = np.concatenate((sources, anywhere[0])), np.concatenate((targets, anywhere[1]))
    kept = sources != targets
    return keys_of(sources[kept], targets[kept])


def rmat(scale: int, edges: int, seed: int = 1) -> Keys:
    """R-MAT with the usual probabilities (0.57, 0.19, 0.19, 0.05) on ``2 ** scale`` nodes."""
    generator = np.random.default_rng(seed)
    keys = np.empty(0, dtype=np.uint64)
    while len(keys) < edges:
        ends = np.zeros((2, 2 * edges), dtype=np.int64)
        for _ in range(scale):
            quarter = generator.choice(4, 2 * edges, p=(0.57, 0.19, 0.19, 0.05))
            ends = 2 * ends + np.stack((quarter // 2, quarter % 2))
        keys = np.union1d(keys, keys_of(*ends))
    return np.sort(generator.choice(keys, edges, replace=False))


def uniform(nodes: int, density: float, seed: int = 1) -> Keys:
    """Every pair of nodes with the same probability."""
    generator = np.random.default_rng(seed)
    ends = np.argwhere(generator.random((nodes, nodes)) < density)
    return keys_of(*ends.T)


GRAPHS: dict[str, Callable[[], Keys]] = {
    "random DAG, 10,000 nodes, 100,000 edges": lambda: random_dag(10_000, 100_000),
    "categories, 200,000 concepts": lambda: categories(200_000),
    "categories, 1.2 million concepts": lambda: categories(1_200_000, more=(1.0, 0.24), back=0.012),
    "R-MAT, 1,024 nodes, 10,000 edges": lambda: rmat(10, 10_000),
    "uniform digraph, 1,000 nodes, 1 %": lambda: uniform(1_000, 0.01),
}
