"""Which tree cover keeps the sets of labels small: ``python -m tests.benchmarks.covers``.

A closure labels its components in post-order over a tree that covers them. Compared are the tree that a
depth-first search walks (what kgreason uses), the optimum tree cover of Agrawal, Borgida and Jagadish (the
tree parent of a component is the predecessor that most components reach), and a random parent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.columns.graphs import depth_first_order, rows_of
from kgreason.relations.binary import BinaryTable
from kgreason.relations.transitive.closing import Cover, close
from tests.benchmarks.closures import DAG, MEDIUM
from tests.benchmarks.contestants import timed
from tests.benchmarks.random_graphs import GRAPHS

Numbers: TypeAlias = NDArray[np.int64]


def along(parents: Callable[[int, Numbers, Numbers], Numbers]) -> Cover:
    """Post-order over a tree that a choice of parents makes: `parents` ranks the edges, the highest one wins."""

    def order(offsets: Numbers, targets: Numbers) -> Numbers:
        count = len(offsets) - 1
        sources = np.repeat(np.arange(count), np.diff(offsets))
        best = np.argsort(parents(count, sources, targets), kind="stable")
        parent = np.full(count, -1)
        parent[targets[best]] = sources[best]
        children = np.flatnonzero(parent >= 0)
        return depth_first_order(*rows_of(count, parent[children], children))

    return order


def optimum(count: int, sources: Numbers, targets: Numbers) -> Numbers:
    """The number of components that reach each edge's source."""
    keys = np.unique(targets.astype(np.uint64) << np.uint64(32) | sources.astype(np.uint64))
    backwards = close(BinaryTable(keys))
    ancestors = np.zeros(count, dtype=np.int64)
    for label, node in enumerate(backwards.labelling.nodes.tolist()):
        ancestors[node] = len(backwards.reached.get(int(backwards.component[label])))
    return ancestors[sources]


def random(count: int, sources: Numbers, targets: Numbers) -> Numbers:
    """Any predecessor."""
    return np.random.default_rng(1).permutation(len(sources))


COVERS: dict[str, Cover] = {"depth-first": depth_first_order, "optimum": along(optimum), "random": along(random)}


def main() -> None:
    """Print a table of seconds and bytes."""
    print("| | cover | seconds | bytes of the sets |\n|---|---|---|---|")
    for name in (DAG, MEDIUM):
        keys = GRAPHS[name]()
        for inverse in (False, True):
            edges = BinaryTable(keys).inverse() if inverse else BinaryTable(keys)
            for cover, order in COVERS.items():
                spent, found = timed(lambda edges=edges, order=order: close(edges, order))
                title = f"{name}, {'inverse' if inverse else 'forward'}"
                print(f"| {title} | {cover} | {spent:.2f} | {found.reached.nbytes:,} |", flush=True)


if __name__ == "__main__":
    main()
