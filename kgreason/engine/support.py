"""Which facts are sure to hold: asserted, or supported without the stratum's own inferred facts.

The counterpart of the nonrecursive counters of papers 000 and 002 (C_nr), checked on demand instead of counted.
"""

from __future__ import annotations

from kgreason.engine.evaluation import Evaluation
from kgreason.engine.families import Use
from kgreason.engine.state import PassState
from kgreason.schemes.relations import union_of
from kgreason.schemes.scheme import Table


class Support:
    """Checks facts of the stratum `number`, the strata below being as they are after the change."""

    def __init__(self, state: PassState, number: int) -> None:
        self._state = state
        self._strata = state.strata
        self._number = number
        self._evaluation = Evaluation(self._read, state.terms)

    def of(self, code: int, wanted: Table) -> Table | None:
        """Those of the facts of a relation that are asserted, or that a rule derives in one step from facts of the
        strata below and asserted facts of this one."""
        found = []
        explicit = self._state.explicit.get(code)
        if explicit:
            found.append(explicit.intersection(wanted))
            wanted = wanted.difference(explicit)
        for use in self._strata.heads.of(code):
            if not wanted:
                break
            if self._is_sure(use):
                derived = self._evaluation.derivable(use.family.shape, use.parameters, wanted)
                if derived:
                    found.append(derived)
                    wanted = wanted.difference(derived)
        return union_of(found) if found else None

    def _is_sure(self, use: Use) -> bool:
        """Whether the rule itself cannot go any more."""
        guard = use.family.guard
        steady = guard is None or self._strata.component(guard) != self._number
        return steady and self._state.is_active(use)

    def _read(self, code: int) -> Table | None:
        if self._strata.knows(code) and self._strata.component(code) == self._number:
            return self._state.explicit.get(code)
        return self._state.facts.get(code)
