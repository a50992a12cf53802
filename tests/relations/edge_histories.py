"""Histories of edges, and each version of a closure that one leads to against the naive closure of its edges.

Histories toggle edges: what is there goes, what is not comes, so that components join and split all the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from kgreason.relations.binary import BinaryTable
from tests.relations.table_reads import DENSE, SPARSE, Pair, Pairs, assert_reads, edges_of, facts_of, inverted
from tests.thresholds import Tuned, shrink

_HUGE = 1 << 40
AS_THEY_ARE = "as they are"
BESIDE = "all beside"
SMALL = "all small"
RELABELLED = "relabelled"
AGAIN = "closed again"
DROPPED = "changes dropped"
HUB = "a hub"
LIMITS = [AS_THEY_ARE, BESIDE, SMALL, RELABELLED, AGAIN, DROPPED, HUB]


def set_limits(tuned: Tuned, limits: str) -> None:
    """As they are; or never close from scratch, and keep every change beside what was there, or write all anew; or drop
    every change of a graph with cycles that makes two sets anew; or have a hub in each graph."""
    if limits == AS_THEY_ARE:
        return
    if limits == SMALL:
        shrink(tuned)
        tuned(
            BLOCKS_MERGE_LEAST=0,
            CHUNK=2,
            LAYERS=1,
            SETS_MERGE_LEAST=0,
            SETS_MERGE_FRACTION=_HUGE,
            LIVE_SETS=0,
            DENSE_LABELS=0,
            LABELS_EACH=0,
            SMALL_SET=0,
            FEW_IDS=0,
            LABELLED_ONCE=1,
        )
    if limits == DROPPED:
        tuned(REMADE_SETS_LEAST=1, REMADE_SETS_SHARE=_HUGE)
    if limits in (HUB, RELABELLED):
        tuned(HUB_LEAST=1, HUB_SHARE=_HUGE)
    if limits in (BESIDE, HUB):
        tuned(BLOCKS_MERGE_LEAST=_HUGE, SETS_MERGE_LEAST=_HUGE, LABELS_EACH=_HUGE, SMALL_SET=1)
    # With 0 a change that leaves no edges would still be closed from scratch.
    tuned(
        CLOSE_FRACTION=-1,
        CLOSE_BATCH=1,
        CLOSE_BATCH_FRACTION=_HUGE if limits == AGAIN else -1,
        RELABEL_LEAST=-_HUGE if limits == RELABELLED else _HUGE,
        PENDING_FRACTION=1 if limits == RELABELLED else 0,
    )


@dataclass(frozen=True)
class Step:
    """One change: edges toggled in the version `back` before the latest, or all of its edges taken away."""

    back: int
    toggled: Pairs | None
    is_merged: bool
    is_read: bool

    def change(self, edges: Pairs) -> tuple[Pairs, Pairs]:
        """The edges that come and those that go."""
        if self.toggled is None:
            return frozenset(), edges
        return self.toggled - edges, self.toggled & edges


def assert_versions(
    history: tuple[Pairs, list[Step]],
    make: Callable[[BinaryTable], Any],
    naive: Callable[[Pairs], Iterable[Pair]],
    look: Callable[[Any, Any, Pairs], None],
) -> None:
    """Every version of a closure that a history leads to is the naive closure of its edges, also after later changes.

    Args:
        make: gives the closure of edges; it has `changed` for edges that come and go.
        look: checks a new version, after the one that it came from and before its edges.
    """
    start, steps = history
    versions = [(make(edges_of(start)), start)]
    for step in steps:
        before, edges = versions[max(0, len(versions) - 1 - step.back)]
        came, gone = step.change(edges)
        after = before.changed(edges_of(came), edges_of(gone))
        edges = (edges - gone) | came
        if step.is_merged:
            after = after.compacted()
        look(before, after, edges)
        assert facts_of(after.edges) == edges
        if step.is_read:
            expected = frozenset(naive(edges))
            assert_reads(after, expected)
            assert after.symmetric_count() == len(expected & inverted(expected))
        versions.append((after, edges))
    for version, edges in versions:
        assert_reads(version, naive(edges))


def _ring(nodes: list[int]) -> Pairs:
    return frozenset(zip(nodes, [*nodes[1:], *nodes[:1]], strict=True))


def edge_sets(nodes: Sequence[int], most: int = 6) -> st.SearchStrategy[Pairs]:
    """Some edges, self-loops among them, or a cycle."""
    node = st.sampled_from(nodes)
    some = st.frozensets(st.tuples(node, node), max_size=most)
    return st.one_of(some, some, st.lists(node, unique=True, max_size=5).map(_ring))


@st.composite
def histories(draw: st.DrawFn, most: int = 8) -> tuple[Pairs, list[Step]]:
    """The edges to begin with, and changes that bring fresh nodes, mostly to the latest version."""
    nodes = draw(st.sampled_from([DENSE, SPARSE, DENSE[:5]]))
    start = draw(edge_sets(nodes[: len(nodes) // 2], 8))
    change = st.one_of(st.none(), *[edge_sets(nodes)] * 6)
    step = st.builds(Step, st.sampled_from([0, 0, 0, 0, 1, 2]), change, st.booleans(), st.booleans())
    return start, draw(st.lists(step, min_size=1, max_size=most))
