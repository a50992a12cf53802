"""What a body asks of rows without binding a variable by facts: denied atoms, filters, and assignments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

import numpy as np

from kgreason.algebra.bindings import Bindings
from kgreason.algebra.conjunctions.membership import Membership
from kgreason.algebra.expressions.sides import Bounds, bounds_of, equation_of
from kgreason.algebra.expressions.tree import Equation, Expression, leaves
from kgreason.algebra.joins import KeyedRows, Runs
from kgreason.algebra.range_joins import OrderedRows, overlapping
from kgreason.engine.meter import Meter
from kgreason.engine.rules.rule_inputs import Reader, Side, Terms
from kgreason.engine.rules.template_parts import (
    BoundOperation,
    Operation,
    Parameters,
    Slot,
    TemplateAtom,
    operation_variables,
)
from kgreason.relations.table import Ids, Mask


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RuleConditions:
    """The conditions of a body that are still to be asked, within the budget of a meter."""

    parameters: Parameters
    negated: tuple[TemplateAtom, ...]
    filters: tuple[BoundOperation, ...]
    assignments: tuple[BoundOperation, ...]
    read: Reader
    terms: Terms
    meter: Meter

    def __bool__(self) -> bool:
        return bool(self.negated or self.filters or self.assignments)

    @property
    def bind(self) -> bool:
        """Whether there are assignments."""
        return bool(self.assignments)

    def each(self) -> Iterable[frozenset[int]]:
        """The variables that each of them needs to be asked."""
        operations = (each.variables for each in (*self.filters, *self.assignments))
        return chain(operations, (each.variables() for each in self.negated))

    def beyond(self, variables: Set[int]) -> RuleConditions:
        """Those filters and denied atoms that need others than these variables, with the assignments."""
        return replace(
            self,
            negated=tuple(each for each in self.negated if not each.variables() <= variables),
            filters=tuple(each for each in self.filters if not each.variables <= variables),
        )

    def within(self, variables: Set[int]) -> RuleConditions:
        """Those filters and denied atoms that need no others than these variables."""
        return replace(
            self,
            negated=tuple(each for each in self.negated if each.variables() <= variables),
            filters=tuple(each for each in self.filters if each.variables <= variables),
            assignments=(),
        )

    def connect(self, bound: Set[int], variables: Set[int]) -> bool:
        """Whether one of them is for equal values of rows that bind some variables and of facts that have others."""
        return self._equation(bound, variables) is not None

    def compare(self, bound: Set[int], variables: Set[int]) -> bool:
        """Whether one of them compares the order of such values."""
        return self._bounds(bound, variables) is not None

    def beside(self, rows: Bindings[int], others: Bindings[int]) -> Iterator[Runs[int]]:
        """The rows beside others as far as such conditions may hold, or with the sides changed over; all are still to
        be asked."""
        equation = self._equation(rows.columns.keys(), others.columns.keys())
        if equation is not None:
            return iter((self._equal(equation, rows, others),))
        bounds = self._bounds(rows.columns.keys(), others.columns.keys())
        if bounds is None:
            return iter((Runs.of_all(rows, others),))
        return self._within(bounds, others, rows) if bounds.is_turned else self._within(bounds, rows, others)

    def _equal(self, equation: Equation[Slot], rows: Bindings[int], others: Bindings[int]) -> Runs[int]:
        """The rows beside others that may have equal values."""
        left, right = self._side(equation.left, rows), self._side(equation.right, others)
        (mine, there), (theirs, known) = self.terms.keys(equation.symbol, left, right, self.meter.tick)
        return KeyedRows.of(others.where(known), theirs[known]).beside(rows.where(there), mine[there])

    def _equation(self, bound: Set[int], variables: Set[int]) -> Equation[Slot] | None:
        """The first condition for equal values whose left side has variables of the rows, and its right side variables
        of the facts. An assignment to a variable that the rows bind is one, too."""
        filters: list[Expression[Slot]] = [each.operation for each in self.filters]
        found = equation_of(filters, partial(_has_only, bound), partial(_has_only, variables))
        if found is not None:
            return found
        for each in self.assignments:
            if each.target is not None and each.target in bound and _has_only(variables, each.operation):
                return Equation(each.target, each.operation, "sameterm")
        return None

    def _within(self, bounds: Bounds[Slot], rows: Bindings[int], others: Bindings[int]) -> Iterator[Runs[int]]:
        """The rows beside others that may be within their bounds."""
        if bounds.crossing is not None:
            own, theirs = bounds.overlap
            sides = [*(self._side(each, rows) for each in own), *(self._side(each, others) for each in theirs)]
            begin, end, first, last = self.terms.ranks(sides, self.meter.tick)
            return overlapping(rows, (begin, end), others, (first, last))
        sides = [self._side(bounds.right, others), *(self._side(each, rows) for each in bounds.lefts)]
        values, *ranks = self.terms.ranks(sides, self.meter.tick)
        return OrderedRows.of(others, values).beside(rows, [*zip(bounds.symbols, ranks, strict=True)])

    def _bounds(self, bound: Set[int], variables: Set[int]) -> Bounds[Slot] | None:
        """The conditions for an order of rows that bind some variables and of others that have other ones."""
        filters: list[Expression[Slot]] = [each.operation for each in self.filters]
        return bounds_of(filters, partial(_has_only, bound), partial(_has_only, variables))

    def _side(self, operation: Operation | Slot, rows: Bindings[int]) -> Side:
        return Side(operation, self._columns([*dict.fromkeys(leaves(operation))], rows), rows.length)

    def asked(self, rows: Bindings[int], membership: Membership) -> tuple[RuleConditions, Bindings[int]]:
        """The conditions whose variables are not bound by now, and the rows that pass the others."""
        assignments, rows = self._assigned(rows)
        bound = rows.columns.keys()
        rows = self._passing([each for each in self.filters if each.variables <= bound], rows)
        for atom in self.negated:
            table = self.read(self.parameters[atom.relation]) if atom.variables() <= bound else None
            if table:
                rows = rows.where(~membership.contains(table, atom.of(self.parameters).columns(rows)))
        return replace(self.beyond(bound), assignments=assignments), rows

    def _passing(self, filters: Sequence[BoundOperation], rows: Bindings[int]) -> Bindings[int]:
        """The rows that pass filters whose variables they bind."""
        for each in filters:
            if rows.length:
                columns = self._columns(each.slots, rows)
                rows = rows.where(self.terms.test(each.operation, columns, rows.length, self.meter.tick))
        return rows

    def _assigned(self, rows: Bindings[int]) -> tuple[tuple[BoundOperation, ...], Bindings[int]]:
        """The assignments that wait for variables, and the rows with the values of the others, which may be what one
        waits for."""
        waiting = self.assignments
        while True:
            ready = [each for each in waiting if each.variables <= rows.columns.keys()]
            if not ready or not rows.length:
                return waiting, rows
            waiting = tuple(each for each in waiting if each not in ready)
            for each in ready:
                assert each.target is not None
                columns = self._columns(each.slots, rows)
                values, defined, nbytes = self.terms.compute(each.operation, columns, rows.length, self.meter.tick)
                self.meter.made_texts(nbytes)
                rows = _with_values(rows, each.target, values, defined)

    def _columns(self, slots: Sequence[Slot], rows: Bindings[int]) -> dict[Slot, Ids]:
        """The columns of slots; a constant is a column of one id."""
        return {
            slot: rows.columns[slot] if slot >= 0 else np.array([self.parameters[~slot]], dtype=np.uint32)
            for slot in slots
        }


def _has_only(variables: Set[int], operation: Operation | Slot) -> bool:
    """Whether an operation has variables, and no others than these."""
    return bool(own := operation_variables(operation)) and own <= variables


def _with_values(rows: Bindings[int], variable: int, values: Ids, defined: Mask) -> Bindings[int]:
    """Rows with a variable bound to values, or compared with them where it is bound; rows without value go."""
    known = rows.columns.get(variable)
    if known is not None:
        return rows.where(defined & (known == values))
    return rows.with_columns({variable: values}).where(defined)
