"""Many sets in one buffer against a dictionary of Python sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyroaring import BitMap

from kgreason.errors import LoadError
from kgreason.relations.label_sets import LabelSets
from kgreason.relations.set_writers import SetEditor, SetWriter
from tests.relations.table_reads import EXAMPLES
from tests.thresholds import Tuned

# Sets of a few labels, and runs, which are serialised in another way; across containers of 2**16 labels.
SETS = st.one_of(
    st.frozensets(st.one_of(st.integers(0, 9), st.integers(2**16 - 2, 2**16 + 2), st.just(2**32 - 1)), max_size=5),
    st.builds(lambda begin, size: frozenset(range(begin, begin + size)), st.integers(0, 2**16), st.integers(0, 40)),
)
Members = frozenset[int]


def members_of(sets: LabelSets) -> dict[int, Members]:
    """What each set has, asked for in both ways, with the sets that have nothing left out."""
    sets._check()
    one_by_one = {number: frozenset(sets.get(number)) for number in range(len(sets))}
    numbers = np.array([*range(len(sets)), *range(len(sets))][::-1], dtype=np.int64)
    counts, members = sets.column(numbers)
    columns = np.split(members, np.cumsum(counts)[:-1]) if len(numbers) else []
    assert [column.tolist() for column in columns] == [sorted(one_by_one[number]) for number in numbers.tolist()]
    for _ in range(2):
        assert sets.sizes(numbers[::3]).tolist() == [len(one_by_one[number]) for number in numbers[::3].tolist()]
    assert sets.sizes(numbers).tolist() == counts.tolist()
    queries = np.sort(np.repeat(numbers, 4))
    labels = np.tile(np.array([0, 5, 2**16, 2**32 - 1], dtype=np.uint32), len(numbers))
    expected = [label in one_by_one[number] for number, label in zip(queries.tolist(), labels.tolist(), strict=True)]
    assert sets.contains(queries, labels).tolist() == expected
    assert [sets.is_empty(number) for number in one_by_one] == [not found for found in one_by_one.values()]
    return {number: found for number, found in one_by_one.items() if found}


def written(sets: dict[int, Members], count: int) -> LabelSets:
    writer = SetWriter(count)
    for number, members in sets.items():
        writer.put(number, BitMap(members))
    return writer.finish()


@pytest.mark.parametrize(("small", "many"), [(0, 0), (0, 1000), (3, 16), (16, 16)])
@pytest.mark.parametrize("live", [0, 1, 2048])
@pytest.mark.parametrize("least", [0, 2, 1000])
def test_versions_equal_dictionaries(
    live: int, least: int, small: int, many: int, tuned: Tuned
) -> None:
    tuned(SMALL_SET=small, LABELS_EACH=many, LIVE_SETS=live, READ_LABELS=many)
    tuned(SETS_MERGE_LEAST=least, SETS_MERGE_FRACTION=1000)
    some = st.lists(st.tuples(st.integers(0, 11), SETS), max_size=6)

    @given(
        first=st.dictionaries(st.integers(0, 4), SETS), steps=st.lists(st.tuples(some, st.integers(0, 2)), max_size=6)
    )
    @settings(max_examples=EXAMPLES)
    def check(first: dict[int, Members], steps: list) -> None:
        sets = written(first, 5)
        expected = {number: members for number, members in first.items() if members}
        assert members_of(sets) == expected
        versions = [(sets, expected)]
        for puts, more in steps:
            sets, expected = versions[-1]
            editor = SetEditor(sets)
            count = max(len(sets) + more, *(number + 1 for number, _ in puts), 0)
            for number, members in puts:
                assert frozenset(editor.get(number)) == expected.get(number, frozenset())
                assert frozenset(editor.get(11)) == expected.get(11, frozenset())
                editor.put(number, BitMap(members))
                expected = {**expected, number: members}
                assert frozenset(editor.get(number)) == members
                assert number in editor
            assert [number in editor for number in range(12)] == [number in dict(puts) for number in range(12)]
            after = editor.finish(count)
            expected = {number: members for number, members in expected.items() if members}
            assert len(after) == count
            different = after.differing(sets)
            assert different == sets.differing(after)
            before = versions[-1][1]
            assert {n for n in range(count) if before.get(n) != expected.get(n)} <= different <= {*dict(puts)}
            merged = after.compacted()
            assert members_of(merged) == expected
            if len(after._changed) > max(least, count // 1000):
                assert not merged._changed
                assert merged.differing(after) <= {*after._changed}
                old = {n for n in range(len(merged)) if n >= len(sets) or sets._bytes(n) != merged._bytes(n)}
                assert {n for n in range(count) if before.get(n) != expected.get(n)} <= merged.differing(sets) == old
            else:
                assert merged is after
            versions.append((merged, expected))
        for version, expected in versions:
            assert members_of(version) == expected, "an earlier version has changed"

    check()


def test_no_sets() -> None:
    sets = LabelSets.empty()
    assert (len(sets), sets.nbytes, members_of(sets)) == (0, 0, {})
    assert frozenset(SetEditor(sets).get(5)) == frozenset()
    longer = sets.changed({1: b""}, 2)
    assert (len(longer), members_of(longer)) == (2, {})


@pytest.mark.parametrize("kind", [SetWriter, SetEditor])
def test_intervals_take_no_more_than_their_ends(kind: type) -> None:
    """A run is two numbers however long it is, and however its set was put together; this is what labels are for."""

    def size_of(*parts: range) -> int:
        members = BitMap()
        for part in parts:
            members |= BitMap(part)
        editor = SetWriter(1) if kind is SetWriter else SetEditor(LabelSets.empty())
        editor.put(0, members)
        return (editor.finish() if isinstance(editor, SetWriter) else editor.finish(1)).nbytes

    assert size_of(range(100)) == size_of(range(60_000)) == size_of(range(0, 60_000, 2), range(1, 60_000, 2))
    assert size_of(range(0, 60_000, 2)) > 50 * size_of(range(60_000))


def test_bytes_of_changed_sets_count() -> None:
    sets = written({0: frozenset({1}), 1: frozenset({2})}, 2)
    editor = SetEditor(sets)
    editor.put(0, BitMap([5, 7, 9]))
    editor.put(1, BitMap(range(100)))
    changed = editor.finish(3)
    assert changed.nbytes == sets.nbytes + 16 + 4 * 3 + len(changed._changed[1])
    assert changed._buffer is sets._buffer


def test_a_writer_forgets_and_reads_back(tuned: Tuned) -> None:
    """The sets that are no longer live come from the buffer."""
    tuned(LIVE_SETS=2)
    writer = SetWriter(6)
    for number in range(5):
        writer.put(number, BitMap([number, 100 + number]))
        assert len(writer._live) <= 2
    assert [frozenset(writer.get(number)) for number in range(6)] == [
        *(frozenset({number, 100 + number}) for number in range(5)),
        frozenset(),
    ]
    editor = SetEditor(LabelSets.empty())
    for number in (0, 1, 0, 2):
        editor.put(number, BitMap([number]))
    assert [*editor._live] == [0, 2], "what was put last stays live"
    assert [frozenset(editor.get(number)) for number in range(4)] == [{0}, {1}, {2}, frozenset()]


def test_check_sees_broken_sets() -> None:
    good = written({0: frozenset({1}), 1: frozenset({2})}, 2)
    with pytest.raises(AssertionError):
        LabelSets(good._buffer, good._small, good._end, good._begin)._check()
    with pytest.raises(AssertionError):
        good.changed({0: bytes(BitMap().serialize())}, 2)._check()


@pytest.mark.parametrize("is_small", [True, False])
@pytest.mark.parametrize(("begin", "end"), [(0, 99), (2, 1), (9, 9), (0, -1)])
def test_sets_that_are_not_in_their_file(is_small: bool, begin: int, end: int) -> None:
    writer = SetWriter(1000)
    writer.put(0, BitMap([1, 2, 3]) if is_small else BitMap(range(0, 1000, 3)))
    buffer, small, *borders, changed = writer.finish().parts()
    whole = memoryview(buffer)
    assert len(small) == (3 if is_small else 0)
    assert LabelSets.of_parts(whole, small, *borders, changed).sizes(np.array([0])).tolist() == [3 if is_small else 334]
    scale = 1 if is_small else len(buffer)
    for border, place in zip(borders, (begin, end), strict=True):
        border[0] = ~(place * scale) if is_small else place * scale
    with pytest.raises(LoadError, match="columns"):
        LabelSets.of_parts(whole, small, *borders, changed)
