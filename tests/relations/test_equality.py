"""Classes of equal things, and facts over their representatives, against sets of pairs."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.relations.catalogue import CHAIN, EQUALITY, SYMMETRIC, TRANSITIVE, UNION, Input
from kgreason.relations.equality import EqualityTable
from kgreason.relations.equivalence import EquivalenceTable
from kgreason.relations.label_sets import LabelSets
from kgreason.relations.net_changes import net_change
from kgreason.relations.plain import empty_table, table_of
from kgreason.relations.represented import RepresentedTable
from kgreason.relations.schemes import standard_catalogue
from kgreason.relations.table import Table
from kgreason.relations.transitive.closure_table import TransitiveTable
from tests.profiles import examples
from tests.relations.edge_histories import LIMITS, Step, assert_versions, edge_sets, histories, set_limits
from tests.relations.table_reads import (
    DENSE,
    EXAMPLES,
    Pairs,
    assert_reads,
    edges_of,
    facts_of,
    ids,
    naive_closure,
    naive_equivalence,
)
from tests.thresholds import Tuned


def naive_equality(edges: Pairs) -> Pairs:
    """Different members of a component are equal, and what an edge says is equal to itself."""
    return frozenset((a, b) for a, b in naive_equivalence(edges) if a != b or (a, b) in edges)


def classes_of(edges: Pairs) -> dict[int, set[int]]:
    """The class of each node of some edges."""
    found: dict[int, set[int]] = {}
    for a, b in naive_equivalence(edges):
        found.setdefault(a, {a}).add(b)
    return found


def shown(facts: Pairs, edges: Pairs) -> Pairs:
    """What follows when everything may be replaced by what is equal to it."""
    classes = classes_of(edges)
    return frozenset(
        pair for a, b in facts for pair in product(classes.get(a, {a}), classes.get(b, {b}))
    )


def look(before: EqualityTable, after: EqualityTable, edges: Pairs) -> None:
    """The classes that changed, and the representatives, are those of the edges."""
    after._check()
    old, new = classes_of(facts_of(before.edges)), classes_of(edges)
    moved = {node for node in {*old, *new} if old.get(node) != new.get(node)}
    assert moved <= {*after.moved(before).tolist()}
    joined = {node for node in new if not new[node] <= old.get(node, {node})}
    assert joined <= {*after.joined(before).tolist()}
    assert facts_of(after.difference(before)) == naive_equality(edges) - naive_equality(facts_of(before.edges))
    nodes = ids(*sorted({*DENSE, *new}))
    assert after.representatives(nodes).tolist() == [min(new.get(n, {n})) for n in nodes.tolist()]


@pytest.mark.parametrize("limits", [LIMITS[0], LIMITS[2]])
def test_every_version_equals_the_naive_closure(limits: str, tuned: Tuned) -> None:
    set_limits(tuned, limits)

    @given(history=histories())
    @settings(max_examples=EXAMPLES)
    def check(history: tuple[Pairs, list[Step]]) -> None:
        assert_versions(history, EqualityTable.of, naive_equality, look)

    check()


@given(edges=edge_sets(DENSE), data=st.data())
@settings(max_examples=EXAMPLES)
def test_pairs_with_a_path_along_edges_are_those_of_their_classes(edges: Pairs, data: st.DataObject) -> None:
    gone = data.draw(st.sets(st.sampled_from(sorted(edges)))) if edges else set()
    ends = {end for edge in gone for end in edge}
    for table, naive in ((EqualityTable, naive_equality), (EquivalenceTable, naive_equivalence)):
        passing = table.of(edges_of(edges)).passing(edges_of(gone))
        passing._check()
        found = naive(edges)
        around = {b for a, b in naive_equivalence(edges) if a in ends}
        assert facts_of(passing) == {(a, b) for a, b in found if a in around}


NAIVE = {
    UNION: lambda facts: facts,
    SYMMETRIC: lambda facts: frozenset(facts | {(b, a) for a, b in facts}),
    TRANSITIVE: naive_closure,
}
"""What follows from facts, closed under equality before and after."""


def closed(name: str, facts: Pairs, edges: Pairs) -> Pairs:
    """The fixpoint of a closure and of equality."""
    before: Pairs = frozenset()
    while before != facts:
        before, facts = facts, shown(frozenset(NAIVE[name](shown(facts, edges))), edges)
    return facts


@pytest.mark.parametrize(("few_members", "kept"), [(0, 1 << 16), (1 << 10, 1 << 16), (1 << 10, 2)])
@pytest.mark.parametrize("is_written", [False, True])
@pytest.mark.parametrize("name", NAIVE)
def test_facts_over_representatives(name: str, is_written: bool, few_members: int, kept: int, tuned: Tuned) -> None:
    tuned(FEW_MEMBERS=few_members, CHUNK=4, KEPT=kept, SETS_MERGE_LEAST=1, SETS_MERGE_FRACTION=1000)
    catalogue = standard_catalogue()
    assert catalogue.representation is not None
    scheme = catalogue.representation.over(catalogue.schemes[name], is_written and name != TRANSITIVE)
    below = catalogue.representation.over(catalogue.schemes[UNION], False)

    @given(data=st.data(), count=st.integers(2, 5))
    @settings(max_examples=2 * EXAMPLES)
    def check(data: st.DataObject, count: int) -> None:
        equality = Input(None, None, None, None, EQUALITY)
        own = source = Input(None, None, None, None)
        lower: Table | None = None
        table: Table | None = None
        old: Pairs = frozenset()
        drawn: tuple[Pairs, ...] = (old, old, old)
        versions: list[tuple[Table, Pairs]] = []
        for _ in range(count):
            drawn = tuple(data.draw(st.just(each) | edge_sets(DENSE[:6])) for each in drawn)
            edges, facts, others = drawn
            equality = next_input(equality, catalogue.schemes[EQUALITY], edges)
            own, source = plain_input(own, facts), plain_input(source, others)
            derived = below.derive(lower, [source, equality])
            shared = Input(lower or None, derived or None, *net_change(lower, derived), CHAIN)
            after = scheme.derive(table, [own, shared, equality])
            lower = derived
            if after:
                after._check()
            expected = closed(name, facts | others, edges)
            assert_reads(after, expected)
            came, gone = net_change(table, after)
            assert (facts_of(came) if came is not None else set()) == expected - old
            assert (facts_of(gone) if gone is not None else set()) == old - expected
            if table is not None:
                assert_hints(after, expected, table, old)
                assert_hints(table, old, after, expected)
            versions.append((after, expected))
            table, old = after.compacted() if data.draw(st.booleans()) else after, expected
        for version, expected in versions:
            assert facts_of(version) == expected, "an earlier version has changed"

    check()


@pytest.mark.parametrize("name", [UNION, SYMMETRIC])
def test_versions_of_a_union_know_what_came_and_went(name: str) -> None:
    """A look at all parts for that takes longer than to derive the version."""
    catalogue = standard_catalogue()
    assert catalogue.representation is not None
    scheme = catalogue.representation.over(catalogue.schemes[name], False)
    equality = next_input(Input(None, None, None, None, EQUALITY), catalogue.schemes[EQUALITY], frozenset({(1, 2)}))
    one, other = (plain_input(Input(None, None, None, None), frozenset({pair})) for pair in ((3, 4), (5, 6)))
    before = scheme.derive(None, [one, other, equality])
    assert isinstance(before, RepresentedTable)

    one, same = plain_input(one, frozenset({(3, 2)})), plain_input(other, frozenset({(5, 6)}))
    after = scheme.derive(before, [one, same, next_input(equality, catalogue.schemes[EQUALITY], frozenset({(1, 2)}))])

    assert isinstance(after, RepresentedTable)
    for mine, theirs in ((after, before), (before, after)):
        fresh = mine.fresh_inside(theirs)
        assert not fresh.is_virtual
        assert facts_of(fresh) == facts_of(mine.inner) - facts_of(theirs.inner)


def test_changed_sets_of_a_closure_over_representatives_are_written_together(tuned: Tuned) -> None:
    """Otherwise they would lie beside the others for ever, and be copied by every change."""
    tuned(SETS_MERGE_LEAST=3)
    chain = TransitiveTable.of(edges_of((node, node + 1) for node in range(3, 20)))
    equality = EqualityTable.of(edges_of([(1, 2)]))
    few, many = (
        RepresentedTable(chain.changed(edges_of([edge]), edges_of([])), equality)
        for edge in ((4, 30), (19, 30))
    )
    assert few.compacted() is few

    merged = many.compacted()

    assert isinstance(merged.inner, TransitiveTable)
    assert isinstance(merged.inner.closure.reached, LabelSets)
    assert not merged.inner.closure.reached._changed
    assert facts_of(merged) == facts_of(many)


@pytest.mark.parametrize("position", [0, 1])
def test_all_that_is_related_to_a_class_changes_with_its_members(position: int, tuned: Tuned) -> None:
    tuned(KEPT=2)
    said = [(number, 1) for number in range(10, 20)]
    inner = edges_of(said if position else [pair[::-1] for pair in said])
    one, two = (RepresentedTable(inner, EqualityTable.of(edges_of(edges))) for edges in ([(1, 2)], [(1, 2), (2, 3)]))

    for mine, theirs in ((one, two), (two, one)):
        assert_hints(mine, facts_of(mine), theirs, facts_of(theirs))


def assert_hints(mine: Table, facts: Pairs, theirs: Table, others: Pairs) -> None:
    """What may differ between two versions has all that does."""
    subjects = mine.changed_subjects(theirs)
    changed = {subject for subject, _ in facts ^ others} & {subject for subject, _ in facts}
    assert subjects is None or {*subjects.tolist()} >= changed
    for position in (0, 1):
        missing = {fact[position] for fact in facts} - {fact[position] for fact in others}
        assert {*mine.keys_missing_from(theirs, position).tolist()} >= missing


@pytest.mark.parametrize("is_written", [False, True])
@pytest.mark.parametrize("name", [UNION, SYMMETRIC, TRANSITIVE])
def test_first_and_last_classes_leave_pairs_of_other_things_alone(name: str, is_written: bool) -> None:
    """Would catch a relation that is derived and compared anew, all of it, with the first link and the last one."""
    catalogue = standard_catalogue()
    assert catalogue.representation is not None
    scheme = catalogue.representation.over(catalogue.schemes[name], is_written and name != TRANSITIVE)
    facts, nothing = edges_of([(1, 2), (2, 3), (5, 5)]), Input(None, None, None, None, EQUALITY)
    before = scheme.derive(None, [Input(None, facts, facts, None), nothing])
    same, said = Input(facts, facts, None, None), EqualityTable.of(edges_of([(7, 8)]))

    after = scheme.derive(before, [same, Input(None, said, said, None, EQUALITY)])
    again = scheme.derive(after, [same, Input(said, None, None, said, EQUALITY)])

    assert isinstance(after, RepresentedTable)
    assert net_change(before, after) == net_change(after, again) == (None, None)
    assert after.inner is again
    assert facts_of(again) == facts_of(before)
    if name == TRANSITIVE or is_written:
        assert again is before


def next_input(before: Input, scheme: object, edges: Pairs) -> Input:
    """The classes of edges, as the scheme makes them from those before."""
    raw = plain_input(Input(None, before.after.edges if before.after else None, None, None), edges)
    after = scheme.derive(before.after, [raw]) or None
    return Input(before.after, after, *net_change(before.after, after), EQUALITY)


def plain_input(before: Input, facts: Pairs) -> Input:
    """Facts that are written out."""
    after: Table | None = edges_of(facts) if facts else None
    if before.after is not None and after is not None:
        kept = before.after.difference(before.after.difference(after))
        after = kept.union(after)
    return Input(before.after, after, *net_change(before.after, after))


def test_a_set_is_completed_by_classes() -> None:
    catalogue = standard_catalogue()
    assert catalogue.representation is not None
    scheme = catalogue.representation.over(catalogue.schemes[UNION], False)
    equal = EqualityTable.of(edges_of([(1, 2), (2, 3), (7, 8)]))
    equality = Input(None, equal, None, None, EQUALITY)
    one, other = table_of((ids(3, 5),)), table_of((ids(8),))
    table = scheme.derive(None, [Input(None, one, one, None), Input(None, other, other, None), equality])
    table._check()
    assert table.distinct(0).tolist() == [1, 2, 3, 5, 7, 8]
    again = scheme.derive(None, [Input(None, table, None, None), equality])
    assert again.distinct(0).tolist() == [1, 2, 3, 5, 7, 8]


@pytest.mark.parametrize("turned", [False, True])
@settings(max_examples=examples(100))
@given(edge_sets(DENSE[:6], 8), edge_sets(DENSE[:6]))
def test_a_closure_over_representatives_is_generated_by_its_edges(turned: bool, edges: Pairs, links: Pairs) -> None:
    """A closure of it and others, as of a property path, would otherwise begin with all of its pairs."""
    equality = EqualityTable.of(edges_of(links))
    inner = edges_of(equality.represented(edges_of(edges).columns()))
    table = RepresentedTable(TransitiveTable.of(inner), equality)
    table = table.inverse() if turned else table

    found = {pair for each in table.generators() for pair in facts_of(each)}

    assert naive_closure(frozenset(found)) == facts_of(table)
    assert len(found) == equality.pair_sizes(inner.columns()).sum()


def test_a_thousand_equals_take_no_more_than_themselves() -> None:
    equal = EqualityTable.of(edges_of([(i, i + 1) for i in range(1, 2000)]))
    catalogue = standard_catalogue()
    assert catalogue.representation is not None
    scheme = catalogue.representation.over(catalogue.schemes[UNION], False)
    facts = edges_of([(i, i % 7 + 1) for i in range(1, 2001)])
    table = scheme.derive(None, [Input(None, facts, facts, None), Input(None, equal, None, None, EQUALITY)])
    assert len(table) == 2000 * 2000
    assert len(equal) == 2000 * 1999
    assert table.nbytes + equal.nbytes < 100_000


@given(links=edge_sets(DENSE, 5), said=edge_sets(DENSE, 8), plain=edge_sets(DENSE, 12))
@settings(max_examples=examples(200))
def test_facts_over_representatives_differ_from_plain_ones_as_sets(links: Pairs, said: Pairs, plain: Pairs) -> None:
    """A relation that begins, or ceases, to be kept over representatives: a difference that looks at pairs of equal
    things alone would miss what came or went with them."""
    equality = EqualityTable.of(edges_of(links))
    inner = table_of(tuple(map(equality.representatives, edges_of(said).columns()))) if said else empty_table(2)
    represented = RepresentedTable(inner, equality)
    facts, other = facts_of(represented), edges_of(plain)

    assert facts_of(represented.difference(other)) == facts - plain
    assert facts_of(represented.lacking(other)) == plain - facts
    assert represented.changed_subjects(other) is not None
    assert_hints(represented, facts, other, plain)
