"""Rules of a stratum that pass a set on along pairs: what follows from some facts of the set, to the end at once.

The rule is evaluated once for all steps (`kgreason.engine.rules.propagation`), and not once a round for each.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from kgreason.engine import rule_tuning
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.modules.support import Support
from kgreason.engine.rules.occurrences import Occurrence
from kgreason.relations.plain import table_of
from kgreason.relations.table import Ids, Mask, Table


class PassedSets:
    """The sets of one pass over a stratum; only rules that pass one on (`Occurrence.passes_on`) are asked about."""

    def __init__(self, state: PassState, support: Support) -> None:
        self._state = state
        self._support = support

    def come_with(self, use: Occurrence, delta: Table) -> Table | None:
        """All that a rule ever derives from new facts of a set."""
        self._state.meter.begin(use)
        return self._state.now_evaluation.passed_on(use, delta)

    def go_with(self, use: Occurrence, delta: Table) -> Table | None:
        """What a rule derived from facts of a set that go, from that, and so on, until it is much of the set."""
        self._state.meter.begin(use)
        whole = self._state.get_before(use.head)
        most = max(rule_tuning.PROPAGATED_LOSS, (whole.estimate if whole else 0) // rule_tuning.PROPAGATED_SHARE)
        return self._state.before_evaluation.lost_with(use, delta, partial(self._stays, use.head), most)

    def _stays(self, code: int, members: Ids) -> Mask:
        """Which facts of a set are asserted, or derived by a rule that reads nothing of the stratum."""
        table = table_of((members,))
        explicit = self._state.explicit.get(code)
        sure = self._support.nonrecursive(code, table) if self._state.strategy.support else None
        found = np.zeros(len(members), dtype=np.bool_)
        for known in (explicit, sure):
            if known:
                found |= known.has_key(0, members)
        return found
