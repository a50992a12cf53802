"""Facts of one relation that come in several parts, united now and then, so that repetitions do not pile up."""

from __future__ import annotations

from kgreason.engine import rule_tuning
from kgreason.engine.meter import ID_BYTES, Meter
from kgreason.engine.rules.rule_inputs import Reader
from kgreason.memory import give_back
from kgreason.relations.plain import union_of_parts
from kgreason.relations.table import Table


class RelationBuffer:
    """The facts of a relation that evaluations gave."""

    __slots__ = ("_known", "_limit", "_meter", "_parts", "_relation", "_waiting")

    def __init__(self, meter: Meter, known: Reader | None, relation: int) -> None:
        """What `known` gives of the relation is there already, and no expense; without it nothing is an expense,
        because nothing is going to be written out."""
        self._meter = meter
        self._known = known
        self._relation = relation
        self._parts: list[Table] = []
        self._waiting = 0
        self._limit = rule_tuning.DELTA_LEAST

    @property
    def is_virtual(self) -> bool:
        """Whether some of the facts are not written out."""
        return any(table.is_virtual for table in self._parts)

    def __len__(self) -> int:
        """How many facts there are at most: O(parts) where they are written out."""
        return sum(map(len, self._parts))

    def add(self, table: Table) -> None:
        """Take in some facts: amortised, one sort of all that differ.

        Raises:
            BudgetError: those that are new are more than the budget allows.
        """
        self._parts.append(table)
        if table.is_virtual:
            self._expect(table)
        else:
            self._waiting += len(table)
            if self._waiting > self._limit:
                self._unite()

    def table(self) -> Table | None:
        """All of them in a plain table; afterwards nothing is left."""
        return self._united() if self._parts else None

    def _unite(self) -> None:
        whole = self._united()
        self._parts, self._waiting, self._limit = [whole], len(whole), max(rule_tuning.DELTA_LEAST, 2 * len(whole))
        self._expect(whole)

    def _united(self) -> Table:
        if self._waiting >= rule_tuning.DELTA_LEAST and len(self._parts) > 1:
            give_back()  # what the joins took, before the union takes as much again
        return union_of_parts(self._parts)

    def _expect(self, table: Table) -> None:
        """See to it that facts may be written out which are not known yet."""
        meter = self._meter
        meter.tick()
        if self._known is None or not meter.is_limited:
            return
        if meter.has_room(len(table), len(table) * table.arity * ID_BYTES):
            return
        known = self._known(self._relation)
        if table.is_virtual:  # at least so many are new
            fresh = len(table) - (len(known) if known is not None else 0)
        else:
            fresh = len(table.difference(known) if known else table)
        meter.expect(max(0, fresh), max(0, fresh) * table.arity * ID_BYTES)
