"""The closure of relations: what one step or more connect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from kgreason.columns import pairs, sorted_sets
from kgreason.schemes.binary import BinaryTable
from kgreason.schemes.equivalence import EquivalenceTable
from kgreason.schemes.inverse import InverseTable
from kgreason.schemes.scheme import Table
from kgreason.schemes.transitive.table import TransitiveTable
from kgreason.schemes.union import UnionTable
from kgreason.sparql.patterns.inverted import Inverted
from kgreason.sparql.patterns.known import Known
from kgreason.sparql.patterns.relations import Relation, TableRelation
from kgreason.sparql.patterns.searching import Reached, reached
from kgreason.sparql.patterns.walks import NO_KEYS, Choice, WalkedRelation, any_occurs, united
from kgreason.sparql.solutions import Ids, Index, Mask

CLOSING: Final = 16
"""What it costs to close an edge, in pairs of a search."""
LEAST: Final = 20_000
"""The same for a closure of whatever size."""
_FAN: Final = 8


class Closed(WalkedRelation):
    """One relation or another, again and again, once at least.

    From few ends it is searched. All of it is closed when it is wanted as a whole, or when the searches so far have
    taken as long as closing would: so that both together never take more than about twice what the better one does.
    """

    def __init__(self, steps: Sequence[Relation], known: Known) -> None:
        super().__init__(known)
        self.steps = steps

    @property
    def size(self) -> int:
        return _FAN * self._edges() if self.known.table is None else self.known.table.estimate

    def _edges(self) -> int:
        return sum(step.size for step in self.steps)

    def ends(self, position: int) -> int:
        return max([1, *(step.ends(position) for step in self.steps)])

    def distinct(self, position: int) -> Ids:
        return united([step.distinct(position) for step in self.steps])

    def occurs(self, position: int, identifiers: Ids) -> Mask:
        return any_occurs(self.steps, position, identifiers)

    def walk(self, position: int, starts: Ids) -> Reached | None:
        return self._searched(position, np.arange(len(starts)), starts)

    def image(self, position: int, identifiers: Ids) -> Ids:
        if self.known.table is None:
            found = self._searched(position, np.zeros(len(identifiers), dtype=np.int64), identifiers)
            if found is not None:
                return found[1]
        return TableRelation(self.table).image(position, identifiers)

    def loops(self) -> Ids:
        return TableRelation(self.table).loops()

    def _searched(self, position: int, rows: Index, starts: Ids) -> Reached | None:
        budget = LEAST + CLOSING * self._edges() - self.known.work
        if len(starts) > budget:
            return None
        found, work = reached(self.steps, position, rows, starts, budget)
        self.known.work += work
        return found

    def build(self) -> Table:
        keys = [NO_KEYS]
        for step in self.steps:
            if isinstance(step, TableRelation) and isinstance(step.table, BinaryTable):
                keys.append(step.table.keys())
            else:
                keys += [np.sort(pairs.pack(*chunk)) for chunk in step.scan()]
        return TransitiveTable.of(BinaryTable(sorted_sets.union_all(keys)))


def closure_of(relation: Relation, known: Known) -> Relation:
    """The closure of a relation, which may be that relation itself."""
    if isinstance(relation, TableRelation) and _is_closed(relation.table):
        return relation
    return Closed(list(generating(relation)), known)


def generating(relation: Relation) -> Iterator[Relation]:
    """Relations that have together the same closure, plain ones where that is possible."""
    if isinstance(relation, TableRelation):
        yield from _edges(relation.table)
    elif isinstance(relation, Inverted):
        yield from (inverted(each) for each in generating(relation.base))
    elif isinstance(relation, Choice):
        for choice in relation.choices:
            yield from generating(choice)
    elif isinstance(relation, Closed):
        yield from relation.steps
    else:
        yield relation


def inverted(relation: Relation) -> Relation:
    """A relation with its ends exchanged."""
    return relation.base if isinstance(relation, Inverted) else Inverted(relation)


def _edges(table: Table) -> Iterator[Relation]:
    if isinstance(table, UnionTable):
        for part in table.parts:
            yield from _edges(part)
    elif isinstance(table, InverseTable):
        yield from (inverted(each) for each in _edges(table.base))
    elif isinstance(table, TransitiveTable | EquivalenceTable):
        edges = TableRelation(table.edges)
        yield edges
        if isinstance(table, EquivalenceTable):
            yield Inverted(edges)
    else:
        yield TableRelation(table)


def _is_closed(table: Table) -> bool:
    if isinstance(table, InverseTable):
        return _is_closed(table.base)
    if isinstance(table, UnionTable):
        return len(table.parts) == 1 and _is_closed(table.parts[0])
    return isinstance(table, TransitiveTable | EquivalenceTable)
