"""The union scheme against Python sets: tables of every scheme, either way round, nested, and their versions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.relations.binary import BinaryTable
from kgreason.relations.equivalence import EquivalenceTable
from kgreason.relations.inverse import InverseTable, inverse_view
from kgreason.relations.schemes import oriented
from kgreason.relations.table import Table
from kgreason.relations.transitive.closure_table import TransitiveTable
from kgreason.relations.unary import UnaryTable
from kgreason.relations.union import UnionTable, flattened
from kgreason.relations.unions_of_sets import UnaryUnion
from tests.relations.edge_histories import LIMITS, edge_sets, set_limits
from tests.relations.table_reads import (
    DENSE,
    EXAMPLES,
    SPARSE,
    Pairs,
    assert_combines,
    assert_reads,
    edges_of,
    facts_of,
    ids,
    inverted,
    make,
    naive_closure,
    naive_equivalence,
)
from tests.thresholds import Tuned

Known = tuple[Table, frozenset]
Plan = tuple[tuple[int, bool], ...]


@dataclass
class Sources:
    """Two transitive tables, an equivalence and two plain ones, with their edges; a change makes new versions."""

    tables: list
    edges: list[Pairs]

    CLOSURES = (naive_closure, naive_closure, naive_equivalence, frozenset, frozenset)

    @classmethod
    def of(cls, edges: Sequence[Pairs]) -> Sources:
        plain = [edges_of(each) for each in edges]
        return cls([*map(TransitiveTable.of, plain[:2]), EquivalenceTable.of(plain[2]), *plain[3:]], [*edges])

    def changed(self, number: int, toggled: Pairs, is_merged: bool) -> Sources:
        tables, edges = [*self.tables], [*self.edges]
        came, gone = toggled - edges[number], toggled & edges[number]
        table = tables[number]
        if isinstance(table, BinaryTable):
            tables[number] = table.difference(edges_of(gone)).union(edges_of(came))
        else:
            tables[number] = table.changed(edges_of(came), edges_of(gone))
        if is_merged:
            tables[number] = tables[number].compacted()
        edges[number] ^= toggled
        return Sources(tables, edges)

    def pick(self, number: int, is_inverse: bool) -> Known:
        facts = frozenset(self.CLOSURES[number](self.edges[number]))
        return oriented(self.tables[number], is_inverse), frozenset(inverted(facts)) if is_inverse else facts

    def united(self, plan: Plan) -> Known:
        picked = [self.pick(*each) for each in plan]
        return UnionTable([table for table, _ in picked]), frozenset().union(*(facts for _, facts in picked))

    def nested(self, outer: Plan, inner: Plan, is_inverse: bool) -> Known:
        """A union of tables and of another union, either way round."""
        table, facts = self.united(inner)
        picked = [self.pick(*each) for each in outer]
        sources = [*(each for each, _ in picked), oriented(table, is_inverse)]
        facts = frozenset(inverted(facts)) if is_inverse else facts
        return UnionTable(sources), facts.union(*(each for _, each in picked))


NODES = st.sampled_from([DENSE, SPARSE, DENSE[:4]])
PLANS = st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=4).map(tuple)
CHANGES = st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=4)


def several(draw: Callable, count: int) -> list[Pairs]:
    nodes = draw(NODES)
    return [draw(edge_sets(nodes, 5)) for _ in range(count)]


@pytest.mark.parametrize("limits", [LIMITS[0], LIMITS[2]])
def test_every_version_equals_a_set(limits: str, tuned: Tuned) -> None:
    set_limits(tuned, limits)

    @given(data=st.data(), outer=PLANS, inner=PLANS, is_inverse=st.booleans(), changes=CHANGES)
    @settings(max_examples=EXAMPLES)
    def check(data: st.DataObject, outer: Plan, inner: Plan, is_inverse: bool, changes: list) -> None:
        sources = Sources.of(several(data.draw, 5))
        versions = [[sources.united(outer), sources.nested(outer, inner, is_inverse)]]
        toggles = several(data.draw, len(changes))
        for (number, is_merged), toggled in zip(changes, toggles, strict=True):
            sources = sources.changed(number, toggled, is_merged)
            versions.append([sources.united(outer), sources.nested(outer, inner, is_inverse)])
            for (before, old), (after, facts) in zip(versions[-2], versions[-1], strict=True):
                for left, right, expected in ((after, before, facts - old), (before, after, old - facts)):
                    difference = left.difference(right)
                    assert bool(difference) == bool(expected)
                    assert facts_of(difference) == expected
                    assert facts_of(difference.inverse()) == inverted(expected)
        for version in versions:
            for table, facts in version:
                assert_reads(table, facts)
                assert_reads(inverse_view(table), inverted(facts))

    check()


@pytest.mark.parametrize("limits", [LIMITS[0], LIMITS[2]])
def test_unions_combine_with_others(limits: str, tuned: Tuned) -> None:
    set_limits(tuned, limits)

    @given(data=st.data(), first=PLANS, second=PLANS, third=st.tuples(st.integers(0, 4), st.booleans()))
    @settings(max_examples=EXAMPLES)
    def check(data: st.DataObject, first: Plan, second: Plan, third: tuple[int, bool]) -> None:
        sources = Sources.of(several(data.draw, 5))
        union, other = sources.united(first), sources.united(second)
        alone = sources.pick(*third)
        assert_combines(*union, *other)
        assert_combines(*union, *alone)
        assert_combines(*alone, *union)

    check()


def test_a_table_and_its_inverse_are_counted_without_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pairs of a relation that go both ways are those within its components."""
    edges = [(1, 2), (2, 3), (3, 2), (4, 4), (3, 5), (6, 7), (7, 8), (8, 6)]
    transitive = TransitiveTable.of(edges_of(edges))
    equivalence = EquivalenceTable.of(edges_of(edges))
    symmetric = naive_closure(edges) | inverted(naive_closure(edges))
    whole = UnionTable([transitive, oriented(transitive, True)])
    backwards = UnionTable([oriented(transitive, True), transitive])
    twice = UnionTable([equivalence, inverse_view(equivalence)])
    three = UnionTable([transitive, oriented(transitive, True), edges_of([(1, 2), (30, 31)])])
    assert len(three) == len(symmetric) + 1
    monkeypatch.setattr(TransitiveTable, "chunks", None)
    monkeypatch.setattr(EquivalenceTable, "chunks", None)
    assert len(whole) == len(backwards) == len(symmetric)
    assert len(twice) == len(naive_equivalence(edges))


def test_a_part_between_a_table_and_its_inverse_counts() -> None:
    transitive = TransitiveTable.of(edges_of([(1, 2), (2, 3)]))
    between = edges_of([(2, 1), (7, 8), (8, 9)])
    union = UnionTable([transitive, between, oriented(transitive, True)])
    assert union.parts[1] is between
    assert len(union) == 8
    assert_reads(union, {(1, 2), (2, 3), (1, 3), (2, 1), (3, 2), (3, 1), (7, 8), (8, 9)})


def test_a_part_counts_once() -> None:
    transitive = TransitiveTable.of(edges_of([(1, 2), (2, 3)]))
    plain, nothing = edges_of([(1, 2), (7, 7)]), edges_of([])
    inner = UnionTable([transitive, plain])
    parts = flattened([inner, plain, transitive, nothing, inverse_view(inner), inverse_view(transitive)])
    assert parts[:2] == [transitive, plain]
    assert [(type(part), getattr(part, "base", None)) for part in parts[2:]] == [
        (InverseTable, transitive),
        (BinaryTable, None),
    ]
    assert facts_of(UnionTable(parts)) == {(1, 2), (2, 3), (1, 3), (7, 7), (2, 1), (3, 2), (3, 1)}
    assert not UnionTable([nothing, UnionTable([])])
    assert UnionTable([inner, plain]).estimate == 5
    assert UnionTable([plain, nothing]).parts == [plain]


def test_an_inverse_of_an_inverse_is_the_table() -> None:
    table = TransitiveTable.of(edges_of([(1, 2)]))
    assert inverse_view(inverse_view(table)) is table
    assert inverse_view(table).inverse() is table
    assert oriented(table, False) is table
    assert isinstance(oriented(edges_of([(1, 2)]), True), BinaryTable)
    assert facts_of(oriented(edges_of([(1, 2)]), True)) == {(2, 1)}
    ends = make([(1,), (2,)], 1)
    assert oriented(ends, True) is ends


def test_only_subjects_of_changed_sources_are_looked_at() -> None:
    edges = [(node, node + 1) for node in range(0, 60, 2)]
    transitive, equivalence = TransitiveTable.of(edges_of(edges)), EquivalenceTable.of(edges_of(edges))
    plain = edges_of((100 + node, node) for node in range(50))
    before = UnionTable([transitive, equivalence, plain])
    later = transitive.changed(edges_of([(1, 70)]), edges_of([(10, 11)]))
    after = UnionTable([later, equivalence, plain.union(edges_of([(120, 0)]))])
    different = after.changed_subjects(before)
    assert different is not None
    assert {0, 1, 120} <= {*different.tolist()} <= {0, 1, 10, 11, 70, 120}
    assert facts_of(after.difference(before)) == {(0, 70), (1, 70), (120, 0)}
    assert facts_of(before.difference(after)) == {(10, 11)} - facts_of(equivalence)
    assert after.changed_subjects(UnionTable([transitive])) is None
    assert after.changed_subjects(transitive) is None


def test_check_looks_into_the_parts() -> None:
    broken = BinaryTable(np.array([5, 5], dtype=np.uint64))
    for union in (UnionTable([broken]), UnionTable([UnionTable([edges_of([(1, 2)]), broken])])):
        with pytest.raises(AssertionError):
            union._check()
    members = UnaryTable.of((ids(1, 2),))
    stale = UnaryUnion([members])
    assert len(stale) == 2
    members.members.add(3)
    with pytest.raises(AssertionError):
        stale._check()


SETS = st.frozensets(st.sampled_from([*DENSE, *SPARSE]), max_size=8)


def singles(members: Iterable[int]) -> set:
    return {(member,) for member in members}


@pytest.mark.parametrize("limits", [LIMITS[0], LIMITS[2]])
def test_unary_unions_equal_sets(limits: str, tuned: Tuned) -> None:
    set_limits(tuned, limits)

    @given(parts=st.lists(SETS, max_size=4), inner=st.lists(SETS, max_size=3), other=SETS)
    @settings(max_examples=EXAMPLES)
    def check(parts: list, inner: list, other: frozenset) -> None:
        tables = [make(singles(part), 1) for part in parts]
        nested = UnaryUnion([make(singles(part), 1) for part in inner])
        table = UnaryUnion([*tables, nested, *tables])
        members = singles(frozenset().union(*parts, *inner))
        assert_reads(nested, singles(frozenset().union(*inner)))
        assert_reads(UnaryUnion(tables), singles(frozenset().union(*parts)))
        if len({id(part) for part in table.parts}) == len(table.parts):
            assert table.estimate == sum(map(len, parts)) + sum(map(len, inner))
        assert_reads(table, members)
        plain = make(singles(other), 1)
        assert_combines(table, members, plain, singles(other))
        assert_combines(plain, singles(other), table, members)
        assert_combines(table, members, nested, singles(frozenset().union(*inner)))
        for before, facts in zip(tables, parts, strict=True):
            assert facts_of(before) == singles(facts), "a part has changed"

    check()


def test_union_without_small_parts_is_read_whatever_counts_as_many(tuned: Tuned) -> None:
    tuned(SMALL_PARTS=0)
    one, other = frozenset({(1, 2), (2, 3)}), frozenset({(2, 3), (7, 8)})
    union = UnionTable([TransitiveTable.of(edges_of(one)), TransitiveTable.of(edges_of(other))])

    assert facts_of(union) == naive_closure(one) | naive_closure(other)
