"""Values of whole columns of keys against those of the terms one by one."""

from __future__ import annotations

import random
from threading import Thread

import numpy as np
import pyarrow as pa
import pytest

from kgreason.dictionary.dictionary import Dictionary
from kgreason.dictionary.value_columns import ValueColumn
from kgreason.dictionary.value_forms import values_of_keys
from kgreason.rdf.keys import key_of
from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from kgreason.rdf.vocabulary import XSD
from tests.sparql.literals import TERMS
from tests.thresholds import Tuned

LONG_DECIMALS = [
    *("-1##." + "#" * 14 + "7", "##." + "#" * 13 + "7", "0.3" + "#" * 14 + "7", "0.0#" + "#" * 14 + "7"),
    *("1#." + "#" * 15 + "0", "-" + "1" * 18 + "." + "#" * 40 + "7", "0." + "0" * 20 + "7", "1." + "3" * 60),
]
FORMS = {
    "integer": ["-#", "+#", "#.", "0#", "####", "-", "", "--#", "#-#", "#" * 15, "-" + "#" * 16, "\u0663", "#:", "/#"],
    "int": ["#", "###", "-#########", "##########"],
    "long": ["-#", "", "-"],
    "nonNegativeInteger": ["#", "-#", "-0", "-"],
    "decimal": ["-#.#", "#.##", ".#", "+#.5", "#.#####", "##.#", *LONG_DECIMALS],
    "double": ["#", "#.#e#", "-#.#E-#", "#e+5", ".5", "1e400"],
    "float": ["#.#", "-#", "1e#", "#e-60"],
    "dateTime": ["####-0#-1#T0#:0#:0#", "20##-02-2#T2#:00:#0", "1###-01-0#T10:00:00.#Z", "20##-02-3#T00:00:00"],
    "dateTimeStamp": ["20##-02-2#T2#:00:#0Z"],
    "date": ["####-0#-1#", "20##-02-3#", "2020-01-0#Z", "1###-1#-0#"],
    "time": ["0#:00:00", "1#:0#:00.#Z"],
    "boolean": ["true", "#"],
    "string": ["#", ""],
    "token": ["# #", " #"],
}


def many_terms(seed: int) -> list[Term]:
    """Literals in usual and unusual forms."""
    source = random.Random(seed)
    terms: list[Term] = [*TERMS, *map(Literal, ('"', '"^^' + XSD + "string", "\n")), Literal('"@x', None, "en")]
    for _ in range(40):
        for name, forms in FORMS.items():
            form = source.choice(forms)
            terms.append(Literal("".join(str(source.randrange(10)) if c == "#" else c for c in form), XSD + name))
        number = source.randrange(1000)
        terms += [IRI(f"urn:{number}"), BlankNode(f"b{number}")]
        terms += [Literal(f"x{number}"), Literal(f"{number}", None, "de-AT"), Literal("", None, f"x-{number}")]
    return list(dict.fromkeys(terms))


def check(found: ValueColumn, terms: list[Term]) -> None:
    expected = ValueColumn.of_terms(terms)
    for row, term in enumerate(terms):
        assert found.classes[row] == expected.classes[row], term
        np.testing.assert_equal(found.numbers[row], expected.numbers[row], err_msg=str(term))
        assert found.exact[row] == expected.exact[row], term


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("text_type", [pa.string(), pa.large_string()])
def test_columns_of_keys(seed: int, text_type: pa.DataType) -> None:
    terms = many_terms(seed)
    check(values_of_keys(pa.array([key_of(term) for term in terms], text_type)), terms)


@pytest.mark.parametrize("seed", range(3))
def test_keys_one_by_one(seed: int) -> None:
    terms = many_terms(seed)
    check(ValueColumn.of_keys([key_of(term) for term in terms]), terms)


@pytest.mark.parametrize("end", ["", "Z", "+01:00"])
def test_columns_of_moments(end: str) -> None:
    terms: list[Term] = [Literal(f"{2000 + n}-02-10T1{n % 10}:00:00.5{end}", XSD + "dateTime") for n in range(40)]
    check(values_of_keys(pa.array([key_of(term) for term in terms])), terms)


def test_columns_of_datatypes_that_nobody_knows() -> None:
    terms: list[Term] = [Literal(f"{n}", f"urn:unit{n % 3}") for n in range(60)]
    check(values_of_keys(pa.array([key_of(term) for term in terms])), terms)


def test_days_and_times_that_there_are_not_do_not_spoil_the_others() -> None:
    terms: list[Term] = [Literal(f"2020-02-{day}", XSD + "date") for day in range(10, 32)]
    check(values_of_keys(pa.array([key_of(term) for term in terms])), terms)


@pytest.mark.parametrize("asked", [3, 40, 150])
def test_the_first_few_of_many_terms_make_no_room_for_all(asked: int) -> None:
    """In any order and with duplicates, until as many were asked for as room for all takes."""
    terms = many_terms(asked)
    dictionary = Dictionary()
    ids = np.array([*map(dictionary.encode, terms)], dtype=np.uint32)
    for number in range(100_000):
        dictionary.encode(IRI(f"urn:other{number}"))
    chosen = np.random.default_rng(asked).integers(0, len(terms), asked)
    for _ in range(2):
        check(dictionary.values.of(ids[chosen]), [terms[row] for row in chosen])
        assert len(dictionary.values._known) == 0 or asked == 150
    check(dictionary.values.of(ids), terms)
    assert len(dictionary.values._known) > 0
    check(dictionary.values.of(ids[chosen]), [terms[row] for row in chosen])
    dictionary._check()


@pytest.mark.parametrize("few", [0, 1 << 20])
def test_a_dictionary_keeps_what_was_looked_at(few: int, tuned: Tuned) -> None:
    tuned(FEW_VALUES=few, FEW_USUAL_VALUES=few)
    dictionary, terms = Dictionary(), many_terms(1)
    for begin, end in ((0, 100), (50, len(terms))):
        ids = np.array([dictionary.encode(term) for term in terms[begin:end]], dtype=np.uint32)
        decoded = [dictionary.decode(i) for i in ids.tolist()]
        check(dictionary.values.of(ids), decoded)
        check(dictionary.values.of(ids[::-1]), decoded[::-1])
    assert len(dictionary.values.of(np.empty(0, dtype=np.uint32))) == 0
    dictionary.values._check()


@pytest.mark.parametrize("few", [0, 1 << 20])
def test_a_lone_surrogate_is_a_text_like_others(few: int, tuned: Tuned) -> None:
    tuned(FEW_VALUES=0, FEW_USUAL_VALUES=few)
    dictionary = Dictionary()
    terms: list[Term] = [Literal("\ud800"), Literal("1", XSD + "integer")]
    # None comes in any more, but stores of version 0.1 may have one.
    check(dictionary.values.of(dictionary.encode_keys(['"\ud800"', f'"1"^^{XSD}integer'])), terms)


def test_readers_in_several_threads() -> None:
    dictionary, terms = Dictionary(), many_terms(2)
    failures: list[BaseException] = []

    def read(seed: int) -> None:
        source = random.Random(seed)
        try:
            for size in range(20, len(terms), 40):
                some = [source.choice(terms[:size]) for _ in range(50)]
                ids = np.array([dictionary.encode(term) for term in some], dtype=np.uint32)
                check(dictionary.values.of(ids), [dictionary.decode(i) for i in ids.tolist()])
        except BaseException as error:
            failures.append(error)

    for term in terms:
        dictionary.encode(term)
    threads = [Thread(target=read, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.parametrize("few", [0, 1 << 20])
def test_many_keys_are_looked_up_at_once(few: int, tuned: Tuned) -> None:
    tuned(FEW_NEW_KEYS=few, SEGMENT_LEAST=1)
    dictionary = Dictionary()
    single, frozen = ['"a"', "urn:a", '"t"@en'], [f'"{n}"' for n in range(100)] + ['"u"@en-GB']
    dictionary.encode_keys(single)
    dictionary.encode_column(pa.array(frozen))
    asked = ['"a"', '"t"@EN', '"u"@EN-gb', '"no"', '"5"', "urn:a", "urn:b", '"\ud800"', '"5"']
    expected = [dictionary.lookup_key(key) for key in asked]
    assert dictionary.lookup_keys(asked).tolist() == [-1 if known is None else known for known in expected]
    assert dictionary.lookup_keys([]).tolist() == []
