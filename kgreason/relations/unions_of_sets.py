"""Unions of unary relations, stored nowhere but in their parts: what has a class, say, by way of its subclasses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from pyroaring import BitMap

from kgreason.columns import bitmaps
from kgreason.relations import table_tuning
from kgreason.relations.stored import Part, PartReader, PartWriter
from kgreason.relations.table import Columns, Ids, Index, Mask, Table
from kgreason.relations.unary import UnaryTable, as_unary
from kgreason.relations.virtual import VirtualTable


class UnaryUnion(VirtualTable):
    """The ids of several sets, each once."""

    arity = 1
    scheme = "union"
    stored_as = "union of sets"

    def __init__(self, parts: Sequence[Table]) -> None:
        """Tables of single ids."""
        self.parts = _flattened(parts)

    @property
    def nbytes(self) -> int:
        return 8 * len(self.parts)

    @property
    def estimate(self) -> int:
        """O(parts) once: what has a class by way of thousands of subclasses is asked for it again and again."""
        if self._estimate is None:
            self._estimate = sum(part.estimate for part in self.parts)
        return self._estimate

    def count(self) -> int:
        return len(self._members())

    def __bool__(self) -> bool:
        return bool(self.parts)

    def _members(self) -> BitMap:
        """The set itself, for as long as it is read."""
        return bitmaps.union([as_unary(part).members for part in self.parts])

    def columns(self) -> Columns:
        return (bitmaps.to_ids(self._members()),)

    def chunks(self) -> Iterator[Columns]:
        yield self.columns()

    def materialised(self) -> UnaryTable:
        return UnaryTable(self._members())

    def distinct(self, position: int) -> Ids:
        return self.columns()[0]

    def has(self, fact: tuple[int, ...]) -> bool:
        return any(part.has(fact) for part in self.parts)

    def contains(self, columns: Columns) -> Mask:
        if len(columns[0]) <= table_tuning.SOUGHT_MEMBERS:
            return np.array([self.has((member,)) for member in columns[0].tolist()], dtype=np.bool_)
        return bitmaps.contains(self._members(), columns[0])

    def difference(self, other: Table) -> Table:
        """A plain table. Of two versions of a union O(members of the parts that differ), not of all."""
        if not isinstance(other, UnaryUnion):
            return super().difference(other)
        found = self._without(other)
        if found:
            found -= other._without(self)
        return UnaryTable(found).difference(other) if found else UnaryTable(found)

    def _without(self, other: UnaryUnion) -> BitMap:
        """The members of the parts that another union does not have."""
        theirs = {*map(id, other.parts)}
        return bitmaps.union([as_unary(part).members for part in self.parts if id(part) not in theirs])

    def has_key(self, position: int, identifiers: Ids) -> Mask:
        return self.contains((identifiers,))

    def distinct_estimate(self, position: int) -> int:
        return self.estimate

    def select(self, bound: dict[int, int]) -> Columns:
        if not bound:
            return self.columns()
        return (np.array([bound[0]] if self.has((bound[0],)) else [], dtype=np.uint32),)

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        found = np.flatnonzero(self.contains((bound[0],)))
        return found, (bound[0][found],)

    def inverse(self) -> UnaryUnion:
        return self

    def intersection(self, other: Table) -> Table:
        return self.materialised().intersection(other)

    def write(self, to: PartWriter) -> list[Part]:
        """The parts."""
        return [[to.table(part) for part in self.parts]]

    @classmethod
    def read(cls, parts: list[Part], of: PartReader) -> UnaryUnion:
        """A table of `write`; LoadError where it is damaged."""
        return cls([of.table(part, "its part", 1) for part in of.entries(parts[0], None, "its parts")])

    def _check(self) -> None:
        for part in self.parts:
            part._check()
        assert len(self) == len(self._members()), "the length is wrong"


def _flattened(tables: Sequence[Table]) -> list[Table]:
    """The tables with facts, unions replaced by what they unite, each table once."""
    parts = (part for table in tables for part in (table.parts if isinstance(table, UnaryUnion) else (table,)))
    return list({id(part): part for part in parts if part}.values())
