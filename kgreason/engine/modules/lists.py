"""RDF lists as a module: the members of the lists that rules ask for, and their sequences.

A list is what rdf:first and rdf:rest lead through from its first cell to rdf:nil. Rules *demand* lists, by
facts of two auxiliary relations, so that lists which no axiom names cost nothing and may be in any state.
For each demanded list the module derives

* ``item(list, position, member)``, positions being the ids of integer literals;
* ``sequence of n (list, member 0, ..., member n - 1)``, for the lists demanded as sequences, one
  auxiliary relation per length.

A list atom of a rule stands for a conjunction of rdf:first and rdf:rest triples that ends in rdf:nil (LIST in section
4.3 of OWL 2 Profiles). From that follows what a list that is not whole means:

* One that is cut off or goes round says nothing, not even its beginning. When it is whole again it says what it said.
* Where a cell has two values of rdf:first, each is a member there; where it has two of rdf:rest, each way to rdf:nil
  is a list, in every combination. Equal individuals make such values, and more triples never make less follow, so that
  lists may depend on what they derive. A value too many counts until it is removed.
* Of several ways, those that reach rdf:nil count, and those that do not are `breaks`. A way passes no cell twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Final

import numpy as np

from kgreason.columns import sorted_sets
from kgreason.engine import rule_tuning
from kgreason.engine.meter import Meter
from kgreason.engine.modules.list_cells import Break, ListCells, Rows
from kgreason.engine.rules.relation_buffer import RelationBuffer
from kgreason.engine.rules.rule_inputs import Reader
from kgreason.engine.strata.possible_relations import Dependency
from kgreason.relations.codes import auxiliary_code
from kgreason.relations.plain import table_of
from kgreason.relations.table import NO_IDS, Ids, Index, Table

_SEQUENCES: Final = 1 << 28
"""The numbers of auxiliary relations for sequences begin here, beyond those of rules."""


@dataclass(frozen=True, slots=True)
class ListRelations:
    """The codes of the relations of lists; `nil` is the id of rdf:nil."""

    first: int
    rest: int
    nil: int
    demand: int
    sequence_demand: int
    item: int


def sequence_code(length: int) -> int:
    """The code of the relation of the sequences of a length: one that no other auxiliary relation has."""
    return auxiliary_code(_SEQUENCES + length)


@dataclass(slots=True, eq=False, repr=False)
class ListModule:
    """Derives list members, for one change; `integers` gives the ids of integer literals.

    `sequences` are the relations of sequences by their length, to which new ones are added; `touched` are the lists
    that the change concerned.
    """

    relations: ListRelations
    integers: Callable[[Index], Ids]
    sequences: dict[int, int] = field(default_factory=dict)
    touched: set[int] = field(default_factory=set)
    first: int = field(init=False)
    rest: int = field(init=False)
    demand: int = field(init=False)
    sequence_demand: int = field(init=False)
    item: int = field(init=False)
    inputs: frozenset[int] = field(init=False)
    _cells: tuple[ListCells, ...] = ()
    """Those of the last versions of facts that were read: as they were before the change, and as they are now."""

    def __post_init__(self) -> None:
        relations = self.relations
        self.first, self.rest, self.item = relations.first, relations.rest, relations.item
        self.demand, self.sequence_demand = relations.demand, relations.sequence_demand
        self.inputs = frozenset((self.first, self.rest, self.demand, self.sequence_demand))

    @property
    def targets(self) -> Sequence[int]:
        return (self.item, *self.sequences.values())

    def derived_from(self, code: int) -> Sequence[int]:
        """The targets that depend on an input: which sequences are asked for does not change what the members are."""
        return self.targets[1:] if code == self.sequence_demand else self.targets

    def dependencies(self) -> Iterator[Dependency]:
        """Every input with each target that depends on it."""
        for source in (self.first, self.rest, self.demand, self.sequence_demand):
            for target in self.derived_from(source):
                yield Dependency(source, target)

    def derive(
        self, read: Reader, code: int, delta: Table, meter: Meter, has_items: bool = True
    ) -> Iterator[tuple[int, Table]]:
        """What follows from facts of an input; without `has_items` only sequences."""
        lists = self._concerned(read, code, delta)
        self.touched.update(lists.tolist())
        if has_items and len(lists) and code != self.sequence_demand:
            items = self._items(read, lists, meter)
            meter.begin_lists(self.item)
            meter.gave(items)
            yield self.item, items
        demanded = read(self.sequence_demand)
        if demanded and len(lists):
            yield from self._sequences(read, lists[demanded.contains((lists,))], meter)

    def everything(self, read: Reader, target: int, meter: Meter) -> Table | None:
        """All facts of a target: of sequences of a length that is new, or where its stratum is remade."""
        demanded = read(self.demand if target == self.item else self.sequence_demand)
        if demanded and target == self.item:
            return self._items(read, demanded.columns()[0], meter)
        if demanded:
            for derived, table in self._sequences(read, demanded.columns()[0], meter):
                if derived == target:
                    return table
        return None

    def derivable(self, read: Reader, code: int, wanted: Table, meter: Meter) -> Table | None:
        lists = sorted_sets.unique(wanted.columns()[0])
        demand = read(self.demand if code == self.item else self.sequence_demand)
        if not demand:
            return None
        lists = lists[demand.contains((lists,))]
        if code == self.item:
            return self._items(read, lists, meter).intersection(wanted) if len(lists) else None
        for derived, table in self._sequences(read, lists, meter):
            if derived == code:
                return table.intersection(wanted)
        return None

    def touched_breaks(self, read: Reader) -> list[Break]:
        """Where the demanded lists break that a change may have concerned since the last call."""
        touched, self.touched = self.touched, set()
        lists = np.fromiter(sorted(touched), dtype=np.uint32)
        return self.breaks(read, lists) if len(lists) else []

    def breaks(self, read: Reader, lists: Ids | None = None) -> list[Break]:
        """A place where each demanded list that is defective breaks, of some lists or of all: O(their cells)."""
        demand = read(self.demand)
        if not demand:
            return []
        lists = demand.columns()[0] if lists is None else lists[demand.contains((lists,))]
        return self.cells(read).breaks(lists)

    def cells(self, read: Reader) -> ListCells:
        """The cells of lists as some facts have them."""
        first, rest = read(self.first), read(self.rest)
        found = next((known for known in self._cells if known.are_of(first, rest)), None)
        if found is None:
            found = ListCells(first, rest, self.relations.nil)
            self._cells = (*self._cells[-1:], found)
        return found

    def _concerned(self, read: Reader, code: int, delta: Table) -> Ids:
        """The demanded lists that a change of an input concerns: of cells, those from which rdf:rest leads there."""
        if code in (self.demand, self.sequence_demand):
            return np.asarray(delta.columns()[0])
        demand, rest = read(self.demand), read(self.rest)
        if not demand:
            return NO_IDS
        lists: Ids = demand.columns()[0]
        changed = cells = set(delta.distinct(0).tolist())
        visited = set(cells)
        while rest and cells:
            if len(visited) > rule_tuning.CELLS_BACK and len(lists) <= rule_tuning.FEW_LISTS:
                known = self.cells(read)
                return lists[[not changed.isdisjoint(known.reachable(each)) for each in lists.tolist()]]
            cells = _cells_before(rest, cells) - visited
            visited |= cells
        return lists[sorted_sets.contains(np.array(sorted(visited), dtype=np.uint32), lists)]

    def _items(self, read: Reader, lists: Ids, meter: Meter) -> Table:
        cells = self.cells(read)
        walk = cells.walk(lists)
        rows, members = cells.members(_without(walk.straight, cells.empty(walk.straight)))
        found = [(rows.owners, self._places(rows.positions), members)]
        for owner in walk.forked.tolist():
            places = [
                (position, member)
                for position, cell in cells.places(owner, meter.tick)
                for member in cells.firsts(cell)
            ]
            if places:
                positions, those = np.array(places, dtype=np.int64).T
                owners = np.full(len(places), owner, dtype=np.uint32)
                found.append((owners, self._places(positions), those.astype(np.uint32)))
        return table_of(tuple(np.concatenate(parts) for parts in zip(*found, strict=True)))

    def _places(self, positions: Index) -> Ids:
        """The ids of positions."""
        return self.integers(np.arange(int(positions.max(initial=-1)) + 1))[positions]

    def _sequences(self, read: Reader, lists: Ids, meter: Meter) -> Iterator[tuple[int, Table]]:
        """The complete sequences of the lists, by length, and perhaps in several parts."""
        if not len(lists):
            return
        buffers: dict[int, RelationBuffer] = {}
        cells = self.cells(read)
        walk = cells.walk(lists)
        rows, members = cells.members(_without(walk.straight, cells.empty(walk.straight)))
        order = np.lexsort((rows.positions, rows.owners))
        owners, positions, members = rows.owners[order], rows.positions[order], members[order]
        again = (owners[1:] == owners[:-1]) & (positions[1:] == positions[:-1])
        several = sorted_sets.unique(owners[1:][again])
        one = ~sorted_sets.contains(several, owners)
        for table in _sequences_of_one_member_each(owners[one], members[one]):
            self._gather(table, buffers, read, meter)
        for table in _sequences_one_by_one(cells, (*several.tolist(), *walk.forked.tolist()), meter):
            self._gather(table, buffers, read, meter)
        for code, buffer in buffers.items():
            whole = buffer.table()
            if whole is not None:
                yield code, whole

    def _gather(self, table: Table, buffers: dict[int, RelationBuffer], read: Reader, meter: Meter) -> None:
        """Take over lists with their members, all of one length."""
        length = table.arity - 1
        if length not in self.sequences:
            self.sequences[length] = sequence_code(length)
        code = self.sequences[length]
        meter.begin_lists(code)
        meter.gave(table)
        buffers.setdefault(code, RelationBuffer(meter, read, code)).add(table)


def _cells_before(rest: Table, cells: Set[int]) -> set[int]:
    """The cells from which rdf:rest leads to some others: of few of them, as nearly always, looked up one by one."""
    if len(cells) <= rule_tuning.FEW_LISTS:
        return {earlier for cell in cells for earlier in rest.image_of(1, cell).tolist()}
    return {*rest.image(1, np.array(sorted(cells), dtype=np.uint32)).tolist()}


def _without(rows: Rows, owners: Ids) -> Rows:
    """The rows of other lists."""
    return rows.where(~np.isin(rows.owners, owners)) if len(owners) else rows


def _sequences_of_one_member_each(owners: Ids, members: Ids) -> Iterator[Table]:
    """A table for each length, of lists with one member in each cell, given in the order of their positions."""
    lists, begins, lengths = np.unique(owners, return_index=True, return_counts=True)
    for length in sorted_sets.unique(lengths).tolist():
        chosen = lengths == length
        places = begins[chosen][:, None] + np.arange(length)
        yield table_of((lists[chosen], *members[places].T))


def _sequences_one_by_one(cells: ListCells, lists: Sequence[int], meter: Meter) -> Iterator[Table]:
    """Tables of a length each, of lists with several ways or several members in a cell."""
    found: dict[int, list[tuple[int, ...]]] = {}
    for owner in lists:
        for way in cells.ways(owner, meter.tick):
            sequences = product((owner,), *map(cells.firsts, way))
            rows = found.setdefault(len(way), [])
            while some := [*islice(sequences, rule_tuning.LIST_ROWS)]:
                rows.extend(some)
                if len(rows) >= rule_tuning.LIST_ROWS:
                    yield table_of(tuple(np.array(rows, dtype=np.uint32).T))
                    rows.clear()
    for length, rows in found.items():
        if length and rows:
            yield table_of(tuple(np.array(rows, dtype=np.uint32).T))
