"""What edges shift, against all sets counted: a look that takes a set for changed though another edge leads on, or that
counts what an edge cannot reach."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.relations.transitive import versions
from kgreason.relations.transitive.closure_table import TransitiveTable
from kgreason.relations.transitive.shift_estimate import coming, going
from tests.profiles import examples
from tests.relations.table_reads import Pairs, edges_of, naive_closure

nodes = st.integers(0, 7)
acyclic = st.frozensets(st.tuples(nodes, nodes).filter(lambda edge: edge[0] < edge[1]), min_size=2, max_size=14)


def reached(edges: Pairs) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {node: set() for edge in edges for node in edge}
    for subject, object in naive_closure(edges):
        found[subject].add(object)
    return found


@given(edges=acyclic, at=st.integers(0, 13))
@settings(max_examples=examples(100))
def test_of_an_edge_without_cycles_both_ways_are_counted_exactly(edges: Pairs, at: int) -> None:
    edge = sorted(edges)[at % len(edges)]
    before = reached(edges)
    after = {**{node: set() for node in before}, **reached(edges - {edge})}
    expected = sum(before[node] != after[node] for node in before) / len(before)
    source = sum(node == edge[0] or edge[0] in before[node] for node in before) / len(before)
    closure = TransitiveTable.of(edges_of(edges)).closure

    lost = going(closure, edges_of([edge]), edges_of(edges - {edge}))
    assert lost is not None
    assert (lost.changing, lost.reaching) == (expected, source)

    smaller = TransitiveTable.of(edges_of(edges - {edge})).closure
    gained = coming(smaller, edges_of([edge]))
    if gained is not None:
        count = len(smaller.labelling)
        assert gained.changing == expected * len(before) / count
        assert gained.reaching == source * len(before) / count


@given(edges=st.frozensets(st.tuples(nodes, nodes), min_size=2, max_size=14), at=st.integers(0, 13))
@settings(max_examples=examples(200))
def test_of_an_edge_between_components_both_ways_are_counted_exactly(edges: Pairs, at: int) -> None:
    """Each component counts once, by the set of any of its nodes."""
    edge = sorted(edges)[at % len(edges)]
    before = reached(edges)
    closure = TransitiveTable.of(edges_of(edges)).closure
    known, lost = closure.labelling.nodes, going(closure, edges_of([edge]), edges_of(edges - {edge}))
    if edge[0] in before[edge[1]] or edge[0] == edge[1]:
        assert lost is None
        return
    after = {**{node: set() for node in before}, **reached(edges - {edge})}
    numbers = {int(number) for number in closure.component}
    changes = [before[int(known[number])] != after[int(known[number])] for number in numbers]
    sources = [int(known[number]) == edge[0] or edge[0] in before[int(known[number])] for number in numbers]

    assert lost is not None
    assert (lost.changing, lost.reaching) == (sum(changes) / len(numbers), sum(sources) / len(numbers))
    gained = coming(TransitiveTable.of(edges_of(edges - {edge})).closure, edges_of([edge]))
    if gained is not None and len(reached(edges - {edge})) == len(before):
        assert (gained.changing, gained.reaching) == (lost.changing, lost.reaching)


@pytest.mark.parametrize(
    ("edges", "changed"),
    [([(0, 1), (1, 0), (1, 2)], [(1, 0)]), ([(0, 1)], [(2, 1)]), ([(0, n) for n in range(1, 20)], [(1, 2)] * 9)],
    ids=["within a component", "from a new node", "many"],
)
def test_nothing_is_told_of_other_changes(edges: list[tuple[int, int]], changed: list[tuple[int, int]]) -> None:
    closure = TransitiveTable.of(edges_of(edges)).closure
    more = edges_of([*dict.fromkeys(changed), *((n, n + 1) for n in range(2, 10))][: max(1, len(changed))])

    assert coming(closure, more if len(changed) > 1 else edges_of(changed)) is None


def test_all_that_leads_to_the_source_gains_a_new_node() -> None:
    closure = TransitiveTable.of(edges_of([(0, 1), (1, 2), (3, 2)])).closure

    shift = coming(closure, edges_of([(1, 9), (8, 9)]))

    assert shift is not None
    assert shift.changing == shift.reaching == 2 / 4


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_change_of_most_sets_is_dropped_before_they_are_made(share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 600
    path = [(node, node + 1) for node in range(count)]
    at = int(count * share)
    whole = TransitiveTable.of(edges_of(path))
    closed: list[int] = []
    made = versions._closed
    monkeypatch.setattr(versions, "_closed", lambda *given: (closed.append(1), made(*given))[1])

    parted = whole.changed(edges_of([]), edges_of([path[at]]))
    again = parted.changed(edges_of([path[at]]), edges_of([]))

    assert len(closed) == (0 if share < 0.2 else 2)
    for table, expected in ((parted, at * (at + 1) // 2 + (count - at) * (count - at - 1) // 2), (again, len(whole))):
        table._check()
        assert len(table) == expected


@pytest.mark.parametrize(("gone", "come", "is_closed"), [(60, 30, False), (60, 540, True), (540, 60, True)])
def test_an_exchange_of_edges_that_changes_most_sets_is_dropped_before_they_are_made(
    gone: int, come: int, is_closed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a path one edge goes, and another one comes that was not there yet."""
    path = [(node, node + 1) for node in range(600)]
    whole = TransitiveTable.of(edges_of([*path[:come], *path[come + 1 :]]))
    closed: list[int] = []
    made = versions._closed
    monkeypatch.setattr(versions, "_closed", lambda *given: (closed.append(1), made(*given))[1])

    after = whole.changed(edges_of([path[come]]), edges_of([path[gone]]))

    assert bool(closed) == is_closed
    after._check()
    assert len(after) == gone * (gone + 1) // 2 + (600 - gone) * (599 - gone) // 2
