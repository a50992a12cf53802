"""Suffixes of the keys of literals, by columns and by Python."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from kgreason.dictionary.literal_suffixes import Suffixes, literal_texts, split_literals, suffix_lengths

INTEGER = "^^http://www.w3.org/2001/XMLSchema#integer"
suffixes = st.sampled_from(["", "@en", "@de", "@ar--rtl", "@zh-Hans", INTEGER, "^^urn:é"])
texts = st.text(st.sampled_from(['"', "a", "é", "@", "^", "\n", "😀", "\0"]), max_size=5)
literals = st.lists(st.tuples(texts, suffixes), max_size=12)


@given(literals=literals, times=st.sampled_from([1, 40]), large=st.booleans())
def test_texts_and_suffixes_come_apart(literals: list[tuple[str, str]], times: int, large: bool) -> None:
    literals = literals * times
    keys = pa.array([f'"{text}"{suffix}' for text, suffix in literals], pa.large_string() if large else pa.string())
    assert suffix_lengths(keys).tolist() == [len(suffix.encode()) for _, suffix in literals]
    found = Suffixes.of(keys)
    assert [found.texts[code] for code in found.codes] == [suffix for _, suffix in literals]
    assert split_literals(keys) == ([text for text, _ in literals], [suffix for _, suffix in literals])
    assert len(found.texts) == len({suffix for _, suffix in literals})
    assert found.values(keys).to_pylist() == [text for text, _ in literals]
    assert literal_texts(keys).to_pylist() == [text for text, _ in literals]


def test_more_suffixes_than_are_usual() -> None:
    texts = [f"^^urn:t{n}" for n in range(200)] + ["@en"] * 100
    found = Suffixes.of(pa.array([f'"a"{suffix}' for suffix in texts]))
    assert [found.texts[code] for code in found.codes] == texts
    assert len(found.texts) == len(set(texts))


def test_a_slice_of_a_column() -> None:
    keys = pa.array(['"a"', '"b"@en', '"c"^^urn:t', '"d"'])[1:3]
    found = Suffixes.of(keys)
    assert found.values(keys).to_pylist() == ["b", "c"]
    assert literal_texts(keys).to_pylist() == ["b", "c"]
    assert suffix_lengths(keys).tolist() == [3, 7]
    assert [found.texts[code] for code in found.codes] == ["@en", "^^urn:t"]
    assert split_literals(keys) == (["b", "c"], ["@en", "^^urn:t"])


def test_texts_that_are_longer_than_a_piece() -> None:
    texts = ["a" * 700_000, "é" * 700_000, "", "b", "😀" * 700_000, "c"]
    keys = pa.array([f'"{text}"@en' for text in texts])
    assert split_literals(keys) == (texts, ["@en"] * len(texts))
