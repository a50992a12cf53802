"""N-Triples as the output of a run."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
import pyarrow as pa

from kgreason.errors import WriteError, one_line
from kgreason_mapping.arrow.columns import joined
from kgreason_mapping.arrow.quads import BatchOutcome, QuadColumns
from kgreason_mapping.run_outputs import Compression

_SUFFIXES: Final = {"gzip": ".gz", "zstd": ".zst", "none": ""}
_LINES: Final = 10_000_000
"""Lines of a part: what is read by one task or thread."""
_ROWS: Final = 1 << 14
"""Lines that are put together at once: they stay in the cache until they are compressed or written."""
_GZIP_LEVEL: Final = 1


class NTriplesSink:
    """Files of N-Triples, or of N-Quads where there are named graphs: ``part-00000.nt.gz`` and so on."""

    def __init__(self, folder: Path, compression: Compression) -> None:
        self.lines = 0
        self._folder, self._compression = folder, compression
        self._has_graphs = False
        self._parts: list[Path] = []
        self._file: IO[bytes] | None = None
        self._left = 0

    def prepare(self, outcome: BatchOutcome) -> tuple[int, bool, list[Any]]:
        """The lines of a batch, compressed: a member of gzip, or a frame of Zstandard."""
        named = any(quads.graph is not None for quads in outcome.quads)
        return outcome.quad_count, named, list(_compressed(_all_lines(outcome), self._compression))

    def take(self, prepared: tuple[int, bool, list[Any]]) -> None:
        """Write lines, to a new part after so many; WriteError where the file cannot be written."""
        count, named, content = prepared
        if not count:
            return
        self._has_graphs |= named
        self.lines += count
        try:
            if self._file is None or self._left <= 0:
                self.close()
                self._parts.append(self._folder / f"part-{len(self._parts):05d}")
                self._file, self._left = self._parts[-1].open("wb"), _LINES
            self._left -= count
            for piece in content:
                self._file.write(piece)
        except OSError as error:
            raise WriteError(f"cannot be written: {one_line(error)}", path=self._parts[-1]) from error

    def close(self) -> None:
        """Close the last part."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def finish(self) -> None:
        """Give the parts the suffix of what is in them."""
        self.close()
        suffix = (".nq" if self._has_graphs else ".nt") + _SUFFIXES[self._compression]
        for part in self._parts:
            part.rename(part.with_name(part.name + suffix))


def lines_of(outcome: BatchOutcome, compression: Compression) -> bytes:
    """The lines of a batch, compressed: a member of gzip, or a frame of Zstandard."""
    return compressed(_all_lines(outcome), compression)


def compressed(content: Iterator[Any], compression: Compression) -> bytes:
    """Bytes as a member of gzip, or a frame of Zstandard."""
    return b"".join(_compressed(content, compression))


def _all_lines(outcome: BatchOutcome) -> Iterator[Any]:
    return (line for quads in outcome.quads for line in _lines(quads))


def _lines(quads: QuadColumns) -> Iterator[Any]:
    """Lines of N-Quads as bytes."""
    for start in range(0, quads.length, _ROWS):
        rows = slice(start, min(start + _ROWS, quads.length))
        graph = () if quads.graph is None else (" ", *quads.graph.token_pieces(rows))
        line = joined(
            (
                *quads.subject.token_pieces(rows), " ",
                *quads.predicate.token_pieces(rows), " ",
                *quads.object.token_pieces(rows), *graph, " .\n",
            ),
            rows.stop - rows.start,
        )  # fmt: skip
        offsets = np.frombuffer(line.buffers()[1], dtype=np.int32)[[line.offset, line.offset + len(line)]]
        yield memoryview(line.buffers()[2])[int(offsets[0]) : int(offsets[1])]


def _compressed(content: Iterator[Any], compression: Compression) -> Iterator[Any]:
    if compression == "none":
        yield from content
    elif compression == "gzip":
        gzip = zlib.compressobj(_GZIP_LEVEL, zlib.DEFLATED, 31)
        yield from map(gzip.compress, content)
        yield gzip.flush()
    else:
        target = pa.BufferOutputStream()
        with pa.CompressedOutputStream(target, "zstd") as stream:
            for piece in content:
                stream.write(piece)
        yield memoryview(target.getvalue())
