"""Triple terms in a dictionary: would catch parts that are missing, or others than those of the key, by any way in."""

from __future__ import annotations

import pickle
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.dictionary import term_tuning, triple_terms
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
    ids = {tuple(parts): identifier for identifier, *parts in zip(*(c.tolist() for c in found.columns), strict=True)}
    rows = np.array([*product(range(min(6, len(dictionary))), repeat=3), *ids], dtype=np.uint32).reshape(-1, 3)
    assert found.with_parts(*rows.T).tolist() == [ids.get((*row,), -1) for row in rows.tolist()]
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


def test_columns_with_triple_terms_need_no_look_at_their_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    dictionary = Dictionary()
    terms = [f'<<( <a:s{n}> <a:p> <<( <a:s{n}> <a:p> "x"@EN )>> )>>' for n in range(40)]
    dictionary.encode_column(pa.array(["a:s1", *terms, *terms[:3], "a:other"], pa.string()))
    dictionary.encode_column(pa.array([*terms[5:], "a:o"], pa.string()))
    expected = len(dictionary.prefix(len(dictionary)).triple_terms())
    if term_tuning.SEGMENT_LEAST == 1:
        monkeypatch.setattr(triple_terms, "parts_of_keys", lambda _: pytest.fail("parts were taken apart again"))

    assert len(dictionary.triple_terms()) == expected == 80
    monkeypatch.undo()
    check(dictionary)


def test_rows_that_did_not_pay_are_counted() -> None:
    """Pieces of a long column would be taken apart row by row, each for itself too short."""
    dictionary = Dictionary()
    dictionary.encode_keys(f"<<( <a:s{n}> <a:p> <a:o> )>>" for n in range(600))
    assert not dictionary.triple_terms_pay(10)
    assert [dictionary.triple_terms_pay(30) for _ in range(6)] == [False, False, False, True, False, False]

    dictionary.triple_terms()

    assert dictionary.triple_terms_pay(1)
