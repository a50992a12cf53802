"""Parquet that promises or holds far more than it is: one error with the path, before the memory is taken.

Would catch a reader that believes the header of a page, the footer of a file or a manifest whose checksums are right.
The same for the blocks of Hadoop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha512
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import LoadError
from kgreason.io.encoded.encoded_reader import read_encoded
from kgreason.io.encoded.manifest import MANIFEST, describe_file, read_manifest
from kgreason.io.readers import load_files
from tests.io.encoded_cases import file_of, write
from tests.thresholds import Tuned

ROWS = 22_000
ONE_PAGE = {"use_dictionary": False, "data_page_size": 8 << 20}
# Long ones, of which 20,000, which is a page of Arrow, have two megabytes, and which compress badly.
IRIS = [f"<http://example.org/{sha512(str(number).encode()).hexdigest()}>" for number in range(ROWS)]


@pytest.fixture(autouse=True)
def small(tuned: Tuned) -> None:
    """So that a bomb of eight megabytes is one."""
    tuned(DECOMPRESSED_LEAST=1 << 20, DECOMPRESSED_RATIO=30)


def table(path: Path, objects: pa.Array, **options: object) -> Path:
    """A table of triples with one subject and one predicate."""
    same = pa.array(["<http://example.org/s>"]).take(pa.array(np.zeros(len(objects), dtype=np.int64)))
    pq.write_table(pa.table({"s": same, "p": same, "o": objects}), path, **options)
    return path


def repeated(text: str, count: int) -> pa.Array:
    return pa.array([text]).take(pa.array(np.zeros(count, dtype=np.int64)))


def load(path: Path) -> int:
    return len(load_files([path], Dictionary()).quads)


def varint(number: int) -> bytes:
    """A positive number of Thrift, in zigzag."""
    number <<= 1
    pieces = bytearray()
    while number >= 0x80:
        pieces.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*pieces, number])


def page_size(path: Path, column: int, size: int) -> None:
    """Have the first page of a column say that it has `size` bytes."""
    content = bytearray(path.read_bytes())
    footer = pq.read_metadata(path).row_group(0).column(column)
    at = footer.dictionary_page_offset if footer.has_dictionary_page else footer.data_page_offset
    # The kind of the page is the first field, its size the second one.
    assert content[at] == 0x15
    begin = at + 3
    end = begin
    while content[end] >= 0x80:
        end += 1
    length = end + 1 - begin
    assert len(varint(size)) == length, "the forged number takes another number of bytes"
    content[begin : end + 1] = varint(size)
    path.write_bytes(content)


def test_table_that_is_no_bomb_is_read(tmp_path: Path) -> None:
    assert load(table(tmp_path / "t.parquet", pa.array(IRIS))) == ROWS
    assert load(table(tmp_path / "u.parquet", pa.array(IRIS), data_page_version="2.0", compression="zstd")) == ROWS


@pytest.mark.parametrize("compression", ["snappy", "zstd", "gzip"])
def test_page_that_says_more_than_it_has_is_refused(tmp_path: Path, compression: str) -> None:
    path = table(tmp_path / "t.parquet", pa.array(IRIS), compression=compression, **ONE_PAGE)
    page_size(path, 2, 120 << 20)
    before = pa.total_allocated_bytes()

    with pytest.raises(LoadError, match="decompresses to more than") as raised:
        load(path)

    assert raised.value.path == str(path)
    assert pa.total_allocated_bytes() - before < 4 << 20


def test_page_that_decompresses_to_more_than_it_says_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path / "t.parquet", pa.array(IRIS), compression="snappy", **ONE_PAGE)
    page_size(path, 2, 1_100_000)

    with pytest.raises(LoadError, match="not readable as Parquet") as raised:
        load(path)

    assert raised.value.path == str(path)


@pytest.mark.parametrize("compression", ["zstd", "none"])
def test_text_of_a_dictionary_that_is_repeated_too_often_is_refused(tmp_path: Path, compression: str) -> None:
    text = f'"{"x" * 1000}"'
    path = table(tmp_path / "t.parquet", repeated(text, 10_000), compression=compression)

    with pytest.raises(LoadError, match="texts decompress to more than") as raised:
        load(path)

    assert raised.value.path == str(path)


def test_rows_without_bytes_are_refused(tmp_path: Path) -> None:
    path = table(tmp_path / "t.parquet", repeated('"x"', 4_000_000), row_group_size=1 << 22)
    assert path.stat().st_size < 100_000

    with pytest.raises(LoadError, match="decompresses to more than"):
        load(path)


def test_texts_that_compress_too_well_are_refused(tmp_path: Path) -> None:
    texts = pa.array([f'"{"x" * 100_000}{number}"' for number in range(200)])

    with pytest.raises(LoadError, match="decompress"):
        load(table(tmp_path / "t.parquet", texts, compression="zstd", use_dictionary=False))


def broken_off(path: Path) -> None:
    content = path.read_bytes()
    length = int.from_bytes(content[-8:-4], "little") + 8
    path.write_bytes(content[: len(content) // 4] + content[-length:])


def zeroed(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4 : len(content) // 2] = bytes(len(content) // 2 - 4)
    path.write_bytes(content)


def nested(path: Path) -> None:
    """The header of the first page is a structure in a structure and so on."""
    content = bytearray(path.read_bytes())
    content[4:1004] = b"\x5c" * 1000
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [broken_off, zeroed, nested])
def test_damaged_pages_are_one_error_with_the_path(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    path = table(tmp_path / "t.parquet", pa.array(IRIS), use_dictionary=False)
    damage(path)

    with pytest.raises(LoadError) as raised:
        load(path)

    assert raised.value.path == str(path)
    assert "\n" not in str(raised.value)


# -- encoded triples whose manifest is right --------------------------------------------------------------------------


def sealed(directory: Path, section: str, content: pa.Table, rows: int, **options: object) -> None:
    """Put a table in the place of a file, and have the manifest say that it has so many rows."""
    manifest, file = read_manifest(directory), file_of(directory, section)
    pq.write_table(content, directory / file.path, **options)
    entry = describe_file(directory, directory / file.path, rows)
    files = tuple(entry if each == file else each for each in manifest.files)
    more = rows - file.rows
    terms = replace(manifest.terms, literals=manifest.terms.literals + (more if section == "dictionary" else 0))
    triples = manifest.triples + (more if section == "triples" else 0)
    forged = replace(manifest, files=files, terms=terms, triples=triples)
    (directory / MANIFEST).write_text(forged.to_json())


def numbers(count: int) -> pa.Table:
    zeros = pa.array(np.zeros(count, dtype=np.int64))
    return pa.table({"subject": zeros, "object": zeros, "graph": pa.nulls(count, pa.int64())})


def test_encoded_rows_without_bytes_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "e")
    sealed(tmp_path / "e", "triples", numbers(4_000_000), 3, row_group_size=1 << 22)

    with pytest.raises(LoadError, match="decompresses to more than") as raised:
        read_encoded(tmp_path / "e")

    assert "triples" in str(raised.value.path)


def test_more_encoded_rows_than_are_announced_are_refused_at_the_first_one(tmp_path: Path) -> None:
    write(tmp_path / "e")
    sealed(tmp_path / "e", "triples", numbers(40_000), 3)

    with pytest.raises(LoadError, match=r"40000 rows, and manifest\.json says 3"):
        read_encoded(tmp_path / "e")


def test_manifest_that_promises_more_rows_than_its_files_can_hold_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "e")
    sealed(tmp_path / "e", "triples", numbers(3), 1 << 50)

    with pytest.raises(LoadError, match="1125899906842627 rows in") as raised:
        read_encoded(tmp_path / "e")

    assert str(tmp_path / "e") in str(raised.value)


def test_terms_of_a_dictionary_page_are_no_bomb(tmp_path: Path) -> None:
    write(tmp_path / "e")
    count = 5000
    content = pa.table({"id": pa.array(range(count)), "term": repeated(f'"{"x" * 2000}"', count)})
    sealed(tmp_path / "e", "dictionary", content, count)

    with pytest.raises(LoadError, match="texts decompress to more than"):
        read_encoded(tmp_path / "e")


# -- blocks of Hadoop -------------------------------------------------------------------------------------------------


def test_block_of_snappy_that_says_more_than_it_can_hold_is_refused(tmp_path: Path) -> None:
    piece = b"\x80\x80\x80\x80\x02" + bytes(5)  # half a gigabyte
    path = tmp_path / "t.nt.snappy"
    path.write_bytes((1 << 29).to_bytes(4, "big") + len(piece).to_bytes(4, "big") + piece)

    with pytest.raises(LoadError, match="a piece of 536,870,912 bytes") as raised:
        load(path)

    assert raised.value.path == str(path)


def test_block_of_lz4_that_is_longer_than_it_says_is_refused(tmp_path: Path) -> None:
    frame = pa.compress(bytes(2 << 20), codec="lz4_raw", asbytes=True)
    path = tmp_path / "t.nt.lz4"
    path.write_bytes((100).to_bytes(4, "big") + len(frame).to_bytes(4, "big") + frame)

    with pytest.raises(LoadError, match="a block is") as raised:
        load(path)

    assert raised.value.path == str(path)
