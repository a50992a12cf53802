"""Relations that a property path makes: found by walking from a few ends, or looked up once there is a table of them.

All are sets of pairs, as they are within `?`, `*` and `+` (SPARQL 1.1, section 18.4).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from kgreason.columns import bitmaps, pairs, sorted_sets
from kgreason.columns.pairs import Keys
from kgreason.schemes.binary import BinaryTable
from kgreason.schemes.scheme import Table
from kgreason.schemes.virtual import VirtualPairs, chunks_of
from kgreason.sparql.patterns.known import Known
from kgreason.sparql.patterns.relations import Relation, TableRelation
from kgreason.sparql.patterns.searching import Reached
from kgreason.sparql.solutions import Counts, Ids, Index, Mask

FIRST_BLOCK: Final = 2
GROWTH: Final = 2
BLOCKS: Final = 6
"""How many blocks of subjects are walked from before a scan makes the table: whoever wants the first pairs has them."""

NO_KEYS: Final[Keys] = np.empty(0, dtype=np.uint64)


class WalkedRelation(Relation):
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

    def expand(self, position: int, identifiers: Ids) -> tuple[Index, Ids]:
        starts, numbers = np.unique(identifiers, return_inverse=True)
        found = self._walked(position, starts)
        if found is None:
            return self._looked_up().expand(position, identifiers)
        index, at = pairs.spread(*(found[0].searchsorted(numbers, side) for side in ("left", "right")))
        return index, found[1][at]

    def _walked(self, position: int, starts: Ids) -> Reached | None:
        """What a walk finds, None where there is a table already, or should be."""
        return self.walk(position, starts) if self.known.table is None else None

    def select(self, position: int, identifier: int) -> Ids:
        # A plan asks how many there are before they are wanted.
        known = self._selected.get((position, identifier))
        if known is None:
            _, known = self.expand(position, np.array([identifier], dtype=np.uint32))
            self._selected[position, identifier] = known
        return known

    def count(self, position: int, identifier: int) -> int:
        if self.known.table is None:
            return len(self.select(position, identifier))
        return self._looked_up().count(position, identifier)

    def contains(self, subjects: Ids, objects: Ids) -> Mask:
        if self.known.table is None and len(subjects):
            ends = [np.unique(column) for column in (subjects, objects)]
            position = int(len(ends[1]) < len(ends[0]))
            if len(ends[position]) == 1:
                return np.isin((objects, subjects)[position], self.select(position, int(ends[position][0])))
            found = self.walk(position, ends[position])
            if found is not None:
                wanted = pairs.pack(*((subjects, objects) if position == 0 else (objects, subjects)))
                return sorted_sets.contains(np.sort(pairs.pack(ends[position][found[0]], found[1])), wanted)
        return self._looked_up().contains(subjects, objects)

    def scan(self) -> Iterator[tuple[Ids, Ids]]:
        if self.known.table is not None:
            yield from self._looked_up().scan()
            return
        subjects = self.distinct(0)
        begin, size = 0, FIRST_BLOCK
        for _ in range(BLOCKS):
            block = subjects[begin : begin + size]
            begin, size = begin + size, size * GROWTH
            if len(block):
                index, objects = self.expand(0, block)
                yield block[index], objects
        if begin < len(subjects):
            yield from _pairs_from(self.table, subjects[begin:])

    def total(self) -> int:
        return len(self.table)

    def degrees(self, position: int, identifiers: Ids) -> Counts:
        starts, numbers = np.unique(identifiers, return_inverse=True)
        found = self._walked(position, starts)
        if found is None:
            return self._looked_up().degrees(position, identifiers)
        return np.bincount(found[0], minlength=len(starts))[numbers]

    def _looked_up(self) -> TableRelation:
        return TableRelation(self.table)


class Chain(WalkedRelation):
    """One relation after the other."""

    def __init__(self, steps: Sequence[Relation], known: Known) -> None:
        super().__init__(known)
        self.steps = steps

    @property
    def size(self) -> int:
        return max(step.size for step in self.steps) if self.known.table is None else len(self.known.table)

    def ends(self, position: int) -> int:
        return self.steps[-position].ends(position)

    def distinct(self, position: int) -> Ids:
        return self.table.distinct(position)

    def occurs(self, position: int, identifiers: Ids) -> Mask:
        return self.degrees(position, identifiers) > 0

    def walk(self, position: int, starts: Ids) -> Reached | None:
        rows, nodes = np.arange(len(starts), dtype=np.uint32), starts
        for step in self.steps if position == 0 else reversed(self.steps):
            index, nodes = step.expand(position, nodes)
            rows, nodes = _once(rows[index], nodes)
        return rows.astype(np.int64), nodes

    def build(self) -> Table:
        # From the smallest relation on, in both directions.
        middle = min(range(len(self.steps)), key=lambda number: self.steps[number].size)
        keys = [NO_KEYS]
        for subjects, objects in self.steps[middle].scan():
            begins, ends = subjects, objects
            for step in reversed(self.steps[:middle]):
                index, begins = step.expand(1, begins)
                begins, ends = _once(begins, ends[index])
            for step in self.steps[middle + 1 :]:
                index, ends = step.expand(0, ends)
                begins, ends = _once(begins[index], ends)
            keys.append(pairs.pack(begins, ends))
        return BinaryTable(sorted_sets.unique(np.concatenate(keys)))


class Choice(WalkedRelation):
    """Any of several relations."""

    def __init__(self, choices: Sequence[Relation], known: Known) -> None:
        super().__init__(known)
        self.choices = choices

    @property
    def size(self) -> int:
        return sum(choice.size for choice in self.choices) if self.known.table is None else len(self.known.table)

    def ends(self, position: int) -> int:
        return max([1, *(choice.ends(position) for choice in self.choices)])

    def distinct(self, position: int) -> Ids:
        return united([choice.distinct(position) for choice in self.choices])

    def occurs(self, position: int, identifiers: Ids) -> Mask:
        return any_occurs(self.choices, position, identifiers)

    def walk(self, position: int, starts: Ids) -> Reached | None:
        found = [choice.expand(position, starts) for choice in self.choices]
        keys = [NO_KEYS, *(pairs.pack(index.astype(np.uint32), ends) for index, ends in found)]
        merged = sorted_sets.unique(np.concatenate(keys))
        return pairs.subjects(merged).astype(np.int64), pairs.objects(merged)

    def build(self) -> Table:
        keys = [NO_KEYS, *(pairs.pack(*chunk) for choice in self.choices for chunk in choice.scan())]
        return BinaryTable(sorted_sets.unique(np.concatenate(keys)))


def united(columns: Sequence[Ids]) -> Ids:
    """The ids of several columns, sorted, each once."""
    return bitmaps.distinct(np.concatenate([np.empty(0, dtype=np.uint32), *columns]))


def any_occurs(relations: Sequence[Relation], position: int, identifiers: Ids) -> Mask:
    """For each id whether one of several relations has it at a position."""
    found = np.zeros(len(identifiers), dtype=np.bool_)
    for relation in relations:
        found |= relation.occurs(position, identifiers)
    return found


def _once(begins: Ids, ends: Ids) -> tuple[Ids, Ids]:
    keys = sorted_sets.unique(pairs.pack(begins, ends))
    return pairs.subjects(keys), pairs.objects(keys)


def _pairs_from(table: Table, subjects: Ids) -> Iterator[tuple[Ids, Ids]]:
    """The pairs of some subjects, a chunk at a time."""
    if isinstance(table, VirtualPairs):
        yield from ((columns[0], columns[1]) for columns in chunks_of(table, subjects))
    else:
        index, columns = table.expand({0: subjects})
        yield subjects[index], columns[1]
