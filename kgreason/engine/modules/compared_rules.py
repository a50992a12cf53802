"""Rules of which much of a virtual relation below goes: what they derive is compared, before and after.

To find what follows from the pairs that one version of a virtual relation has beside another one, both are looked at
for each pair. Where these are a good part of all, it is less to evaluate the rule over either version, and exact: a
rule that reads nothing of its own stratum loses what it derived and no longer derives.

What a rule derives of all pairs contains what it derives of those that come. A rule for what leads to members of sets
is evaluated over all where it takes longer to find the pairs that come.
"""

from __future__ import annotations

from kgreason.engine import rule_tuning
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.rules.occurrences import Occurrence
from kgreason.relations.table import Table


class ComparedRules:
    """Those of a pass over the stratum `number`."""

    def __init__(self, state: PassState, number: int) -> None:
        self._state = state
        self._number = number
        self._after: dict[tuple[int, int], Table | None] = {}

    def compares(self, use: Occurrence, changed: Table, whole: Table | None) -> bool:
        """Whether a rule is one of them where facts of a whole relation have changed: O(its atoms), once these are
        many."""
        template, strata = use.group.template, self._state.strata
        if not changed.is_virtual or len(template.body) < 2 or template.head is None:
            return False
        if len(template.head.arguments) > 1 or whole is None:
            return False
        if any(strata.is_member(use.parameters[atom.relation], self._number) for atom in template.body):
            return False
        return changed.estimate > max(rule_tuning.COMPARED_LEAST, whole.estimate // rule_tuning.COMPARED_SHARE)

    def lost(self, use: Occurrence) -> Table | None:
        """What a rule derived and no longer derives; None the second time it is asked."""
        if self.has(use):
            return None
        self._state.meter.begin(use)
        known = self._state.before_evaluation.heads(use.group.template, use.parameters)
        after = None
        if self._state.is_active(use):
            self._state.meter.begin(use)
            after = self._state.now_evaluation.heads(use.group.template, use.parameters)
        self._after[use.group.number, use.row] = after
        return known.difference(after) if known and after else known

    def has(self, use: Occurrence) -> bool:
        """Whether the rule has been compared."""
        return (use.group.number, use.row) in self._after

    def gained(self, use: Occurrence) -> Table | None:
        """All that a rule derives by now."""
        key = (use.group.number, use.row)
        if key not in self._after:
            self._state.meter.begin(use)
            self._after[key] = self._state.now_evaluation.heads(use.group.template, use.parameters)
        return self._after[key]


def is_sooner_read_whole(use: Occurrence, come: Table) -> bool:
    """Whether a rule is sooner evaluated over all pairs of its atom than over those that come: O(atoms)."""
    if come.arity != 2 or not come.is_dear:
        return False
    head, body = use.group.template.head, use.group.template.body
    others = [atom for position, atom in enumerate(body) if position != use.position]
    return head is not None and all(len(atom.arguments) == 1 for atom in (head, *others))
