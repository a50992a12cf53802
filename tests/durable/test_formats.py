"""Commits as bytes and as Arrow files, and objects as mapped files: what goes in comes out, and nothing else does."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.durable import columns, files, frozen, records
from kgreason.durable.coalescing import coalesced
from kgreason.durable.records import Step
from kgreason.errors import LoadError
from kgreason.knowledge import keeping
from kgreason.loading.quads import Quads
from kgreason.schemes.binary import BinaryTable

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


def written(folder: Path, found: object) -> memoryview:
    return files.mapped(folder, files.write_whole(folder, "file.bin", frozen.freeze(found, {"a": 1})))


def test_arrays_and_columns_stay_in_the_memory_of_the_file(tmp_path: Path) -> None:
    table = BinaryTable(np.arange(10_000, dtype=np.uint64))
    column = pa.array(["some", "texts"] * 5000)[3:]
    data = written(tmp_path, (table, column))
    assert frozen.read_head(data)["a"] == 1
    again, texts = frozen.thaw(data, keeping.names())
    assert np.array_equal(again.keys(), table.keys())
    assert np.shares_memory(again.keys(), np.frombuffer(data, dtype=np.uint8))
    assert not again.keys().flags.writeable
    assert texts.equals(column)


class Hostile:
    def __reduce__(self) -> tuple:
        return os.mkdir, ("made",)


def test_a_file_runs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LoadError, match="mkdir has no place"):
        frozen.thaw(written(tmp_path, Hostile()), keeping.names())
    assert not (tmp_path / "made").exists()
    pickle.loads(pickle.dumps(Hostile()))
    assert (tmp_path / "made").exists()


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
