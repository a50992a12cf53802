"""Rule bodies as joins over whole columns: delta first, then whatever is bound, then the smallest relation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

import numpy as np

from kgreason.engine.rules.bindings import Parameters, Rows
from kgreason.engine.rules.shapes import Operation, Shape, ShapeAtom, Slot
from kgreason.schemes.relations import table_of
from kgreason.schemes.scheme import Ids, Mask, Table

Reader: TypeAlias = Callable[[int], Table | None]
"""From the code of a relation to its facts, None when there are none."""

Join: TypeAlias = tuple[ShapeAtom, Table]
"""A body atom that is still to be joined, and its facts."""


SEMIJOIN = 4
"""For more rows than a part of so many of a table, a look at the whole table is cheaper than a look-up for each row."""


class Terms(Protocol):
    """What the engine asks of terms; the dictionary and the built-in functions stand behind it."""

    def literal_mask(self) -> Mask:
        """For each id whether it is a literal."""

    def test(self, operation: Operation, columns: Mapping[Slot, Ids], length: int) -> Mask:
        """For each row whether the operation is true; an error is false."""

    def compute(self, operation: Operation, columns: Mapping[Slot, Ids], length: int) -> tuple[Ids, Mask]:
        """For each row the id of the operation's value, and whether it has one."""


class Evaluation:
    """Evaluates shapes against the facts that a reader gives."""

    def __init__(self, read: Reader, terms: Terms) -> None:
        self._read = read
        self._terms = terms

    def heads(self, shape: Shape, parameters: Parameters) -> Table | None:
        """The facts that the whole rule derives, None when there are none."""
        body = self._body(shape, parameters)
        if body is None:
            return None
        if shape.is_single:
            return self._single(shape, parameters, body[0][1])
        return self._finish(shape, parameters, self._start(parameters), body)

    def heads_from(self, shape: Shape, parameters: Parameters, position: int, delta: Table) -> Table | None:
        """What the rule derives from the facts `delta` of its positive body atom at `position`."""
        if shape.is_single:
            return self._single(shape, parameters, delta)
        body = self._body(shape, parameters)
        if body is None:
            return None
        rows = self._start(parameters)
        if delta.is_virtual and any(table.estimate < delta.estimate for _, table in body):
            body[position] = (shape.body[position], delta)
        else:
            del body[position]
            rows.join(shape.body[position], delta)
        return self._finish(shape, parameters, rows, body)

    def heads_from_negated(
        self, shape: Shape, parameters: Parameters, position: int, delta: Table
    ) -> Table | None:
        """What the rule derives with the negated atom at `position` matched by `delta` instead of denied."""
        body = self._body(shape, parameters)
        if body is None:
            return None
        rows = self._start(parameters)
        rows.join(shape.negated[position], delta)
        return self._finish(shape, parameters, rows, body, without=position)

    def derivable(self, shape: Shape, parameters: Parameters, wanted: Table) -> Table | None:
        """Those of the head facts `wanted` that the rule derives in one step, None for none of them."""
        body = self._body(shape, parameters)
        if body is None:
            return None
        if shape.copies or shape.projection is not None:
            return self._singly_derivable(shape, body[0][1], wanted)
        assert shape.head is not None
        rows = self._start(parameters)
        assigned = {variable for variable, _ in shape.assignments}
        if assigned & shape.head.variables():
            derived = self._finish(shape, parameters, rows, body)
            return None if derived is None else derived.intersection(wanted)
        rows.join(shape.head, wanted)
        return self._finish(shape, parameters, rows, body)

    def matches(self, shape: Shape, parameters: Parameters) -> Rows:
        """All rows of variables that satisfy the body of a rule."""
        rows = self._start(parameters)
        body = self._body(shape, parameters)
        if body is not None:
            self._satisfy(shape, parameters, rows, body, keep=True)
        else:
            rows.keep(np.zeros(rows.length, dtype=np.bool_))
        return rows

    def _body(self, shape: Shape, parameters: Parameters) -> list[Join] | None:
        """The positive atoms with their relations' facts, None when one has none."""
        body: list[Join] = []
        for atom in shape.body:
            table = self._read(parameters[atom.relation])
            if not table:
                return None
            body.append((atom, table))
        return body

    def _start(self, parameters: Parameters) -> Rows:
        return Rows(parameters)

    def _single(self, shape: Shape, parameters: Parameters, source: Table) -> Table | None:
        if shape.is_copy:
            return source
        if shape.is_inverse_copy:
            return self._resources(source.inverse()) if shape.checked else source.inverse()
        if shape.projection is not None:
            members = source.changed_ends(shape.projection)
            return table_of((members[~self._terms.literal_mask()[members]] if shape.checked else members,))
        rows = self._start(parameters)
        rows.join(shape.body[0], source)
        return self._head(shape, parameters, rows)

    def _singly_derivable(self, shape: Shape, source: Table, wanted: Table) -> Table | None:
        """Those of some facts that a copy, an inverse copy or a projection derives from its source."""
        if shape.is_copy:
            return source.intersection(wanted)
        columns = wanted.columns()
        if shape.projection is None:
            found = source.contains(columns[::-1])
        else:
            found = source.occurs(shape.projection, columns[0])
        if not found.any():
            return None
        derived = wanted if found.all() else wanted.where(found)
        return self._resources(derived) if shape.checked else derived

    def _resources(self, table: Table) -> Table:
        """The facts whose subject is no literal."""
        literal = self._terms.literal_mask()[table.columns()[0]]
        return table.where(~literal) if literal.any() else table

    def _finish(
        self,
        shape: Shape,
        parameters: Parameters,
        rows: Rows,
        body: list[Join],
        without: int | None = None,
    ) -> Table | None:
        self._satisfy(shape, parameters, rows, body, without=without)
        return self._head(shape, parameters, rows)

    def _satisfy(
        self,
        shape: Shape,
        parameters: Parameters,
        rows: Rows,
        body: list[Join],
        keep: bool = False,
        without: int | None = None,
    ) -> None:
        negated = [atom for position, atom in enumerate(shape.negated) if position != without]
        filters = list(shape.filters)
        assignments = list(shape.assignments)
        while rows.length:
            if negated or filters or assignments:
                self._apply_bound(parameters, rows, negated, filters, assignments)
            if not body or not rows.length:
                break
            atom, table = body.pop(self._next(rows, body))
            if keep:
                rows.join(atom, table)
                continue
            if body and rows.length * SEMIJOIN > table.estimate:
                atom, table = _semijoined((atom, table), rows, body, shape)
            needed = shape.last_use.union(*(other.variables() for other, _ in body))
            rows.match(atom, table, needed)
            rows.forget_all_but(needed)

    def _apply_bound(
        self,
        parameters: Parameters,
        rows: Rows,
        negated: list[ShapeAtom],
        filters: list[Operation],
        assignments: list[tuple[int, Operation]],
    ) -> None:
        """Apply every negated atom, assignment and filter whose variables are bound by now."""
        progress = True
        while progress and rows.length:
            progress = False
            for variable, operation in list(assignments):
                if operation.variables() <= rows.columns.keys():
                    assignments.remove((variable, operation))
                    values, defined = self._terms.compute(operation, rows.slots(operation), rows.length)
                    rows.assign(variable, values, defined)
                    progress = True
        for operation in list(filters):
            if operation.variables() <= rows.columns.keys():
                filters.remove(operation)
                rows.keep(self._terms.test(operation, rows.slots(operation), rows.length))
        for atom in list(negated):
            if atom.variables() <= rows.columns.keys():
                negated.remove(atom)
                table = self._read(parameters[atom.relation])
                if table:
                    rows.keep(~table.contains(rows.arguments(atom)))

    @staticmethod
    def _next(rows: Rows, body: list[Join]) -> int:
        """A fully bound atom first, then the smallest that shares a variable, then the smallest: its position."""
        if len(body) == 1:
            return 0

        def cost(position: int) -> tuple[int, int]:
            atom, table = body[position]
            free = sum(slot >= 0 and slot not in rows.columns for slot in atom.arguments)
            connected = free < len(atom.arguments)
            rank = 0 if free == 0 else 1 if connected or rows.is_unit else 2
            return rank, table.estimate

        return min(range(len(body)), key=cost)

    def _head(self, shape: Shape, parameters: Parameters, rows: Rows) -> Table | None:
        if not rows.length or shape.head is None:
            return None
        columns = rows.arguments(shape.head)
        if shape.checked:
            resources = ~self._terms.literal_mask()[columns[0]]
            if not resources.all():
                columns = tuple(column[resources] for column in columns)
        return table_of(columns) if len(columns[0]) else None


def _semijoined(join: Join, rows: Rows, body: list[Join], shape: Shape) -> Join:
    """The facts of ``p(x, y)`` that a unary atom on y leaves, where nothing else needs y; that atom leaves the body.

    What is left to ask is whether x occurs, which multiplies no rows. The pairs may come the other way round, so that
    x is the end by which they are sorted.
    """
    atom, table = join
    if table.is_virtual or len(atom.variables()) != 2 or len(atom.arguments) != 2:
        return join
    for position, slot in enumerate(atom.arguments):
        if slot in rows.columns or slot in shape.last_use:
            continue
        others = [number for number, (other, _) in enumerate(body) if slot in other.variables()]
        if len(others) == 1 and body[others[0]][0].arguments == (slot,):
            _, members = body.pop(others[0])
            if position == 0:
                atom, table = ShapeAtom(atom.relation, atom.arguments[::-1]), table.inverse()
            return atom, table.where(members.contains((table.columns()[1],)))
    return join
