"""Columns between numpy and Arrow: what goes in comes out, slices included, and pandas is left alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.dictionary.arrow_columns import (
    mask_column,
    mask_of,
    numbers_of,
    optional_texts,
    row_column,
    text_column,
    text_scalar,
    texts_of,
)
from kgreason.dictionary.dictionary import Dictionary
from kgreason.io.encoded.encoded_writer import write_encoded
from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.io.readers import read_stream


@given(st.lists(st.booleans(), max_size=40), st.integers(0, 40), st.integers(0, 40))
def test_masks_come_back_from_slices(flags: list[bool], begin: int, end: int) -> None:
    column = mask_column(np.array(flags, dtype=np.bool_))
    assert column.to_pylist() == flags
    assert mask_of(column[begin:end]).tolist() == flags[begin:end]


@given(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=40), st.integers(0, 40), st.integers(0, 40))
def test_whole_numbers_come_back_from_slices(numbers: list[int], begin: int, end: int) -> None:
    column = row_column(np.array(numbers, dtype=np.int64))
    assert column.to_pylist() == numbers
    for type in (pa.int64(), pa.int32()):
        assert numbers_of(column.cast(type)[begin:end]).tolist() == numbers[begin:end]


TEXTS = st.lists(st.text(st.characters(exclude_categories=("Cs",)), max_size=5), max_size=20)


@given(TEXTS, st.integers(0, 20), st.integers(0, 20), st.sampled_from([pa.string(), pa.large_string()]))
def test_texts_of_a_column(texts: list[str], begin: int, end: int, type: pa.DataType) -> None:
    column = text_column(texts).cast(type)

    assert list(texts_of(column[begin:end])) == texts[begin:end]


@pytest.mark.parametrize("type", [pa.string(), pa.large_string()])
@pytest.mark.parametrize("odd", ["", "c", "é", "😀", "a\0b", "\0"])
def test_many_texts_without_pandas(odd: str, type: pa.DataType, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [odd, *(f"text {number}" for number in range(400)), odd]
    column = text_column(texts).cast(type)
    monkeypatch.delitem(sys.modules, "pandas", raising=False)

    assert texts_of(column) == texts
    assert texts_of(column[1:301]) == texts[1:301]


@given(st.lists(st.none() | st.text(st.characters(exclude_categories=("Cs",)), max_size=5), max_size=20))
def test_optional_texts(texts: list[str | None]) -> None:
    assert optional_texts(texts).to_pylist() == texts


@given(st.lists(st.floats(allow_nan=False, width=32), max_size=20), st.integers(0, 20), st.integers(0, 20))
def test_floats_come_back_from_slices(numbers: list[float], begin: int, end: int) -> None:
    for type in (pa.float64(), pa.float32()):
        assert numbers_of(pa.array(numbers, type)[begin:end]).tolist() == numbers[begin:end]


@given(TEXTS)
def test_texts_come_back_from_a_valid_column(texts: list[str]) -> None:
    column = text_column(texts)
    column.validate(full=True)
    assert column.type == pa.string()
    assert column.to_pylist() == texts
    assert [text_scalar(text).as_py() for text in texts] == texts


def test_half_a_surrogate_pair_is_no_text() -> None:
    with pytest.raises(UnicodeEncodeError):
        text_column(["\ud800"])


LOADING = """
import sys
from kgreason import KnowledgeBase
base = KnowledgeBase("none")
base.bulk_load(*sys.argv[1:])
assert len(base.all())
print("pandas" in sys.modules)
"""


@pytest.mark.slow
def test_loading_does_not_import_pandas(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    row = '<http://e/s{0}> <http://e/p> "{0}"@en .\n_:b{0} <http://e/q> "\\t{0}"^^<http://e/t> .\n'
    (tmp_path / "data.nt").write_text("".join(row.format(number) for number in range(9999)))
    dictionary = Dictionary()
    quads = read_stream((tmp_path / "data.nt").read_bytes(), dictionary, format="nt")
    columns = (quads.subject, quads.predicate, quads.object, quads.graph)
    write_encoded(tmp_path / "encoded", dictionary, *columns, DEFAULT_GRAPH)
    command = [sys.executable, "-c", LOADING, str(tmp_path / "data.nt"), str(tmp_path / "encoded")]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == "False\n"
