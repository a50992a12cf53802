"""The schemes of the catalogue: the next version from what comes and goes in several inputs, against Python sets.

Inputs share edges, so that an edge which goes from one of them is still there in another, and hold virtual tables,
whose pairs come and go without anybody who says which.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.relations.catalogue import AUTO, EQUIVALENCE, PLAIN, SYMMETRIC, TRANSITIVE, UNION, Catalogue, Input
from kgreason.relations.equivalence import EquivalenceTable
from kgreason.relations.inverse import inverse_view
from kgreason.relations.net_changes import net_change, union_change
from kgreason.relations.schemes import oriented, standard_catalogue
from kgreason.relations.table import Table
from kgreason.relations.transitive.closure_table import TransitiveTable
from kgreason.relations.union import UnionTable
from kgreason.relations.unions_of_sets import UnaryUnion
from tests.profiles import examples
from tests.relations.edge_histories import BESIDE, LIMITS, edge_sets, set_limits
from tests.relations.table_reads import (
    DENSE,
    EXAMPLES,
    SPARSE,
    Pairs,
    assert_reads,
    edges_of,
    facts_of,
    inverted,
    make,
    naive_closure,
    naive_equivalence,
)
from tests.thresholds import Tuned, replaced_constants


def symmetric(pairs: Pairs) -> Pairs:
    return pairs | inverted(pairs)


NAIVE: dict[str, Callable[[Pairs], Pairs]] = {
    UNION: frozenset,
    SYMMETRIC: symmetric,
    TRANSITIVE: naive_closure,
    EQUIVALENCE: naive_equivalence,
}

# How the edges of an input are kept, and which pairs that makes.
KEPT: dict[str, tuple[Callable[[Pairs], Table], Callable[[Pairs], Pairs]]] = {
    "plain": (edges_of, frozenset),
    "transitive": (lambda edges: TransitiveTable.of(edges_of(edges)), naive_closure),
    "inverse": (
        lambda edges: inverse_view(TransitiveTable.of(edges_of(edges))),
        lambda edges: frozenset(inverted(naive_closure(edges))),
    ),
    "equivalence": (lambda edges: EquivalenceTable.of(edges_of(edges)), naive_equivalence),
    "union": (
        lambda edges: UnionTable([edges_of(edges), oriented(TransitiveTable.of(edges_of(edges)), True)]),
        lambda edges: frozenset(edges | inverted(naive_closure(edges))),
    ),
}
NODES = st.sampled_from([DENSE, SPARSE, DENSE[:4]])
INPUTS = st.one_of(
    st.lists(st.just("plain"), min_size=1, max_size=3), st.lists(st.sampled_from([*KEPT]), min_size=1, max_size=3)
)


@pytest.mark.parametrize("limits", [LIMITS[0], LIMITS[2]])
@pytest.mark.parametrize("name", NAIVE)
def test_what_is_derived_equals_a_set(name: str, limits: str, tuned: Tuned) -> None:
    set_limits(tuned, limits)
    scheme = standard_catalogue().schemes[name]

    @given(data=st.data(), kinds=INPUTS, count=st.integers(2, 5))
    @settings(max_examples=examples(2) * EXAMPLES)
    def check(data: st.DataObject, kinds: list[str], count: int) -> None:
        nodes = data.draw(NODES)
        before: Table | None = None
        inputs: list[Input] = [Input(None, None, None, None)] * len(kinds)
        pairs: list[Pairs] = [frozenset()] * len(kinds)
        versions: list[tuple[Table, Pairs]] = []
        for _ in range(count):
            for number, kind in enumerate(kinds):
                keep, close = KEPT[kind]
                edges = data.draw(edge_sets(nodes))
                last = inputs[number].after
                kept = (keep(edges), close(edges))
                after, pairs[number] = data.draw(
                    st.sampled_from([kept, kept, kept, (last, pairs[number]), (None, frozenset())])
                )
                inputs[number] = Input(last, after, *net_change(last, after))
            facts: Pairs = frozenset().union(*pairs)
            table = scheme.derive(before, inputs)
            expected = NAIVE[name](facts)
            assert_reads(table, expected)
            old = versions[-1][1] if versions else frozenset()
            if name in (UNION, SYMMETRIC):
                came, gone = union_change(name == SYMMETRIC, inputs, before, table)
            else:
                came, gone = net_change(before, table)
            assert (facts_of(came) if came is not None else set()) == expected - old
            assert (facts_of(gone) if gone is not None else set()) == old - expected
            versions.append((table, expected))
            before = table
        for table, expected in versions:
            assert facts_of(table) == expected, "an earlier version has changed"

    check()


def test_change_of_a_union_with_one_source_is_that_of_the_source() -> None:
    """Would catch a large change that is looked up in the source, and the change of a pass in place of a visit's."""
    scheme, first, later = standard_catalogue().schemes[UNION], edges_of([(1, 2), (2, 3)]), edges_of([(1, 2), (4, 5)])
    came, gone = edges_of([(4, 5)]), edges_of([(2, 3)])
    table = scheme.derive(None, [Input(None, first, first, None)])
    inputs = [Input(first, later, came, gone), Input(None, None, None, None)]

    after = scheme.derive(table, inputs)

    assert union_change(False, inputs, table, after) == (came, gone)
    assert union_change(False, inputs, after, after) == (None, None)
    last = edges_of([(6, 7), (4, 5)])
    inputs = [Input(first, last, edges_of([(4, 5), (6, 7)]), edges_of([(1, 2), (2, 3)]))]
    assert [*map(facts_of, union_change(False, inputs, after, scheme.derive(after, inputs)))] == [{(6, 7)}, {(1, 2)}]


@pytest.mark.parametrize("name", [UNION, SYMMETRIC])
def test_what_came_and_went_before_does_not_count_again(name: str) -> None:
    """A pass may look at a stratum twice: the changes of its inputs are those of the whole pass then."""
    scheme, more, less = standard_catalogue().schemes[name], edges_of([(1, 2), (2, 3), (4, 5)]), edges_of([(1, 2)])
    first = EquivalenceTable.of(more)
    inputs = [Input(None, first, first, None)]
    table = scheme.derive(None, inputs)
    assert len(table) == 13
    second = EquivalenceTable.of(less)
    inputs = [Input(first, second, None, first.difference(second).materialised())]

    for gone in (9, 0):
        after = scheme.derive(table, inputs)
        came, went = union_change(name == SYMMETRIC, inputs, table, after)
        assert (came, len(went or ()), len(after)) == (None, gone, 4)
        table = after


def test_an_edge_that_another_input_has_stays() -> None:
    edges = edges_of([(1, 2), (2, 3)])
    scheme = standard_catalogue().schemes[TRANSITIVE]
    before = scheme.derive(None, [Input(None, edges, edges, None), Input(None, edges, edges, None)])
    gone = edges_of([(1, 2)])
    less = Input(edges, edges.difference(gone), None, gone)
    assert scheme.derive(before, [less, Input(edges, edges, None, None)]) is before
    assert facts_of(scheme.derive(before, [less, less])) == {(2, 3)}


def test_an_edge_that_comes_again_is_followed_by_the_inverse(tuned: Tuned) -> None:
    """An edge that another input has had all along is none that came; when both lose it, it is gone."""
    set_limits(tuned, BESIDE)
    scheme = standard_catalogue().schemes[TRANSITIVE]
    edges, same, nothing = edges_of([(1, 2), (2, 3)]), edges_of([(1, 2)]), edges_of([])
    before = scheme.derive(None, [Input(None, edges, edges, None), Input(None, nothing, None, None)])
    assert len(before.inverse()) == 3
    twice = scheme.derive(before, [Input(edges, edges, None, None), Input(nothing, same, same, None)])
    less = edges.difference(same)
    after = scheme.derive(twice, [Input(edges, less, None, same), Input(same, nothing, None, same)])
    assert_reads(after, {(2, 3)})


def test_edges_of_one_plain_table_are_not_held_twice() -> None:
    """A closure that took a copy of the facts that it is made of would hold them twice after each change."""
    scheme = standard_catalogue().schemes[TRANSITIVE]
    edges, more = edges_of({(1, 2), (2, 3)}), edges_of({(1, 2), (2, 3), (3, 4)})
    before = scheme.derive(None, [Input(None, edges, edges, None)])

    after = scheme.derive(before, [Input(edges, more, edges_of({(3, 4)}), None)])

    assert [*after.generators()] == [more]
    assert facts_of(after) == {(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)}


@pytest.mark.parametrize("kind", KEPT)
def test_generators_close_to_the_same(kind: str) -> None:
    edges = frozenset({(1, 2), (2, 3), (3, 1), (4, 4), (5, 6)})
    table = KEPT[kind][0](edges)
    found = {pair for each in table.generators() for pair in facts_of(each)}
    assert naive_closure(found) == naive_closure(facts_of(table))
    assert len(found) <= 2 * len(edges)


@given(
    st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=20),
    st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=5),
)
def test_graphs_of_many_edges_are_closed_around_their_giant_component(
    inner: set[tuple[int, int]], outer: set[tuple[int, int]]
) -> None:
    edges = inner | outer

    with replaced_constants(GIANT_EDGES=1, GRAPH_EDGES=3):
        table = TransitiveTable.of(edges_of(edges))

    table._check()
    assert facts_of(table) == naive_closure(frozenset(edges))


def test_unary_relations_are_united() -> None:
    scheme = standard_catalogue().schemes[UNION]
    first, second = make([(1,), (2,)], 1), make([(2,), (5,)], 1)
    table = scheme.derive(None, [Input(None, first, first, None), Input(None, second, second, None)])
    assert isinstance(table, UnaryUnion)
    assert_reads(table, {(1,), (2,), (5,)})
    less = scheme.derive(table, [Input(first, first, None, None), Input(second, None, None, second)])
    assert [facts_of(part) for part in net_change(table, less) if part is not None] == [{(5,)}]
    added, removed = union_change(False, [Input(second, None, None, second)], table, less)
    assert added is None
    assert removed is not None
    assert facts_of(removed) == {(5,)}
    nothing = scheme.derive(less, [Input(None, None, None, None)])
    assert not nothing
    assert facts_of(nothing) == set()


def test_nothing_changes_when_nothing_did() -> None:
    table = edges_of([(1, 2)])
    assert net_change(table, table) == (None, None)
    assert net_change(None, None) == (None, None)
    assert net_change(None, table) == (table, None)
    assert net_change(table, edges_of([])) == (None, table)
    assert net_change(table, edges_of([(1, 2)])) == (None, None)


def test_a_catalogue_is_itself() -> None:
    catalogue = standard_catalogue(PLAIN)
    assert catalogue.default == PLAIN
    assert standard_catalogue(AUTO).default == AUTO
    assert standard_catalogue(catalogue) is catalogue
    assert isinstance(catalogue, Catalogue)
