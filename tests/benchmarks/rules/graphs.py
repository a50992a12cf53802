"""Seeded random graphs: arrays of two columns, each row once."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Edges: TypeAlias = NDArray[np.int64]


def _distinct(sources: Edges, targets: Edges) -> Edges:
    return np.unique(np.stack((sources, targets), axis=1), axis=0)


def r_mat(scale: int, edges: int) -> Edges:
    """2 ** scale nodes with degrees by a power law (R-MAT with 0.57, 0.19, 0.19, 0.05), without loops."""
    generator = np.random.default_rng(1)
    ends = np.zeros((2, edges), dtype=np.int64)
    for _ in range(scale):
        quarter = np.searchsorted([0.57, 0.76, 0.95], generator.random(edges))
        ends = ends * 2 + np.stack((quarter >> 1, quarter & 1))
    return _distinct(*ends[:, ends[0] != ends[1]])


def uniform(nodes: int, edges: int, seed: int = 2) -> Edges:
    """Edges between nodes drawn uniformly."""
    return _distinct(*np.random.default_rng(seed).integers(0, nodes, (2, edges)))


def tree(nodes: int, fanout: int) -> Edges:
    """From each node of a complete tree to its parent."""
    children = np.arange(1, nodes)
    return np.stack((children, (children - 1) // fanout), axis=1)


def recent_parents(nodes: int, window: int) -> Edges:
    """From each node to two parents among the nodes just before it: an acyclic graph."""
    children = np.repeat(np.arange(1, nodes), 2)
    back = np.random.default_rng(3).random(len(children)) * np.minimum(children, window)
    return _distinct(children, children - 1 - back.astype(np.int64))


def grid(side: int) -> Edges:
    """From each node of a square to its right and lower neighbours."""
    node = np.arange(side * side).reshape(side, side)
    right = np.stack((node[:, :-1].ravel(), node[:, 1:].ravel()), axis=1)
    down = np.stack((node[:-1].ravel(), node[1:].ravel()), axis=1)
    return np.concatenate((right, down))


def power_law(nodes: int, new: int) -> Edges:
    """Preferential attachment (Barabasi and Albert), each edge both ways."""
    generator = np.random.default_rng(4)
    ends = [0, 1, 2]
    edges = []
    for node in range(3, nodes):
        for other in {ends[int(at)] for at in generator.integers(0, len(ends), new)}:
            edges += [(node, other), (other, node)]
            ends += [node, other]
    return np.array(sorted(set(edges)), dtype=np.int64)


def skewed(nodes: int, edges: int, seed: int, power: float = 2.0) -> Edges:
    """From nodes drawn uniformly to nodes of which the first are drawn more often."""
    generator = np.random.default_rng(seed)
    return _distinct(generator.integers(0, nodes, edges), (generator.random(edges) ** power * nodes).astype(np.int64))


def dataflow(nodes: int, edges: int, window: int) -> Edges:
    """Assignments from most nodes to one a little before, as in a program's code."""
    generator = np.random.default_rng(5)
    sources = generator.choice(np.arange(1, nodes), edges, replace=False)
    return _distinct(sources, np.maximum(0, sources - generator.integers(1, window, edges)))


def roads(side: int) -> Edges:
    """A square of crossings, each joined both ways with most of its neighbours: long ways, few roads at each."""
    streets = grid(side)
    streets = streets[np.random.default_rng(6).random(len(streets)) < 0.9]
    return np.concatenate((streets, streets[:, ::-1]))


def grouped(rows: int, groups: int, values: int) -> Edges:
    """Groups, and the values of their members."""
    generator = np.random.default_rng(7)
    return _distinct(generator.integers(0, groups, rows), generator.integers(0, values, rows))
