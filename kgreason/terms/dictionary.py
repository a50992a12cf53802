"""The dictionary: from RDF terms to dense uint32 ids and back.

A term is kept once, as its key (`keys`).

Terms that come one by one are kept in a Python dictionary and list, columns of many terms as Arrow columns
(`segments`): some 20 bytes beside the text of a term, where Python's objects take 150. A term in a column is found by
a sorted column of hashes (`hash_index`); one in a column that came in order (`ordered_keys`), as long as that is the
only one, by its order alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kgreason.errors import TermError
from kgreason.terms.arrow import row_column, text_column
from kgreason.terms.folded_keys import FoldedKeys
from kgreason.terms.hash_index import HashIndex
from kgreason.terms.hashing import Hashes, hash_text
from kgreason.terms.key_columns import Distinct, KeyColumn
from kgreason.terms.keys import folded_key, key_of, normal_key, term_of
from kgreason.terms.kinds import Kinds
from kgreason.terms.model import Term
from kgreason.terms.ordered_keys import OrderedKeys, OrderedPieces
from kgreason.terms.runs import Run, Runs
from kgreason.terms.segments import Segment
from kgreason.terms.value_columns import KnownValues

SEGMENT_LEAST = 1 << 14
FEW_KEYS = 32
# Looking a known key up in ordered ones takes so many times as long as hashing and sorting one of these.
LOOK_UP: Final = 64

_DECODED_TERMS: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class DictionaryState:
    """What a dictionary holds, as immutable columns: runs of keys, the ways to them, the kinds that are known."""

    runs: tuple[Run, ...]
    index: HashIndex
    ordered: tuple[int, OrderedKeys] | None
    kinds: NDArray[np.uint8]


class Dictionary:
    """Interns terms; ids are given in the order of first sight and never taken back."""

    def __init__(self) -> None:
        # What came one by one, by folded keys.
        self._ids: dict[str, int] = {}
        self._runs = Runs()
        self._index = HashIndex()
        # A segment that is not in the index, by its first id.
        self._ordered: tuple[int, OrderedKeys] | None = None
        self._kinds = Kinds()
        self._decode = lru_cache(_DECODED_TERMS)(self._decode_now)
        self.values = KnownValues(self)

    def __len__(self) -> int:
        return len(self._runs)

    def encode(self, term: Term) -> int:
        """The id of a term, a new one when it was never seen."""
        return self.encode_key(key_of(term))

    def lookup(self, term: Term) -> int | None:
        """The id of a term, None when it was never seen, or is not valid."""
        try:
            return self.lookup_key(key_of(term))
        except TermError:
            return None

    def decode(self, identifier: int) -> Term:
        """The term of an id; the terms decoded last are cached."""
        return self._decode(identifier)

    def encode_key(self, key: str) -> int:
        """The id of a key, a new one when it was never seen."""
        known = self._ids.get(key)
        if known is None:
            folded = folded_key(key)
            known = self._find(folded)
            if known is None:
                known = self._learn(folded, key)
        return known

    def _learn(self, folded: str, key: str) -> int:
        """Give a key the next id, unless another thread has been quicker."""
        try:
            known = self._ids.setdefault(folded, len(self))
            if known == len(self):
                self._runs.append(normal_key(key))
        except BaseException:
            # Stopped in between: the next key would get the same id.
            if self._ids.get(folded, -1) >= len(self):
                del self._ids[folded]
            raise
        return known

    def lookup_key(self, key: str) -> int | None:
        """The id of a key, None when it was never seen: some microseconds at most."""
        known = self._ids.get(key)
        if known is None:
            folded = folded_key(key)
            known = self._ids.get(folded)
            if known is None:
                known = self._find(folded)
        return known

    def lookup_keys(self, keys: Sequence[str]) -> NDArray[np.int64]:
        """The ids of many keys, -1 for what was never seen: a part of a microsecond each."""
        folded = [*map(folded_key, keys)]
        found = np.array([self._ids.get(key, -1) for key in folded], dtype=np.int64)
        rest = np.flatnonzero(found < 0)
        if len(rest) > FEW_KEYS and self._ordered is None and self._index.levels:
            try:
                column = KeyColumn.of(pa.array([folded[row] for row in rest.tolist()], pa.large_string()))
            except UnicodeEncodeError:
                pass  # a lone surrogate, which no Arrow column holds
            else:
                by_hash = np.argsort(column.hashes)
                identifiers = np.full(len(rest), -1, dtype=np.int64)
                self._known_in_segments(column, by_hash, column.hashes[by_hash], identifiers)
                found[rest] = identifiers
                return found
        found[rest] = [-1 if (known := self._find(folded[row])) is None else known for row in rest.tolist()]
        return found

    def key(self, identifier: int) -> str:
        """The key of an id."""
        return self._runs.key(identifier)

    def keys(self, identifiers: NDArray[np.uint32]) -> list[str]:
        """The keys of many ids: in segments whole columns at a time."""
        return self._runs.keys(identifiers)

    def key_column(self, identifiers: NDArray[np.uint32]) -> pa.Array:
        """The keys of ids in ascending order, as a string column; UnicodeEncodeError for what is no Unicode."""
        return self._runs.key_column(identifiers)

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
        """The ids of several columns of keys: about 0.1 microseconds each, and no Python object for any of them.

        Many new terms become one segment. The list is emptied, so that the columns are not held beside it; no term has
        become known when this is interrupted.
        """
        if not columns:
            return []
        ends = np.cumsum([len(part) for part in columns])[:-1]
        column = KeyColumn.joined(columns)
        columns.clear()
        if len(column) < SEGMENT_LEAST:
            return np.split(self.encode_keys(column.keys.listed()), ends)
        self._hash_ordered()
        distinct = Distinct.of(column)
        known = self._known(column, distinct.by_hash)
        new = np.zeros(len(column), dtype=np.bool_)
        new[distinct.by_hash] = known[distinct.by_hash] < 0
        rows = np.flatnonzero(new)
        if len(rows) < SEGMENT_LEAST:
            known[rows] = self.encode_keys(column.keys.where(new).listed())
        else:
            start = len(self)
            known[rows] = np.arange(start, start + len(rows))
            by_hash = distinct.by_hash[new[distinct.by_hash]]
            keys = column.keys if len(rows) == len(column) else column.keys.where(new)
            self._append(Segment(start, keys), column.hashes[by_hash], known[by_hash])
        return np.split(known.astype(np.uint32)[distinct.first], ends)

    def encode_ordered(self, keys: OrderedPieces) -> NDArray[np.uint32]:
        """The ids of keys in order: some nanoseconds each beside few known terms, otherwise as by `encode_columns`."""
        if len(keys) < SEGMENT_LEAST or len(self._ids) < len(self) or len(self._ids) * LOOK_UP > len(keys):
            return self.encode_columns([keys.hashed()])[0]
        known = {row: number for key, number in self._ids.items() if (row := keys.find(key)) is not None}
        start = len(self)
        new = np.ones(len(keys), dtype=np.bool_)
        new[[*known]] = False
        identifiers = np.cumsum(new, dtype=np.uint32)
        identifiers += np.uint32(start)
        identifiers -= np.uint32(1)
        identifiers[[*known]] = [*known.values()]
        fresh = keys.without(known.keys())
        if len(fresh):
            runs = self._runs.followed_by(Segment(start, fresh.keys))
            vars(self).update(_runs=runs, _ordered=(start, fresh))
        return identifiers

    def kinds(self, identifiers: NDArray[np.uint32]) -> NDArray[np.uint8]:
        """For each id IRI_KIND, BLANK_KIND or LITERAL_KIND: O(n) once the terms have been looked at."""
        return self._kinds.of_all(self._runs)[identifiers]

    def literal_mask(self) -> NDArray[np.bool_]:
        """For every id whether it is a literal."""
        return self._kinds.literals(self._runs)

    def memory(self) -> int:
        """Bytes held by the keys and the ways to them; those of Python's strings by a sample of a thousand."""
        lists = [run for _, run in self._runs.spans() if isinstance(run, list)]
        sample = [key for run in lists for key in run[:: max(1, len(run) // 1000)]]
        mean = sum(map(len, sample)) / len(sample) + 49 if sample else 0
        frozen = sum(segment.nbytes for segment in self._runs.segments()) + self._index.nbytes
        marks = self._ordered[1].nbytes if self._ordered is not None else 0
        return int(len(self._ids) * (mean + 8 + 60)) + frozen + marks + self._kinds.nbytes

    def _find(self, folded: str) -> int | None:
        """The id in a segment of a folded key."""
        ordered, index = self._ordered, self._index
        if ordered is not None:
            first, keys = ordered
            row = keys.find(folded)
            if row is not None:
                return first + row
        if index.levels:
            # A lone surrogate, which Python's strings may have, is in no segment.
            for identifier in index.with_hash(hash_text(folded.encode("utf-8", "surrogatepass"))):
                if self._runs.folded(identifier) == folded:
                    return identifier
        return None

    def _known(self, column: KeyColumn, by_hash: NDArray[np.int64]) -> NDArray[np.int64]:
        """For the given rows of a column, which come in the order of their hashes, the ids; -1 for what has none."""
        known = np.full(len(column), -1, dtype=np.int64)
        ascending = column.hashes[by_hash]
        self._known_in_segments(column, by_hash, ascending, known)
        texts = column.keys.texts
        if len(self._ids) > len(by_hash):
            rows = by_hash[known[by_hash] < 0]
            known[rows] = [self._ids.get(key, -1) for key in texts.take(row_column(rows)).to_pylist()]
            return known
        for key, identifier in self._ids.items():
            wanted = hash_text(key.encode("utf-8", "surrogatepass"))
            at = int(np.searchsorted(ascending, np.uint64(wanted)))
            while at < len(ascending) and ascending[at] == wanted:
                if texts[int(by_hash[at])].as_py() == key:
                    known[by_hash[at]] = identifier
                at += 1
        return known

    def _known_in_segments(
        self, column: KeyColumn, by_hash: NDArray[np.int64], ascending: Hashes, known: NDArray[np.int64]
    ) -> None:
        texts = column.keys.texts
        for level in self._index.levels:
            at = np.searchsorted(level.hashes, ascending)
            at[at == len(level)] = 0
            hits = level.hashes[at] == ascending
            rows, found = by_hash[hits], level.identifiers[at[hits]]
            for segment in self._runs.segments():
                inside = (found >= segment.first) & (found < segment.first + len(segment))
                if inside.any():
                    same = segment.equal(found[inside], texts.take(row_column(rows[inside])))
                    known[rows[inside][same]] = found[inside][same]
                    for row in rows[inside][~same].tolist():  # another term has the same hash
                        identifier = self._find(texts[row].as_py())
                        known[row] = -1 if identifier is None else identifier

    def _append(self, segment: Segment, hashes: Hashes, identifiers: NDArray[np.int64]) -> None:
        """Take over a segment, with the ascending hashes of its keys and the id of each."""
        runs = self._runs.followed_by(segment)
        index = self._index.added(hashes, identifiers.astype(np.uint32))
        # In one step, between whose parts no KeyboardInterrupt can come, and no reader in another thread.
        vars(self).update(_runs=runs, _index=index)

    def _hash_ordered(self) -> None:
        """Let the keys that are found by their order be found by their hashes: about 0.2 microseconds each."""
        if self._ordered is not None:
            first, keys = self._ordered
            hashes = KeyColumn.of_folded(keys.keys).hashes
            order = np.argsort(hashes)
            index = self._index.added(hashes[order], (order + first).astype(np.uint32))
            vars(self).update(_index=index, _ordered=None)

    def _decode_now(self, identifier: int) -> Term:
        return term_of(self.key(identifier))

    def state(self) -> DictionaryState:
        """All terms, to be given to `of_state`: O(1), but for terms that came one by one and are many: these are made a
        column, at 0.5 microseconds each."""
        runs: list[Run] = []
        index = self._index
        for start, run in self._runs.spans():
            column = _column_of(run) if isinstance(run, list) and len(run) >= SEGMENT_LEAST else None
            if column is None:
                runs.append(list(run) if isinstance(run, list) else run)
            else:
                order = np.argsort(column.hashes)
                index = index.added(column.hashes[order], (order + start).astype(np.uint32))
                runs.append(Segment(start, column.keys))
        return DictionaryState(tuple(runs), index, self._ordered, self._kinds.known())

    @staticmethod
    def of_state(state: DictionaryState) -> Dictionary:
        """The same terms under the same ids, in the memory of the state: O(terms that came one by one)."""
        dictionary = Dictionary()
        runs = Runs(state.runs)
        for start, run in runs.spans():
            if isinstance(run, list):
                dictionary._ids.update((folded_key(key), start + row) for row, key in enumerate(run))
        dictionary._kinds.restore(state.kinds)
        vars(dictionary).update(_runs=runs, _index=state.index, _ordered=state.ordered)
        return dictionary

    def __getstate__(self) -> list[Any]:
        runs = [run for _, run in self._runs.spans()]
        return [(run.keys.texts, run.keys.spellings) if isinstance(run, Segment) else run for run in runs]

    def __setstate__(self, runs: list[Any]) -> None:
        Dictionary.__init__(self)
        for run in runs:
            if isinstance(run, list):
                for key in run:
                    self.encode_key(key)
            else:
                column = KeyColumn.of_folded(FoldedKeys(*run))
                order = np.argsort(column.hashes)
                self._append(Segment(len(self), column.keys), column.hashes[order], order + len(self))

    def _check(self) -> None:
        self._index._check()
        frozen = sum(map(len, self._runs.segments()))
        ordered = 0
        if self._ordered is not None:
            self._ordered[1]._check()
            ordered = len(self._ordered[1])
        assert len(self._ids) + frozen == len(self), "ids and keys differ in number"
        assert len(self._index) + ordered == frozen, "what can be found and what is there differ in number"
        for start, run in self._runs.spans():
            identifiers = range(start, start + len(run))
            keys = self.keys(np.arange(start, start + len(run), dtype=np.uint32))
            assert [self.lookup_key(key) for key in keys] == [*identifiers], "a key has another id"
            assert [self.key(identifier) for identifier in identifiers] == keys, "an id has another key"


def _column_of(keys: list[str]) -> KeyColumn | None:
    """Keys as a column; None where one is no Unicode."""
    try:
        return KeyColumn.of(text_column(keys))
    except UnicodeEncodeError:
        return None
