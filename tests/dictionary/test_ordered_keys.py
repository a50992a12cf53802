"""Keys that came in order are found by their order, and are the same terms as keys that came one by one."""

from __future__ import annotations

import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.dictionary import key_columns
from kgreason.dictionary.dictionary import Dictionary
from kgreason.dictionary.folded_keys import FoldedKeys
from kgreason.dictionary.key_runs import Runs
from kgreason.dictionary.ordered_keys import OrderedPieces
from kgreason.rdf.keys import folded_key, key_of, kind_of
from tests.dictionary.key_cases import KEYS, TAGGED, TERMS
from tests.thresholds import Tuned, tuning_context


@pytest.fixture
def segments(tuned: Tuned) -> None:
    """Every column becomes a segment."""
    tuned(SEGMENT_LEAST=1)


def in_order(keys: list[str], step: int = 7) -> OrderedPieces:
    folded = {folded_key(key): key for key in keys}
    ordered = sorted(folded, key=lambda key: (kind_of(key), key.encode()))
    whole = FoldedKeys.of(pa.array([folded[key] for key in ordered], pa.string()))
    assert whole.texts.to_pylist() == ordered
    return OrderedPieces([whole.between(start, min(start + step, len(whole))) for start in range(0, len(whole), step)])


@given(st.lists(TERMS, max_size=200).map(lambda terms: [key_of(term) for term in terms]) | st.lists(TAGGED), KEYS)
def test_keys_in_order_are_found(keys: list[str], others: list[str]) -> None:
    pieces = in_order(keys)
    joined = pieces.without([])
    joined._check()
    found = joined.keys.texts.to_pylist()
    for ordered in (pieces, joined):
        assert [ordered.find(key) for key in found] == [*range(len(found))]
        for key in map(folded_key, [*others, "", "_:", '"', '"\ud800"', "\U0010ffff"]):
            assert ordered.find(key) == (found.index(key) if key in found else None)


@given(KEYS | st.lists(TAGGED), st.sets(st.integers(0, 20)), st.integers(1, 9))
def test_ordered_keys_without_some(keys: list[str], rows: set[int], step: int) -> None:
    pieces = in_order(keys, step)
    rows = {row for row in rows if row < len(pieces)}
    kept = pieces.without(rows)
    kept._check()
    assert kept.keys.listed() == [key for row, key in enumerate(pieces.hashed().keys.listed()) if row not in rows]


def test_many_keys_in_order() -> None:
    ordered = in_order([f"{begin}{number}" for begin in ("urn:", "_:", '"') for number in range(1000)]).without([0])
    assert [ordered.find(key) for key in ordered.keys.texts.to_pylist()] == [*range(2999)]
    assert all(ordered.find(key) is None for key in ("urn:", "urn:99x", "_:1000", '"', "zzz", "a"))


@given(KEYS | st.lists(TAGGED), KEYS | st.lists(TAGGED), st.booleans(), KEYS | st.lists(TAGGED), KEYS)
def test_ordered_keys_as_one_by_one(
    known: list[str], keys: list[str], in_columns: bool, column: list[str], later: list[str]
) -> None:
    with tuning_context() as tuned:
        tuned(SEGMENT_LEAST=1, KEY_LOOK_UP=0)
        plain, dictionary = Dictionary(), Dictionary()
        ordered = in_order(keys)
        both: list[list[int]] = [[], []]
        for each, found in zip((plain, dictionary), both, strict=True):
            if in_columns:
                found += each.encode_column(pa.array(known, pa.string())).tolist()
            else:
                found += each.encode_keys(known).tolist()
            ids = each.encode_keys(ordered.hashed().keys.listed()) if each is plain else each.encode_ordered(ordered)
            found += ids.tolist()
            found += each.encode_keys(later).tolist()
            each._check()
            found += each.encode_column(pa.array(column, pa.string())).tolist()
            each._check()
        assert both[0] == both[1]
        everything = np.arange(len(plain), dtype=np.uint32)
        assert dictionary.keys(everything) == plain.keys(everything)
        assert dictionary.object_only_mask().tolist() == plain.object_only_mask().tolist()
        again = pickle.loads(pickle.dumps(dictionary))
        again._check()
        assert again.keys(everything) == plain.keys(everything)


def test_no_ordered_key_is_hashed_before_columns_come(segments: None, monkeypatch: pytest.MonkeyPatch) -> None:
    dictionary = Dictionary()
    dictionary.encode_key("urn:type")
    keys = in_order([f"urn:{number}" for number in range(99)] + ["urn:type"])
    with monkeypatch.context() as patch:
        patch.setattr(key_columns, "hash_column", None)
        assert sorted(dictionary.encode_ordered(keys).tolist()) == [*range(100)]
        assert dictionary.lookup_key("urn:type") == 0
        assert dictionary.key(dictionary.encode_key("urn:7")) == "urn:7"
        assert dictionary.encode_key("urn:new") == 100
    assert dictionary.encode_column(pa.array(["urn:newer", "urn:type", "urn:new"])).tolist() == [101, 0, 100]
    dictionary._check()


def test_ordered_keys_beside_many_known_ones_are_hashed(segments: None) -> None:
    dictionary = Dictionary()
    dictionary.encode_keys(f"urn:{number}" for number in range(20))
    assert sorted(dictionary.encode_ordered(in_order(["urn:7", "urn:x", "_:b"])).tolist()) == [7, 20, 21]
    dictionary._check()


def test_interrupted_ordered_keys_leave_nothing(segments: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    dictionary = Dictionary()
    with monkeypatch.context() as patch:
        patch.setattr(Runs, "followed_by", interrupt)
        with pytest.raises(KeyboardInterrupt):
            dictionary.encode_ordered(in_order(["urn:b"]))
    dictionary._check()
    assert len(dictionary) == 0
    assert dictionary.lookup_key("urn:b") is None
