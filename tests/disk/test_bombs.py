"""Files that decompress to far more than they are: one error before the memory is taken.

Would catch a reader that believes the length which a compressed column says of itself, and a writer whose own files its
reader refuses.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from rdflib import Graph, URIRef

from kgreason import LoadError, ReasoningStore
from kgreason.disk import commit_columns
from kgreason.io.quads import Quads
from tests.disk import forging
from tests.thresholds import Tuned

_ZEROS = pa.array(["\0" * (8 << 20)])
_ZSTD = pa.ipc.IpcWriteOptions(compression="zstd")
ROWS = 50_000


def packed(schema: pa.Schema, *batches: list[pa.Array]) -> memoryview:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, schema, options=_ZSTD) as writer:
        for columns in batches:
            writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
    return memoryview(sink.getvalue())


def keys(text: pa.Array, batches: int = 1) -> memoryview:
    return packed(pa.schema({"key": pa.string()}), *[[text]] * batches)


@pytest.fixture(autouse=True)
def small(tuned: Tuned) -> None:
    """So that a bomb of eight megabytes is one."""
    tuned(DECOMPRESSED_LEAST=1 << 20, DECOMPRESSED_RATIO=100)


def test_column_of_zeros_is_refused_before_its_memory_is_taken() -> None:
    data = keys(_ZEROS)
    before = pa.default_memory_pool().max_memory()

    with pytest.raises(LoadError, match="decompresses to more than 1,048,576 bytes"):
        commit_columns.keys_of_file(data)

    assert pa.default_memory_pool().max_memory() - before < 4 << 20


def test_many_small_batches_are_refused_together() -> None:
    data = keys(pa.array(["\0" * (1 << 17)]), 40)

    with pytest.raises(LoadError, match="decompresses to more than"):
        commit_columns.keys_of_file(data)


@pytest.mark.parametrize("length", [1 << 40, (1 << 63) - 1, -2])
def test_length_that_is_a_lie_is_refused(length: int) -> None:
    data = keys(pa.array(["a" * 5000]))
    at = bytes(data).rindex(struct.pack("<q", 5000))
    forged = bytes(data[:at]) + struct.pack("<q", length) + bytes(data[at + 8 :])

    with pytest.raises(LoadError, match=r"damaged: .*(decompresses|below zero)"):
        commit_columns.keys_of_file(memoryview(forged))


def test_more_rows_than_the_log_says_are_refused() -> None:
    column = np.zeros(ROWS, dtype=np.uint32)
    data = memoryview(commit_columns.steps_file([(Quads(column, column, column, column), Quads.empty())]))

    assert len(commit_columns.steps_of_file(data, ROWS)[0][0]) == ROWS
    with pytest.raises(LoadError, match="more rows than were written"):
        commit_columns.steps_of_file(data, ROWS - 1)


@pytest.mark.parametrize("cut", [0, 7, 8, 9, 40, 100, 300])
def test_file_that_breaks_off_is_refused(cut: int) -> None:
    with pytest.raises(LoadError, match="damaged"):
        commit_columns.keys_of_file(keys(pa.array(["a", "b"]))[:cut])


def test_what_a_writer_writes_is_read_however_well_it_compresses() -> None:
    data = commit_columns.keys_file(_ZEROS)

    assert commit_columns.keys_of_file(memoryview(data)).equals(_ZEROS)
    assert data.size > _ZEROS.nbytes  # it is not compressed: a reader would refuse it
    assert commit_columns.keys_file(pa.array(["abc" * 1000])).size < 1000


def test_bomb_in_a_store_is_an_error_that_names_path_and_file(
    tmp_path: Path, tuned: Tuned
) -> None:
    tuned(LARGE_COMMIT=1)
    with ReasoningStore(rules="none") as store:
        store.open(str(tmp_path / "store"), create=True)
        Graph(store=store).add((URIRef("http://e/a"), URIRef("http://e/b"), URIRef("http://e/c")))
        store.commit()
    bomb = pa.array(["http://e/a", "http://e/b", "http://e/" + "c" * (8 << 20)])
    forging.replace_file(tmp_path / "store", "terms", lambda data: bytes(keys(bomb)))

    with pytest.raises(LoadError, match="decompresses to more than") as raised:
        ReasoningStore().open(str(tmp_path / "store"), read_only=True)

    assert str(tmp_path / "store") in str(raised.value)
    assert "terms-1-" in str(raised.value)
