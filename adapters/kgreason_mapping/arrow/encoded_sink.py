"""Encoded triples as the output of a run: terms become ids as batches come, triples are written at the end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from kgreason.dictionary.dictionary import Dictionary
from kgreason.dictionary.key_columns import KeyColumn
from kgreason.io.encoded.encoded_writer import write_encoded
from kgreason.io.encoded.manifest import Manifest
from kgreason.io.quads import DEFAULT_GRAPH, Ids, Quads
from kgreason_mapping.arrow.columns import Mask, Rows, taken
from kgreason_mapping.arrow.encoded_changes import ChangeCounts, write_changes
from kgreason_mapping.arrow.quads import BatchOutcome, Placed, QuadColumns
from kgreason_mapping.arrow.term_columns import TermColumn

CHANGES: Final = "changes"

_KEYS: Final = 1 << 18
"""Terms that are encoded at once."""
_SAMPLE: Final = 1_000


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
            for placed in quads.terms:
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

    def _taken(self) -> Quads:
        """All quads; what was kept of them is given back part by part."""
        length = sum(part.length for part in self._parts)
        subject, predicate, object_ = (np.empty(length, dtype=np.uint32) for _ in range(3))
        graph: Ids = np.broadcast_to(np.uint32(DEFAULT_GRAPH), length)
        if any(part.graph is not DEFAULT_GRAPH for part in self._parts):
            graph = np.empty(length, dtype=np.uint32)
        while self._parts:
            part = self._parts.pop()
            rows = slice(length - part.length, length)
            subject[rows], predicate[rows], object_[rows] = part.subject, part.predicate, part.object
            if graph.flags.writeable:
                graph[rows] = part.graph
            length -= part.length
        return Quads(graph, subject, predicate, object_)

    def finish(self, directory: Path, since: Path | None) -> tuple[Manifest, ChangeCounts | None]:
        """Write everything that was taken in, and to the folder CHANGES what has changed since an earlier run."""
        self._encode()
        whole = self._taken()
        manifest = write_encoded(
            directory, self._dictionary, whole.subject, whole.predicate, whole.object, whole.graph, DEFAULT_GRAPH
        )
        if since is None:
            return manifest, None
        return manifest, write_changes(directory / CHANGES, self._dictionary, whole, since)


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
