"""Local ids: quads as positions in a dictionary of their own, so that terms are numbers before anything moves them.

`kgreason_spark.local_id_frames` has such quads in rows of a DataFrame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kgreason.io.quads import Ids
from kgreason_mapping.arrow.columns import taken
from kgreason_mapping.arrow.quads import Placed, QuadColumns

NO_GRAPH: Final = (1 << 32) - 1


@dataclass(frozen=True, slots=True)
class LocalQuads:
    """Quads as positions in `terms`, distinct dictionary keys all of which are used; NO_GRAPH in the default graph."""

    terms: pa.Array
    subject: Ids
    predicate: Ids
    object: Ids
    graph: Ids

    def packed(self) -> bytes:
        """The four columns, one after the other, as little-endian numbers of four bytes."""
        return np.concatenate([self.subject, self.predicate, self.object, self.graph]).astype("<u4").tobytes()

    def predicate_uses(self) -> pa.Array:
        """How many quads have each term as their predicate."""
        # Keys of a caller are checked later: the code of a null among them is too large a number to count up to.
        known = self.predicate[self.predicate < len(self.terms)]
        return pa.array(np.bincount(known, minlength=len(self.terms)).astype(np.int32))


def unpacked(content: bytes | pa.Buffer) -> list[Ids]:
    """Subjects, predicates, objects and graphs of packed quads."""
    return list(np.frombuffer(content, dtype=np.dtype("<u4")).astype(np.uint32, copy=False).reshape(4, -1))


def local_quads(quads: Sequence[QuadColumns]) -> LocalQuads:
    """The quads of a batch. Cost: each column of terms is hashed once, in however many quads it stands."""
    segments = _Segments()
    for one in quads:
        for placed in one.terms:
            segments.add(placed)
    codes, terms = segments.encoded()
    length = sum(one.length for one in quads)
    columns = [np.full(length, NO_GRAPH, dtype=np.uint32) for _ in range(4)]
    start = 0
    for one in quads:
        rows = slice(start, start + one.length)
        for column, placed in zip(columns, one.terms, strict=False):
            column[rows] = segments.ids(placed, codes)
        start += one.length
    return _used(terms, columns)


def local_columns(keys: Sequence[pa.Array]) -> LocalQuads:
    """Quads of columns of keys: subject, predicate, object and graph, null in the default graph."""
    encoded = pc.dictionary_encode(pa.concat_arrays(keys))
    codes = _codes(encoded)
    subject, predicate, object_, graph = codes.reshape(4, -1)
    return LocalQuads(encoded.dictionary, subject, predicate, object_, graph)


class _Segments:
    """Columns of terms, each once, one after the other."""

    def __init__(self) -> None:
        self._rows: dict[int | str, slice] = {}
        self._keys: list[pa.Array] = []
        self._length = 0

    def add(self, placed: Placed) -> None:
        """Take in a column."""
        column = placed.column
        name = self._name(placed)
        if name in self._rows:
            return
        keys = pa.array([column.constant_key], pa.string()) if column.is_constant else column.keys
        if not column.is_constant and column.good is not None:
            # Bad terms are in no quad.
            keys = keys.take(pa.array(np.arange(len(keys)), mask=~column.good))
        self._rows[name] = slice(self._length, self._length + len(keys))
        self._keys.append(keys)
        self._length += len(keys)

    def encoded(self) -> tuple[Ids, pa.Array]:
        """A code for each key, and the distinct keys; the code of a bad term is NO_GRAPH."""
        found = pc.dictionary_encode(pa.concat_arrays(self._keys or [pa.array([], pa.string())]))
        return _codes(found), found.dictionary

    def ids(self, placed: Placed, codes: Ids) -> Ids:
        """The codes of the terms at positions."""
        own: Ids = codes[self._rows[self._name(placed)]]
        # One code of a constant stands for all rows.
        return own if placed.positions is None or placed.column.is_constant else own[placed.positions]

    @staticmethod
    def _name(placed: Placed) -> int | str:
        return placed.column.constant_key if placed.column.is_constant else id(placed.column)


def _codes(encoded: pa.DictionaryArray) -> Ids:
    """The positions in a dictionary; NO_GRAPH, which is -1 in 32 bits, for null."""
    codes: Ids = encoded.indices.fill_null(-1).to_numpy().astype(np.uint32)
    return codes


def _used(terms: pa.Array, columns: Sequence[Ids]) -> LocalQuads:
    """Quads with only the terms that they use: a good term beside a bad one in its row is in no quad."""
    is_used = np.zeros(len(terms) + 1, dtype=bool)
    for column in columns:
        is_used[np.minimum(column, len(terms))] = True
    kept = np.flatnonzero(is_used[:-1])
    if len(kept) < len(terms):
        places = np.append(np.cumsum(is_used[:-1]) - 1, NO_GRAPH).astype(np.uint32)
        terms, columns = taken(terms, kept), [places[np.minimum(one, len(terms))] for one in columns]
    return LocalQuads(terms, *columns)
