"""The keys that a dictionary knows, and the three ways from a key to its id.

A key that came alone is found in Python's dictionaries, one in a column by the hash of its text, one in a column that
came in order by that order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from kgreason.arrow import pa
from kgreason.dictionary import term_tuning
from kgreason.dictionary.arrow_columns import row_column, text_column
from kgreason.dictionary.folded_keys import FoldedKeys
from kgreason.dictionary.hash_index import HashIndex
from kgreason.dictionary.key_columns import Distinct, KeyColumn
from kgreason.dictionary.key_runs import Runs
from kgreason.dictionary.lone_keys import LoneKeys
from kgreason.dictionary.number_lookup import ids_of_keys
from kgreason.dictionary.number_segments import NumberSegment
from kgreason.dictionary.ordered_keys import OrderedKeys
from kgreason.dictionary.segments import Segment
from kgreason.rdf.hashing import Hashes, hash_text
from kgreason.rdf.keys import folded_key


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KnownKeys:
    """Keys under their ids. Columns come by making another value; keys that come alone are added to `alone` and `runs`.

    Args:
        alone: the ids of keys that came one by one.
        runs: the keys by their ids.
        index: the ids by the hashes of keys in columns.
        ordered: a segment that is not in the index, by its first id.
    """

    alone: LoneKeys = field(default_factory=LoneKeys)
    runs: Runs = field(default_factory=Runs)
    index: HashIndex = field(default_factory=HashIndex)
    ordered: tuple[int, OrderedKeys] | None = None

    # -- versions -----------------------------------------------------------------------------------------------

    def with_segment(self, segment: Segment, hashes: Hashes, identifiers: NDArray[np.int64]) -> KnownKeys:
        """A segment more, with the ascending hashes of its keys and the id of each."""
        index = self.index.added(hashes, identifiers.astype(np.uint32))
        return replace(self, runs=self.runs.followed_by(segment), index=index)

    def with_numbers(self, segment: NumberSegment) -> KnownKeys:
        """One more segment of numbers, none of which is known."""
        return replace(self, runs=self.runs.followed_by(segment))

    def with_numbers_of(self, wanted: NumberSegment) -> tuple[KnownKeys, NDArray[np.int64]]:
        """These keys, and those literals of a segment that are new, if they are worth a segment here; and the ids of
        all, -1 of others, which may be known as texts."""
        found = self.among_numbers(wanted)
        if not self._is_segment(int(np.count_nonzero(found < 0))):
            return self, found
        found = self._among_texts(wanted, found)
        new, start = np.flatnonzero(found < 0), len(self.runs)
        if not self._is_segment(len(new)):
            return self, found
        found[new] = np.arange(start, start + len(new))
        return self.with_numbers(wanted.taken(start, new if len(new) < len(wanted) else slice(None))), found

    def _is_segment(self, count: int) -> bool:
        """Whether so many numbers are worth a segment of their own, all of which are searched for each number."""
        lengths = [*map(len, self.runs.numbers())]
        most = term_tuning.NUMBER_SEGMENTS if count >= term_tuning.SEGMENT_LEAST else term_tuning.NUMBER_SEGMENTS // 2
        is_long = len(lengths) < most or count * term_tuning.NUMBER_GROWTH >= sum(lengths)
        return count >= term_tuning.NUMBERS_LEAST and is_long

    def with_ordered(self, fresh: OrderedKeys) -> KnownKeys:
        """One more segment of keys in order, which are found by it; it must be the only such segment."""
        start = len(self.runs)
        return replace(self, runs=self.runs.followed_by(Segment(start, fresh.keys)), ordered=(start, fresh))

    def hashed(self) -> KnownKeys:
        """The keys that are found by their order, found by their hashes: about 0.2 microseconds each."""
        if self.ordered is None:
            return self
        first, keys = self.ordered
        hashes = KeyColumn.of_folded(keys.keys).hashes
        order = np.argsort(hashes)
        index = self.index.added(hashes[order], (order + first).astype(np.uint32))
        return replace(self, index=index, ordered=None)

    def prefix(self, count: int) -> KnownKeys:
        """The first `count` keys: a copy of a Python dictionary for those that came one by one, some 30 nanoseconds
        each; where a column is left out O(keys)."""
        runs = self.runs.prefix(count)
        index, ordered = self.index, self.ordered
        if sum(map(len, runs.segments())) < sum(map(len, self.runs.segments())):
            index = index.below(count)
            if ordered is not None:
                ordered = (ordered[0], ordered[1].prefix(count - ordered[0])) if ordered[0] < count else None
        return KnownKeys(self.alone.prefix(count), runs, index, ordered)

    def fork(self) -> tuple[KnownKeys, KnownKeys]:
        """These keys in closed runs, and the same for another dictionary, which learns its own after them."""
        runs = self.runs.closed()
        forked = KnownKeys(self.alone.fork(len(runs)), runs.closed(), self.index, self.ordered)
        return replace(self, runs=runs), forked

    # -- numbers ------------------------------------------------------------------------------------------------

    def among_numbers(self, wanted: NumberSegment) -> NDArray[np.int64]:
        """The ids of the literals of another segment that are known as numbers, -1 of others: nanoseconds each."""
        found = np.full(len(wanted), -1, dtype=np.int64)
        for numbers in self.runs.numbers():
            if isinstance(numbers, type(wanted)):
                mine, theirs = wanted.common(numbers)
                found[mine] = theirs + numbers.first
        return found

    def of_numbers(self, wanted: NumberSegment) -> NDArray[np.int64]:
        """The ids of the literals of another segment, -1 for what was never seen. No text is made where few are known
        as texts: some ten nanoseconds each, and for each literal of the datatype among these."""
        return self._among_texts(wanted, self.among_numbers(wanted))

    def _among_texts(self, wanted: NumberSegment, found: NDArray[np.int64]) -> NDArray[np.int64]:
        """The ids of the literals of another segment, with those that are known as texts in place of -1."""
        rest = np.flatnonzero(found < 0)
        if not len(rest):
            return found
        segments = [segment for segment in self.runs.segments() if segment.count_with(wanted.suffix)]
        looked_at = sum(map(len, segments)) + term_tuning.LONE_KEY_TEXTS * self.alone.estimate
        if looked_at > term_tuning.TEXTS_BESIDE * wanted.text_cost * len(rest):
            found[rest] = self.of_hashed(KeyColumn.of_folded(FoldedKeys(wanted.keys_at(rest))))
            return found
        alone = [(key, each) for key, each in self.alone.items() if key.endswith(wanted.suffix) and key.isascii()]
        if alone:
            keys, identifiers = zip(*alone, strict=True)
            rows = ids_of_keys((wanted,), text_column(keys)) - wanted.first
            found[rows[rows >= 0]] = np.array(identifiers)[rows >= 0]
        for segment in segments:
            rows = ids_of_keys((wanted,), segment.keys.texts) - wanted.first
            here = np.flatnonzero(rows >= 0)
            found[rows[here]] = here + segment.first
        return found

    # -- one by one ---------------------------------------------------------------------------------------------

    def of_key(self, key: str) -> int | None:
        """The id of a key, None when it was never seen: some microseconds at most."""
        own = self.alone.ids
        known = own.get(key)
        if known is None:
            folded = folded_key(key)
            known = None if folded is key else own.get(folded)
            if known is None:
                known = self.find(folded)
        return known

    def of_keys(self, keys: Sequence[str]) -> NDArray[np.int64]:
        """The ids of many keys, -1 for what was never seen: a part of a microsecond each."""
        folded = [*map(folded_key, keys)]
        found = np.array(self.alone.of_each(folded), dtype=np.int64)
        rest = np.flatnonzero(found < 0)
        are_many = len(rest) > term_tuning.FEW_NEW_KEYS
        if are_many and self.ordered is None and [*self.runs.segments(), *self.runs.numbers()]:
            try:
                column = KeyColumn.of(text_column([folded[row] for row in rest.tolist()]).cast(pa.large_string()))
            except UnicodeEncodeError:
                pass  # a lone surrogate, which no Arrow column holds
            else:
                by_hash = np.argsort(column.hashes)
                identifiers = np.full(len(rest), -1, dtype=np.int64)
                self._known_in_segments(column, by_hash, column.hashes[by_hash], identifiers)
                found[rest] = identifiers
                return found
        found[rest] = [-1 if (known := self.find(folded[row])) is None else known for row in rest.tolist()]
        return found

    def of_texts(self, keys: pa.Array) -> NDArray[np.int64]:
        """The ids of a string column of keys without nulls, -1 for what was never seen: about 0.3 microseconds each in
        a long column, less for what is in it again and again."""
        if len(keys) < term_tuning.SEGMENT_LEAST or self.ordered is not None:
            return self.of_keys(keys.to_pylist())
        return self.of_hashed(KeyColumn.of(keys))

    def of_hashed(self, column: KeyColumn) -> NDArray[np.int64]:
        """The same of a column with hashes."""
        if self.ordered is not None:
            return self.of_keys(column.keys.listed())
        distinct = Distinct.of(column)
        return self.of_column(column, distinct.by_hash)[distinct.first]

    @property
    def nbytes(self) -> int:
        """Bytes held by the keys and the ways to them; those of Python's strings by a sample of a thousand."""
        lists = [run for _, run in self.runs.spans() if isinstance(run, list)]
        sample = [key for run in lists for key in run[:: max(1, len(run) // 1000)]]
        mean = sum(map(len, sample)) / len(sample) + 49 if sample else 0
        frozen = sum(run.nbytes for _, run in self.runs.spans() if not isinstance(run, list)) + self.index.nbytes
        marks = self.ordered[1].nbytes if self.ordered is not None else 0
        return int(len(self.alone.ids) * (mean + 8 + 60)) + frozen + marks

    def find(self, folded: str) -> int | None:
        """The id of a folded key that did not come alone to this dictionary."""
        if self.alone.below:
            known = self.alone.find_below(folded)
            if known is not None:
                return known
        for segment in self.runs.numbers():
            row = segment.find(folded)
            if row is not None:
                return segment.first + row
        ordered, index = self.ordered, self.index
        if ordered is not None:
            first, keys = ordered
            row = keys.find(folded)
            if row is not None:
                return first + row
        if index.levels:
            # A lone surrogate, which Python's strings may have, is in no segment.
            for identifier in index.with_hash(hash_text(folded.encode("utf-8", "surrogatepass"))):
                if self.runs.folded(identifier) == folded:
                    return identifier
        return None

    def of_column(self, column: KeyColumn, by_hash: NDArray[np.int64]) -> NDArray[np.int64]:
        """For the given rows of a column, which come in the order of their hashes, the ids; -1 for what has none."""
        known = np.full(len(column), -1, dtype=np.int64)
        ascending = column.hashes[by_hash]
        self._known_in_segments(column, by_hash, ascending, known)
        texts = column.keys.texts
        if self.alone.estimate > len(by_hash):
            rows = by_hash[known[by_hash] < 0]
            known[rows] = self.alone.of_each(texts.take(row_column(rows)).to_pylist())
            return known
        for key, identifier in self.alone.items():
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
        numbered = ids_of_keys(self.runs.numbers(), texts)
        known[numbered >= 0] = numbered[numbered >= 0]
        for level in self.index.levels:
            at = np.searchsorted(level.hashes, ascending)
            at[at == len(level)] = 0
            hits = level.hashes[at] == ascending
            rows, found = by_hash[hits], level.identifiers[at[hits]]
            for segment in self.runs.segments():
                inside = (found >= segment.first) & (found < segment.first + len(segment))
                if inside.any():
                    same = segment.equal(found[inside], texts.take(row_column(rows[inside])))
                    known[rows[inside][same]] = found[inside][same]
                    for row in rows[inside][~same].tolist():  # another term has the same hash
                        identifier = self.find(texts[row].as_py())
                        known[row] = -1 if identifier is None else identifier

    def _check(self) -> None:
        self.index._check()
        frozen = sum(map(len, self.runs.segments()))
        for segment in self.runs.numbers():
            segment._check()
        numbers = sum(map(len, self.runs.numbers()))
        ordered = 0
        if self.ordered is not None:
            self.ordered[1]._check()
            ordered = len(self.ordered[1])
        assert sum(1 for _ in self.alone.items()) + frozen + numbers == len(self.runs), "ids and keys differ in number"
        assert len(self.index) + ordered == frozen, "what can be found and what is there differ in number"
