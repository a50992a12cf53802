"""A prefix of a dictionary has the first terms under their ids, and neither learns what the other does."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.dictionary.dictionary import Dictionary
from kgreason.dictionary.folded_keys import FoldedKeys
from kgreason.dictionary.ordered_keys import OrderedPieces
from kgreason.rdf.keys import folded_key, kind_of
from tests.thresholds import tuning_context

KEYS = st.lists(
    st.sampled_from([f"urn:{number}" for number in range(9)] + ['"1"', '"1"@EN', '"2"^^urn:t', "_:b", '"\u00fc"@de'])
    | st.integers(0, 99).map(lambda number: f'"{number}"'),
    max_size=8,
)
STEPS = st.lists(st.tuples(st.sampled_from(["one by one", "column", "ordered"]), KEYS), max_size=5)


@pytest.fixture(scope="module", autouse=True)
def segments() -> Iterator[None]:
    """Every column becomes a segment, and every ordered one stays so where that is possible."""
    with tuning_context() as tuned:
        tuned(SEGMENT_LEAST=1, NUMBERS_LEAST=1, KEY_LOOK_UP=0)
        yield


def learn(dictionary: Dictionary, way: str, keys: list[str]) -> None:
    """Let a dictionary learn keys."""
    if way == "one by one":
        dictionary.encode_keys(keys)
    elif way == "column":
        dictionary.encode_column(pa.array(keys, pa.string()))
    elif keys:
        distinct = {folded_key(key): key for key in keys}
        ordered = [distinct[key] for key in sorted(distinct, key=lambda key: (kind_of(key), key.encode()))]
        dictionary.encode_ordered(OrderedPieces([FoldedKeys.of(pa.array(ordered, pa.string()))]))


def keys_of(dictionary: Dictionary) -> list[str]:
    """All keys in the order of their ids."""
    return dictionary.keys(np.arange(len(dictionary), dtype=np.uint32))


@settings(deadline=None)
@given(STEPS, st.floats(0, 1), STEPS, STEPS)
def test_prefix_of_any_length_is_as_if_nothing_had_come_after_it(
    steps: list[tuple[str, list[str]]],
    share: float,
    here: list[tuple[str, list[str]]],
    there: list[tuple[str, list[str]]],
) -> None:
    whole = Dictionary()
    for way, keys in steps:
        learn(whole, way, keys)
        whole.object_only_mask()
        whole.values.of(np.arange(len(whole), dtype=np.uint32))
    before = keys_of(whole)
    count = round(share * len(whole))

    part = whole.prefix(count)

    part._check()
    part.values._check()
    assert keys_of(part) == before[:count]
    assert [part.lookup_key(key) for key in before] == [*range(count), *[None] * (len(before) - count)]
    assert (part.shared_with(whole), whole.shared_with(part), whole.shared_with(whole)) == (count, 0, len(whole))
    plain = Dictionary()
    plain.encode_keys(before[:count])
    for way, keys in here:
        learn(part, way, keys)
        learn(plain, "one by one", keys)
    for way, keys in there:
        learn(whole, way, keys)
    assert sorted(keys_of(part)) == sorted(keys_of(plain))
    assert keys_of(part)[:count] == before[:count]
    assert keys_of(whole)[: len(before)] == before
    for dictionary in (part, whole):
        dictionary._check()
        dictionary.values.of(np.arange(len(dictionary), dtype=np.uint32))
        dictionary.values._check()
        kinds = dictionary.kinds(np.arange(len(dictionary), dtype=np.uint32)).tolist()
        assert kinds == [*map(kind_of, keys_of(dictionary))]


def test_prefix_of_a_prefix_shares_with_that_alone() -> None:
    whole = Dictionary()
    whole.encode_keys(f"urn:{number}" for number in range(9))
    part = whole.prefix(6)

    assert part.prefix(4).shared_with(part) == 4
    assert part.prefix(4).shared_with(whole) == 0
