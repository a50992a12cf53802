"""Components that come apart and are closed again under their own labels: catches a part that is numbered before one
that it leads to, labels of one component in another, and an estimate that takes what is kept for lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.relations.transitive import versions
from kgreason.relations.transitive.closure_table import TransitiveTable
from kgreason.relations.transitive.shift_estimate import parting
from tests.profiles import examples
from tests.relations.edge_histories import DROPPED, HUB, set_limits
from tests.relations.table_reads import Pairs, edges_of, facts_of, naive_closure
from tests.thresholds import Tuned, tuning_context

NODE = st.integers(0, 11)
CIRCLES = frozenset({(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 6), (6, 3), (2, 3)})


@given(
    more=st.frozensets(st.tuples(NODE, NODE), max_size=16),
    chosen=st.lists(st.integers(0, 40), min_size=1, max_size=4),
    come=st.frozensets(st.tuples(NODE, st.integers(0, 13)), max_size=2),
    known=st.lists(st.integers(0, 200), max_size=2),
    limits=st.sampled_from([DROPPED, HUB]),
)
@settings(max_examples=examples(300))
def test_circles_that_come_apart_equal_the_naive_closure(
    more: Pairs, chosen: list[int], come: Pairs, known: list[int], limits: str
) -> None:
    """Among the edges that come some may have been paths before, as those past a node that is cut off."""
    edges = sorted({*CIRCLES, *more})
    gone = {edges[number % len(edges)] for number in chosen}
    paths = sorted(naive_closure(edges))
    come = ({paths[number % len(paths)] for number in known} or {*come}) - {*edges}
    with tuning_context() as tuned:
        set_limits(tuned, limits)
        tuned(REMADE_SETS_LEAST=1, REMADE_SETS_SHARE=1 << 40, DETOUR_EDGES=0)
        before = TransitiveTable.of(edges_of(edges))
        after = before.changed(edges_of(come), edges_of(gone))
        later = after.changed(edges_of(gone), edges_of(come)).compacted()
    left = {*edges} - gone | come
    for version, expected in ((after, left), (later, {*edges})):
        version.closure._check()
        assert facts_of(version) == naive_closure(expected)
    assert facts_of(before.difference(after)) == naive_closure(edges) - naive_closure(left)
    assert facts_of(after.difference(before)) == naive_closure(left) - naive_closure(edges)
    assert facts_of(later.difference(after)) == naive_closure(edges) - naive_closure(left)
    assert facts_of(after.difference(later)) == naive_closure(left) - naive_closure(edges)


def test_a_circle_that_opens_keeps_the_labels_of_what_is_beside_it(
    tuned: Tuned, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is searched for components again but the circle."""
    tuned(REMADE_SETS_LEAST=4)
    circle = [(node, (node + 1) % 9) for node in range(9)]
    edges = [*circle, (20, 0), (21, 20), (4, 30), (30, 31)]
    before = TransitiveTable.of(edges_of(edges))
    monkeypatch.setattr(versions, "close", lambda edges: pytest.fail("closed without what is known"))

    after = before.changed(edges_of([]), edges_of([(8, 0)]))

    after.closure._check()
    assert after.closure.is_ordered
    assert facts_of(after) == naive_closure({*edges} - {(8, 0)})
    for node in (20, 21, 30, 31):
        assert after.closure.labelling.label(node) == before.closure.labelling.label(node)


def test_what_reaches_a_component_by_the_part_that_is_cut_off_loses_nothing() -> None:
    """Of 3 and 4 above a circle of 0, 1, 2 the latter leads to 0 by itself."""
    closure = TransitiveTable.of(edges_of([(0, 1), (1, 2), (2, 0), (3, 1), (4, 0)])).closure
    number = {node: int(closure.component[closure.labelling.label(node)]) for node in range(5)}

    shift = parting(closure, number[1], closure.component[closure.labelling.labels(edges_of([(4, 0)]).columns()[0])])

    assert shift.sets == 3
    assert shift.changing == pytest.approx(2 / 3)  # 3, and the circle itself


@given(
    edges=st.frozensets(st.tuples(NODE, NODE), min_size=1, max_size=20),
    chosen=st.lists(st.integers(0, 40), min_size=1),
)
@settings(max_examples=examples(200))
def test_no_more_pairs_pass_some_edges_than_are_told_at_least(edges: Pairs, chosen: list[int]) -> None:
    some = {sorted(edges)[number % len(edges)] for number in chosen}
    table = TransitiveTable.of(edges_of(edges))
    lost = table.passing(edges_of(some))
    assert lost is not None
    assert 0 < table.least_passing(edges_of(some)) <= len(lost)
    inverse = table.inverse()
    assert inverse.least_passing(edges_of({(b, a) for a, b in some})) <= len(lost)


def test_all_pairs_of_a_circle_pass_each_of_its_edges() -> None:
    table = TransitiveTable.of(edges_of([(0, 1), (1, 2), (2, 0), (2, 3)]))
    assert table.least_passing(edges_of([(1, 2)])) == 12
    assert table.least_passing(edges_of([(2, 3)])) == 3
