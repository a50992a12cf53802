"""A table in any scheme against a Python set of tuples, through the whole protocol."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, combinations, permutations, product

import numpy as np

from kgreason.relations.binary import BinaryTable, as_binary
from kgreason.relations.plain import table_of
from kgreason.relations.table import Columns, Table
from tests.profiles import examples

EXAMPLES = examples(12)

Pair = tuple[int, int]
Pairs = frozenset[Pair]

# Ids that no history uses, so that readers meet unknown ones, below, between and above those that are known.
UNKNOWN = [7, 99, 2**16 + 1, 2**32 - 3]
DENSE = [0, 1, 2, 3, 4, 5, 6, 8]
SPARSE = [0, 1, 2, 2**16, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1]


def make(facts: Iterable[tuple[int, ...]], arity: int = 2) -> Table:
    """The plain table of some facts."""
    rows = np.array([*facts], dtype=np.uint32).reshape(-1, arity)
    return table_of(tuple(rows.T))


def edges_of(pairs: Iterable[Pair]) -> BinaryTable:
    return as_binary(make(pairs))


def ids(*identifiers: int) -> np.ndarray:
    return np.array(identifiers, dtype=np.uint32)


def rows_of(columns: Columns) -> list[tuple[int, ...]]:
    assert {column.dtype for column in columns} <= {np.dtype(np.uint32)}
    return [*zip(*(column.tolist() for column in columns), strict=True)]


def facts_of(table: Table) -> set:
    """The facts of a table, which come once each, sorted if it is plain."""
    rows = rows_of(table.columns())
    facts = set(rows)
    assert len(rows) == len(facts) == len(table), "a fact comes twice, or the length is wrong"
    assert table.materialised() is not table or rows == sorted(rows), "columns are not sorted"
    return facts


def naive_closure(edges: Iterable[Pair]) -> Pairs:
    """Pairs of which the second is reached from the first by one edge or more: a search from every node."""
    successors: dict[int, set[int]] = {}
    for source, target in edges:
        successors.setdefault(source, set()).add(target)
    found = set()
    for source, targets in successors.items():
        waiting = [*targets]
        reached = {*waiting}
        while waiting:
            fresh = successors.get(waiting.pop(), set()) - reached
            reached |= fresh
            waiting += fresh
        found |= {(source, target) for target in reached}
    return frozenset(found)


def naive_equivalence(edges: Iterable[Pair]) -> Pairs:
    edges = [*edges]
    return naive_closure([*edges, *((o, s) for s, o in edges)])


def inverted(facts: Iterable[tuple[int, ...]]) -> set:
    return {fact[::-1] for fact in facts}


def assert_reads(table: Table, facts: Iterable[tuple[int, ...]]) -> None:
    """The table has these facts, however it is asked, and so has its inverse."""
    expected = {*facts}
    assert_reads_one_way(table, expected)
    assert_reads_one_way(table.inverse(), inverted(expected))
    assert facts_of(table.inverse().inverse()) == expected
    assert_reads_as_a_whole(table, expected)
    assert table.estimate >= len(expected)


def assert_first_reads(make: Callable[[], Table], facts: Iterable[tuple[int, ...]]) -> None:
    """Each read is right where it is the first one, of a table that has looked at nothing yet."""
    expected = {*facts}
    terms = sorted({*UNKNOWN, *(term for fact in expected for term in fact)})[:32]
    assert bool(make()) == bool(expected)
    assert len(make()) == len(expected)
    some = rows_of(make().some())
    assert {*some} <= expected
    assert bool(some) == bool(expected)
    for position in range(make().arity):
        present = {fact[position] for fact in expected}
        assert make().has_key(position, ids(*terms)).tolist() == [term in present for term in terms]
        may_be_there = dict(zip(terms, make().may_have_key(position, ids(*terms)).tolist(), strict=True))
        assert all(may_be_there[term] for term in present.intersection(terms))
        assert make().expected_fanout(position, ids(*terms)) >= 0
        for term in terms[:: max(1, len(terms) // 4)] if make().arity > 1 else ():
            of_term = sorted(fact for fact in expected if fact[position] == term)
            index, found = make().lookup({position: ids(term)})
            assert sorted(rows_of(found)) == of_term
            assert index.tolist() == [0] * len(of_term)
            assert make().fanout(position, ids(term)).tolist() == [len(of_term)]


def assert_reads_as_a_whole(table: Table, facts: set) -> None:
    table._check()
    assert table.nbytes >= 0
    assert bool(table) == bool(facts)
    some = rows_of(table.some())
    assert {*some} <= facts
    assert bool(some) == bool(facts)
    rows = rows_of(table.columns())
    assert rows_of(table.select({})) == rows
    assert [row for chunk in table.chunks() for row in rows_of(chunk)] == rows, "chunks come in another order"
    plain = table.materialised()
    plain._check()
    assert plain.materialised() is plain
    assert facts_of(plain) == facts
    merged = table.compacted()
    assert facts_of(merged) == facts
    assert facts_of(merged.inverse()) == inverted(facts)
    kept = np.arange(len(rows)) % 3 != 1
    assert facts_of(table.filter(kept)) == {row for row, keep in zip(rows, kept.tolist(), strict=True) if keep}


def assert_reads_one_way(table: Table, facts: set) -> None:
    """Everything but what makes new tables."""
    assert facts_of(table) == facts
    arity = table.arity
    terms = sorted({*UNKNOWN, *(term for fact in facts for term in fact)})
    wanted = [*terms[::-1], *terms[::2], terms[0], terms[0]]
    assert_reads_by_subject(table, facts)
    for position in range(arity):
        by_term: dict[int, list[tuple[int, ...]]] = {term: [] for term in terms}
        for fact in facts:
            by_term[fact[position]].append(fact)
        assert_reads_at(table, position, by_term, wanted)
        if arity == 2:
            assert_images(table, position, by_term)
    known = sorted(facts)[:40]
    some = {*known, *(fact[::-1] for fact in known), *((term,) * arity for term in terms)}
    if arity == 2:
        some |= {*product(terms, terms)}
        assert_ends(table, facts, terms)
    rows = [*some, *known]
    columns = tuple(np.array(rows, dtype=np.uint32).T)
    found = table.contains(columns)
    assert found.dtype == np.bool_
    assert found.tolist() == [row in facts for row in rows]
    assert table.contains((ids(),) * arity).tolist() == []
    few = [*some][:30]
    for row in few:
        assert_reads_about(table, facts, row)
    for position in (0, 1) if arity == 2 else ():
        for term in {row[position] for row in few}:
            assert_reads_around(table, facts, position, term)
    for size in range(2, arity):
        for positions in combinations(range(arity), size):
            found_by: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
            for fact in facts:
                found_by.setdefault(tuple(fact[p] for p in positions), []).append(fact)
            assert_expands(table, positions, found_by, [fact for row in known for fact in row])


def assert_reads_at(table: Table, position: int, by_term: dict, wanted: Sequence[int]) -> None:
    """What a table has of ids at a position, known ones and others."""
    assert table.distinct(position).tolist() == [term for term in by_term if by_term[term]]
    assert table.has_key(position, ids(*wanted)).tolist() == [bool(by_term[term]) for term in wanted]
    assert table.has_key(position, ids()).tolist() == []
    assert table.may_have_key(position, ids(*wanted))[table.has_key(position, ids(*wanted))].all()
    degrees = table.fanout(position, ids(*wanted))
    assert degrees.dtype == np.int64
    assert degrees.tolist() == [len(by_term[term]) for term in wanted]
    assert table.fanout(position, ids()).tolist() == []
    assert table.distinct_estimate(position) >= 0
    for term, found in by_term.items():
        assert sorted(rows_of(table.select({position: term}))) == sorted(found)
    assert_expands(table, (position,), {(term,): found for term, found in by_term.items()}, wanted)


def assert_images(table: Table, position: int, by_term: dict) -> None:
    """Where pairs lead from some of their ends."""
    terms = [*by_term]
    for some in (terms[::2], terms[::-1]):
        others = {row[1 - position] for term in some for row in by_term[term]}
        assert table.image(position, ids(*some)).tolist() == sorted(others)
        proper = {row[1 - position] for term in some for row in by_term[term] if row[0] != row[1]}
        assert table.proper_image(position, ids(*some)).tolist() == sorted(proper)
    assert table.image(position, ids()).tolist() == []


def assert_ends(table: Table, facts: set, terms: list[int]) -> None:
    """Pairs between some ids, with themselves, and both ways."""
    for some, others in ((terms, terms[::2]), (terms[::2], terms), (terms[1:], terms[:-1])):
        between = sorted(pair for pair in facts if pair[0] in some and pair[1] in others)
        assert sorted(rows_of(table.between(ids(*some), ids(*others)))) == between
    assert sorted(rows_of(table.reciprocal(table))) == sorted(facts & inverted(facts))
    assert sorted(table.loops().tolist()) == [term for term in terms if (term, term) in facts]
    assert_interchangeable(table, facts, terms)


def assert_interchangeable(table: Table, facts: set, terms: list[int]) -> None:
    """What shares a representative is paired both ways."""
    shared: dict[int, list[int]] = {}
    for term, found in zip(terms, table.representatives(ids(*terms)).tolist(), strict=True):
        shared.setdefault(found, []).append(term)
    several = [members for members in shared.values() if len(members) > 1]
    assert all((one, other) in facts for members in several for one, other in permutations(members, 2))
    assert table.circles().tolist() == sorted(chain.from_iterable(several))


def assert_reads_about(table: Table, facts: set, row: tuple[int, ...]) -> None:
    """What a table has of the ids of one row, which may be a fact."""
    assert table.has(row) == (row in facts)
    for size in range(2, table.arity + 1):
        for positions in combinations(range(table.arity), size):
            bound = {position: row[position] for position in positions}
            agreeing = sorted(f for f in facts if all(f[p] == term for p, term in bound.items()))
            assert sorted(rows_of(table.select(bound))) == agreeing


def assert_reads_around(table: Table, facts: set, position: int, term: int) -> None:
    """What pairs a table has with one id at a position."""
    others = sorted(fact[1 - position] for fact in facts if fact[position] == term)
    assert sorted(table.image_of(position, term).tolist()) == others
    assert sorted(table.few_of(position, term, len(others)) or ()) == others
    assert not others or table.few_of(position, term, len(others) - 1) is None
    alone = np.array([term], dtype=np.uint32)
    assert table.has_key(position, alone).tolist() == [bool(others)]
    assert table.has_id(position, term) == bool(others)
    assert table.fanout(position, alone).tolist() == [len(others)]


def assert_reads_by_subject(table: Table, facts: set) -> None:
    """All facts of each subject come at once, no more facts than asked for unless of one subject; and their numbers."""
    degrees = Counter(fact[0] for fact in facts)
    subjects, counts = table.fanouts()
    assert (subjects.dtype, counts.dtype) == (np.uint32, np.int64)
    assert [*zip(subjects.tolist(), counts.tolist(), strict=True)] == sorted(degrees.items())
    for width, most in product(range(1, max(2, table.arity)), (1, 4, len(facts))):
        assert_reads_by_group(table, facts, width, most)


def assert_reads_by_group(table: Table, facts: set, width: int, most: int) -> None:
    """All facts of each group come at once, and no more than asked for unless of one group, or of one subject."""
    found: list[tuple[int, ...]] = []
    met: list[tuple[int, ...]] = []
    for some, begins, columns in table.by_group(width, most):
        groups, rows = rows_of(some), rows_of(columns)
        assert len(rows) <= most or len({*some[0].tolist()}) == 1
        sizes = np.diff(begins, append=len(rows)).tolist()
        expected = [group for group, size in zip(groups, sizes, strict=True) for _ in range(size)]
        assert [row[:width] for row in rows] == expected
        assert [row[:width] for row in map(rows.__getitem__, begins.tolist())] == groups
        found += rows
        met += groups
    assert sorted(found) == sorted(facts)
    assert sorted(met) == sorted({fact[:width] for fact in facts})


def assert_expands(table: Table, positions: tuple[int, ...], found_by: dict, wanted: Sequence[int]) -> None:
    """Joins with keys in any order, repeated and unknown ones among them, give each fact for each key."""
    if len(positions) == table.arity > 1:
        return
    keys = [key * len(positions) for key in zip(wanted, strict=True)] + 2 * [*found_by][::-1]
    columns = np.array(keys, dtype=np.uint32).reshape(-1, len(positions)).T
    index, found = table.lookup({position: columns[at] for at, position in enumerate(positions)})
    rows = sorted(zip(index.tolist(), *(column.tolist() for column in found), strict=True))
    assert rows == sorted((i, *fact) for i, key in enumerate(keys) for fact in found_by.get(key, ()))
    assert {column.dtype for column in found} == {np.dtype(np.uint32)}
    index, found = table.lookup(dict.fromkeys(positions, ids()))
    assert (len(index), rows_of(found)) == (0, [])


def assert_combines(left: Table, left_facts: Iterable, right: Table, right_facts: Iterable) -> None:
    """Union, difference and intersection of two tables, which stay as they were."""
    mine, theirs = {*left_facts}, {*right_facts}
    for combined, expected in (
        (left.union(right), mine | theirs),
        (left.difference(right), mine - theirs),
        (right.lacking(left), mine - theirs),
        (left.intersection(right), mine & theirs),
    ):
        combined._check()
        assert bool(combined) == bool(expected)
        assert facts_of(combined) == expected
        assert facts_of(combined.inverse()) == inverted(expected)
    assert facts_of(left) == mine, "a table has changed"
    assert facts_of(right) == theirs, "a table has changed"
