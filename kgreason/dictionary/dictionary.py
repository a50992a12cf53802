"""The dictionary: from RDF terms to dense uint32 ids and back.

A term is kept once, as its key (`keys`). A dictionary only grows. To go back to the terms that there were once, take a
`prefix` of it: another dictionary, so that readers of the longer one still see what they began with. A `fork` begins
with all terms, and costs nothing.

Terms that come one by one are kept in a Python dictionary and list, columns of many terms as Arrow columns
(`segments`): some 20 bytes beside the text of a term, where Python's objects take 150. `known_keys` finds them:
a term in a column by a sorted column of hashes (`hash_index`); one in a column that came in order (`ordered_keys`), as
long as that is the only one, by its order alone. Many numbers that are made together are kept as numbers
(`number_segments`): 8 to 24 bytes, and found by these.

The parts of a triple term are terms of the dictionary, too, with lower ids than its own (`triple_terms`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from weakref import proxy, ref

import numpy as np
from numpy.typing import NDArray

from kgreason import memory
from kgreason.arrow import pa
from kgreason.checkpoints import checkpoint
from kgreason.dictionary import term_tuning
from kgreason.dictionary.dictionary_reads import DictionaryReads
from kgreason.dictionary.dictionary_state import DictionaryState
from kgreason.dictionary.folded_keys import FoldedKeys
from kgreason.dictionary.key_columns import Distinct, KeyColumn
from kgreason.dictionary.key_lists import KeyList
from kgreason.dictionary.key_runs import Run, Runs
from kgreason.dictionary.known_keys import KnownKeys
from kgreason.dictionary.lone_keys import LoneKeys
from kgreason.dictionary.number_segments import IntegerSegment, NumberSegment
from kgreason.dictionary.ordered_keys import OrderedPieces
from kgreason.dictionary.segments import Segment
from kgreason.dictionary.triple_terms import TripleColumns, parts_of_keys
from kgreason.rdf.keys import folded_key, key_of, normal_key
from kgreason.rdf.model import Term
from kgreason.rdf.triple_keys import is_triple_key, triple_parts


class Dictionary(DictionaryReads):
    """Interns terms; ids are given in the order of first sight, and stand for the same terms from then on."""

    def encode(self, term: Term) -> int:
        """The id of a term, a new one when it was never seen."""
        return self.encode_key(key_of(term))

    def encode_key(self, key: str, with_parts: bool = True) -> int:
        """The id of a key, a new one for a new key. Without `with_parts` the caller brings parts of triple terms."""
        known = self._known.alone.ids.get(key)
        if known is None:
            folded = folded_key(key)
            known = self._known.find(folded)
            if known is None:
                known = self._learn(folded, key, with_parts)
        return known

    def learn_key(self, key: str) -> int:
        """The id of a key that was just looked for in vain, while no other thread learns columns of keys."""
        return self._learn(folded_key(key), key)

    def _learn(self, folded: str, key: str, with_parts: bool = True) -> int:
        """Give a key the next id, behind those of its parts, unless another thread has been quicker."""
        if with_parts and is_triple_key(key):
            self.encode_keys(triple_parts(key))
        try:
            runs = self._known.runs
            known = self._known.alone.ids.setdefault(folded, len(runs))
            if known == len(runs):
                runs.append(normal_key(key))
        except BaseException:
            # Stopped in between: the next key would get the same id.
            if self._known.alone.ids.get(folded, -1) >= len(self):
                del self._known.alone.ids[folded]
            raise
        return known

    def encode_keys(self, keys: Iterable[str], with_parts: bool = True) -> NDArray[np.uint32]:
        """The ids of many keys: microseconds each, one or two for those of many."""
        listed = [*keys]
        if len(listed) <= term_tuning.FEW_NEW_KEYS:
            return np.fromiter((self.encode_key(key, with_parts) for key in listed), dtype=np.uint32)
        found = self._known.of_keys(listed)
        for row in np.flatnonzero(found < 0).tolist():
            found[row] = self._learn(folded_key(listed[row]), listed[row], with_parts)
        return found.astype(np.uint32)

    def encode_column(self, keys: pa.Array, with_parts: bool = True) -> NDArray[np.uint32]:
        """The ids of a string or large_string column of keys without nulls, as by `encode_columns`."""
        if len(keys) < term_tuning.SEGMENT_LEAST:
            return self.encode_keys(keys.to_pylist(), with_parts)
        return self.encode_columns([KeyColumn.of(keys)], with_parts)[0]

    def encode_in_order(self, keys: pa.Array) -> NDArray[np.uint32]:
        """The same of which new terms get their ids in the order of the column; the caller brings parts of triple
        terms. Integers are among the texts."""
        memory.check(96 * len(keys) + keys.nbytes, "a dictionary of new terms")
        return self._encode_texts(KeyColumn.of(keys), with_parts=False)

    def encode_columns(self, columns: list[KeyColumn], with_parts: bool = True) -> list[NDArray[np.uint32]]:
        """The ids of several columns of keys: about 0.1 microseconds each, and no Python object for any of them.

        They are learned some at a time (`term_tuning.LEARNED_BYTES`), so that what that takes is little beside the
        terms; many new terms become a segment, many new integers another, of numbers. The list is emptied, so that the
        columns are not held beside these. When this is interrupted, terms of the first columns may have become known.
        """
        found: list[NDArray[np.uint32]] = []
        columns.reverse()
        while columns:
            found += self._encode_together(self._next_columns(columns), with_parts)
        return found

    def _next_columns(self, columns: list[KeyColumn]) -> list[KeyColumn]:
        """Take those off the end of a list that are learned together, one at least, the last one first."""
        most = max(term_tuning.LEARNED_BYTES, term_tuning.LEARNED_EACH * len(self))
        some = [columns.pop()]
        needed = some[0].learning_bytes
        while columns and needed < most:
            some.append(columns.pop())
            needed += some[-1].learning_bytes
        memory.check(needed, "a dictionary of new terms")
        return some

    def _encode_together(self, columns: list[KeyColumn], with_parts: bool) -> list[NDArray[np.uint32]]:
        """The ids of columns, one at least, that become one; the list is emptied."""
        ends = np.cumsum([len(part) for part in columns])[:-1]
        column = KeyColumn.joined(columns)
        columns.clear()
        if len(column) < term_tuning.SEGMENT_LEAST:
            return np.split(self.encode_keys(column.keys.listed(), with_parts), ends)
        integers = IntegerSegment.among(column.keys.texts, term_tuning.SEGMENT_LEAST)
        if integers is None:
            return np.split(self._encode_texts(column, with_parts), ends)
        wanted, rows, are_integers = integers
        self._known, identifiers = self._known.with_numbers_of(wanted)
        known = identifiers[rows]
        checkpoint()
        are_integers[are_integers] = known >= 0
        found = np.empty(len(column), dtype=np.uint32)
        found[are_integers] = known[known >= 0]
        if not are_integers.all():
            rest = column.where(~are_integers)
            del column
            found[~are_integers] = self._encode_texts(rest, with_parts)
        return np.split(found, ends)

    def _encode_texts(self, column: KeyColumn, with_parts: bool) -> NDArray[np.uint32]:
        """The ids of a column of keys, of which many new ones become one segment of texts."""
        if len(column) < term_tuning.SEGMENT_LEAST:
            return self.encode_keys(column.keys.listed(), with_parts)
        noted = self._encode_parts(column) if with_parts else None
        checkpoint()
        self._known = self._known.hashed()
        distinct = Distinct.of(column)
        checkpoint()
        known = self._known.of_column(column, distinct.by_hash)
        checkpoint()
        new = np.zeros(len(column), dtype=np.bool_)
        new[distinct.by_hash] = known[distinct.by_hash] < 0
        rows = np.flatnonzero(new)
        if len(rows) < term_tuning.SEGMENT_LEAST:
            known[rows] = self.encode_keys(column.keys.where(new).listed(), with_parts)
        else:
            start = len(self)
            known[rows] = np.arange(start, start + len(rows))
            by_hash = distinct.by_hash[new[distinct.by_hash]]
            keys = column.keys if len(rows) == len(column) else column.keys.where(new)
            self._known = self._known.with_segment(Segment(start, keys), column.hashes[by_hash], known[by_hash])
        found = known.astype(np.uint32)[distinct.first]
        if noted is not None:
            rows, parts = noted
            ids, first = np.unique(found[rows], return_index=True)
            self._triple_terms(TripleColumns(ids, *(part[first] for part in parts)))
        return found

    def encode_numbers(self, wanted: NumberSegment) -> NDArray[np.uint32]:
        """The ids of the literals of a segment: some ten nanoseconds each of many. New ones, if many, become a segment
        of this dictionary, and no text is made of any of them."""
        if len(wanted) < term_tuning.NUMBERS_LEAST:
            return self.encode_keys(wanted.listed(), with_parts=False)
        self._known, found = self._known.with_numbers_of(wanted)
        rest = np.flatnonzero(found < 0)
        if len(rest) >= term_tuning.SEGMENT_LEAST:
            column = KeyColumn.of_folded(FoldedKeys(wanted.keys_at(rest)))
            found[rest] = self._encode_texts(column, with_parts=False)
        elif len(rest):
            found = self._known.of_numbers(wanted)
            rest = np.flatnonzero(found < 0)
            found[rest] = [self._learn(key, key, with_parts=False) for key in wanted.taken(0, rest).listed()]
        return found.astype(np.uint32)

    def _encode_parts(self, column: KeyColumn) -> tuple[NDArray[np.int64], list[NDArray[np.uint32]]] | None:
        """Learn the other terms of a column with triple terms, which may spell a tag otherwise, and then the parts:
        gives the rows of the triple terms and the ids of their parts, None if there are none."""
        are_triples = column.keys.are_triples()
        if not are_triples.any():
            return None
        self.encode_columns([KeyColumn.of_folded(column.keys.where(~are_triples))])
        parts = parts_of_keys(column.keys.where(are_triples).texts)
        return np.flatnonzero(are_triples), self.encode_columns([KeyColumn.of(part) for part in parts])

    def encode_ordered(self, keys: OrderedPieces) -> NDArray[np.uint32]:
        """The ids of keys in order: some nanoseconds each beside few known terms, otherwise as by `encode_columns`."""
        count = len(self._known.alone.ids)
        is_other = count < len(self) or count * term_tuning.KEY_LOOK_UP > len(keys)
        if len(keys) < term_tuning.SEGMENT_LEAST or is_other or keys.has_triples:
            return self.encode_columns([keys.hashed()])[0]
        known = {row: number for key, number in self._known.alone.ids.items() if (row := keys.find(key)) is not None}
        start = len(self)
        new = np.ones(len(keys), dtype=np.bool_)
        new[[*known]] = False
        identifiers = np.cumsum(new, dtype=np.uint32)
        identifiers += np.uint32(start)
        identifiers -= np.uint32(1)
        identifiers[[*known]] = [*known.values()]
        fresh = keys.without(known.keys())
        if len(fresh):
            self._known = self._known.with_ordered(fresh)
        return identifiers

    def state(self) -> DictionaryState:
        """All terms, to be given to `of_state`: O(1), but for terms that came one by one and are many: these are made a
        column, at 0.5 microseconds each."""
        runs: list[Run] = []
        index = self._known.index
        for start, run in self._known.runs.spans():
            is_long = len(run) >= term_tuning.SEGMENT_LEAST
            column = KeyColumn.of_listed(run) if isinstance(run, KeyList) and is_long else None
            if column is None:
                runs.append(KeyList(run) if isinstance(run, KeyList) else run)
            else:
                order = np.argsort(column.hashes)
                index = index.added(column.hashes[order], (order + start).astype(np.uint32))
                runs.append(Segment(start, column.keys))
        return DictionaryState(tuple(runs), index, self._known.ordered, self._kinds.known())

    def prefix(self, count: int) -> Dictionary:
        """A dictionary of the first `count` terms under the same ids, which learns other terms after them.

        This one stays as it is, and what either learns from now on is unknown to the other. O(terms that came one by
        one), and where a column of terms is left out O(terms)."""
        dictionary = Dictionary()
        dictionary._known = self._known.prefix(count)
        dictionary._kinds.restore(self._kinds.known()[:count])
        dictionary._triples = self._triples.prefix(count)
        if self._values is not None:
            dictionary._values = self._values.prefix(proxy(dictionary), count)
        dictionary._origin = (ref(self), count)
        return dictionary

    def fork(self) -> Dictionary:
        """A dictionary of the same terms under the same ids, in the same memory, which learns other terms after them.

        What either learns from now on is unknown to the other. O(segments), and sometimes O(terms that came one by
        one): not more than O(log n) times for each of them."""
        dictionary = Dictionary()
        self._known, dictionary._known = self._known.fork()
        count = len(dictionary)
        dictionary._kinds = self._kinds.fork()
        dictionary._triples = self._triples.prefix(count)
        if self._values is not None:
            dictionary._values = self._values.fork(proxy(dictionary), count)
        dictionary._origin = (ref(self), count)
        return dictionary

    @staticmethod
    def of_state(state: DictionaryState) -> Dictionary:
        """The same terms under the same ids, in the memory of the state: O(terms that came one by one)."""
        dictionary = Dictionary()
        runs, ids = Runs(state.runs), dict[str, int]()
        for start, run in runs.spans():
            if isinstance(run, KeyList):
                ids.update((folded_key(key), start + row) for row, key in enumerate(run))
        dictionary._kinds.restore(state.kinds)
        dictionary._known = KnownKeys(LoneKeys(ids), runs, state.index, state.ordered)
        return dictionary

    def __getstate__(self) -> list[Any]:
        runs = [run for _, run in self._known.runs.spans()]
        return [(run.keys.texts, run.keys.spellings) if isinstance(run, Segment) else run for run in runs]

    def __setstate__(self, runs: list[Any]) -> None:
        Dictionary.__init__(self)
        for run in runs:
            if isinstance(run, list):
                self.encode_keys(run, with_parts=False)
            elif isinstance(run, NumberSegment):
                self._known = self._known.with_numbers(run)
            else:
                column = KeyColumn.of_folded(FoldedKeys(*run))
                order = np.argsort(column.hashes)
                segment = Segment(len(self), column.keys)
                self._known = self._known.with_segment(segment, column.hashes[order], order + len(self))
