"""Grouping rules of a stratum: what they derive of the groups that a change below touches, before and after it.

What such a rule no longer derives is known as soon as it is evaluated over the facts as they are by now. So it is
evaluated once, when facts are taken away, and its values are kept for when facts are added.
"""

from __future__ import annotations

from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.rules.grouping import touched_groups
from kgreason.engine.rules.occurrences import Occurrence
from kgreason.relations.table import Table


class GroupingRules:
    """Those of one pass over a stratum."""

    def __init__(self, state: PassState) -> None:
        self._state = state
        self._values: dict[int, Table | None] = {}
        """The values that `lost` found, by the relation of the head."""

    def lost(self, use: Occurrence, code: int) -> Table | None:
        """The facts that a rule derived of the groups that a change of a relation touches, and no longer derives."""
        touched = None if self._state.rules.is_fresh(use) else self._touched(use, code)
        if touched is None:
            return None
        known = self._state.before_evaluation.derived_before(use.group.template, use.parameters, touched)
        if not self._state.may_fire(use):
            return known
        values = self._values[use.head] = self._values_of(use, touched)
        return known.difference(values) if known and values else known

    def gained(self, use: Occurrence, code: int) -> Table | None:
        """The facts that a rule derives by now of the groups that a change of a relation touches."""
        if use.head in self._values:
            return self._values[use.head]
        touched = self._touched(use, code) if self._state.is_active(use) else None
        return None if touched is None else self._values_of(use, touched)

    def _touched(self, use: Occurrence, code: int) -> Table | None:
        """The groups of a rule whose values may be others now, because facts below have come or gone."""
        state, changes = self._state, self._state.changes
        found = [table for which in (changes.added, changes.removed) if (table := which.get(code)) is not None]
        if not found:
            return None
        return touched_groups(use.group.template, state.get_before(code), state.get(code), found)

    def _values_of(self, use: Occurrence, touched: Table) -> Table | None:
        self._state.meter.begin(use)
        return self._state.now_evaluation.heads_from(use.group.template, use.parameters, use.position, touched)
