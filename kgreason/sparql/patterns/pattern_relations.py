"""The relation that a triple pattern or a path reads: pairs of a subject and an object, for joins (`kgreason.algebra`).

* A property is its table, in any storage scheme; closures are read from their labels.
* `TypeRelation`: rdf:type with any class, over the members of all classes.
* `kgreason.sparql.patterns.path_relations`: what a property path connects, with `walks`, `closure_patterns`,
  `reflexive`, `inverted`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

import numpy as np

from kgreason.algebra.relation import Columns, Relation
from kgreason.algebra.row_keys import is_member, rows_of_each
from kgreason.checkpoints import checkpoint
from kgreason.columns import bitmaps
from kgreason.columns.id_columns import repeated
from kgreason.columns.pairs import runs_within
from kgreason.relations.codes import CLASS, class_code, identifier_of, property_code
from kgreason.relations.plain import empty_table, table_of
from kgreason.relations.table import NO_IDS, Table
from kgreason.sparql import query_tuning
from kgreason.sparql.solutions import Counts, Ids, Index, Mask
from kgreason.sparql.source import Source


class PatternRelation(ABC):
    """A set of pairs that is not a table, as `kgreason.algebra.relation.Relation`; position 0 is the subject's."""

    arity = 2
    is_transitive = False

    @property
    @abstractmethod
    def estimate(self) -> int:
        """About how many pairs there are."""

    @abstractmethod
    def distinct_estimate(self, position: int) -> int:
        """About how many ids there are at a position, at least 1."""

    @abstractmethod
    def __len__(self) -> int:
        """How many pairs there are, without making them where that is possible."""

    def __bool__(self) -> bool:
        return any(len(columns[0]) for columns in self.chunks())

    @abstractmethod
    def chunks(self) -> Iterator[Columns]:
        """All pairs, a chunk at a time."""

    @abstractmethod
    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        """For many ids at a position, in any order, the row and the columns of each pair."""

    @abstractmethod
    def contains(self, columns: Columns) -> Mask:
        """For each row whether it is a pair."""

    @abstractmethod
    def has_key(self, position: int, identifiers: Ids) -> Mask:
        """For each id whether a pair has it at a position."""

    @abstractmethod
    def distinct(self, position: int) -> Ids:
        """The ids at a position, each once."""

    def lookups(self, bound: dict[int, Ids], most: int) -> Iterator[tuple[Index, Columns]]:
        """`lookup` a part of the ids at a time: about `most` pairs at once, or those of one id."""
        ((position, identifiers),) = bound.items()
        for begin, end in runs_within(self.fanout(position, identifiers), most):
            checkpoint()
            index, columns = self.lookup({position: identifiers[begin:end]})
            yield index + begin, columns

    def select(self, bound: dict[int, int]) -> Columns:
        """The pairs with an id at a position, or all, or one of two ids."""
        if not bound:
            return joined_columns([*self.chunks()])
        keys = {position: np.array([identifier], dtype=np.uint32) for position, identifier in bound.items()}
        if len(keys) == 1:
            return self.lookup(keys)[1]
        found = self.contains((keys[0], keys[1]))
        return keys[0][found], keys[1][found]

    def fanout(self, position: int, identifiers: Ids) -> Counts:
        """For each id how many pairs have it at a position."""
        index, _ = self.lookup({position: identifiers})
        return np.bincount(index, minlength=len(identifiers))

    def fanout_of(self, position: int, identifier: int) -> int:
        """How many pairs have one id at a position."""
        return int(self.fanout(position, np.array([identifier], dtype=np.uint32))[0])

    def expected_fanout(self, position: int, identifiers: Ids) -> float:
        """About how many pairs have one of some ids at a position, by a look at a few: a path is followed for each."""
        return float(self.fanout(position, identifiers[:: len(identifiers) // query_tuning.COUNTED_IDS + 1]).mean())

    def is_indexed(self, position: int) -> bool:
        """Whether nothing must be made first to look pairs up by ids at a position."""
        return True

    def image(self, position: int, identifiers: Ids) -> Ids:
        """The other ends of the pairs with one of some ids at a position, each once."""
        return bitmaps.distinct(self.lookup({position: bitmaps.distinct(identifiers)})[1][1 - position])

    def loops(self) -> Ids:
        """The ids that are paired with themselves, each once."""
        ends = self.distinct(0)
        return ends[self.contains((ends, ends))]

    def generators(self) -> Iterable[Relation]:
        """Relations that have together the same closure: the relation itself."""
        return (self,)

    def tables(self) -> Iterable[Table]:
        """Tables that have together the same pairs: one for each chunk."""
        return map(table_of, self.chunks())


class TypeRelation(PatternRelation):
    """Members and their classes: the facts of all classes, and the triples of rdf:type that are not such facts."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._rest = pairs_of(source, source.type_id)

    @property
    def estimate(self) -> int:
        return self._source.class_estimates[0] + self._rest.estimate

    def distinct_estimate(self, position: int) -> int:
        if position == 1:
            return max(1, len(self._source.codes(CLASS)))
        return max(1, self._rest.estimate, self._source.class_estimates[1])

    def __len__(self) -> int:
        return sum(len(table) for _, table in self._classes()) + len(self._rest)

    def chunks(self) -> Iterator[Columns]:
        for identifier, table in self._classes():
            members = table.columns()[0]
            yield members, repeated(identifier, len(members))
        yield from self._rest.chunks()

    def select(self, bound: dict[int, int]) -> Columns:
        if len(bound) != 1:
            return super().select(bound)
        ((position, identifier),) = bound.items()
        others = self._others(position, identifier)
        return pair_columns(position, repeated(identifier, len(others)), others)

    def _others(self, position: int, identifier: int) -> Ids:
        """The classes of a member, or the members of a class."""
        if position == 0:
            chunks = [chunk[2] for chunk in self._source.match(identifier, self._source.type_id, None)]
            return np.concatenate(chunks) if chunks else NO_IDS
        found = self._rest.select({1: identifier})[0]
        table = self._class(identifier)
        if table is None:
            return found
        members = table.columns()[0]
        return np.concatenate((members, found)) if len(found) else members

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        ((position, identifiers),) = bound.items()
        index, others = self._followed(position, identifiers)
        return index, pair_columns(position, identifiers[index], others)

    def lookups(self, bound: dict[int, Ids], most: int) -> Iterator[tuple[Index, Columns]]:
        ((position, identifiers),) = bound.items()
        if position == 0:
            each = len(self._source.codes(CLASS)) + self._rest.largest_fanout(0)
            if len(identifiers) * each <= most:
                return iter((self.lookup(bound),))
        return super().lookups(bound, most)

    def _followed(self, position: int, identifiers: Ids) -> tuple[Index, Ids]:
        if len(identifiers) <= query_tuning.FEW_TYPED:
            found = ((rows, self._others(position, identifier)) for identifier, rows in rows_of_each(identifiers))
            return _joined([_crossed(rows, others) for rows, others in found])
        index, columns = self._rest.lookup({position: identifiers})
        own = self._classes_of(identifiers) if position == 0 else self._members_of(identifiers)
        return _joined([(index, columns[1 - position]), *own])

    def _classes_of(self, identifiers: Ids) -> Iterator[tuple[Index, Ids]]:
        for identifier, table in self._classes():
            rows = np.flatnonzero(table.contains((identifiers,)))
            if len(rows):
                yield rows, repeated(identifier, len(rows))

    def _members_of(self, identifiers: Ids) -> Iterator[tuple[Index, Ids]]:
        # Most nodes that a path comes by are no classes.
        classes = np.array([identifier for identifier, _ in self._classes()], dtype=np.uint32)
        known = np.flatnonzero(is_member(identifiers, classes))
        for identifier, rows in rows_of_each(identifiers[known]):
            table = self._class(identifier)
            if table is not None:
                yield _crossed(known[rows], table.columns()[0])

    def fanout(self, position: int, identifiers: Ids) -> Counts:
        if position == 0:
            return super().fanout(0, identifiers)
        distinct, numbers = np.unique(identifiers, return_inverse=True)
        counts = self._rest.fanout(1, distinct)
        sizes = [0 if table is None else len(table) for table in map(self._class, distinct.tolist())]
        counts += np.array(sizes, dtype=counts.dtype)  # there may be none
        return counts[numbers.reshape(-1)]

    def contains(self, columns: Columns) -> Mask:
        subjects, objects = columns
        found = self._rest.contains(columns)
        for identifier, rows in rows_of_each(objects):
            table = self._class(identifier)
            if table is not None:
                found[rows] |= table.contains((subjects[rows],))
        return found

    def has_key(self, position: int, identifiers: Ids) -> Mask:
        found = self._rest.has_key(position, identifiers)
        if position == 1:
            return found | is_member(identifiers, np.array([c for c, _ in self._classes()], dtype=np.uint32))
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
    return pairs_of(source, predicate)


def pairs_of(source: Source, predicate: int) -> Table:
    """The table of a property by its id, empty where it has no facts."""
    table = source.table(property_code(predicate))
    return empty_table(2) if table is None else table


def pair_columns(position: int, same: Ids, others: Ids) -> Columns:
    """The columns of pairs, given what they have at a position, and at the other one."""
    return (same, others) if position == 0 else (others, same)


def joined_columns(parts: list[Columns]) -> Columns:
    """The columns of chunks of pairs, one after the other."""
    subjects, objects = zip(*parts, strict=True) if parts else ((), ())
    return np.concatenate([NO_IDS, *subjects]), np.concatenate([NO_IDS, *objects])


def _crossed(rows: Index, others: Ids) -> tuple[Index, Ids]:
    """Each row with each of some ids."""
    return np.repeat(rows, len(others)), np.tile(others, len(rows))


def _joined(parts: list[tuple[Index, Ids]]) -> tuple[Index, Ids]:
    if not parts:
        return np.empty(0, dtype=np.int64), NO_IDS
    rows, others = zip(*parts, strict=True)
    return np.concatenate(rows), np.concatenate(others)
