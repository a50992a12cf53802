"""Numbers that a dictionary knows without their texts: catches a literal with two ids, or an id with another literal,
where numbers come as numbers, as keys one by one, or as columns of keys in any order, and in forks, prefixes, pickles
and states of a dictionary; and a literal that only has the same value taken for one of these."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgreason.algebra.local_terms import LocalTerms, StoredTerms
from kgreason.dictionary.dictionary import Dictionary
from kgreason.dictionary.number_segments import LARGEST_INTEGER
from kgreason.rdf.keys import folded_key
from kgreason.rdf.numbers import decimal_text
from kgreason.rdf.vocabulary import XSD
from tests.dictionary.test_prefixes import keys_of, learn
from tests.profiles import examples
from tests.thresholds import tuning_context

INTEGERS = st.integers(-3, 12) | st.sampled_from(
    [10**15 - 1, 10**15, 10**16, LARGEST_INTEGER, -LARGEST_INTEGER, LARGEST_INTEGER + 1, -(1 << 63), (1 << 63) - 1]
)
QUOTIENTS = st.tuples(st.integers(-6, 12) | st.sampled_from([10**9, 10**12 + 1, (1 << 50) - 1]), st.integers(1, 6))
DOUBLES = st.floats(width=32) | st.sampled_from(
    [0.0, -0.0, 1.0, 1e15, 1e16, 1e22, 1e23, 5e-324, 1.7976931348623157e308, 0.1, 1 / 3, -1e-5, 100.25, float("inf")]
)


def integer_key(number: int) -> str:
    return f'"{number}"^^{XSD}integer'


def quotient_key(pair: tuple[int, int]) -> str:
    return f'"{decimal_text(Decimal(pair[0]) / pair[1])}"^^{XSD}decimal'


def double_key(number: float) -> str:
    """By the digits that Python's decimals have."""
    if number != number or abs(number) == float("inf"):
        text = "NaN" if number != number else "INF" if number > 0 else "-INF"
    else:
        sign, digits, _ = (exact := Decimal(repr(number))).as_tuple()
        shown = "".join(map(str, digits)).rstrip("0") or "0"
        text = f"{'-' * sign}{shown[0]}.{shown[1:] or '0'}E{exact.adjusted() if exact else 0}"
    return f'"{text}"^^{XSD}double'


INTEGER_TEXTS = ("01", "+1", "-0", " 1", "1.0", "x", "", "1e1", "1_0", "nan", "9" * 30)
DECIMAL_TEXTS = ("1", "0.50", ".5", "1.", "-0.0", "x", "1e0", "0.3333", "0.5" + "0" * 30)
SUFFIXES = ("", "@en", f"^^{XSD}byte", f"^^{XSD}double", f"^^{XSD}string", "^^urn:integer", f"^^{XSD}Integer")
OTHERS = st.one_of(
    st.sampled_from(INTEGER_TEXTS).map(lambda text: f'"{text}"^^{XSD}integer'),
    st.sampled_from(DECIMAL_TEXTS).map(lambda text: f'"{text}"^^{XSD}decimal'),
    st.sampled_from(SUFFIXES).map(lambda suffix: f'"1"{suffix}'),
    st.sampled_from(["urn:a", "_:b"]),
)
DOUBLE_TEXTS = ("1", "1.0e0", "1e0", "10.0E-1", "-0", "+INF", "nan", "1.00E0", "x", "1E400", "1E-400")
KEYS = st.lists(
    INTEGERS.map(integer_key) | QUOTIENTS.map(quotient_key) | DOUBLES.map(double_key) | OTHERS
    | st.sampled_from(DOUBLE_TEXTS).map(lambda text: f'"{text}"^^{XSD}double'),
    max_size=9,
)  # fmt: skip
STEPS = st.one_of(
    st.tuples(st.sampled_from(["one by one", "column", "ordered"]), KEYS),
    st.tuples(st.just("integers"), st.lists(INTEGERS, min_size=1, max_size=9)),
    st.tuples(st.just("quotients"), st.lists(QUOTIENTS, min_size=1, max_size=9)),
    st.tuples(st.just("doubles"), st.lists(DOUBLES, min_size=1, max_size=9)),
    st.tuples(st.sampled_from(["fork", "prefix", "pickle", "state"]), st.just([])),
)
MADE = ("integers", "quotients", "doubles")
COPIES = {
    "fork": Dictionary.fork,
    "prefix": lambda dictionary: dictionary.prefix(len(dictionary) * 2 // 3),
    "pickle": lambda dictionary: pickle.loads(pickle.dumps(dictionary)),
    "state": lambda dictionary: Dictionary.of_state(dictionary.state()),
}


@pytest.fixture(scope="module", autouse=True)
def segments() -> Iterator[None]:
    """Every column becomes a segment, and every ordered one stays so where that is possible."""
    with tuning_context() as tuned:
        tuned(SEGMENT_LEAST=1, NUMBERS_LEAST=1, NUMBER_SEGMENTS=2, NUMBER_GROWTH=2)
        tuned(KEY_LOOK_UP=0, FEW_NEW_KEYS=2, FEW_VALUES=1)
        yield


def made(terms: LocalTerms, way: str, numbers: list) -> tuple[list[int], list[str]]:
    """The ids of numbers, and their keys."""
    if way == "integers":
        return terms.encode_integers(np.array(numbers, dtype=np.int64)).tolist(), [*map(integer_key, numbers)]
    if way == "doubles":
        return terms.encode_doubles(np.array(numbers, dtype=np.float64)).tolist(), [*map(double_key, numbers)]
    dividends, divisors = (np.array(column, dtype=np.int64) for column in zip(*numbers, strict=True))
    return terms.encode_quotients(dividends, divisors).tolist(), [*map(quotient_key, numbers)]


@settings(deadline=None, max_examples=examples(150))
@example(steps=[("quotients", [(1, 2)]), ("column", [quotient_key((1, 2)), f'"0.50"^^{XSD}decimal'])], looked=True)
@given(steps=st.lists(STEPS, max_size=7), looked=st.booleans())
def test_each_literal_has_one_id_however_it_comes(steps: list, looked: bool) -> None:
    dictionary = Dictionary()
    for way, what in steps:
        before = keys_of(dictionary)
        if way in COPIES:
            dictionary = COPIES[way](dictionary)
            assert keys_of(dictionary) == before[: len(dictionary)]
        elif way in MADE:
            ids, keys = made(StoredTerms(dictionary), way, what)
            assert [dictionary.key(each) for each in ids] == keys
            assert dictionary.keys(np.array(ids, dtype=np.uint32)) == keys
        else:
            learn(dictionary, way, what)
        if looked:
            dictionary.values.of(np.arange(len(dictionary), dtype=np.uint32))
            dictionary.object_only_mask()
        check(dictionary)


def check(dictionary: Dictionary) -> None:
    """All ways to a term lead to one id."""
    dictionary._check()
    keys, everything = keys_of(dictionary), np.arange(len(dictionary), dtype=np.uint32)
    assert len({*map(folded_key, keys)}) == len(keys)
    assert dictionary.lookup_keys(keys).tolist() == everything.tolist()
    dictionary.values.of(everything)
    dictionary.values._check()


@settings(deadline=None, max_examples=examples(100))
@given(known=st.lists(STEPS, max_size=3), steps=st.lists(STEPS, min_size=1, max_size=5))
def test_an_evaluation_makes_no_literal_that_is_known(known: list, steps: list) -> None:
    dictionary = Dictionary()
    for way, what in known:
        if way in MADE:
            made(StoredTerms(dictionary), way, what)
        elif way not in COPIES:
            learn(dictionary, way, what)
    before, terms = keys_of(dictionary), LocalTerms(dictionary)
    ids: dict[str, int] = {key: number for number, key in enumerate(map(folded_key, before))}

    for way, what in steps:
        if way in MADE:
            some, keys = made(terms, way, what)
        elif way not in COPIES:
            keys = [*dict.fromkeys(map(folded_key, what))]
            some = terms.encode_column(pa.array(keys, pa.string())).tolist()
        else:
            continue
        assert [terms.key(each) for each in some] == keys or way not in MADE
        for key, identifier in zip(keys, some, strict=True):
            assert ids.setdefault(key, identifier) == identifier

    assert len({*ids.values()}) == len(ids)
    assert keys_of(dictionary) == before
    column = np.array([*ids.values()], dtype=np.uint32)
    assert [*map(folded_key, dictionary.keys(terms.stored(column)))] == [*ids]
    dictionary._check()


def test_new_terms_have_ids_in_their_order_where_that_is_asked_for() -> None:
    dictionary = Dictionary()
    StoredTerms(dictionary).encode_integers(np.arange(2))
    keys = [integer_key(5), "urn:a", integer_key(1), integer_key(3)]

    assert dictionary.encode_in_order(pa.array(keys)).tolist() == [2, 3, 1, 4]
    assert [dictionary.lookup_key(key) for key in keys] == [2, 3, 1, 4]


def test_a_fork_and_its_origin_learn_numbers_apart() -> None:
    dictionary = Dictionary()
    StoredTerms(dictionary).encode_integers(np.arange(5))
    fork = dictionary.fork()

    here = StoredTerms(dictionary).encode_integers(np.arange(3, 9))
    there = StoredTerms(fork).encode_integers(np.arange(4, 8)[::-1])

    assert (here.tolist(), there.tolist()) == ([3, 4, 5, 6, 7, 8], [7, 6, 5, 4])
    assert (dictionary.lookup_key(integer_key(8)), fork.lookup_key(integer_key(8))) == (8, None)


def test_ids_of_one_segment_are_in_the_order_of_their_numbers() -> None:
    dictionary = Dictionary()
    dictionary.encode_key("urn:a")
    terms = StoredTerms(dictionary)
    integers = terms.encode_integers(np.array([30, -2, 5, -2]))
    quotients = terms.encode_quotients(np.array([1, -7, 300, 1 << 40]), np.array([3, 2, 1, 300]))

    doubles = terms.encode_doubles(np.array([2.5, -1e300, 1e-300, 7.0]))
    for ids in (integers, quotients, doubles):
        assert terms.are_in_order(ids)
        values = dictionary.values.of(ids).numbers
        assert np.array_equal(np.argsort(ids, kind="stable"), np.argsort(values, kind="stable"))
    for others in (ids[:0], np.append(integers, quotients), np.append(integers, np.uint32(0))):
        assert not terms.are_in_order(others)
