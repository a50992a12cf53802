"""The two normal forms of a key: of one key and of a column they are the same, and they say which keys are one term."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from kgreason.dictionary.folded_keys import FoldedKeys
from kgreason.rdf.keys import folded_key, key_of, normal_key
from kgreason.rdf.model import Literal
from kgreason.rdf.vocabulary import XSD_STRING

TEXTS = st.text(st.sampled_from('ab@^"A\n é\U0001f600'), max_size=6) | st.just(f'"^^{XSD_STRING}')
SUFFIXES = st.sampled_from(
    ["", "@en", "@en-GB", "@EN-gb", "@x-É", f"^^{XSD_STRING}", "^^urn:X@Y", f"^^{XSD_STRING}s", "^^urn:string"]
)
KEYS = st.builds(lambda text, suffix: f'"{text}"{suffix}', TEXTS, SUFFIXES) | st.sampled_from(
    ["urn:A@EN", f"urn:a^^{XSD_STRING}", XSD_STRING, "_:A", "_:a@EN"]
)
COLUMNS = st.builds(pa.array, st.lists(KEYS, max_size=80), st.sampled_from([pa.string(), pa.large_string()]))


@given(COLUMNS, st.randoms(use_true_random=False))
def test_forms_of_a_column_are_those_of_its_keys(column: pa.Array, random: object) -> None:
    keys = column.to_pylist()
    found = FoldedKeys.of(column)
    normal = [*map(normal_key, keys)]
    assert found.texts.to_pylist() == [*map(folded_key, keys)]
    assert found.texts.type == column.type
    assert found.listed() == [found.spelled(row) for row in range(len(keys))] == normal

    rows = np.array(sorted(range(len(keys)), key=lambda _: random.random()), dtype=np.int64)
    assert found.spelled_column(rows).to_pylist() == [normal[row] for row in rows.tolist()]
    kept = np.array([row % 3 != 0 for row in range(len(keys))], dtype=np.bool_)
    assert found.where(kept).listed() == [key for row, key in enumerate(normal) if row % 3]
    half = len(keys) // 2
    parts = [found.between(0, half), found.between(half, len(keys))]
    assert FoldedKeys.joined(parts).listed() == normal
    assert FoldedKeys.joined(parts[::-1]).listed() == normal[half:] + normal[:half]


@given(KEYS)
def test_a_normal_form_is_its_own(key: str) -> None:
    assert normal_key(normal_key(key)) == normal_key(key)
    assert folded_key(normal_key(key)) == folded_key(key) == folded_key(folded_key(key))


def test_a_string_has_one_key_and_is_one_term() -> None:
    assert key_of(Literal("x", XSD_STRING)) == key_of(Literal("x")) == '"x"'
    assert Literal("x", XSD_STRING) == Literal("x")
    assert folded_key('"x"@en-GB') == folded_key('"x"@EN-gb') != folded_key('"X"@en-GB')
