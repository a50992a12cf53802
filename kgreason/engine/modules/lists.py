"""RDF lists as a module: the members of the lists that rules ask for, and their sequences.

A list is what rdf:first and rdf:rest lead through from its first cell to rdf:nil. Rules *demand* lists, by
facts of two auxiliary relations, so that lists which no axiom names cost nothing and may be in any state.
For each demanded list the module derives

* ``item(list, position, member)``, positions being the ids of integer literals;
* ``sequence of n (list, member 0, ..., member n - 1)``, for the lists demanded as sequences, one
  auxiliary relation per length.

Where a cell has several members (equal individuals, say), each of them counts, in every combination.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, product

import numpy as np

from kgreason.engine.meter import Meter
from kgreason.engine.rules.bodies import Reader
from kgreason.engine.rules.gathering import Gathering
from kgreason.engine.strata.strata import Dependency
from kgreason.errors import ListError
from kgreason.schemes.relations import table_of
from kgreason.schemes.scheme import Ids, Table
from kgreason.schemes.wide import WideTable

_NO_IDS: Ids = np.empty(0, dtype=np.uint32)
_MANY = 512
ROWS = 1 << 16


@dataclass(slots=True)
class ListModule:
    """Derives list members; the codes are those of its relations, `nil` is the id of rdf:nil.

    `new_relation` gives the code of a new auxiliary relation; `integer` the id of an integer literal;
    `describe` the text of a term, for errors.
    """

    first: int
    rest: int
    nil: int
    demand: int
    sequence_demand: int
    item: int
    new_relation: Callable[[int], int]
    integer: Callable[[int], int]
    describe: Callable[[int], str]
    sequences: dict[int, int] = field(default_factory=dict)
    touched: set[int] = field(default_factory=set)

    @property
    def inputs(self) -> frozenset[int]:
        return frozenset((self.first, self.rest, self.demand, self.sequence_demand))

    @property
    def targets(self) -> Sequence[int]:
        return (self.item, *self.sequences.values())

    def dependencies(self) -> Iterator[Dependency]:
        """Every input on every target."""
        for source in (self.first, self.rest, self.demand, self.sequence_demand):
            for target in self.targets:
                if (source, target) != (self.sequence_demand, self.item):
                    yield Dependency(source, target)

    def derive(self, read: Reader, code: int, delta: Table, meter: Meter) -> Iterator[tuple[int, Table]]:
        lists = self._concerned(read, code, delta)
        self.touched.update(lists.tolist())
        if len(lists) and code != self.sequence_demand:
            items = self._items(read, lists)
            meter.begin_lists(self.item)
            meter.gave(items)
            yield self.item, items
        demanded = read(self.sequence_demand)
        if demanded and len(lists):
            yield from self._sequences(read, lists[demanded.contains((lists,))], meter)

    def everything(self, read: Reader, target: int, meter: Meter) -> Table | None:
        """All facts of a sequence relation, for a length that is new."""
        demanded = read(self.sequence_demand)
        if demanded:
            for derived, table in self._sequences(read, demanded.columns()[0], meter):
                if derived == target:
                    return table
        return None

    def derivable(self, read: Reader, code: int, wanted: Table, meter: Meter) -> Table | None:
        lists = np.unique(wanted.columns()[0])
        demand = read(self.demand if code == self.item else self.sequence_demand)
        if not demand:
            return None
        lists = lists[demand.contains((lists,))]
        if code == self.item:
            return self._items(read, lists).intersection(wanted) if len(lists) else None
        for derived, table in self._sequences(read, lists, meter):
            if derived == code:
                return table.intersection(wanted)
        return None

    def validate(self, read: Reader) -> None:
        """Raise ListError where a demanded list that was touched since the last call is cut off or cyclic."""
        touched, self.touched = self.touched, set()
        demand = read(self.demand)
        if not touched or not demand:
            return
        lists = np.fromiter(sorted(touched), dtype=np.uint32)
        lists = lists[demand.contains((lists,))]
        for owners, cells in self._layers(read, lists):
            for relation, name in ((self.first, "rdf:first"), (self.rest, "rdf:rest")):
                table = read(relation)
                found = np.zeros(len(cells), dtype=np.bool_)
                if table:
                    found[table.expand({0: cells})[0]] = True
                if not found.all():
                    at = int(np.flatnonzero(~found)[0])
                    owner, cell = self.describe(int(owners[at])), self.describe(int(cells[at]))
                    raise ListError(f"the list {owner} is cut off: its cell {cell} has no {name}")

    def _concerned(self, read: Reader, code: int, delta: Table) -> Ids:
        """The demanded lists that a change of an input may concern."""
        if code in (self.demand, self.sequence_demand):
            return np.asarray(delta.columns()[0])
        demand, rest = read(self.demand), read(self.rest)
        if not demand:
            return _NO_IDS
        lists: Ids = demand.columns()[0]
        cells = delta.distinct(0)
        if len(cells) > _MANY or not rest:
            return lists if len(cells) > _MANY else lists[np.isin(lists, cells)]
        visited = set(cells.tolist())
        while len(cells):
            _, (earlier, _) = rest.expand({1: cells})
            fresh = set(earlier.tolist()) - visited
            visited |= fresh
            cells = np.fromiter(fresh, dtype=np.uint32)
        return lists[np.isin(lists, np.fromiter(visited, dtype=np.uint32))]

    def _layers(self, read: Reader, lists: Ids) -> Iterator[tuple[Ids, Ids]]:
        """The cells at position 0, 1, ... of all lists at once, with the lists that they belong to."""
        rest = read(self.rest)
        owners, cells = lists, lists
        limit = len(rest) if rest else 0
        for _ in range(limit + 1):
            kept = cells != self.nil
            owners, cells = owners[kept], cells[kept]
            if not len(cells):
                return
            yield owners, cells
            if not rest:
                return
            index, (_, following) = rest.expand({0: cells})
            owners, cells = owners[index], following
        if (cells != self.nil).any():
            owner = self.describe(int(owners[cells != self.nil][0]))
            raise ListError(f"the list {owner} is cyclic: following rdf:rest never reaches rdf:nil")

    def _items(self, read: Reader, lists: Ids) -> Table:
        first = read(self.first)
        columns: list[tuple[Ids, Ids, Ids]] = [(_NO_IDS, _NO_IDS, _NO_IDS)]
        if first:
            for position, (owners, cells) in enumerate(self._layers(read, lists)):
                index, (_, members) = first.expand({0: cells})
                positions = np.full(len(members), self.integer(position), dtype=np.uint32)
                columns.append((owners[index], positions, members))
        return WideTable.of(tuple(np.concatenate(parts) for parts in zip(*columns, strict=True)))

    def _sequences(self, read: Reader, lists: Ids, meter: Meter) -> Iterator[tuple[int, Table]]:
        """The complete sequences of the lists, by length, and perhaps in several parts."""
        found: dict[int, list[tuple[int, ...]]] = {}
        gathered: dict[int, Gathering] = {}
        for owner in lists.tolist():
            for cells in self._paths(read, owner, meter):
                sequences = product(*(self._objects(read, self.first, cell) for cell in cells))
                rows = found.setdefault(len(cells), [])
                while some := [*islice(sequences, ROWS)]:
                    rows.extend((owner, *sequence) for sequence in some)
                    if len(rows) >= ROWS:
                        self._gather(rows, gathered, read, meter)
        for rows in found.values():
            self._gather(rows, gathered, read, meter)
        for code, gathering in gathered.items():
            table = gathering.table()
            if table is not None:
                yield code, table

    def _gather(
        self, rows: list[tuple[int, ...]], gathered: dict[int, Gathering], read: Reader, meter: Meter
    ) -> None:
        """Take over rows of a list and its members, all of one length."""
        meter.tick()
        if rows and len(rows[0]) > 1:
            length = len(rows[0]) - 1
            if length not in self.sequences:
                self.sequences[length] = self.new_relation(length + 1)
            code = self.sequences[length]
            table = table_of(tuple(np.array(rows, dtype=np.uint32).T))
            meter.begin_lists(code)
            meter.gave(table)
            gathered.setdefault(code, Gathering(meter, read, code)).add(table)
        rows.clear()

    def _paths(self, read: Reader, cell: int, meter: Meter) -> Iterator[list[int]]:
        """The chains of cells from a first cell to rdf:nil."""
        waiting: list[list[int]] = [[]] if cell == self.nil else [[cell]]
        while waiting:
            meter.tick()
            path = waiting.pop()
            if not path:
                yield path
                continue
            for following in self._objects(read, self.rest, path[-1]):
                if following == self.nil:
                    yield path
                elif following in path:
                    raise ListError(f"the list {self.describe(cell)} is cyclic: rdf:rest leads back to a cell of it")
                else:
                    waiting.append([*path, following])

    @staticmethod
    def _objects(read: Reader, relation: int, subject: int) -> list[int]:
        table = read(relation)
        return table.select({0: subject})[1].tolist() if table else []
