"""Terms come back from the dictionary exactly as they went in, under ids that never change."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.errors import TermError
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.keys import BLANK_KIND, IRI_KIND, LITERAL_KIND, key_of, term_of
from kgreason.terms.model import IRI, BlankNode, Literal, Term
from kgreason.terms.vocabulary import XSD_STRING

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
IRIS = st.sampled_from(["http://example.org/a", "urn:x", "michel", "http://example.org/ü#\u00e9"])
TERMS: st.SearchStrategy[Term] = st.one_of(
    st.builds(IRI, IRIS),
    st.builds(BlankNode, st.from_regex(r"[A-Za-z0-9]{1,6}", fullmatch=True)),
    st.builds(Literal, TEXT),
    st.builds(Literal, TEXT, IRIS),
    st.builds(Literal, TEXT, st.none(), st.sampled_from(["en", "de-AT"])),
)


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
    assert dictionary.encode(plain) != dictionary.encode(typed)
    assert dictionary.encode(Literal("1")) != dictionary.encode(Literal("01"))
    first = dictionary.encode(Literal("a", None, "en-GB"))
    assert dictionary.encode(Literal("a", None, "EN-gb")) == first
    assert dictionary.decode(first) == Literal("a", None, "en-GB")
    assert dictionary.lookup(Literal("never seen")) is None


def test_kinds() -> None:
    dictionary = Dictionary()
    ids = [dictionary.encode(t) for t in (IRI("_x:y"), BlankNode("b"), Literal("l"), IRI("urn:x"))]
    expected = [IRI_KIND, BLANK_KIND, LITERAL_KIND, IRI_KIND]
    assert dictionary.kinds(np.array(ids, dtype=np.uint32)).tolist() == expected
    assert dictionary.literal_mask().tolist() == [False, False, True, False]
    many = dictionary.encode_keys(f'"{i}"' for i in range(5000))
    assert dictionary.literal_mask()[many].all()
    assert not dictionary.literal_mask()[ids[0]]


@pytest.mark.parametrize("value", ["", "a b", "a<b", "a\nb", 'a"b', "_:b", "a\\b", "a{b}"])
def test_bad_iris(value: str) -> None:
    dictionary = Dictionary()
    with pytest.raises(TermError, match="not a valid IRI"):
        dictionary.encode(IRI(value))
    with pytest.raises(TermError):
        dictionary.encode(Literal("x", value))
    assert len(dictionary) == 0
