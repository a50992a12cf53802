"""The body of a rule on its way to solutions: delta first, then whatever is bound, then the smallest relation.

A join that would make very many rows is made batch by batch, the rest of the body for each of them, so that no join
takes more memory than a batch does, and both the clock and Ctrl-C are heeded between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

from kgreason.engine.meter import Meter
from kgreason.engine.rules.bindings import Parameters, Rows
from kgreason.engine.rules.shapes import Operation, Shape, ShapeAtom, Slot
from kgreason.schemes.scheme import Ids, Mask, Table

Reader: TypeAlias = Callable[[int], Table | None]
"""From the code of a relation to its facts, None when there are none."""

Tick: TypeAlias = Callable[[], None]
"""Looks at the clock; raises BudgetError when time is up."""

Join: TypeAlias = tuple[ShapeAtom, Table]
"""A body atom that is still to be joined, and its facts."""

SEMIJOIN = 4
"""For more rows than a part of so many of a table, a look at the whole table is cheaper than a look-up for each row."""

BATCH = 1 << 21
"""So many rows at most, or those that one row makes, come of a join at a time: some ten megabytes for each column."""


class Terms(Protocol):
    """What the engine asks of terms; the dictionary and the built-in functions stand behind it."""

    def literal_mask(self) -> Mask:
        """For each id whether it is a literal."""

    def test(self, operation: Operation, columns: Mapping[Slot, Ids], length: int, tick: Tick) -> Mask:
        """For each row whether the operation is true; an error is false. `tick` is called now and then."""

    def compute(self, operation: Operation, columns: Mapping[Slot, Ids], length: int, tick: Tick) -> tuple[Ids, Mask]:
        """For each row the id of the operation's value, and whether it has one. `tick` is called now and then."""


@dataclass(slots=True)
class Body:
    """What of the body of one rule is still to be satisfied; used up by `solutions`."""

    shape: Shape
    parameters: Parameters
    joins: list[Join]
    negated: list[ShapeAtom]
    filters: list[Operation]
    assignments: list[tuple[int, Operation]]
    read: Reader
    terms: Terms
    meter: Meter

    @classmethod
    def of(
        cls,
        shape: Shape,
        parameters: Parameters,
        joins: list[Join],
        read: Reader,
        terms: Terms,
        meter: Meter,
        without: int | None = None,
    ) -> Body:
        """A rule's whole body but for the positive atoms that are not in `joins`, and the negated one at `without`."""
        negated = [atom for position, atom in enumerate(shape.negated) if position != without]
        filters, assignments = list(shape.filters), list(shape.assignments)
        return cls(shape, parameters, joins, negated, filters, assignments, read, terms, meter)

    def solutions(self, rows: Rows, first: Join | None = None) -> Iterator[Rows]:
        """The rows that satisfy the body, as extensions of some rows, in batches that are not empty; `first` is joined
        before all else."""
        if first is not None:
            if rows.length * first[1].estimate > BATCH:
                batches = rows.batches(*first, self._needed(), BATCH)
                if batches is not None:
                    yield from self._batchwise(batches, first[0])
                    return
            rows.join(*first)
        while rows.length:
            if self.negated or self.filters or self.assignments:
                self._apply_bound(rows)
            if not self.joins or not rows.length:
                break
            atom, table = self.joins.pop(self._next(rows))
            if self.joins and rows.length * SEMIJOIN > table.estimate:
                atom, table = self._semijoined((atom, table), rows)
            needed = self._needed()
            if rows.length * table.estimate > BATCH:
                batches = rows.batches(atom, table, needed, BATCH)
                if batches is not None:
                    yield from self._batchwise(batches, atom)
                    return
            rows.match(atom, table, needed)
            rows.forget_all_but(needed)
        if rows.length:
            yield rows

    def _needed(self) -> frozenset[int]:
        """The variables that what is left of the body, or the head, has a use for."""
        return self.shape.last_use.union(*(atom.variables() for atom, _ in self.joins))

    def every(self, rows: Rows) -> Rows:
        """All rows that satisfy the body, with all variables, at once."""
        while rows.length:
            self._apply_bound(rows)
            if not self.joins or not rows.length:
                break
            rows.join(*self.joins.pop(self._next(rows)))
        return rows

    def _batchwise(self, batches: Iterator[tuple[Rows, Table]], atom: ShapeAtom) -> Iterator[Rows]:
        needed = self._needed()
        for rows, table in batches:
            self.meter.tick()
            rows.match(atom, table, needed)
            rows.forget_all_but(needed)
            rest = replace(
                self,
                joins=list(self.joins),
                negated=list(self.negated),
                filters=list(self.filters),
                assignments=list(self.assignments),
            )
            yield from rest.solutions(rows)

    def _apply_bound(self, rows: Rows) -> None:
        """Apply every negated atom, assignment and filter whose variables are bound by now."""
        progress = True
        while progress and rows.length:
            progress = False
            for variable, operation in list(self.assignments):
                if operation.variables() <= rows.columns.keys():
                    self.assignments.remove((variable, operation))
                    values, defined = self.terms.compute(
                        operation, rows.slots(operation), rows.length, self.meter.tick
                    )
                    rows.assign(variable, values, defined)
                    progress = True
        for operation in list(self.filters):
            if operation.variables() <= rows.columns.keys():
                self.filters.remove(operation)
                rows.keep(self.terms.test(operation, rows.slots(operation), rows.length, self.meter.tick))
        for atom in list(self.negated):
            if atom.variables() <= rows.columns.keys():
                self.negated.remove(atom)
                table = self.read(self.parameters[atom.relation])
                if table:
                    rows.keep(~table.contains(rows.arguments(atom)))

    def _next(self, rows: Rows) -> int:
        """A fully bound atom first, then the smallest that shares a variable, then the smallest: its position."""
        if len(self.joins) == 1:
            return 0

        def cost(position: int) -> tuple[int, int]:
            atom, table = self.joins[position]
            free = sum(slot >= 0 and slot not in rows.columns for slot in atom.arguments)
            connected = free < len(atom.arguments)
            rank = 0 if free == 0 else 1 if connected or rows.is_unit else 2
            return rank, table.estimate

        return min(range(len(self.joins)), key=cost)

    def _semijoined(self, join: Join, rows: Rows) -> Join:
        """The facts of ``p(x, y)`` that a unary atom on y leaves, where nothing else needs y; that atom leaves us.

        What is left to ask is whether x occurs, which multiplies no rows. The pairs may come the other way round, so
        that x is the end by which they are sorted.
        """
        atom, table = join
        if table.is_virtual or len(atom.variables()) != 2 or len(atom.arguments) != 2:
            return join
        for position, slot in enumerate(atom.arguments):
            if slot in rows.columns or slot in self.shape.last_use:
                continue
            others = [number for number, (other, _) in enumerate(self.joins) if slot in other.variables()]
            if len(others) == 1 and self.joins[others[0]][0].arguments == (slot,):
                _, members = self.joins.pop(others[0])
                if position == 0:
                    atom, table = ShapeAtom(atom.relation, atom.arguments[::-1]), table.inverse()
                return atom, table.where(members.contains((table.columns()[1],)))
        return join
