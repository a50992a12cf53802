"""The cells of RDF lists: which of them lead to rdf:nil, and where a list breaks.

A *way* through a list goes from its first cell along rdf:rest to rdf:nil, passes no cell twice, and each of its
cells has an rdf:first. A list is *straight* where each cell has at most one cell after it, *forked* otherwise.
Straight lists, which nearly all are, are walked as columns, all at once, and the last few, of which one may be very
long, each for itself; forked ones in Python.

A list is *defective* where rdf:rest leads to a cell without rdf:first or rdf:rest, or back to a cell before it. A
straight list that is defective has no way; a forked one may have others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from kgreason.checkpoints import checkpoint
from kgreason.columns import sorted_sets
from kgreason.engine import rule_tuning
from kgreason.relations.table import NO_IDS, Ids, Index, Mask, Table

NO_FIRST: Final = "no rdf:first"
NO_REST: Final = "no rdf:rest"
CYCLE: Final = "cycle"

_CHECKED: Final = 1 << 12
"""So many cells of one list are passed without a checkpoint."""

_NO_INDEX: Final[Index] = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Break:
    """Where a list breaks: its `cell` has no rdf:first or no rdf:rest, or an rdf:rest that is a cell before it."""

    list: int
    cell: int
    fault: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rows:
    """Cells of lists, a row each: uint32 `owners` (the lists) and `cells`, int64 `positions` from 0."""

    owners: Ids
    positions: Index
    cells: Ids

    def where(self, kept: Mask) -> Rows:
        """The rows for which the mask is true."""
        return Rows(self.owners[kept], self.positions[kept], self.cells[kept])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Walk:
    """Where rdf:rest leads to: the cells of `straight` lists that end in rdf:nil, with or without members; the lists
    that are `open`, because they are cut off or are cyclic; and those that are `forked`."""

    straight: Rows
    open: Ids
    forked: Ids


class ListCells:
    """Cells as some facts of rdf:first and rdf:rest have them; `nil` is the id of rdf:nil. What has been found of a
    list is remembered."""

    def __init__(self, first: Table | None, rest: Table | None, nil: int) -> None:
        self._first = first
        self._rest = rest
        self._nil = nil
        self._firsts: dict[int, list[int]] = {}
        self._rests: dict[int, list[int]] = {}
        self._walked: dict[int, tuple[list[int], int]] = {}

    def are_of(self, first: Table | None, rest: Table | None) -> bool:
        """Whether they are those of the very same tables."""
        return self._first is first and self._rest is rest

    # -- straight lists, as columns -------------------------------------------------------------------------------

    def walk(self, lists: Ids) -> Walk:
        """Follow rdf:rest from all lists at once, one join for each position, until few of them go on: these are
        walked one after the other.

        A loop is found within three times its length: the cell at the last position that is a power of two is
        remembered (Brent 1980)."""
        owners, cells, marks = lists, lists, lists
        passed = [Rows(NO_IDS, _NO_INDEX, NO_IDS)]
        opened, forked = [NO_IDS], [NO_IDS]
        position, due = 0, 1
        while True:
            going = cells != self._nil
            owners, cells, marks = owners[going], cells[going], marks[going]
            if len(cells) <= rule_tuning.FEW_LISTS:
                break
            passed.append(Rows(owners, np.full(len(cells), position, dtype=np.int64), cells))
            index, following = self._after(cells)
            counts = np.bincount(index, minlength=len(cells))
            opened.append(owners[counts == 0])
            forked.append(owners[counts > 1])
            one = counts[index] == 1
            owners, cells, marks = owners[index[one]], following[one], marks[index[one]]
            looping = cells == marks
            opened.append(owners[looping])
            owners, cells, marks = owners[~looping], cells[~looping], marks[~looping]
            position += 1
            if position == due:
                marks, due = cells, 2 * due
        for owner, cell in zip(owners.tolist(), cells.tolist(), strict=True):
            way, count = self._walk_on(cell)
            if count == 1:
                passed.append(_rows(owner, position, way))
            else:
                (forked if count else opened).append(np.array([owner], dtype=np.uint32))
        rows = Rows(
            np.concatenate([part.owners for part in passed]),
            np.concatenate([part.positions for part in passed]),
            np.concatenate([part.cells for part in passed]),
        )
        others = np.concatenate((*opened, *forked))
        if len(others):
            rows = rows.where(~np.isin(rows.owners, others))
        return Walk(rows, np.concatenate(opened), np.concatenate(forked))

    def _walk_on(self, cell: int) -> tuple[list[int], int]:
        """A cell of a list and those after it, and how many cells follow the last one: 1 where rdf:rest leads on to
        rdf:nil, 0 where the list is cut off or goes round, 2 where it forks there. Each list is walked once."""
        if cell not in self._walked:
            self._walked[cell] = self._walked_from(cell)
        return self._walked[cell]

    def _walked_from(self, cell: int) -> tuple[list[int], int]:
        passed: dict[int, None] = {}
        rest = self._rest
        while cell != self._nil:
            if cell in passed:
                return [*passed], 0
            if not len(passed) % _CHECKED:
                checkpoint()
            passed[cell] = None
            following = rest.few_of(0, cell, 1) if rest else []
            if following is None or not following:
                return [*passed], 0 if following is not None else 2
            (cell,) = following
        return [*passed], 1

    def members(self, rows: Rows) -> tuple[Rows, Ids]:
        """The members in cells, with the rows that they are in, one for each."""
        if not self._first or not len(rows.cells):
            return Rows(NO_IDS, _NO_INDEX, NO_IDS), NO_IDS
        index, (_, found) = self._first.lookup({0: rows.cells})
        return Rows(rows.owners[index], rows.positions[index], rows.cells[index]), found

    def empty(self, rows: Rows) -> Ids:
        """The lists among straight ones that have a cell without a member."""
        return rows.owners[~_have_key(self._first, rows.cells)]

    def _after(self, cells: Ids) -> tuple[Index, Ids]:
        if not self._rest:
            return _NO_INDEX, NO_IDS
        index, (_, found) = self._rest.lookup({0: cells})
        return index, found

    # -- forked lists, one by one ---------------------------------------------------------------------------------

    def firsts(self, cell: int) -> list[int]:
        """The members in a cell."""
        if cell not in self._firsts:
            self._firsts[cell] = self._first.objects_of(cell).tolist() if self._first else []
        return self._firsts[cell]

    def rests(self, cell: int) -> list[int]:
        """The cells after a cell."""
        if cell not in self._rests:
            self._rests[cell] = self._rest.objects_of(cell).tolist() if self._rest else []
        return self._rests[cell]

    def reachable(self, first: int) -> list[int]:
        """A cell and those that rdf:rest leads to, the nearest first; rdf:nil is not a cell."""
        way, following_last = self._walk_on(first)
        if following_last < 2:
            return way
        found = dict.fromkeys((first,) if first != self._nil else ())
        waiting = list(found)
        for cell in waiting:
            for following in self.rests(cell):
                if following != self._nil and following not in found:
                    found[following] = None
                    waiting.append(following)
        return waiting

    def ways(self, first: int, tick: Callable[[], None]) -> Iterator[list[int]]:
        """The ways from a cell to rdf:nil, of which there may be exponentially many; `tick` is called at each step."""
        if first == self._nil:
            yield []
            return
        leading = self._leading_to_nil(self.reachable(first))
        waiting = [[first]] if first in leading else []
        while waiting:
            tick()
            way = waiting.pop()
            for following in self.rests(way[-1]):
                if following == self._nil:
                    yield way
                elif following in leading and following not in way:
                    waiting.append([*way, following])

    def places(self, first: int, tick: Callable[[], None]) -> Iterator[tuple[int, int]]:
        """Each position with a cell that a way has there, once. Where rdf:rest leads back, all ways are looked at;
        elsewhere each cell once for each of its positions."""
        leading = self._leading_to_nil(self.reachable(first))
        if self._on_cycles(leading):
            yield from {place for way in self.ways(first, tick) for place in enumerate(way)}
            return
        position, cells = 0, {first} & leading
        while cells:
            tick()
            yield from ((position, cell) for cell in cells)
            position, cells = position + 1, {after for cell in cells for after in self.rests(cell)} & leading

    def _leading_to_nil(self, cells: Iterable[int]) -> set[int]:
        """Those of some cells from which rdf:nil is reached past cells with members only."""
        before: dict[int, list[int]] = {}
        for cell in cells:
            for following in self.rests(cell) if self.firsts(cell) else ():
                before.setdefault(following, []).append(cell)
        found: set[int] = set()
        waiting = [self._nil]
        while waiting:
            fresh = set(before.get(waiting.pop(), ())) - found
            found |= fresh
            waiting.extend(fresh)
        return found

    def _on_cycles(self, cells: Iterable[int]) -> set[int]:
        """Those of some cells that lie on a cycle, or on the way from one to another."""
        left = set(cells)
        after = {cell: left & set(self.rests(cell)) for cell in left}
        before: dict[int, set[int]] = {cell: set() for cell in left}
        for cell, following in after.items():
            for each in following:
                before[each].add(cell)
        for ahead, behind in ((after, before), (before, after)):
            ends = [cell for cell in left if not ahead[cell] & left]
            while ends:
                cell = ends.pop()
                left.discard(cell)
                ends.extend(each for each in behind[cell] & left if not ahead[each] & left)
        return left

    # -- defects --------------------------------------------------------------------------------------------------

    def breaks(self, lists: Ids) -> list[Break]:
        """A place where each list that is defective breaks, in the order of the lists."""
        walk = self.walk(lists)
        suspects = sorted_sets.unique(np.concatenate((self.empty(walk.straight), walk.open, walk.forked)))
        return [found for found in map(self._break, suspects.tolist()) if found is not None]

    def _break(self, owner: int) -> Break | None:
        """The nearest cell where a list is cut off or, where none is, leads back; None where it is whole."""
        cells = self.reachable(owner)
        reached = np.array(cells, dtype=np.uint32)
        has_first, has_rest = (_have_key(table, reached) for table in (self._first, self._rest))
        ends = np.flatnonzero(~(has_first & has_rest))
        if len(ends):
            return Break(owner, cells[ends[0]], NO_REST if has_first[ends[0]] else NO_FIRST)
        on_cycles = self._on_cycles(cells)
        passed: set[int] = set()
        for cell in cells:
            passed.add(cell)
            if cell in on_cycles and passed & on_cycles & {*self.rests(cell)}:
                return Break(owner, cell, CYCLE)
        return None


def _rows(owner: int, position: int, cells: Sequence[int]) -> Rows:
    """Cells of one list from a position on."""
    count = len(cells)
    owners = np.full(count, owner, dtype=np.uint32)
    return Rows(owners, np.arange(position, position + count), np.array(cells, dtype=np.uint32))


def _have_key(table: Table | None, cells: Ids) -> Mask:
    """Which cells have a fact."""
    return table.has_key(0, cells) if table else np.zeros(len(cells), dtype=np.bool_)
