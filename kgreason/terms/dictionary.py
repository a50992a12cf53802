"""The dictionary: from RDF terms to dense uint32 ids and back.

A term is kept once, as its key (`keys`).

Terms that come one by one are kept in a Python dictionary and list, columns of many terms as Arrow columns
(`segments`) that are found by a sorted column of hashes (`hash_index`): some 20 bytes beside the text of a term, where
Python's objects take 150.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kgreason.terms.hash_index import HashIndex
from kgreason.terms.hashing import TEXT_LIMIT, Hashes, hash_column, hash_text
from kgreason.terms.key_columns import Distinct, KeyColumn
from kgreason.terms.keys import LITERAL_KIND, key_of, kind_of, kinds_of, lower_language, term_of
from kgreason.terms.model import Term
from kgreason.terms.segments import Segment
from kgreason.terms.value_columns import KnownValues

SEGMENT_LEAST = 1 << 14
_FEW = 32

_DECODED_TERMS = 1 << 16


class Dictionary:
    """Interns terms; ids are given in the order of first sight and never taken back."""

    def __init__(self) -> None:
        # What came one by one, by keys with language tags in lower case.
        self._ids: dict[str, int] = {}
        # Runs of ids by their first one: lists of keys, and segments; the last one is a list, and grows.
        self._starts: list[int] = [0]
        self._runs: list[list[str] | Segment] = [[]]
        # The last run with its first id: one attribute, so that readers in other threads never see half a change.
        self._tail: tuple[int, list[str]] = (0, self._runs[-1])  # type: ignore[assignment]
        self._index = HashIndex()
        self._kinds = np.empty(1024, dtype=np.uint8)
        self._kinds_known = 0
        self._literals = np.empty(1024, dtype=np.bool_)
        self._decode = lru_cache(_DECODED_TERMS)(self._decode_now)
        self.values = KnownValues(self)

    def __len__(self) -> int:
        start, tail = self._tail
        return start + len(tail)

    def encode(self, term: Term) -> int:
        """The id of a term, a new one when it was never seen."""
        return self.encode_key(key_of(term))

    def lookup(self, term: Term) -> int | None:
        """The id of a term, None when it was never seen."""
        return self.lookup_key(key_of(term))

    def decode(self, identifier: int) -> Term:
        """The term of an id; the terms decoded last are cached."""
        return self._decode(identifier)

    def encode_key(self, key: str) -> int:
        """The id of a key, a new one when it was never seen."""
        known = self._ids.get(key)
        if known is None:
            folded = lower_language(key)
            known = self._find(folded) if self._index.levels else None
            if known is None:
                known = self._ids.setdefault(folded, len(self))
                if known == len(self):
                    self._tail[1].append(key)
        return known

    def lookup_key(self, key: str) -> int | None:
        """The id of a key, None when it was never seen: some microseconds at most."""
        known = self._ids.get(key)
        if known is None:
            folded = lower_language(key)
            known = self._ids.get(folded)
            if known is None and self._index.levels:
                known = self._find(folded)
        return known

    def key(self, identifier: int) -> str:
        """The key of an id."""
        start, tail = self._tail
        if identifier >= start:
            return tail[identifier - start]
        at = bisect_right(self._starts, identifier) - 1
        run = self._runs[at]
        return run.spelled(identifier) if isinstance(run, Segment) else run[identifier - self._starts[at]]

    def keys(self, identifiers: NDArray[np.uint32]) -> list[str]:
        """The keys of many ids: in segments whole columns at a time."""
        if not self._index.levels or len(identifiers) <= _FEW:
            return [self.key(identifier) for identifier in identifiers.tolist()]
        found = np.empty(len(identifiers), dtype=np.object_)
        for start, end, run in self._spans():
            rows = np.flatnonzero((identifiers >= start) & (identifiers < end))
            if len(rows):
                some = identifiers[rows]
                found[rows] = run.spelled_column(some) if isinstance(run, Segment) else [run[i - start] for i in some]
        keys: list[str] = found.tolist()
        return keys

    def key_column(self, identifiers: NDArray[np.uint32]) -> pa.Array:
        """The keys of ids in ascending order, as a string column; UnicodeEncodeError for what is no Unicode."""
        pieces: list[pa.Array] = [pa.array([], pa.string())]
        for start, end, run in self._spans():
            begin, stop = np.searchsorted(identifiers, [start, end]).tolist()
            some = identifiers[begin:stop]
            if isinstance(run, Segment):
                pieces.append(run.spelled_column(some))
            else:
                pieces.append(pa.array([run[i - start] for i in some.tolist()], pa.string()))
        if sum(piece.nbytes for piece in pieces) > TEXT_LIMIT:
            pieces = [piece.cast(pa.large_string()) for piece in pieces]
        return pa.concat_arrays(pieces)

    def encode_keys(self, keys: Iterable[str]) -> NDArray[np.uint32]:
        """The ids of many keys."""
        encode = self.encode_key
        return np.fromiter((encode(key) for key in keys), dtype=np.uint32)

    def encode_column(self, keys: pa.Array) -> NDArray[np.uint32]:
        """The ids of a string or large_string column of keys without nulls, as by `encode_columns`."""
        if len(keys) < SEGMENT_LEAST:
            return self.encode_keys(keys.to_pylist())
        return self.encode_columns([KeyColumn.of(keys)])[0]

    def encode_columns(self, columns: list[KeyColumn]) -> list[NDArray[np.uint32]]:
        """The ids of several columns of keys: about 0.2 microseconds each, and no Python object for any of them.

        Many new terms become one segment. The list is emptied, so that the columns are not held beside it; nothing
        else has changed when this is interrupted.
        """
        if not columns:
            return []
        ends = np.cumsum([len(part) for part in columns])[:-1]
        column = KeyColumn.joined(columns)
        columns.clear()
        if len(column) < SEGMENT_LEAST:
            folded = column.folded.to_pylist()
            return np.split(self.encode_keys(column.spellings.get(row, key) for row, key in enumerate(folded)), ends)
        distinct = Distinct.of(column)
        known = self._known(column, distinct.by_hash)
        new = np.zeros(len(column), dtype=np.bool_)
        new[distinct.by_hash] = known[distinct.by_hash] < 0
        rows = np.flatnonzero(new)
        if len(rows) < SEGMENT_LEAST:
            fresh = zip(rows.tolist(), column.folded.take(pa.array(rows)).to_pylist(), strict=True)
            known[rows] = [self.encode_key(column.spellings.get(row, key)) for row, key in fresh]
        else:
            start = len(self)
            known[rows] = np.arange(start, start + len(rows))
            by_hash = distinct.by_hash[new[distinct.by_hash]]
            spellings = {int(known[row]): key for row, key in column.spellings.items() if new[row]}
            texts = column.folded if len(rows) == len(column) else column.folded.filter(pa.array(new))
            self._append(Segment(start, texts, spellings), column.hashes[by_hash], known[by_hash])
        return np.split(known.astype(np.uint32)[distinct.first], ends)

    def kinds(self, identifiers: NDArray[np.uint32]) -> NDArray[np.uint8]:
        """For each id IRI_KIND, BLANK_KIND or LITERAL_KIND: O(n) once the terms have been looked at."""
        return self._all_kinds()[identifiers]

    def literal_mask(self) -> NDArray[np.bool_]:
        """For every id whether it is a literal."""
        count = len(self._all_kinds())
        return self._literals[:count]

    def memory(self) -> int:
        """Bytes held by the keys and the ways to them; those of Python's strings by a sample of a thousand."""
        listed = [key for run in self._runs if not isinstance(run, Segment) for key in run[:: max(1, len(run) // 1000)]]
        mean = sum(map(len, listed)) / len(listed) + 49 if listed else 0
        frozen = sum(run.nbytes for run in self._runs if isinstance(run, Segment)) + self._index.nbytes
        return int(len(self._ids) * (mean + 8 + 60)) + frozen + self._kinds.nbytes + self._literals.nbytes

    def _find(self, folded: str) -> int | None:
        """The id in a segment of a key with its language tag in lower case."""
        # A lone surrogate, which Python's strings may have, is in no segment.
        for identifier in self._index.with_hash(hash_text(folded.encode("utf-8", "surrogatepass"))):
            run = self._runs[bisect_right(self._starts, identifier) - 1]
            if isinstance(run, Segment) and run.folded(identifier) == folded:
                return identifier
        return None

    def _known(self, column: KeyColumn, by_hash: NDArray[np.int64]) -> NDArray[np.int64]:
        """For the given rows of a column, which come in the order of their hashes, the ids; -1 for what has none."""
        known = np.full(len(column), -1, dtype=np.int64)
        ascending = column.hashes[by_hash]
        self._known_in_segments(column, by_hash, ascending, known)
        if len(self._ids) > len(by_hash):
            rows = by_hash[known[by_hash] < 0]
            known[rows] = [self._ids.get(key, -1) for key in column.folded.take(pa.array(rows)).to_pylist()]
            return known
        for key, identifier in self._ids.items():
            wanted = hash_text(key.encode("utf-8", "surrogatepass"))
            at = int(np.searchsorted(ascending, np.uint64(wanted)))
            while at < len(ascending) and ascending[at] == wanted:
                if column.folded[int(by_hash[at])].as_py() == key:
                    known[by_hash[at]] = identifier
                at += 1
        return known

    def _known_in_segments(
        self, column: KeyColumn, by_hash: NDArray[np.int64], ascending: Hashes, known: NDArray[np.int64]
    ) -> None:
        for level in self._index.levels:
            at = np.searchsorted(level.hashes, ascending)
            at[at == len(level)] = 0
            hits = level.hashes[at] == ascending
            rows, found = by_hash[hits], level.identifiers[at[hits]]
            for start, end, run in self._spans():
                inside = (found >= start) & (found < end)
                if isinstance(run, Segment) and inside.any():
                    same = run.equal(found[inside], column.folded.take(pa.array(rows[inside])))
                    known[rows[inside][same]] = found[inside][same]
                    for row in rows[inside][~same].tolist():  # another term has the same hash
                        identifier = self._find(column.folded[row].as_py())
                        known[row] = -1 if identifier is None else identifier

    def _append(self, segment: Segment, hashes: Hashes, identifiers: NDArray[np.int64]) -> None:
        """Take over a segment, with the ascending hashes of its keys and the id of each."""
        starts = [*self._starts, segment.first, segment.first + len(segment)]
        runs: list[list[str] | Segment] = [*self._runs, segment, []]
        index = HashIndex()
        index.levels = self._index.levels
        index.add(hashes, identifiers.astype(np.uint32))
        # In one step, between whose parts no KeyboardInterrupt can come, and no reader in another thread.
        vars(self).update(_starts=starts, _runs=runs, _index=index, _tail=(starts[-1], runs[-1]))

    def _spans(self) -> Iterable[tuple[int, int, list[str] | Segment]]:
        """The runs that have terms, with their first id and the first one after them."""
        for start, run in zip(self._starts, self._runs, strict=True):
            if len(run):
                yield start, start + len(run), run

    def _all_kinds(self) -> NDArray[np.uint8]:
        count = len(self)
        if count > self._kinds_known:
            if count > len(self._kinds):
                more = max(count, 2 * len(self._kinds)) - len(self._kinds)
                self._kinds = np.append(self._kinds, np.empty(more, dtype=np.uint8))
                self._literals = np.append(self._literals, np.empty(more, dtype=np.bool_))
            for start, end, run in self._spans():
                fresh = max(start, self._kinds_known)
                if fresh < end and isinstance(run, Segment):
                    self._kinds[fresh:end] = kinds_of(run.keys)[fresh - start :]
                elif fresh < end and isinstance(run, list):
                    self._kinds[fresh:end] = np.fromiter(map(kind_of, run[fresh - start :]), np.uint8, end - fresh)
            unknown = slice(self._kinds_known, count)
            self._literals[unknown] = self._kinds[unknown] == LITERAL_KIND
            self._kinds_known = count
        return self._kinds[:count]

    def _decode_now(self, identifier: int) -> Term:
        return term_of(self.key(identifier))

    def __getstate__(self) -> list[Any]:
        return [(run.keys, run.spellings) if isinstance(run, Segment) else run for run in self._runs]

    def __setstate__(self, runs: list[Any]) -> None:
        Dictionary.__init__(self)
        for run in runs:
            if isinstance(run, list):
                for key in run:
                    self.encode_key(key)
            else:
                hashes = hash_column(run[0])
                order = np.argsort(hashes)
                self._append(Segment(len(self), *run), hashes[order], order + len(self))

    def _check(self) -> None:
        self._index._check()
        frozen = sum(len(run) for run in self._runs if isinstance(run, Segment))
        assert len(self._ids) + frozen == len(self), "ids and keys differ in number"
        assert len(self._index) == frozen, "hashes and keys differ in number"
        for start, end, _ in self._spans():
            keys = self.keys(np.arange(start, end, dtype=np.uint32))
            assert [self.lookup_key(key) for key in keys] == [*range(start, end)], "a key has another id"
            assert [self.key(identifier) for identifier in range(start, end)] == keys, "an id has another key"
