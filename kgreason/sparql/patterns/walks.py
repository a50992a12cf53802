"""Relations that a property path makes: found by walking from a few ends, or looked up once there is a table of them.

All are sets of pairs, as they are within `?`, `*` and `+` (SPARQL 1.1, section 18.4).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from kgreason.algebra.relation import Columns, Relation
from kgreason.checkpoints import checkpoint
from kgreason.columns import bitmaps, pairs, sorted_sets
from kgreason.columns.id_columns import repeated
from kgreason.relations.plain import table_of_keys
from kgreason.relations.table import Table
from kgreason.sparql import query_tuning
from kgreason.sparql.patterns.bound import Known
from kgreason.sparql.patterns.pattern_relations import PatternRelation, pair_columns
from kgreason.sparql.patterns.searching import DistinctKeys, Reached, stepped
from kgreason.sparql.solutions import Counts, Ids, Index, Mask


class WalkedRelation(PatternRelation):
    """Pairs that are walked to from few ends; what is made of them for many is kept in `known`."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self._selected: dict[tuple[int, int], Ids] = {}

    @abstractmethod
    def walk(self, position: int, starts: Ids) -> Reached | None:
        """The other ends of the pairs with one of some ids; None where a look at the table is better."""

    @abstractmethod
    def build(self) -> Table:
        """The table of all pairs."""

    @property
    def table(self) -> Table:
        """All pairs, made when first asked for."""
        if self.known.table is None:
            self.known.table = self.build()
        return self.known.table

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        ((position, identifiers),) = bound.items()
        found = self._found(position, identifiers)
        if found is None:
            return self.table.lookup(bound)
        index, at = pairs.spread(found.begins, found.ends)
        return index, pair_columns(position, identifiers[index], found.others[at])

    def lookups(self, bound: dict[int, Ids], most: int) -> Iterator[tuple[Index, Columns]]:
        ((position, identifiers),) = bound.items()
        found = self._found(position, identifiers)
        if found is None:
            yield from self.table.lookups(bound, most)
            return
        for first, last in pairs.runs_within(found.ends - found.begins, most):
            checkpoint()
            index, at = pairs.spread(found.begins[first:last], found.ends[first:last])
            index += first
            yield index, pair_columns(position, identifiers[index], found.others[at])

    def _found(self, position: int, identifiers: Ids) -> _Runs | None:
        """The pairs that a walk finds from some ids; None where there is a table already, or should be."""
        if self.known.table is not None:
            return None
        starts, numbers = np.unique(identifiers, return_inverse=True)
        found = self.walk(position, starts)
        if found is None:
            return None
        begins, ends = (found[0].searchsorted(numbers, side) for side in ("left", "right"))
        return _Runs(begins, ends, found[1])

    def select(self, bound: dict[int, int]) -> Columns:
        if len(bound) != 1:
            return super().select(bound)
        ((position, identifier),) = bound.items()
        if self.known.table is not None:
            return self.table.select(bound)
        others = self._others(position, identifier)
        return pair_columns(position, repeated(identifier, len(others)), others)

    def _others(self, position: int, identifier: int) -> Ids:
        # A plan asks how many there are before they are wanted.
        known = self._selected.get((position, identifier))
        if known is None:
            known = self.lookup({position: np.array([identifier], dtype=np.uint32)})[1][1 - position]
            self._selected[position, identifier] = known
        return known

    def contains(self, columns: Columns) -> Mask:
        if not len(columns[0]):
            return np.zeros(0, dtype=np.bool_)
        if self.known.table is None:
            ends = [bitmaps.distinct(column) for column in columns]
            position = int(len(ends[1]) < len(ends[0]))
            if len(ends[position]) == 1:
                return np.isin(columns[1 - position], self._others(position, int(ends[position][0])))
            found = self.walk(position, ends[position])
            if found is not None:
                wanted = pairs.pack(columns[position], columns[1 - position])
                return sorted_sets.among(wanted, pairs.pack(ends[position][found[0]], found[1]))
        return self.table.contains(columns)

    def chunks(self) -> Iterator[Columns]:
        if self.known.table is not None:
            yield from self.table.chunks()
            return
        subjects = self.distinct(0)
        begin, size = 0, query_tuning.WALKED_FIRST
        for _ in range(query_tuning.WALKED_BLOCKS):
            block = subjects[begin : begin + size]
            begin, size = begin + size, size * query_tuning.WALKED_GROWTH
            if len(block):
                yield self.lookup({0: block})[1]
        if begin < len(subjects):
            yield from self.table.chunks_of(subjects[begin:])

    def __len__(self) -> int:
        return len(self.table)

    def fanout(self, position: int, identifiers: Ids) -> Counts:
        if self.known.table is None and len(identifiers) == 1:
            return np.array([len(self._others(position, int(identifiers[0])))], dtype=np.int64)
        found = self._found(position, identifiers)
        return self.table.fanout(position, identifiers) if found is None else found.ends - found.begins


@dataclass(frozen=True, slots=True)
class _Runs:
    """For each of some ids where the other ends of its pairs are."""

    begins: Index
    ends: Index
    others: Ids


class Chain(WalkedRelation):
    """One relation after the other."""

    def __init__(self, steps: Sequence[Relation], known: Known) -> None:
        super().__init__(known)
        self.steps = steps

    @property
    def estimate(self) -> int:
        return max(step.estimate for step in self.steps) if self.known.table is None else len(self.known.table)

    def distinct_estimate(self, position: int) -> int:
        return self.steps[-position].distinct_estimate(position)

    def distinct(self, position: int) -> Ids:
        return self.table.distinct(position)

    def has_key(self, position: int, identifiers: Ids) -> Mask:
        return self.fanout(position, identifiers) > 0

    def walk(self, position: int, starts: Ids) -> Reached | None:
        rows, nodes = np.arange(len(starts), dtype=np.uint32), starts
        for step in self.steps if position == 0 else reversed(self.steps):
            rows, nodes = stepped([step], position, rows, nodes)
        return rows.astype(np.int64), nodes

    def build(self) -> Table:
        # From the smallest relation on, in both directions.
        middle = min(range(len(self.steps)), key=lambda number: self.steps[number].estimate)
        keys = DistinctKeys()
        for subjects, objects in self.steps[middle].chunks():
            begins, ends = subjects, objects
            for step in reversed(self.steps[:middle]):
                ends, begins = stepped([step], 1, ends, begins)
            for step in self.steps[middle + 1 :]:
                begins, ends = stepped([step], 0, begins, ends)
            keys.add(pairs.pack(begins, ends))
        return table_of_keys(keys.all())


class Choice(WalkedRelation):
    """Any of several relations."""

    def __init__(self, choices: Sequence[Relation], known: Known) -> None:
        super().__init__(known)
        self.choices = choices

    @property
    def estimate(self) -> int:
        return sum(choice.estimate for choice in self.choices) if self.known.table is None else len(self.known.table)

    def distinct_estimate(self, position: int) -> int:
        return max([1, *(choice.distinct_estimate(position) for choice in self.choices)])

    def distinct(self, position: int) -> Ids:
        return united([choice.distinct(position) for choice in self.choices])

    def has_key(self, position: int, identifiers: Ids) -> Mask:
        return any_occurs(self.choices, position, identifiers)

    def generators(self) -> Iterable[Relation]:
        return chain.from_iterable(choice.generators() for choice in self.choices)

    def walk(self, position: int, starts: Ids) -> Reached | None:
        rows, nodes = stepped(self.choices, position, np.arange(len(starts), dtype=np.uint32), starts)
        return rows.astype(np.int64), nodes

    def build(self) -> Table:
        keys = DistinctKeys()
        for choice in self.choices:
            for subjects, objects in choice.chunks():
                keys.add(pairs.pack(subjects, objects))
        return table_of_keys(keys.all())


def united(columns: Sequence[Ids]) -> Ids:
    """The ids of several columns, sorted, each once."""
    return bitmaps.distinct(np.concatenate([np.empty(0, dtype=np.uint32), *columns]))


def any_occurs(relations: Sequence[Relation], position: int, identifiers: Ids) -> Mask:
    """For each id whether one of several relations has it at a position."""
    found = np.zeros(len(identifiers), dtype=np.bool_)
    for relation in relations:
        found |= relation.has_key(position, identifiers)
    return found
