"""Parquet as a bad disk leaves it: cut off, or with one bit that is another."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

VALUES: Final = ("subject", "object", "term", "s", "o")
"""The columns with what triples are made of."""


def cut_off(content: bytearray, path: Path) -> None:
    """Half of the file."""
    del content[len(content) // 2 :]


def flip_in_footer(content: bytearray, path: Path) -> None:
    """One byte of the metadata."""
    size = struct.unpack("<I", content[-8:-4])[0]
    content[len(content) - 8 - size + 1] ^= 0xFF


def flip_in_page(content: bytearray, path: Path) -> None:
    """One bit of the values, where a reader without checksums takes them for others."""
    before, group = pq.read_table(path, partitioning=None), pq.ParquetFile(path).metadata.row_group(0)
    columns = [one for one in map(group.column, range(group.num_columns)) if one.path_in_schema in VALUES]
    for column in columns:
        begin = column.dictionary_page_offset or column.data_page_offset
        for place in range(begin + column.total_compressed_size - 1, begin, -1):
            content[place] ^= 0x01
            try:
                after = pq.read_table(pa.BufferReader(bytes(content)))
                after.validate(full=True)
                if after != before and len(after) == len(before):
                    return
            except (OSError, pa.ArrowInvalid):
                pass
            content[place] ^= 0x01
    raise AssertionError("no bit is taken for another")


def damage(folder: Path, change: Callable[[bytearray, Path], None]) -> Path:
    """Change the largest file of Parquet below a folder, which has no checksum of Hadoop beside it."""
    path = max(folder.rglob("*.parquet"), key=lambda one: one.stat().st_size)
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
    content = bytearray(path.read_bytes())
    change(content, path)
    path.write_bytes(content)
    return path
