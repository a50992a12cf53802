"""Many small changes before a read: would catch an order of adds and removes that is lost, or a step for each."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.io.quad_steps import condensed
from kgreason.io.quads import Quads
from kgreason.store.knowledge_base import DEFAULT_GRAPH, KnowledgeBase
from tests.thresholds import Tuned, tuning_context

Quad = tuple[int, int, int, int]
SOME = st.lists(
    st.tuples(st.sampled_from([DEFAULT_GRAPH, 3]), st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)), max_size=4
)
STEPS = st.lists(st.tuples(SOME, SOME), max_size=14)


def quads_of(rows: list[Quad]) -> Quads:
    columns = np.array(rows, dtype=np.uint32).reshape(-1, 4).T
    return Quads(*(np.ascontiguousarray(column) for column in columns))


def rows_of(quads: Quads) -> list[Quad]:
    return [*zip(*(getattr(quads, name).tolist() for name in ("graph", "subject", "predicate", "object")), strict=True)]


def followed(start: set[Quad], steps: list[tuple[list[Quad], list[Quad]]]) -> set[Quad]:
    """The naive oracle: what is there after steps, each of which removes first."""
    found = set(start)
    for added, removed in steps:
        found = (found - set(removed)) | set(added)
    return found


@pytest.mark.parametrize("large", [1, 2, 1 << 20])
@given(start=SOME, steps=STEPS)
def test_condensed_steps_do_the_same(large: int, start: list[Quad], steps: list[tuple[list[Quad], list[Quad]]]) -> None:
    with tuning_context() as tuned:
        tuned(LARGE_STEP=large)
        found = condensed([(quads_of(added), quads_of(removed)) for added, removed in steps])

    assert followed(set(start), [(rows_of(added), rows_of(removed)) for added, removed in found]) == followed(
        set(start), steps
    )


def test_steps_that_turn_often_become_one() -> None:
    one, other = quads_of([(DEFAULT_GRAPH, 0, 0, 0)]), quads_of([(DEFAULT_GRAPH, 0, 0, 1)])
    none = Quads.empty()

    assert len(condensed([(one, other), (other, one)] * 100)) == 1
    assert len(condensed([(one, none)] * 100)) == 1
    assert len(condensed([(none, one)] * 100)) == 1


def test_large_steps_stand_alone(tuned: Tuned) -> None:
    tuned(LARGE_STEP=2)
    large, small, none = quads_of([(3, 0, 0, 0), (3, 0, 0, 1)]), quads_of([(3, 0, 0, 2)]), Quads.empty()
    steps = [(small, none), (none, small)] * 3 + [(large, none)] + [(none, small), (small, none)] * 3

    found = condensed(steps)

    assert [max(map(len, step)) for step in found] == [1, 2, 1]
    assert found[1][0] is large


@given(steps=STEPS)
def test_queued_changes_show_what_one_by_one_they_make(steps: list[tuple[list[Quad], list[Quad]]]) -> None:
    base, eager = KnowledgeBase("rdfs"), KnowledgeBase("rdfs")
    for each in (base, eager):
        each.dictionary.encode_keys([f"http://e/{number}" for number in range(4)])
    names = [base.dictionary.lookup_key(f"http://e/{number}") or 0 for number in range(4)]

    for added, removed in steps:
        for target in (base, eager):
            some = [(g if g == DEFAULT_GRAPH else names[3], names[s], names[p], names[o]) for g, s, p, o in removed]
            target.remove_quads(quads_of(some))
            for g, s, p, o in added:
                target.add(g if g == DEFAULT_GRAPH else names[3], names[s], names[p], names[o])
        eager.flush()

    assert {*base.graphs()} == {*eager.graphs()}
    for graph in eager.graphs():
        assert shown(base, graph) == shown(eager, graph)
    base._check()


def shown(base: KnowledgeBase, graph: int) -> set[tuple[int, int, int]]:
    """The explicit triples of a graph."""
    chunks = base.graph(graph).match(None, None, None)
    return {row for chunk in chunks for row in zip(*(column.tolist() for column in chunk), strict=True)}
