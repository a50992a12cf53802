"""Graphs of pairs in shapes that closures differ on: rows, circles, hubs, stars, two sides."""

from __future__ import annotations

import numpy as np

from tests.benchmarks.rules import graphs


def layers(count: int, width: int) -> graphs.Edges:
    """From each node of a layer to two of the next one."""
    nodes = np.arange((count - 1) * width)
    ends = np.random.default_rng(5).integers(0, width, (2, len(nodes))) + (nodes // width + 1) * width
    return np.unique(np.concatenate((np.stack((nodes, ends[0]), axis=1), np.stack((nodes, ends[1]), axis=1))), axis=0)


def path(length: int) -> graphs.Edges:
    """Edges in a row."""
    return np.stack((np.arange(length), np.arange(1, length + 1)), axis=1)


def circle(length: int) -> graphs.Edges:
    """Edges in a circle."""
    return np.concatenate((path(length), [[length, 0]]))


def comb(length: int) -> graphs.Edges:
    """Edges in a row, and one more from each node to a node of its own."""
    nodes = np.arange(length)
    return np.concatenate((path(length), np.stack((nodes, nodes + 2 * length), axis=1)))


def ladder(length: int) -> graphs.Edges:
    """Two rows, with rungs, all edges both ways."""
    one = path(length)
    rungs = np.stack((np.arange(length), np.arange(length) + length + 1), axis=1)
    edges = np.concatenate((one, one + length + 1, rungs))
    return np.concatenate((edges, edges[:, ::-1]))


def hubs(nodes: int, count: int) -> graphs.Edges:
    """From each node to one of few hubs, and from each hub to many nodes."""
    each, generator = np.arange(count, nodes), np.random.default_rng(6)
    into = np.stack((each, generator.integers(0, count, len(each))), axis=1)
    out = np.stack((generator.integers(0, count, len(each)), each + nodes), axis=1)
    return np.unique(np.concatenate((into, out)), axis=0)


def star(nodes: int) -> graphs.Edges:
    """From each node to one hub, and from the hub to each node."""
    each = np.arange(nodes)
    into = np.stack((each, np.zeros(nodes, dtype=np.int64)), axis=1)
    return np.unique(np.concatenate((into, into[:, ::-1])), axis=0)


def bipartite(nodes: int, edges: int) -> graphs.Edges:
    """From nodes of one side to nodes of the other."""
    return graphs.uniform(nodes, edges) + np.array([0, nodes])
