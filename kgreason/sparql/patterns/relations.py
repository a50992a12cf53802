"""What an atom reads: pairs of a subject and an object, whatever is behind them.

* `TableRelation`: one property, in any storage scheme; closures are read from their labels.
* `TypeRelation`: rdf:type with any class, over the members of all classes.
* `kgreason.sparql.patterns.paths`: what a property path connects, with `walks`, `closed`, `reflexive`, `inverted`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np

from kgreason.columns import bitmaps
from kgreason.schemes.ends import image, loops
from kgreason.schemes.relations import CLASS, class_code, empty_table, identifier_of, property_code
from kgreason.schemes.scheme import Table
from kgreason.sparql.rows import rows_of_each
from kgreason.sparql.solutions import Counts, Ids, Index, Mask
from kgreason.sparql.source import Source

_NO_IDS: Ids = np.empty(0, dtype=np.uint32)
_FEW = 16


class Relation(ABC):
    """A set of pairs; position 0 is the subject's, 1 the object's."""

    @property
    @abstractmethod
    def size(self) -> int:
        """About how many pairs there are."""

    @abstractmethod
    def ends(self, position: int) -> int:
        """About how many ids there are at a position, at least 1."""

    @abstractmethod
    def scan(self) -> Iterator[tuple[Ids, Ids]]:
        """All pairs, a chunk at a time."""

    @abstractmethod
    def select(self, position: int, identifier: int) -> Ids:
        """The other ends of the pairs with an id at a position."""

    @abstractmethod
    def expand(self, position: int, identifiers: Ids) -> tuple[Index, Ids]:
        """For many ids at a position, in any order, the row and the other end of each pair."""

    @abstractmethod
    def contains(self, subjects: Ids, objects: Ids) -> Mask:
        """For each row whether it is a pair."""

    @abstractmethod
    def occurs(self, position: int, identifiers: Ids) -> Mask:
        """For each id whether a pair has it at a position."""

    @abstractmethod
    def distinct(self, position: int) -> Ids:
        """The ids at a position, each once."""

    @abstractmethod
    def total(self) -> int:
        """How many pairs there are, without making them where that is possible."""

    def degrees(self, position: int, identifiers: Ids) -> Counts:
        """For each id how many pairs have it at a position."""
        index, _ = self.expand(position, identifiers)
        return np.bincount(index, minlength=len(identifiers))

    def count(self, position: int, identifier: int) -> int:
        """How many pairs have an id at a position."""
        return int(self.degrees(position, np.array([identifier], dtype=np.uint32))[0])

    def image(self, position: int, identifiers: Ids) -> Ids:
        """The other ends of the pairs with one of some ids at a position, each once."""
        return bitmaps.distinct(self.expand(position, bitmaps.distinct(identifiers))[1])

    def loops(self) -> Ids:
        """The ids that are paired with themselves, each once."""
        ends = self.distinct(0)
        return ends[self.contains(ends, ends)]

    def matches(self, position: int, identifier: int, others: Ids) -> Mask:
        """For each id whether it is the other end of a pair with an id at a position."""
        if len(others) > _FEW:
            return _is_in(others, self.select(position, identifier))
        same = np.full(len(others), identifier, dtype=np.uint32)
        return self.contains(same, others) if position == 0 else self.contains(others, same)


class TableRelation(Relation):
    """The pairs of one property."""

    def __init__(self, table: Table | None) -> None:
        self.table = empty_table(2) if table is None else table
        self._counts: dict[tuple[int, int], int] = {}

    @property
    def size(self) -> int:
        return self.table.estimate

    def ends(self, position: int) -> int:
        return max(1, self.table.ends(position))

    def scan(self) -> Iterator[tuple[Ids, Ids]]:
        return ((columns[0], columns[1]) for columns in self.table.chunks())

    def select(self, position: int, identifier: int) -> Ids:
        return self.table.select({position: identifier})[1 - position]

    def expand(self, position: int, identifiers: Ids) -> tuple[Index, Ids]:
        index, columns = self.table.expand({position: identifiers})
        return index, columns[1 - position]

    def contains(self, subjects: Ids, objects: Ids) -> Mask:
        return self.table.contains((subjects, objects))

    def occurs(self, position: int, identifiers: Ids) -> Mask:
        return self.table.occurs(position, identifiers)

    def distinct(self, position: int) -> Ids:
        return self.table.distinct(position)

    def total(self) -> int:
        return len(self.table)

    def degrees(self, position: int, identifiers: Ids) -> Counts:
        return self.table.degrees(position, identifiers)

    def image(self, position: int, identifiers: Ids) -> Ids:
        return image(self.table, position, identifiers)

    def loops(self) -> Ids:
        return loops(self.table)

    def count(self, position: int, identifier: int) -> int:
        # A planner asks for the same again and again.
        known = self._counts.get((position, identifier))
        if known is None:
            known = self._counts[position, identifier] = super().count(position, identifier)
        return known


class TypeRelation(Relation):
    """Members and their classes: the facts of all classes, and the triples of rdf:type that are none."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._rest = TableRelation(source.table(property_code(source.type_id)))

    @property
    def size(self) -> int:
        return sum(table.estimate for _, table in self._classes()) + self._rest.size

    def ends(self, position: int) -> int:
        if position == 1:
            return max(1, len(self._source.codes(CLASS)))
        return max([1, self._rest.size, *(table.estimate for _, table in self._classes())])

    def scan(self) -> Iterator[tuple[Ids, Ids]]:
        for identifier, table in self._classes():
            members = table.columns()[0]
            yield members, np.full(len(members), identifier, dtype=np.uint32)
        yield from self._rest.scan()

    def select(self, position: int, identifier: int) -> Ids:
        if position == 0:
            chunks = [chunk[2] for chunk in self._source.match(identifier, self._source.type_id, None)]
            return np.concatenate(chunks) if chunks else _NO_IDS
        found = self._rest.select(1, identifier)
        table = self._class(identifier)
        if table is None:
            return found
        members = table.columns()[0]
        return np.concatenate((members, found)) if len(found) else members

    def expand(self, position: int, identifiers: Ids) -> tuple[Index, Ids]:
        if len(identifiers) <= _FEW or position == 1:
            return self._expand_each(position, identifiers)
        parts = [self._rest.expand(0, identifiers)]
        for identifier, table in self._classes():
            rows = np.flatnonzero(table.contains((identifiers,)))
            if len(rows):
                parts.append((rows, np.full(len(rows), identifier, dtype=np.uint32)))
        return _joined(parts)

    def _expand_each(self, position: int, identifiers: Ids) -> tuple[Index, Ids]:
        found = ((rows, self.select(position, identifier)) for identifier, rows in rows_of_each(identifiers))
        return _joined([(np.repeat(rows, len(others)), np.tile(others, len(rows))) for rows, others in found])

    def contains(self, subjects: Ids, objects: Ids) -> Mask:
        found = self._rest.contains(subjects, objects)
        for identifier, rows in rows_of_each(objects):
            table = self._class(identifier)
            if table is not None:
                found[rows] |= table.contains((subjects[rows],))
        return found

    def matches(self, position: int, identifier: int, others: Ids) -> Mask:
        if position == 0:
            return super().matches(position, identifier, others)
        table = self._class(identifier)
        found = np.zeros(len(others), dtype=np.bool_) if table is None else table.contains((others,))
        return found | self._rest.matches(1, identifier, others) if self._rest.size else found

    def occurs(self, position: int, identifiers: Ids) -> Mask:
        found = self._rest.occurs(position, identifiers)
        if position == 1:
            return found | np.isin(identifiers, np.array([c for c, _ in self._classes()], dtype=np.uint32))
        for _, table in self._classes():
            rows = np.flatnonzero(~found)
            found[rows] = table.contains((identifiers[rows],))
        return found

    def distinct(self, position: int) -> Ids:
        parts = [self._rest.distinct(position)]
        if position == 1:
            parts.append(np.array([identifier for identifier, _ in self._classes()], dtype=np.uint32))
        else:
            parts += [table.columns()[0] for _, table in self._classes()]
        return bitmaps.distinct(np.concatenate(parts))

    def total(self) -> int:
        return sum(len(table) for _, table in self._classes()) + self._rest.total()

    def count(self, position: int, identifier: int) -> int:
        if position == 0:
            return len(self.select(0, identifier))
        table = self._class(identifier)
        return (0 if table is None else len(table)) + self._rest.count(1, identifier)

    def _class(self, identifier: int) -> Table | None:
        return self._source.table(class_code(identifier))

    def _classes(self) -> Iterator[tuple[int, Table]]:
        for code in self._source.codes(CLASS):
            table = self._source.table(code)
            if table is not None:
                yield identifier_of(code), table


def relation_of(source: Source, predicate: int) -> Relation:
    """The pairs of a predicate by its id."""
    if predicate == source.type_id:
        return TypeRelation(source)
    return TableRelation(source.table(property_code(predicate)))


def _joined(parts: list[tuple[Index, Ids]]) -> tuple[Index, Ids]:
    if not parts:
        return np.empty(0, dtype=np.int64), _NO_IDS
    rows, others = zip(*parts, strict=True)
    return np.concatenate(rows), np.concatenate(others)


def _is_in(values: Ids, members: Ids) -> Mask:
    """For each value whether it is a member: by a table of flags where the ids are close together."""
    if not len(members):
        return np.zeros(len(values), dtype=np.bool_)
    highest = int(members.max())
    if highest <= 64 * (len(members) + len(values)):
        flags = np.zeros(highest + 2, dtype=np.bool_)
        flags[members] = True
        return np.asarray(flags[np.minimum(values, highest + 1)])
    ascending = np.sort(members)
    at = ascending.searchsorted(values)
    at[at == len(ascending)] = 0
    return np.asarray(ascending[at] == values)
