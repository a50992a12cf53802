"""Which facts are sure to hold: asserted, or supported without the stratum's own inferred facts.

The counterpart of the nonrecursive counters of papers 000 and 002 (C_nr), checked on demand instead of counted.
"""

from __future__ import annotations

from collections.abc import Callable

from kgreason.engine.maintenance.state import PassState
from kgreason.engine.rules.evaluation import Evaluation
from kgreason.engine.rules.families import Use
from kgreason.schemes.relations import union_of
from kgreason.schemes.scheme import Table


class Support:
    """Checks facts of the stratum `number`, the strata below being as they are after the change."""

    def __init__(self, state: PassState, number: int) -> None:
        self._state = state
        self._strata = state.strata
        self._number = number
        self._evaluation = Evaluation(self._read, state.terms)

    def nonrecursive(self, code: int, wanted: Table) -> Table | None:
        """Those of the facts of a relation that a rule derives from facts of the strata below (C_nr > 0)."""
        return self._derivable(code, wanted, lambda use: not self.is_recursive(use))

    def asserted(self, code: int, wanted: Table) -> Table | None:
        """Those of the facts of a relation that are asserted, or that a rule derives in one step from facts of the
        strata below and asserted facts of this one."""
        explicit = self._state.explicit.get(code)
        if not explicit:
            return self._derivable(code, wanted, self._is_steady)
        found = explicit.intersection(wanted)
        more = self._derivable(code, wanted.difference(explicit), self._is_steady)
        return found.union(more) if more else found

    def is_recursive(self, use: Use) -> bool:
        """Whether the rule reads relations of the stratum, or its guard is one."""
        body = use.family.shape.body
        return not self._is_steady(use) or any(self._is_inside(use.parameters[atom.relation]) for atom in body)

    def _derivable(self, code: int, wanted: Table, is_sure: Callable[[Use], bool]) -> Table | None:
        found = []
        for use in self._strata.heads.of(code):
            if not wanted:
                break
            if is_sure(use) and self._state.is_active(use):
                derived = self._evaluation.derivable(use.family.shape, use.parameters, wanted)
                if derived:
                    found.append(derived)
                    wanted = wanted.difference(derived)
        return union_of(found) if found else None

    def _is_steady(self, use: Use) -> bool:
        """Whether the rule itself cannot go any more."""
        guard = use.family.guard
        return guard is None or not self._is_inside(guard)

    def _is_inside(self, code: int) -> bool:
        return self._strata.knows(code) and self._strata.component(code) == self._number

    def _read(self, code: int) -> Table | None:
        return (self._state.explicit if self._is_inside(code) else self._state.facts).get(code)
