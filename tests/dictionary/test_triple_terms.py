"""Triple terms in a dictionary: would catch parts that are missing, or others than those of the key, by any way in."""

from __future__ import annotations

import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.dictionary.dictionary import Dictionary
from kgreason.dictionary.triple_terms import parts_of_keys
from kgreason.rdf.keys import key_of
from kgreason.rdf.triple_keys import triple_parts
from tests.profiles import examples
from tests.rdf.test_triple_keys import IRIS, LITERALS, TRIPLES
from tests.thresholds import Tuned

KEYS = st.lists((TRIPLES | IRIS | LITERALS).map(key_of), max_size=12)


@pytest.fixture(params=[1, 1000], ids=["columns", "alone"], autouse=True)
def _ways(request: pytest.FixtureRequest, tuned: Tuned) -> None:
    tuned(SEGMENT_LEAST=request.param)


def check(dictionary: Dictionary) -> None:
    """The parts are those that the keys have, and known; their ids are lower."""
    found = dictionary.triple_terms()
    keys = dictionary.keys(np.arange(len(dictionary), dtype=np.uint32))
    assert {*found.ids.tolist()} == {number for number, key in enumerate(keys) if key[0] == "<"}
    for identifier, *parts in zip(*(column.tolist() for column in found.columns), strict=True):
        folded = tuple(dictionary.lookup_key(part) for part in triple_parts(keys[identifier]))
        assert tuple(parts) == folded
        assert max(parts) < identifier
    dictionary._check()


@settings(max_examples=examples(60))
@given(st.lists(KEYS, max_size=4), st.data())
def test_triple_terms_are_known_with_their_parts(batches: list[list[str]], data: st.DataObject) -> None:
    dictionary = Dictionary()
    for keys in batches:
        column = pa.array(keys, pa.string())
        ids = dictionary.encode_column(column) if data.draw(st.booleans()) else dictionary.encode_keys(keys)
        assert [dictionary.lookup_key(key) for key in keys] == ids.tolist()
        if data.draw(st.booleans()):
            dictionary.triple_terms()
        if data.draw(st.booleans()):
            other, dictionary = dictionary, dictionary.fork()
            other.encode_keys(['<<( <a:other> <a:other> "other" )>>'])
    check(dictionary)
    check(pickle.loads(pickle.dumps(dictionary)))
    check(Dictionary.of_state(dictionary.state()))
    for count in range(len(dictionary) + 1):
        prefix = dictionary.prefix(count)
        assert len(prefix.triple_terms()) == int((dictionary.triple_terms().ids < count).sum())


@given(st.lists(TRIPLES.map(key_of), max_size=12))
def test_parts_of_a_column_are_those_of_each_key(keys: list[str]) -> None:
    columns = parts_of_keys(pa.array(keys, pa.string()))

    assert [*zip(*(column.to_pylist() for column in columns), strict=True)] == [*map(triple_parts, keys)]


def test_triple_term_without_its_parts_is_left_out() -> None:
    dictionary = Dictionary()
    dictionary.encode_key("<<( <a:s> <a:p> <a:o> )>>", with_parts=False)

    assert len(dictionary.triple_terms()) == 0
