"""Bindings: the rows of variables that a rule body has given so far, as columns, and how an atom extends them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import TypeAlias

import numpy as np

from kgreason.engine.rules.shapes import Operation, ShapeAtom, Slot
from kgreason.schemes.relations import table_of
from kgreason.schemes.scheme import Columns, Ids, Index, Mask, Table

Parameters: TypeAlias = Sequence[int]
"""The relation codes and term ids of one rule of a shape."""


class Rows:
    """Rows of variables, as columns of one length; the unit (one row, no variables) to begin with."""

    __slots__ = ("_parameters", "columns", "length")

    def __init__(self, parameters: Parameters) -> None:
        self._parameters = parameters
        self.columns: dict[int, Ids] = {}
        self.length = 1

    @property
    def is_unit(self) -> bool:
        """Whether nothing is bound yet."""
        return not self.columns

    def match(self, atom: ShapeAtom, table: Table, needed: Set[int]) -> None:
        """Join, where only the variables `needed` are of use afterwards: a pair whose other end nobody asks for
        need not be found, only known to be there."""
        position = self._asked(atom, needed)
        if position is None:
            self.join(atom, table)
        else:
            self.keep(table.occurs(position, self.columns[atom.arguments[position]]))

    def _asked(self, atom: ShapeAtom, needed: Set[int]) -> int | None:
        """The position of a pair that is bound, when all that is asked is whether there is a pair with it."""
        if len(atom.arguments) == 2 and self.columns:
            for position, slot in enumerate(atom.arguments):
                other = atom.arguments[1 - position]
                if slot in self.columns and other >= 0 and other not in self.columns and other not in needed:
                    return position
        return None

    def batches(
        self, atom: ShapeAtom, table: Table, needed: Set[int], size: int
    ) -> Iterator[tuple[Rows, Table]] | None:
        """Parts of the rows and of the table, each for a `match` that gives at most `size` rows or what one row gives;
        None where one match for all does. The facts for each row are counted first, not looked at."""
        bound = [position for position, slot in enumerate(atom.arguments) if slot in self.columns]
        constants = any(slot < 0 for slot in atom.arguments)
        if self._asked(atom, needed) is not None or len(bound) == len(atom.arguments):
            return None
        if not self.columns:
            return self._chunks(table, size) if table.is_virtual and not constants else None
        if not bound:
            return self._slices(np.full(self.length, table.estimate, dtype=np.int64), table, size)
        if constants and len(atom.arguments) == 2:
            return None
        counts = [table.degrees(position, self.columns[atom.arguments[position]]) for position in bound]
        return self._slices(np.minimum.reduce(counts), table, size)

    def _chunks(self, table: Table, size: int) -> Iterator[tuple[Rows, Table]] | None:
        if table.estimate <= size:
            return None
        return ((Rows(self._parameters), table_of(columns)) for columns in table.chunks())

    def _slices(self, counts: Index, table: Table, size: int) -> Iterator[tuple[Rows, Table]] | None:
        """Rows that follow each other, given how many facts there are for each."""
        ends = np.cumsum(counts)
        if ends[-1] <= size:
            return None
        return self._cut(ends, table, size)

    def _cut(self, ends: Index, table: Table, size: int) -> Iterator[tuple[Rows, Table]]:
        begin = done = 0
        while begin < self.length:
            end = max(begin + 1, int(ends.searchsorted(done + size, side="right")))
            part = Rows(self._parameters)
            part.columns = {variable: column[begin:end] for variable, column in self.columns.items()}
            part.length = end - begin
            yield part, table
            begin, done = end, int(ends[end - 1])

    def join(self, atom: ShapeAtom, table: Table) -> None:
        """Extend every row by the facts of the atom that agree with it."""
        bound: dict[int, Ids] = {}
        constants: dict[int, int] = {}
        for position, slot in enumerate(atom.arguments):
            if slot < 0:
                constants[position] = self._parameters[~slot]
            elif slot in self.columns:
                bound[position] = self.columns[slot]
        if not bound:
            self._cross(atom, table.select(constants))
            return
        for position, constant in constants.items():
            bound[position] = np.full(self.length, constant, dtype=np.uint32)
        if len(bound) == len(atom.arguments):
            self.keep(table.contains(tuple(bound[position] for position in range(len(bound)))))
            return
        index, found = table.expand(bound)
        self._take(index)
        self._bind(atom, found, skip=bound)

    def _cross(self, atom: ShapeAtom, found: Columns) -> None:
        """Every row with every fact found."""
        count = len(found[0])
        if self.length != 1 or self.columns:
            index = np.repeat(np.arange(self.length), count)
            found = tuple(np.tile(column, self.length) for column in found)
            self._take(index)
        self.length = len(found[0])
        self._bind(atom, found, skip={})

    def _bind(self, atom: ShapeAtom, found: Columns, skip: Mapping[int, Ids]) -> None:
        same: list[Mask] = []
        fresh: set[int] = set()
        for position, slot in enumerate(atom.arguments):
            if slot < 0 or position in skip:
                continue
            if slot in fresh:
                same.append(self.columns[slot] == found[position])
            else:
                fresh.add(slot)
                self.columns[slot] = found[position]
        if same:
            self.keep(np.logical_and.reduce(same))

    def _take(self, index: Index) -> None:
        self.columns = {variable: column[index] for variable, column in self.columns.items()}
        self.length = len(index)

    def keep(self, mask: Mask) -> None:
        """Drop the rows where the mask is false."""
        if not mask.all():
            self.columns = {variable: column[mask] for variable, column in self.columns.items()}
            self.length = int(np.count_nonzero(mask))

    def assign(self, variable: int, values: Ids, defined: Mask) -> None:
        """Bind a variable to values, or compare with them where it is bound; rows without value go."""
        if variable in self.columns:
            self.keep(defined & (self.columns[variable] == values))
            return
        self.columns[variable] = values
        self.keep(defined)

    def forget_all_but(self, needed: Set[int]) -> None:
        """Drop the columns that nothing needs any more, and the duplicates that this leaves."""
        gone = self.columns.keys() - needed
        for variable in gone:
            del self.columns[variable]
        if gone and not self.columns and self.length:
            self.length = 1

    def arguments(self, atom: ShapeAtom) -> Columns:
        """The columns of the atom's arguments, constants spread out."""
        return tuple(self._slot(slot) for slot in atom.arguments)

    def slots(self, operation: Operation) -> dict[Slot, Ids]:
        """The columns of an operation's slots; a constant is a column of one id."""
        return {
            slot: self.columns[slot] if slot >= 0 else np.array([self._parameters[~slot]], dtype=np.uint32)
            for slot in operation.slots()
        }

    def _slot(self, slot: Slot) -> Ids:
        if slot >= 0:
            return self.columns[slot]
        return np.full(self.length, self._parameters[~slot], dtype=np.uint32)

