"""Terms come back from the dictionary exactly as they went in, under ids that never change."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.dictionary import key_columns, known_keys
from kgreason.dictionary.dictionary import Dictionary
from kgreason.dictionary.hash_index import HashIndex, Level
from kgreason.dictionary.key_columns import KeyColumn
from kgreason.errors import TermError
from kgreason.rdf.hashing import hash_column, hash_text
from kgreason.rdf.keys import BLANK_KIND, IRI_KIND, LITERAL_KIND, key_of, term_of
from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from kgreason.rdf.vocabulary import XSD_STRING
from tests.dictionary.key_cases import KEYS, TAGGED, TERMS
from tests.interrupts import Interruption
from tests.thresholds import Tuned, tuning_context


@pytest.fixture
def segments(tuned: Tuned) -> None:
    """Every column becomes a segment."""
    tuned(SEGMENT_LEAST=1)


@given(st.lists(TERMS, max_size=30))
def test_round_trip(terms: list[Term]) -> None:
    dictionary = Dictionary()
    ids = [dictionary.encode(term) for term in terms]
    assert [dictionary.decode(i) for i in ids] == terms
    assert [dictionary.lookup(term) for term in terms] == ids
    assert sorted(set(ids)) == list(range(len(set(terms))))
    dictionary._check()
    again = pickle.loads(pickle.dumps(dictionary))
    assert [again.decode(i) for i in ids] == terms


@given(TERMS, TERMS)
def test_keys_differ_as_terms_do(first: Term, second: Term) -> None:
    assert (key_of(first) == key_of(second)) == (first == second)
    assert term_of(key_of(first)) == first


def test_what_stays_apart_and_what_does_not() -> None:
    dictionary = Dictionary()
    plain, typed = Literal("a"), Literal("a", XSD_STRING)
    assert dictionary.encode(plain) == dictionary.encode(typed)
    assert dictionary.encode(plain) != dictionary.encode(Literal("a", "urn:string"))
    assert dictionary.encode(Literal("1")) != dictionary.encode(Literal("01"))
    first = dictionary.encode(Literal("a", None, "en-GB"))
    assert dictionary.encode(Literal("a", None, "EN-gb")) == first
    assert dictionary.decode(first) == Literal("a", None, "en-GB")
    assert dictionary.lookup(Literal("never seen")) is None


def test_kinds() -> None:
    dictionary = Dictionary()
    ids = [dictionary.encode(t) for t in (IRI("x:_:y"), BlankNode("b"), Literal("l"), IRI("urn:x"))]
    expected = [IRI_KIND, BLANK_KIND, LITERAL_KIND, IRI_KIND]
    assert dictionary.kinds(np.array(ids, dtype=np.uint32)).tolist() == expected
    assert dictionary.object_only_mask().tolist() == [False, False, True, False]
    many = dictionary.encode_keys(f'"{i}"' for i in range(5000))
    assert dictionary.object_only_mask()[many].all()
    assert not dictionary.object_only_mask()[ids[0]]


BAD_IRIS = [
    *("", "_:b", "a", "//a"),
    *("a:a b", "a:a<b", "a:a\nb", 'a:a"b', "a:a\\b", "a:a{b}", "a:%zz", "a:[", "a:\ud800"),
]


@pytest.mark.parametrize("value", BAD_IRIS)
def test_bad_iris(value: str) -> None:
    dictionary = Dictionary()
    with pytest.raises(TermError, match="not a valid IRI"):
        dictionary.encode(IRI(value))
    with pytest.raises(TermError):
        dictionary.encode(Literal("x", value))
    assert len(dictionary) == 0


COLUMN_TYPES = st.sampled_from([None, pa.string(), pa.large_string()])


@given(st.lists(st.tuples(COLUMN_TYPES, KEYS | st.lists(TAGGED, max_size=5)), max_size=6))
def test_columns_as_one_by_one(steps: list[tuple[pa.DataType | None, list[str]]]) -> None:
    with tuning_context() as tuned:
        tuned(SEGMENT_LEAST=1)
        plain, dictionary = Dictionary(), Dictionary()
        for column_type, keys in steps:
            wanted = [plain.encode_key(key) for key in keys]
            if column_type is None:
                found = dictionary.encode_keys(keys)
            else:
                found = dictionary.encode_column(pa.array(keys, column_type))
            assert [dictionary.key(i) for i in found.tolist()] == [plain.key(i) for i in wanted]
            assert found.tolist() == wanted
        everything = np.arange(len(plain), dtype=np.uint32)
        assert len(dictionary) == len(plain)
        assert dictionary.keys(everything) == plain.keys(everything)
        assert dictionary.key_column(everything).to_pylist() == plain.keys(everything)
        assert dictionary.kinds(everything).tolist() == plain.kinds(everything).tolist()
        assert dictionary.object_only_mask().tolist() == plain.object_only_mask().tolist()
        assert dictionary.lookup_key("urn:never-seen") is None
        dictionary._check()
        again = pickle.loads(pickle.dumps(dictionary))
        again._check()
        assert again.keys(everything) == plain.keys(everything)


def test_several_columns_at_once(segments: None) -> None:
    dictionary = Dictionary()
    dictionary.encode_key("urn:b")
    keys = (["urn:a", "urn:b"], [], ["urn:c", "urn:a", '"x"@EN'], ['"x"@en'])
    columns = [KeyColumn.of(pa.array(some, pa.string())) for some in keys]
    assert [ids.tolist() for ids in dictionary.encode_columns(columns)] == [[1, 0], [], [2, 1, 3], [3]]
    assert dictionary.key(3) == '"x"@EN'
    assert columns == []


@given(
    st.lists(KEYS | st.lists(TAGGED, max_size=5), max_size=6),
    st.sampled_from([1, 400, 1 << 20]),
    st.integers(0, 200),
)
def test_columns_together_and_apart_as_one_by_one(keys: list[list[str]], together: int, each: int) -> None:
    with tuning_context() as tuned:
        tuned(SEGMENT_LEAST=1, LEARNED_BYTES=together, LEARNED_EACH=each)
        plain, dictionary = Dictionary(), Dictionary()
        columns = [KeyColumn.of(pa.array(some, pa.string())) for some in keys]

        found = dictionary.encode_columns(columns)

        assert [ids.tolist() for ids in found] == [[plain.encode_key(key) for key in some] for some in keys]
        everything = np.arange(len(plain), dtype=np.uint32)
        assert dictionary.keys(everything) == plain.keys(everything)
        assert columns == []
        dictionary._check()


def test_different_terms_with_one_hash(segments: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_columns, "hash_column", lambda texts: np.full(len(texts), 7, dtype=np.uint64))
    monkeypatch.setattr(known_keys, "hash_text", lambda text: 7)
    dictionary = Dictionary()
    dictionary.encode_key("urn:0")
    assert dictionary.encode_column(pa.array(["urn:1", "urn:0", "urn:2", "urn:1"])).tolist() == [1, 0, 2, 1]
    assert dictionary.encode_column(pa.array(["urn:3", "urn:2", "urn:1", "urn:3", "urn:0"])).tolist() == [3, 2, 1, 3, 0]
    assert dictionary.lookup_key("urn:4") is None
    dictionary._check()


@given(
    st.lists(st.one_of(st.integers(0, 9), st.integers(0, (1 << 64) - 1)), max_size=60).map(sorted),
    st.one_of(st.integers(0, 9), st.integers(0, (1 << 64) - 1)),
)
def test_first_row_of_a_hash_that_may_be_far_from_its_share(hashes: list[int], wanted: int) -> None:
    # So many small ones that no other is where its share of all would be.
    hashes = [0] * 500 + hashes
    level = Level(np.array(hashes, dtype=np.uint64), np.arange(len(hashes), dtype=np.uint32))

    for each in (wanted, *hashes[-3:]):
        assert level.first(each) == sum(known < each for known in hashes)


def test_interrupted_columns_leave_nothing(segments: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    dictionary = Dictionary()
    dictionary.encode_column(pa.array(["urn:a"]))
    with monkeypatch.context() as patch:
        patch.setattr(HashIndex, "added", interrupt)
        with pytest.raises(KeyboardInterrupt):
            dictionary.encode_column(pa.array(["urn:b", "urn:a"]))
    assert len(dictionary) == 1
    dictionary._check()
    assert dictionary.encode_column(pa.array(["urn:b", "urn:a"])).tolist() == [1, 0]


def test_interrupted_between_columns_leaves_whole_ones(segments: None, tuned: Tuned) -> None:
    tuned(LEARNED_BYTES=1, LEARNED_EACH=0)
    keys = (["urn:a"], ["urn:b", "urn:a"], ["urn:c"])

    def learn(dictionary: Dictionary) -> list[list[int]]:
        columns = [KeyColumn.of(pa.array(some)) for some in keys]
        return [ids.tolist() for ids in dictionary.encode_columns(columns)]

    counted = Interruption(KeyboardInterrupt)
    with counted.while_running():
        learn(Dictionary())
    for moment in range(counted.moments):
        dictionary = Dictionary()
        with suppress(KeyboardInterrupt), Interruption(KeyboardInterrupt, moment).while_running():
            learn(dictionary)
        dictionary._check()
        assert learn(dictionary) == [[0], [1, 0], [2]]
        dictionary._check()


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_stopped_at_any_moment(error: type[BaseException]) -> None:
    def learn(dictionary: Dictionary) -> None:
        for number in range(3):
            dictionary.encode_key(f'"{number}"@EN')
        dictionary.object_only_mask()

    counted = Interruption(error)
    with counted.while_running():
        learn(Dictionary())
    assert counted.moments > 20
    for moment in range(counted.moments):
        dictionary = Dictionary()
        dictionary.encode_key("urn:0")
        with suppress(error), Interruption(error, moment).while_running():
            learn(dictionary)
        dictionary._check()
        learn(dictionary)
        assert dictionary.encode_keys(['"0"@en', '"1"@en', '"2"@en']).tolist() == [1, 2, 3]
        dictionary._check()


def test_stopped_while_kinds_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    for allowed in range(2):
        dictionary = Dictionary()
        dictionary.object_only_mask()
        dictionary.encode_keys(f'"{number}"' for number in range(5000))
        calls = []

        def append(*columns: Any, calls: list[int] = calls, allowed: int = allowed) -> Any:
            calls.append(1)
            if len(calls) > allowed:
                raise MemoryError
            return np.concatenate(columns)

        with monkeypatch.context() as patch:
            patch.setattr(np, "append", append)
            with pytest.raises(MemoryError):
                dictionary.object_only_mask()
        assert dictionary.object_only_mask().all()


SHORT, LONG = st.text(max_size=20), st.text(st.characters(max_codepoint=120), min_size=240, max_size=300)


@given(st.lists(SHORT | LONG, max_size=20))
def test_hashes_of_columns_and_of_texts(texts: list[str]) -> None:
    texts = [text.encode("utf-8", "ignore").decode() for text in texts]
    expected = [hash_text(text.encode()) for text in texts]
    for type in (pa.string(), pa.large_string()):
        column = pa.array(["before", *texts, "after"], type)[1:-1]
        assert hash_column(column).tolist() == expected


@given(st.integers(0, 260), st.integers(1, 5), st.binary(min_size=1, max_size=7))
def test_hashes_of_texts_of_one_length(length: int, count: int, seed: bytes) -> None:
    texts = [((seed.hex() + str(row)) * 260)[row : row + length] for row in range(count)]

    column = pa.array([*texts, "another length"])[:-1]

    assert hash_column(column).tolist() == [hash_text(text.encode()) for text in texts]


def test_lone_surrogates_are_terms_of_python_only(segments: None) -> None:
    dictionary = Dictionary()
    dictionary.encode_column(pa.array(["urn:a"]))
    known = dictionary.encode_key('"\ud800"')
    assert dictionary.lookup_key('"\ud800"') == known == 1
    assert dictionary.encode_column(pa.array(["urn:b"])).tolist() == [2]
    dictionary._check()


@pytest.mark.slow
def test_readers_in_other_threads_while_segments_come(segments: None) -> None:
    dictionary = Dictionary()
    for number in range(50):
        dictionary.encode_key(f"urn:{number}")
    stopped = Event()

    def read() -> None:
        while not stopped.is_set():
            assert [dictionary.key(i) for i in range(50)] == [f"urn:{i}" for i in range(50)]
            assert len(dictionary) >= 50
            assert dictionary.lookup_key("urn:7") == 7

    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read)
        for number in range(300):
            dictionary.encode_column(pa.array([f"urn:x{number}", f"urn:y{number}"]))
        stopped.set()
        reading.result()
    dictionary._check()
