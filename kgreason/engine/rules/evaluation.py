"""Rules over whole columns: what they derive from everything and from changes, and whether they derive a fact."""

from __future__ import annotations

import numpy as np

from kgreason.engine.meter import Meter
from kgreason.engine.rules.bindings import Parameters, Rows
from kgreason.engine.rules.bodies import Body, Join, Reader, Terms
from kgreason.engine.rules.gathering import Gathering
from kgreason.engine.rules.shapes import Shape
from kgreason.schemes.relations import table_of
from kgreason.schemes.scheme import Table


class Evaluation:
    """Evaluates shapes against the facts that a reader gives; a meter sees to it that it does not become too much."""

    def __init__(self, read: Reader, terms: Terms, meter: Meter | None = None) -> None:
        self._read = read
        self._terms = terms
        self._meter = Meter() if meter is None else meter

    def heads(self, shape: Shape, parameters: Parameters) -> Table | None:
        """The facts that the whole rule derives, None when there are none."""
        body = self._body(shape, parameters)
        if body is None:
            return None
        if shape.is_single:
            return self._single(shape, parameters, body[0][1])
        return self._finish(shape, parameters, body)

    def heads_from(self, shape: Shape, parameters: Parameters, position: int, delta: Table) -> Table | None:
        """What the rule derives from the facts `delta` of its positive body atom at `position`."""
        if shape.is_single:
            return self._single(shape, parameters, delta)
        body = self._body(shape, parameters)
        if body is None:
            return None
        first = (shape.body[position], delta)
        if delta.is_virtual and any(table.estimate < delta.estimate for _, table in body):
            body[position] = first
            return self._finish(shape, parameters, body)
        del body[position]
        return self._finish(shape, parameters, body, first)

    def heads_from_negated(
        self, shape: Shape, parameters: Parameters, position: int, delta: Table
    ) -> Table | None:
        """What the rule derives with the negated atom at `position` matched by `delta` instead of denied."""
        body = self._body(shape, parameters)
        if body is None:
            return None
        first = (shape.negated[position], delta)
        return self._finish(shape, parameters, body, first, without=position)

    def derivable(self, shape: Shape, parameters: Parameters, wanted: Table) -> Table | None:
        """Those of the head facts `wanted` that the rule derives in one step, None for none of them."""
        body = self._body(shape, parameters)
        if body is None:
            return None
        if shape.copies or shape.projection is not None:
            return self._singly_derivable(shape, body[0][1], wanted)
        assert shape.head is not None
        assigned = {variable for variable, _ in shape.assignments}
        if assigned & shape.head.variables():
            derived = self._finish(shape, parameters, body, derives=False)
            return None if derived is None else derived.intersection(wanted)
        return self._finish(shape, parameters, body, (shape.head, wanted), derives=False)

    def matches(self, shape: Shape, parameters: Parameters) -> Rows:
        """All rows of variables that satisfy the body of a rule."""
        rows = Rows(parameters)
        body = self._body(shape, parameters)
        if body is not None:
            return Body.of(shape, parameters, body, self._read, self._terms, self._meter).every(rows)
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

    def _single(self, shape: Shape, parameters: Parameters, source: Table) -> Table | None:
        found = self._copied(shape, source)
        if found is None:
            return self._finish(shape, parameters, [], (shape.body[0], source))
        self._meter.gave(found)
        return found

    def _copied(self, shape: Shape, source: Table) -> Table | None:
        """What a copy, an inverse copy or a projection derives, None for other rules."""
        if shape.is_copy:
            return source
        if shape.is_inverse_copy:
            return self._resources(source.inverse()) if shape.checked else source.inverse()
        if shape.projection is not None:
            members = source.changed_ends(shape.projection)
            return table_of((members[~self._terms.literal_mask()[members]] if shape.checked else members,))
        return None

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
        body: list[Join],
        first: Join | None = None,
        without: int | None = None,
        derives: bool = True,
    ) -> Table | None:
        """The heads of all solutions.

        The atom `first` is joined first, the negated one at `without` is not denied; `derives` says that what is found
        is going to be facts."""
        rest = Body.of(shape, parameters, body, self._read, self._terms, self._meter, without)
        found: Table | None = None
        gathering: Gathering | None = None
        for rows in rest.solutions(Rows(parameters), first):
            more = self._head(shape, parameters, rows)
            if derives:
                self._meter.gave(more)
            if found is None or more is None:
                found = found or more
                continue
            if gathering is None:
                assert shape.head is not None
                known = self._read if derives else None
                gathering = Gathering(self._meter, known, parameters[shape.head.relation])
                gathering.add(found)
            gathering.add(more)
        return found if gathering is None else gathering.table()

    def _head(self, shape: Shape, parameters: Parameters, rows: Rows) -> Table | None:
        if not rows.length or shape.head is None:
            return None
        columns = rows.arguments(shape.head)
        if shape.checked:
            resources = ~self._terms.literal_mask()[columns[0]]
            if not resources.all():
                columns = tuple(column[resources] for column in columns)
        return table_of(columns) if len(columns[0]) else None
