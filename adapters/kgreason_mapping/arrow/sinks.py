"""Outputs of a run: N-Triples, encoded triples, or a table of dictionary keys.

A sink prepares what batches make in several threads, and takes it in in one.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, Literal, Protocol, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kgreason.dictionary.dictionary import Dictionary
from kgreason.dictionary.key_columns import KeyColumn
from kgreason.errors import WriteError
from kgreason.io.encoded.encoded_writer import write_encoded
from kgreason.io.encoded.manifest import Manifest
from kgreason.io.quads import DEFAULT_GRAPH, Ids, Quads
from kgreason_mapping.arrow.columns import Mask, Rows, joined, taken
from kgreason_mapping.arrow.encoded_changes import ChangeCounts, write_changes
from kgreason_mapping.arrow.quads import BatchOutcome, Placed, QuadColumns
from kgreason_mapping.arrow.term_columns import TermColumn

Compression: TypeAlias = Literal["gzip", "zstd", "none"]

CHANGES: Final = "changes"

_SUFFIXES: Final = {"gzip": ".gz", "zstd": ".zst", "none": ""}
_LINES: Final = 10_000_000
"""Lines of a part: what is read by one task or thread."""
_ROWS: Final = 1 << 14
"""Lines that are put together at once: they stay in the cache until they are compressed or written."""
_KEYS: Final = 1 << 20
"""Terms that are encoded at once."""
_SAMPLE: Final = 1_000
_GZIP_LEVEL: Final = 1


class Sink(Protocol):
    """Where quads go."""

    def prepare(self, outcome: BatchOutcome) -> Any:
        """What `take` needs of a batch; called by several threads."""

    def take(self, prepared: Any) -> None:
        """Take in what was prepared, in the order of the batches."""


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
        written = (line for quads in outcome.quads for line in _lines(quads))
        named = any(quads.graph is not None for quads in outcome.quads)
        return outcome.quad_count, named, list(_compressed(written, self._compression))

    def take(self, prepared: tuple[int, bool, list[Any]]) -> None:
        """Write lines."""
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
            raise WriteError(f"cannot be written: {error.strerror or error}", path=self._parts[-1]) from error

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


@dataclass(frozen=True, slots=True)
class _Terms:
    """The keys of a column that are to be encoded: each distinct one where `codes` tells which, the good ones where a
    mask does."""

    keys: KeyColumn
    codes: Rows | None
    good: Mask | None

    def spread(self, ids: Ids) -> Ids:
        """The ids of all terms of the column, from those of the keys; anything for bad terms."""
        found = ids if self.codes is None else ids[self.codes]
        if self.good is None:
            return found
        everywhere = np.zeros(len(self.good), dtype=np.uint32)
        everywhere[self.good] = found
        return everywhere


@dataclass(frozen=True, slots=True)
class _EncodedBatch:
    """The columns of a batch, each once by its identity, and its quads."""

    columns: dict[int, _Terms]
    quads: list[QuadColumns]


@dataclass(frozen=True, slots=True)
class _Part:
    """Columns of ids; one id where a column has it in all rows."""

    length: int
    graph: int | Ids
    subject: int | Ids
    predicate: int | Ids
    object: int | Ids


class EncodedSink:
    """Encoded triples. Cost: the terms, each once, and 8 to 16 bytes a triple stay in memory until `finish`."""

    def __init__(self) -> None:
        self._dictionary = Dictionary()
        self._waiting: list[_EncodedBatch] = []
        self._keys = 0
        self._parts: list[_Part] = []

    def prepare(self, outcome: BatchOutcome) -> _EncodedBatch:
        """The hashes of the keys of a batch."""
        columns: dict[int, _Terms] = {}
        for quads in outcome.quads:
            for placed in _placed(quads):
                if not placed.column.is_constant and id(placed.column) not in columns:
                    columns[id(placed.column)] = _terms(placed.column)
        return _EncodedBatch(columns, outcome.quads)

    def take(self, prepared: _EncodedBatch) -> None:
        """Keep a batch until there are many terms: the dictionary takes in few large columns at less than many small
        ones."""
        self._waiting.append(prepared)
        self._keys += sum(len(terms.keys) for terms in prepared.columns.values())
        if self._keys >= _KEYS:
            self._encode()

    def _encode(self) -> None:
        waiting, self._waiting, self._keys = self._waiting, [], 0
        columns = [terms.keys for batch in waiting for terms in batch.columns.values()]
        encoded = iter(self._dictionary.encode_columns(columns))
        for batch in waiting:
            ids = {name: terms.spread(next(encoded)) for name, terms in batch.columns.items()}
            self._parts += [self._part(quads, ids) for quads in batch.quads]

    def _part(self, quads: QuadColumns, ids: dict[int, Ids]) -> _Part:
        subject, predicate, object_ = (self._ids(one, ids) for one in (quads.subject, quads.predicate, quads.object))
        graph = DEFAULT_GRAPH if quads.graph is None else self._ids(quads.graph, ids)
        return _Part(quads.length, graph, subject, predicate, object_)

    def _ids(self, placed: Placed, ids: dict[int, Ids]) -> int | Ids:
        if placed.column.is_constant:
            return self._dictionary.encode_key(placed.column.constant_key)
        found = ids[id(placed.column)]
        return found if placed.positions is None else found[placed.positions]

    def finish(self, directory: Path, since: Path | None) -> tuple[Manifest, ChangeCounts | None]:
        """Write everything that was taken in, and to the folder CHANGES what has changed since an earlier run."""
        self._encode()
        whole = Quads.of_length(sum(part.length for part in self._parts))
        start = 0
        for part in self._parts:
            rows = slice(start, start + part.length)
            whole.graph[rows], whole.subject[rows] = part.graph, part.subject
            whole.predicate[rows], whole.object[rows] = part.predicate, part.object
            start += part.length
        self._parts.clear()
        manifest = write_encoded(
            directory, self._dictionary, whole.subject, whole.predicate, whole.object, whole.graph, DEFAULT_GRAPH
        )
        if since is None:
            return manifest, None
        return manifest, write_changes(directory / CHANGES, self._dictionary, whole, since)


class TableSink:
    """A table of the dictionary keys of quads: `subject`, `predicate`, `object`, and `graph`, null in the default
    graph."""

    def __init__(self) -> None:
        self._batches: list[pa.RecordBatch] = []

    def prepare(self, outcome: BatchOutcome) -> list[pa.RecordBatch]:
        """The keys of a batch."""
        return [_record_batch(quads) for quads in outcome.quads]

    def take(self, prepared: Sequence[pa.RecordBatch]) -> None:
        """Keep keys."""
        self._batches += prepared

    def table(self) -> pa.Table:
        """Everything that was taken in."""
        return pa.Table.from_batches(self._batches, QUAD_SCHEMA)


QUAD_SCHEMA: Final = pa.schema([(name, pa.string()) for name in ("subject", "predicate", "object", "graph")])


def _record_batch(quads: QuadColumns) -> pa.RecordBatch:
    places = [quads.subject, quads.predicate, quads.object]
    columns = [_keys(placed, quads.length) for placed in places]
    columns.append(pa.nulls(quads.length, pa.string()) if quads.graph is None else _keys(quads.graph, quads.length))
    return pa.RecordBatch.from_arrays(columns, schema=QUAD_SCHEMA)


def _keys(placed: Placed, length: int) -> pa.Array:
    if placed.column.is_constant:
        return pa.repeat(pa.scalar(placed.column.constant_key, pa.string()), length)
    return placed.column.keys if placed.positions is None else taken(placed.column.keys, placed.positions)


def _placed(quads: QuadColumns) -> list[Placed]:
    graph = [] if quads.graph is None else [quads.graph]
    return [quads.subject, quads.predicate, quads.object, *graph]


def _terms(column: TermColumn) -> _Terms:
    keys, good = column.keys, column.good
    if good is not None:
        keys = taken(keys, np.flatnonzero(good))
    codes: NDArray[np.int64] | None = None
    sample = keys[:_SAMPLE]
    if len(keys) > _SAMPLE and len(pc.unique(sample)) * 2 < len(sample):
        encoded = pc.dictionary_encode(keys)
        keys, codes = encoded.dictionary, encoded.indices.to_numpy()
    return _Terms(KeyColumn.of(keys), codes, good)
