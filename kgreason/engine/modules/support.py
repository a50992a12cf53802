"""Which facts are sure to hold: asserted, or supported without the stratum's own inferred facts.

The counterpart of the nonrecursive counters of Hu et al. 2019 and of DYRE (C_nr), checked on demand instead of counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.rules.evaluation import Evaluation
from kgreason.engine.rules.occurrences import Occurrence
from kgreason.relations.plain import union_of
from kgreason.relations.table import Table


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Sure:
    """What a stratum may rest on: its asserted facts, and those of other strata.

    A value of its own, and not a method of `Support`, which refers to the evaluation that reads it: in a circle the
    facts of a change would stay until the garbage collector comes.
    """

    state: PassState
    number: int

    def is_inside(self, code: int) -> bool:
        """Whether a relation is one of the stratum."""
        return self.state.strata.is_member(code, self.number)

    def get(self, code: int) -> Table | None:
        """The facts of a relation."""
        return (self.state.explicit if self.is_inside(code) else self.state.facts).get(code)


class Support:
    """Checks facts of the stratum `number`, the strata below being as they are after the change.

    `evaluation` reads what is sure."""

    def __init__(self, state: PassState, number: int) -> None:
        self._state = state
        self._strata = state.strata
        self._sure = _Sure(state, number)
        self.evaluation = Evaluation(self._sure.get, state.terms, state.meter)
        self._found: dict[int, Table] = {}

    def nonrecursive(self, code: int, wanted: Table) -> Table | None:
        """Those of the facts of a relation that a rule derives from facts of the strata below (C_nr > 0); what was
        found is not checked again."""
        known = self._found.get(code)
        more = self._derivable(code, self._strata.rules_for(code)[1], wanted.difference(known) if known else wanted)
        if more:
            self._found[code] = known.union(more) if known else more
        again = known.intersection(wanted) if known else None
        return more.union(again) if more and again else more or again

    def asserted(self, code: int, wanted: Table) -> Table | None:
        """Those of the facts of a relation that are asserted, or that a rule derives in one step from facts of the
        strata below and asserted facts of this one."""
        explicit = self._state.explicit.get(code)
        recursive, others = self._strata.rules_for(code)
        uses = [*others, *filter(self._has_steady_guard, recursive)]
        if not explicit:
            return self._derivable(code, uses, wanted)
        found = explicit.intersection(wanted)
        more = self._derivable(code, uses, wanted.difference(explicit))
        return found.union(more) if more else found

    def _derivable(self, code: int, uses: Sequence[Occurrence], wanted: Table) -> Table | None:
        found = []
        facts = self._state.active_facts(code)
        if facts and (stated := facts.intersection(wanted)):
            found.append(stated)
            wanted = wanted.difference(stated)
        for use in uses:
            if not wanted:
                break
            if self._state.is_active(use):
                derived = self.evaluation.derivable(use.group.template, use.parameters, wanted)
                if derived:
                    found.append(derived)
                    wanted = wanted.difference(derived)
        return union_of(found) if found else None

    def is_steady(self, use: Occurrence) -> bool:
        """Whether a rule holds, and cannot go any more."""
        return self._state.is_active(use) and self._has_steady_guard(use)

    def _has_steady_guard(self, use: Occurrence) -> bool:
        guard = use.group.guard
        return guard is None or not self._sure.is_inside(guard)
