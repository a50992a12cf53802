"""Virtual tables as a whole: their facts come in pieces of bounded size, and a check sees what is wrong with them."""

from __future__ import annotations

import numpy as np
import pytest

from kgreason.relations.inverse import InverseTable
from kgreason.relations.transitive.closure_table import TransitiveTable
from kgreason.relations.virtual_pairs import VirtualPairs
from tests.relations.table_reads import Pairs, edges_of, ids
from tests.thresholds import Tuned


@pytest.mark.parametrize(("chunk", "subjects"), [(1, 1), (7, 2), (64, 256), (1 << 20, 1)])
def test_chunks_are_bounded(chunk: int, subjects: int, tuned: Tuned) -> None:
    """A chunk has more rows than allowed only where subjects with few objects come before those with many."""
    tuned(CHUNK=chunk, SUBJECTS=subjects)
    size = 120
    chain = TransitiveTable.of(edges_of((node, node + 1) for node in range(size)))
    chunks = [*chain.chunks()]
    rows = [row for columns in chunks for row in zip(*(column.tolist() for column in columns), strict=True)]
    assert sorted(rows) == [(low, high) for low in range(size) for high in range(low + 1, size + 1)]
    assert [subject for subject, _ in rows] == sorted(subject for subject, _ in rows)
    most = max(len(columns[0]) for columns in chunks)
    assert most <= max(size, 2 * chunk, subjects * size)
    if chunk == 1:
        assert len(chunks) == size
    part = [*chain.chunks_of(ids(5, 100, 119))]
    assert sum(len(columns[0]) for columns in part) == 115 + 20 + 1
    assert [*chain.chunks_of(ids())] == []
    plain = chain.materialised()
    tuned(PLAIN_CHUNK=chunk)
    lengths = [len(columns[0]) for columns in plain.chunks()]
    assert sum(lengths) == len(plain) == len(rows)
    assert max(lengths) <= chunk
    assert len(lengths) == -(-len(plain) // chunk)


def test_chunks_grow_and_shrink_with_what_subjects_have(tuned: Tuned) -> None:
    """Many subjects that have one object each, and then some that have up to two hundred."""
    tuned(CHUNK=100, SUBJECTS=1)
    alone = {(node, 5000 + node) for node in range(1000)}
    chain = TransitiveTable.of(edges_of({*alone, *((node, node + 1) for node in range(1000, 1200))}))
    chunks = [*chain.chunks()]
    assert sum(len(columns[0]) for columns in chunks) == len(chain) == 1000 + 201 * 200 // 2
    small = [columns for columns in chunks if columns[0][-1] < 1000]
    assert len(small) < 60, "blocks of subjects with one object grow"
    large = [columns for columns in chunks if len(columns[0]) > 100 and len(np.unique(columns[0])) > 1]
    assert len(large) <= 4, "blocks of subjects with many objects shrink"


class Broken(VirtualPairs):
    """Says one thing and another."""

    scheme = "broken"
    nbytes = 0

    def __init__(self, objects: dict[int, list[int]], contained: set, backwards: Pairs, length: int) -> None:
        self.objects, self.contained, self.backwards, self._length = objects, contained, backwards, length

    @property
    def estimate(self) -> int:
        return len(self)

    def subjects(self) -> np.ndarray:
        return ids(*sorted(self.objects))

    def objects_of(self, subject: int) -> np.ndarray:
        return ids(*self.objects[subject])

    def expand_subjects(self, subjects: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = [self.objects[subject] for subject in subjects.tolist()]
        index = np.repeat(np.arange(len(found)), [*map(len, found)])
        return index, ids(*(term for objects in found for term in objects))

    def contains(self, columns: tuple[np.ndarray, ...]) -> np.ndarray:
        return np.array([row in self.contained for row in zip(*(c.tolist() for c in columns), strict=True)])

    def inverse(self) -> VirtualPairs:
        return InverseTable(TransitiveTable.of(edges_of(self.backwards)))


PAIRS = {(1, 2), (1, 3)}


@pytest.mark.parametrize(
    ("broken", "is_sound"),
    [
        (Broken({1: [2, 3]}, PAIRS, frozenset(PAIRS), 2), True),
        (Broken({1: [2, 3]}, PAIRS, frozenset(PAIRS), 3), False),
        (Broken({1: [2, 3, 3]}, PAIRS, frozenset(PAIRS), 3), False),
        (Broken({1: [2, 3], 5: []}, PAIRS, frozenset(PAIRS), 2), False),
        (Broken({1: [2, 3]}, {(1, 2)}, frozenset(PAIRS), 2), False),
        (Broken({1: [2, 3]}, PAIRS, frozenset({(1, 2)}), 2), False),
    ],
)
def test_check_sees_what_does_not_agree(broken: Broken, is_sound: bool) -> None:
    if is_sound:
        broken._check()
    else:
        with pytest.raises(AssertionError):
            broken._check()
