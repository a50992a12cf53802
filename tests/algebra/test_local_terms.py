"""Terms that evaluations make, one by one and as columns: catches a term with two ids, an id with another term, what is
known of one id told of another."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.algebra import local_terms
from kgreason.algebra.local_terms import NO_KIND, UNBOUND, LocalTerms
from kgreason.dictionary.dictionary import Dictionary
from kgreason.dictionary.value_columns import ValueColumn
from kgreason.errors import QueryLimitError
from kgreason.rdf.keys import folded_key, key_of, kind_of, term_of
from kgreason.rdf.model import IRI, BlankNode, Literal, Term, TripleTerm
from kgreason.rdf.vocabulary import XSD
from tests.thresholds import Tuned, tuning_context

TERMS: list[Term] = [
    *(Literal(str(number), XSD + "integer") for number in range(-3, 3)),
    *(Literal("a", None, tag) for tag in ("en", "EN", "de-AT")),
    *(Literal("a"), Literal("a", XSD + "string"), Literal("é"), Literal("0.5", XSD + "decimal"), IRI("urn:a")),
    *(BlankNode("b"), TripleTerm(IRI("urn:a"), IRI("urn:p"), Literal("c"))),
]
KEYS = st.lists(st.sampled_from([key_of(term) for term in TERMS]), max_size=8)


@given(known=KEYS, batches=st.lists(st.tuples(KEYS, st.booleans()), max_size=5), least=st.sampled_from([1, 3, 1 << 14]))
def test_each_term_has_one_id_and_each_id_its_term(known: list, batches: list, least: int) -> None:
    with tuning_context() as tuned:
        tuned(SEGMENT_LEAST=least, NUMBERS_LEAST=least)
        dictionary = Dictionary()
        dictionary.encode_keys(known)
        size, terms = len(dictionary), LocalTerms(dictionary)
        ids: dict[str, int] = {}

        for keys, is_column in batches:
            folded = [*map(folded_key, keys)]
            found = terms.encode_column(pa.array(folded, pa.string())) if is_column else terms.encode_keys(keys)
            for key, identifier in zip(folded, found.tolist(), strict=True):
                assert ids.setdefault(key, identifier) == identifier
        check(terms, ids)
        assert len(dictionary) == size

        stored = terms.stored(np.array([*ids.values(), UNBOUND], dtype=np.uint32))
        assert [*map(folded_key, dictionary.keys(stored[:-1]))] == [*ids]
        assert stored[-1] == UNBOUND


def check(terms: LocalTerms, ids: dict[str, int]) -> None:
    """What is known of ids is what is known of their terms."""
    assert len({*ids.values()}) == len(ids)
    column = np.array([*ids.values(), UNBOUND], dtype=np.uint32)
    assert terms.kinds(column).tolist() == [*map(kind_of, ids), NO_KIND]
    assert [*map(folded_key, terms.keys(column[:-1]))] == [*ids]
    ascending = np.sort(column[:-1])
    assert terms.key_column(ascending).to_pylist() == [*terms.keys(ascending)]
    expected = ValueColumn.of_terms([*map(term_of, ids)])
    found = terms.values_of(column)
    assert found.classes[:-1].tolist() == expected.classes.tolist()
    np.testing.assert_equal(found.numbers[:-1], expected.numbers)
    for key, identifier in ids.items():
        assert folded_key(terms.key(identifier)) == key
        assert terms.lookup(term_of(key)) == terms.encode(term_of(key)) == identifier
        assert folded_key(key_of(terms.decode(identifier))) == key


@pytest.mark.parametrize("least", [1, 1 << 14])
def test_too_many_characters_are_refused(least: int, tuned: Tuned, monkeypatch: pytest.MonkeyPatch) -> None:
    tuned(SEGMENT_LEAST=least, NUMBERS_LEAST=least)
    monkeypatch.setattr(local_terms, "MOST_CHARACTERS", 10)
    terms = LocalTerms(Dictionary())
    terms.encode_keys(['"1234"', '"é"'])

    terms.encode_keys(['"1234"', '"é"'])
    with pytest.raises(QueryLimitError):
        terms.encode_keys(['"12"'])
