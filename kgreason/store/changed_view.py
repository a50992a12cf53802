"""A view of triples with a few changes over it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from threading import RLock
from typing import TypeAlias

import numpy as np

from kgreason.columns import pairs, sorted_columns, sorted_sets
from kgreason.store import store_tuning
from kgreason.store.triple_view import Chunk, Few, Run, View, chunk_of, run_length

Triple: TypeAlias = tuple[int, int, int]
_Changes: TypeAlias = dict[Triple, bool]


class ChangedView:
    """What a view shows, but for some triples; `TripleView` says what it answers.

    Rows are those of the moment when they are asked for: what is recorded while they are taken is not among them.
    """

    __slots__ = ("_base", "_changes", "_growth", "_indexes", "_lock")

    def __init__(self, base: View, lock: RLock) -> None:
        self._base = base
        self._lock = lock
        # For each triple that the base shows otherwise, whether it is there.
        self._changes: _Changes = {}
        self._growth = 0
        # The same by the term in a place: made when something first asks for it.
        self._indexes: dict[int, dict[int, _Changes]] = {}

    def record(self, triple: Triple, is_there: bool) -> None:
        """Show a triple from now on, or not. To be called with the lock held."""
        differs = self._base.contains(*triple) != is_there
        if differs == (triple in self._changes):
            return
        self._growth += 1 if is_there else -1
        if differs:
            self._changes[triple] = is_there
            for place, index in self._indexes.items():
                index.setdefault(triple[place], {})[triple] = is_there
        else:
            del self._changes[triple]
            for place, index in self._indexes.items():
                del index[triple[place]][triple]

    def contains(self, s: int, p: int, o: int) -> bool:
        """Whether a triple is there."""
        is_there = self._changes.get((s, p, o))
        return self._base.contains(s, p, o) if is_there is None else is_there

    def count(self, s: int | None = None, p: int | None = None, o: int | None = None) -> int:
        """How many triples match a pattern."""
        if s is None and p is None and o is None:
            return self._base.count() + self._growth
        changes = self._matching(s, p, o)
        return self._base.count(s, p, o) + 2 * sum(is_there for _, is_there in changes) - len(changes)

    def match(self, s: int | None, p: int | None, o: int | None) -> Iterator[Chunk]:
        """The triples that match a pattern, as columns."""
        return map(chunk_of, self.runs(s, p, o))

    def runs(self, s: int | None, p: int | None, o: int | None) -> Iterator[Run]:
        """The triples that match a pattern, as runs; what came is one of its own at the end."""
        runs, changes = self._base.runs(s, p, o), self._matching(s, p, o)
        gone, come = _parted(changes)
        if gone:
            runs = _without(runs, gone)
        if come:
            subjects, predicates, objects = np.array(come, dtype=np.uint32).T.copy()
            runs = chain(runs, ((subjects, predicates, objects),))
        return runs

    def few(self, s: int | None, p: int | None, o: int | None, most: int) -> Few | None:
        """The triples that match a pattern with an end, as `TripleView.few` gives them."""
        found, changes = self._base.few(s, p, o, most), self._matching(s, p, o)
        if found is None or not changes:
            return found
        gone, come = _parted(changes)
        if gone:
            found = [(name, kept) for name, ends in found if (kept := _kept(s, name, o, ends, gone))]
        return found + [(each[1], [each[0] if s is None else each[2]]) for each in come]

    def _matching(self, s: int | None, p: int | None, o: int | None) -> list[tuple[Triple, bool]]:
        """The changes that match a pattern."""
        place, term = (0, s) if s is not None else (2, o) if o is not None else (1, p)
        with self._lock:
            changes = self._changes if term is None else self._index(place).get(term)
            found = list(changes.items()) if changes else []
        if p is not None and place != 1:
            found = [change for change in found if change[0][1] == p]
        return found if o is None or place == 2 else [change for change in found if change[0][2] == o]

    def _index(self, place: int) -> dict[int, _Changes]:
        index = self._indexes.get(place)
        if index is None:
            index = self._indexes[place] = {}
            for triple, is_there in self._changes.items():
                index.setdefault(triple[place], {})[triple] = is_there
        return index


def _parted(changes: Iterable[tuple[Triple, bool]]) -> tuple[set[Triple], list[Triple]]:
    """The triples that are gone, and those that came."""
    gone: set[Triple] = set()
    come: list[Triple] = []
    for triple, is_there in changes:
        if is_there:
            come.append(triple)
        else:
            gone.add(triple)
    return gone, come


def _kept(s: int | None, p: int, o: int | None, ends: list[int], gone: set[Triple]) -> list[int]:
    """The ends of triples that are not gone."""
    if s is None:
        return [end for end in ends if (end, p, o) not in gone]
    return [end for end in ends if (s, p, end) not in gone]


def _without(runs: Iterator[Run], gone: set[Triple]) -> Iterator[Run]:
    """Runs without some triples, in pieces that begin small: a reader of few rows pays for few."""
    keys: dict[int, list[int]] = {}
    for subject, predicate, object in gone:
        keys.setdefault(predicate, []).append(subject << 32 | object)
    by_predicate = {name: np.array(sorted(some), dtype=np.uint64) for name, some in keys.items()}
    size = store_tuning.VIEW_FIRST_ROWS
    for run in runs:
        if isinstance(run[1], int) and run[1] not in by_predicate:
            yield run
            continue
        start, rows = 0, run_length(run)
        while start < rows:
            subjects, predicates, objects = (
                part if isinstance(part, int) else part[start : start + size] for part in run
            )
            yield from _rest((subjects, predicates, objects), by_predicate)
            start, size = start + size, min(2 * size, store_tuning.VIEW_MOST_ROWS)


def _rest(run: Run, gone: dict[int, sorted_columns.Column]) -> Iterator[Run]:
    """A run without the triples of some keys by predicate; nothing where none is left."""
    subjects, predicates, objects = chunk_of(run)
    keys = pairs.pack(subjects, objects)
    kept = np.ones(len(keys), dtype=np.bool_)
    for name, some in gone.items():
        kept &= ~(sorted_sets.contains(some, keys) & (predicates == name))
    if kept.any():
        yield run if kept.all() else (subjects[kept], predicates[kept], objects[kept])
