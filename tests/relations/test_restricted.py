"""Closures that leave pairs out, against sets of pairs: a pair of a thing with itself that a cycle makes, a way to an
excluded thing that takes a step more, a difference of versions that forgets an edge where a longer way was known."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.relations.catalogue import Restriction
from kgreason.relations.table import Table
from kgreason.relations.transitive.closure_table import TransitiveTable
from kgreason.relations.transitive.restricted_closure import RestrictedClosure
from tests.profiles import examples
from tests.relations.edge_histories import LIMITS, Step, assert_versions, edge_sets, histories, set_limits
from tests.relations.table_reads import (
    EXAMPLES,
    Pairs,
    assert_first_reads,
    assert_reads,
    edges_of,
    facts_of,
    naive_closure,
    rows_of,
)
from tests.thresholds import Tuned

NOTHING = Restriction(False)
RESTRICTIONS = [Restriction(True), Restriction(False, (1,)), Restriction(True, (1, 2)), Restriction(True, (99,))]


def naive(edges: Pairs, restriction: Restriction) -> Pairs:
    """The fixpoint of the rule that the restriction stands for, pair by pair."""
    known: Pairs = frozenset()
    found = edges
    while known != found:
        known = found
        made = {(a, d) for a, b in known for c, d in known if b == c and d not in restriction.excluded}
        found = known | {(a, b) for a, b in made if a != b or not restriction.irreflexive}
    return found


def passing(edges: Pairs, some: Pairs, restriction: Restriction) -> Pairs:
    """The pairs with a path along one of some edges, and what the restriction leaves of these."""
    closed = naive_closure(edges)
    nodes = {node for edge in edges for node in edge}
    found = {
        (a, d)
        for b, c in some
        for a in nodes
        if a == b or (a, b) in closed
        for d in nodes
        if c == d or (c, d) in closed
    }
    return frozenset(
        (a, d)
        for a, d in found
        if (a, d) in some or not ((a == d and restriction.irreflexive) or d in restriction.excluded)
    )


@pytest.mark.parametrize("restriction", RESTRICTIONS, ids=str)
@pytest.mark.parametrize("limits", LIMITS)
def test_every_version_equals_the_naive_fixpoint(limits: str, restriction: Restriction, tuned: Tuned) -> None:
    set_limits(tuned, limits)

    def look(before: RestrictedClosure, after: RestrictedClosure, edges: Pairs) -> None:
        after._check()
        gone = facts_of(before.edges) - edges
        if gone:
            lost = passing(facts_of(before.edges), gone, restriction)
            assert_reads(before.passing(edges_of(gone)), lost)
            assert_first_reads(lambda: before.passing(edges_of(gone)), lost)
            assert before.least_passing(edges_of(gone)) <= len(lost)
        was, now = naive(facts_of(before.edges), restriction), naive(edges, restriction)
        for whole, part, expected in ((after, before, now - was), (before, after, was - now)):
            assert_reads(whole.difference(part), expected)
            assert_first_reads(partial(whole.difference, part), expected)
            found = rows_of(whole.difference(part).reciprocal(whole))
            either = now if whole is after else was
            assert {*found} == {pair for pair in expected if pair[::-1] in either}
            assert len(found) == len({*found})

    @given(history=histories(4))
    @settings(max_examples=EXAMPLES)
    def check(history: tuple[Pairs, list[Step]]) -> None:
        assert_versions(
            history,
            lambda edges: RestrictedClosure.of(edges, restriction),
            lambda edges: naive(edges, restriction),
            look,
        )

    check()


def closed(closure: TransitiveTable, restriction: Restriction | None) -> Table:
    """The pairs of a closure, but for those that a restriction leaves out."""
    return closure if restriction is None else RestrictedClosure(closure, restriction)


@pytest.mark.parametrize("limits", LIMITS)
def test_difference_of_closures_of_other_restrictions(limits: str, tuned: Tuned) -> None:
    set_limits(tuned, limits)

    @given(
        edges=edge_sets(range(6), 10),
        more=edge_sets(range(6), 2),
        restrictions=st.lists(st.sampled_from([None, *RESTRICTIONS]), min_size=2, max_size=2),
        is_inverse=st.booleans(),
    )
    @settings(max_examples=examples(100))
    def check(edges: Pairs, more: Pairs, restrictions: list[Restriction | None], is_inverse: bool) -> None:
        closure = TransitiveTable.of(edges_of(edges))
        later = closure.changed(edges_of(more - edges), edges_of([]))
        tables = closed(closure, restrictions[0]), closed(later, restrictions[1])
        pairs = naive(edges, restrictions[0] or NOTHING), naive(edges | more, restrictions[1] or NOTHING)
        if is_inverse:
            tables = tables[0].inverse(), tables[1].inverse()
            pairs = frozenset(pair[::-1] for pair in pairs[0]), frozenset(pair[::-1] for pair in pairs[1])

        for one, other in ((0, 1), (1, 0)):
            expected = pairs[one] - pairs[other]
            assert_reads(tables[one].difference(tables[other]), expected)
            assert_reads(tables[other].lacking(tables[one]), expected)
            assert tables[one].is_subset_of(tables[other]) in (None, not expected)
            told = tables[one].changed_subjects(tables[other])
            assert told is None or {subject for subject, _ in expected} <= {*told.tolist()}

    check()


@given(before=edge_sets(range(8), 10), after=edge_sets(range(8), 10), restriction=st.sampled_from(RESTRICTIONS))
@settings(max_examples=EXAMPLES)
def test_difference_of_closures_with_labels_of_their_own(
    before: Pairs, after: Pairs, restriction: Restriction
) -> None:
    tables = [RestrictedClosure.of(edges_of(edges), restriction) for edges in (before, after)]

    expected = naive(after, restriction) - naive(before, restriction)

    assert_reads(tables[1].difference(tables[0]), expected)
    assert_reads(tables[1].closure.difference(tables[0].closure), naive_closure(after) - naive_closure(before))
