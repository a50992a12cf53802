"""What a table of pairs knows of its large block. A bug that this would catch: notes of a block that another one has
replaced, so that a pair is not found or a bound is too low."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kgreason.relations import table_tuning
from kgreason.relations.binary import BinaryTable

PAIRS = st.sets(st.tuples(st.integers(0, 8), st.integers(0, 80)), max_size=60)


def table(pairs: set[tuple[int, int]]) -> BinaryTable:
    subjects, objects = np.array(sorted(pairs), dtype=np.uint32).reshape(-1, 2).T
    return BinaryTable.of((subjects, objects))


@given(PAIRS, st.lists(st.tuples(PAIRS, PAIRS), max_size=3), st.booleans())
def test_subjects_of_an_object_are_found_in_every_version(
    pairs: set[tuple[int, int]], changes: list[tuple[set[tuple[int, int]], set[tuple[int, int]]]], merged: bool
) -> None:
    version = table(pairs)
    for added, removed in changes:
        version.distinct_estimate(1)
        version = version.union(table(added)).difference(table(removed))
        pairs = (pairs | added) - removed
        if merged:
            version.keys()

        for wanted in range(82):
            expected = sorted(subject for subject, object in pairs if object == wanted)
            assert version.image_of(1, wanted).tolist() == expected
            assert version.has_key(1, np.array([wanted], dtype=np.uint32)).tolist() == [bool(expected)]
            assert version.fanout(1, np.array([wanted], dtype=np.uint32)).tolist() == [len(expected)]


def test_the_bound_of_what_a_subject_has_is_that_of_the_merged_block() -> None:
    size = 4 * table_tuning.BLOCKS_MERGE_LEAST
    subjects = np.arange(size, dtype=np.uint32)
    version = BinaryTable.of((subjects, subjects))
    version.largest_fanout(0)

    hub = BinaryTable.of((np.full(size, 7, dtype=np.uint32), np.arange(size, 2 * size, dtype=np.uint32)))
    version = version.union(hub)

    assert version.largest_fanout(0) >= size + 1
