"""Commits as bytes and as Arrow files, documents with columns as mapped files: what goes in comes out, and no more."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.disk import checked_files as files
from kgreason.disk import codec
from kgreason.disk import commit_columns as columns
from kgreason.disk import commit_records as records
from kgreason.disk.commit_records import Step
from kgreason.disk.snapshot_format import schemas as snapshot_records
from kgreason.errors import KGReasonError, LoadError
from kgreason.io.quad_steps import coalesced
from kgreason.io.quads import Quads

ids = st.integers(0, 2**32 - 1)
keys = st.lists(st.text(st.characters(codec=None)), max_size=6)


@st.composite
def quads(draw: st.DrawFn, identifiers: st.SearchStrategy[int] = ids) -> Quads:
    rows = draw(st.lists(st.tuples(*[identifiers] * 4), max_size=5))
    return Quads(*np.array(rows, dtype=np.uint32).reshape(-1, 4).T)


steps = st.lists(st.tuples(quads(), quads()), max_size=4)


def rows(found: Quads) -> list[tuple[int, ...]]:
    columns = (found.graph, found.subject, found.predicate, found.object)
    return [*zip(*(column.tolist() for column in columns), strict=True)]


def listed(found: list[Step]) -> list[tuple[list, list]]:
    return [(rows(added), rows(removed)) for added, removed in found]


@given(texts=keys)
def test_keys(texts: list[str]) -> None:
    data = records.keys_to_bytes(texts)
    assert records.keys_from_bytes(data) == texts
    for wrong in (data + b"\0", data[:-1]):
        with pytest.raises(LoadError):
            records.keys_from_bytes(wrong)
    column = columns.keys_of_file(memoryview(columns.keys_file(texts)))
    assert [key.decode("utf-8", "surrogatepass") for key in column.to_pylist()] == texts


@given(found=steps)
def test_steps(found: list[Step]) -> None:
    data = records.steps_to_bytes(found)
    assert listed(records.steps_from_bytes(data)) == listed(found)
    for wrong in (data + b"\0", data[:-1]):
        with pytest.raises(LoadError):
            records.steps_from_bytes(wrong)
    with_quads = [step for step in found if len(step[0]) or len(step[1])]
    assert listed(columns.steps_of_file(memoryview(columns.steps_file(found)))) == listed(with_quads)


def test_other_tools_read_the_files() -> None:
    step = (Quads(*np.arange(8, dtype=np.uint32).reshape(4, 2)), Quads.empty())
    table = pa.ipc.open_file(columns.steps_file([step])).read_all()
    assert table.column_names == ["graph", "subject", "predicate", "object", "step", "added"]
    assert table["subject"].to_pylist() == [2, 3]


few = st.integers(0, 1)


@given(found=st.lists(st.tuples(quads(few), quads(few)), max_size=5), before=quads(few))
def test_steps_as_one(found: list[Step], before: Quads) -> None:
    def after(steps: list[Step]) -> set[tuple[int, ...]]:
        held = {*rows(before)}
        for added, removed in steps:
            held = held - {*rows(removed)} | {*rows(added)}
        return held

    one = coalesced(found)
    assert len(one) <= 1 or len(found) < 2
    assert after(one) == after(found)


def in_a_file(folder: Path, columns: codec.ColumnWriter, document: dict[str, object]) -> codec.ColumnReader:
    return codec.ColumnReader(files.mapped(folder, files.write_whole(folder, "file.arrow", columns.file(document))))


@given(
    numbers=st.lists(st.lists(ids, max_size=900), max_size=4),
    texts=st.lists(st.text(), max_size=6),
    flags=st.lists(st.booleans(), max_size=5),
    rows=st.integers(0, 4),
)
def test_documents_and_columns(
    tmp_path_factory: pytest.TempPathFactory, numbers: list[list[int]], texts: list[str], flags: list[bool], rows: int
) -> None:
    columns = codec.ColumnWriter()
    wide = [columns.numbers(np.array(each, dtype=np.uint64)) for each in numbers]
    narrow = [columns.numbers(np.array(each, dtype=np.uint32)) for each in numbers]
    document = {
        "numbers": [wide, narrow],
        "texts": columns.texts(pa.array(texts, pa.string())),
        "flags": columns.numbers(np.array(flags, dtype=np.bool_)),
        "table": columns.table(np.arange(rows * 3, dtype=np.int64).reshape(rows, 3)),
    }

    found = in_a_file(tmp_path_factory.mktemp("file"), columns, document)

    assert found.document == document
    for references, kind in zip(found.document["numbers"], (np.uint64, np.uint32), strict=True):
        assert [found.numbers(each, kind, "numbers").tolist() for each in references] == numbers
    assert found.texts(found.document["texts"], "texts").to_pylist() == texts
    assert found.numbers(found.document["flags"], np.bool_, "flags").tolist() == flags
    assert found.table(found.document["table"], "table").tolist() == np.arange(rows * 3).reshape(rows, 3).tolist()


def test_columns_stay_in_the_memory_of_the_file(tmp_path: Path) -> None:
    columns = codec.ColumnWriter()
    reference = columns.numbers(np.arange(10_000, dtype=np.uint64))
    entry = files.write_whole(tmp_path, "file.arrow", columns.file({}))
    data = files.mapped(tmp_path, entry)

    found = codec.ColumnReader(data).numbers(reference, np.uint64, "numbers")

    assert np.shares_memory(found, np.frombuffer(data, dtype=np.uint8))
    assert not found.flags.writeable
    table = pa.ipc.open_file(tmp_path / "file.arrow").read_all()
    assert table.column_names == ["document", "0"], "other tools read it"


def test_an_object_that_is_no_data_is_not_written() -> None:
    with pytest.raises(KGReasonError, match="cannot be kept"):
        codec.ColumnWriter().numbers(np.array([object()]))
    with pytest.raises(KGReasonError, match="cannot be kept"):
        snapshot_records.write(os.mkdir)


def test_files_are_what_was_written(tmp_path: Path) -> None:
    entry = files.write_whole(tmp_path, "a.bin", [b"some", memoryview(b"thing"), b""])
    assert bytes(files.mapped(tmp_path, entry)) == b"something"
    (tmp_path / "a.bin").write_bytes(b"sOmething")
    with pytest.raises(LoadError, match="other bytes"):
        files.mapped(tmp_path, entry)
    (tmp_path / "a.bin").write_bytes(b"somethin")
    with pytest.raises(LoadError, match="as long"):
        files.mapped(tmp_path, entry)
    (tmp_path / "a.bin").unlink()
    with pytest.raises(LoadError, match=r"a\.bin"):
        files.mapped(tmp_path, entry)
    assert not len(files.mapped(tmp_path, files.write_whole(tmp_path, "b.bin", [])))
