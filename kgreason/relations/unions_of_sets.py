"""Unions of unary relations, stored nowhere but in their parts: what has a class, say, by way of its subclasses.

A union of many parts keeps its members once they were asked for, at most two bytes each, and is a part itself of the
unions above it. So a class above thousands of others has few parts, and a version of it that differs in a few members
costs these and a copy, where each of its parts would be asked for each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeGuard

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
        self._kept: BitMap | None = None
        self._was_asked = False
        for part in self.parts:  # so that none looks below its parts for them, through unions of any depth
            if isinstance(part, UnaryUnion):
                part._members()

    @property
    def keeps_members(self) -> bool:
        """Whether it has many parts, and keeps its members once they were asked for."""
        return len(self.parts) > table_tuning.PARTS_ASKED

    @property
    def nbytes(self) -> int:
        return 8 * len(self.parts) + (0 if self._kept is None else UnaryTable(self._kept).nbytes)

    @property
    def estimate(self) -> int:
        """O(parts) once: what has a class by way of thousands of subclasses is asked for it again and again."""
        if self._estimate is None:
            known = self._kept
            self._estimate = sum(part.estimate for part in self.parts) if known is None else len(known)
        return self._estimate

    def count(self) -> int:
        return len(self._members())

    def __bool__(self) -> bool:
        return bool(self.parts)

    def _members(self) -> BitMap:
        """The set itself, which nobody changes; that of few parts is made anew each time."""
        if self._kept is not None:
            return self._kept
        found = bitmaps.union([as_unary(part).members for part in self.parts])
        if self.keeps_members:
            self._kept = found
        return found

    def continue_from(self, before: Table, came: Table | None, gone: Table | None) -> None:
        """Take the members from those of the version before, from what came to the parts, and from what went:
        O(parts) for each id that went, and a copy."""
        if not (self.keeps_members and isinstance(before, UnaryUnion) and before.keeps_members):
            return
        lost = [] if gone is None else gone.columns()[0].tolist()
        if len(lost) > table_tuning.SOUGHT_MEMBERS:
            return
        members = before._members() if came is None else before._members() | as_unary(came).members
        gone_for_good = [each for each in lost if not any(part.has((each,)) for part in self.parts)]
        self._kept = members - BitMap(gone_for_good) if gone_for_good else members

    def columns(self) -> Columns:
        return (bitmaps.to_ids(self._members()),)

    def chunks(self) -> Iterator[Columns]:
        yield self.columns()

    def materialised(self) -> UnaryTable:
        return UnaryTable(self._members())

    def distinct(self, position: int) -> Ids:
        return self.columns()[0]

    def has(self, fact: tuple[int, ...]) -> bool:
        if self._kept is None and not (self._was_asked and self.keeps_members):
            self._was_asked = True
            return any(part.has(fact) for part in self.parts)
        return fact[0] in self._members()

    def contains(self, columns: Columns) -> Mask:
        if len(columns[0]) <= table_tuning.SOUGHT_MEMBERS:
            return np.array([self.has((member,)) for member in columns[0].tolist()], dtype=np.bool_)
        return bitmaps.contains(self._members(), columns[0])

    def difference(self, other: Table) -> Table:
        """A plain table. Of two versions of a union O(members of the parts that differ), not of all."""
        if not isinstance(other, UnaryUnion):
            return super().difference(other)
        if self._kept is not None and other._kept is not None:
            return UnaryTable(self._kept - other._kept)
        found = self._without(other)
        if found:
            found = found - other._without(self)
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
        """The parts of its parts: a file has no tables of tables of any depth."""
        return [[to.table(part) for part in self._innermost()]]

    @classmethod
    def read(cls, parts: list[Part], of: PartReader) -> UnaryUnion:
        """A table of `write`; LoadError where it is damaged."""
        return cls([of.table(part, "its part", 1) for part in of.entries(parts[0], None, "its parts")])

    def _innermost(self) -> list[Table]:
        """The parts, unions among them replaced by theirs, each table once."""
        seen: dict[int, Table] = {}
        waiting = [*self.parts]
        while waiting:
            part = waiting.pop()
            if id(part) not in seen:
                seen[id(part)] = part
                waiting += part.parts if isinstance(part, UnaryUnion) else ()
        return [part for part in seen.values() if not isinstance(part, UnaryUnion)]

    def _check(self) -> None:
        parts = self._innermost()
        for part in parts:
            part._check()
        members = bitmaps.union([as_unary(part).members for part in parts])
        assert members == self._members(), "the members that are kept are not those of the parts"
        assert len(self) == len(members), "the length is wrong"


def _flattened(tables: Sequence[Table]) -> list[Table]:
    """The tables with facts, unions of few parts replaced by what they unite, each table once."""
    parts = (part for table in tables for part in (table.parts if _is_taken_apart(table) else (table,)))
    return list({id(part): part for part in parts if part}.values())


def _is_taken_apart(table: Table) -> TypeGuard[UnaryUnion]:
    return isinstance(table, UnaryUnion) and not table.keeps_members
