"""Which rules of a stratum some facts concern: those that read them, that may derive them, or that they guard.

Where rules with constants are many, those are left out that the facts cannot match. Over representatives, which
constants are none of, all stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.rules.occurrences import Occurrence
from kgreason.engine.rules.rule_inputs import Reader
from kgreason.engine.strata.stratum_lookups import Deriving
from kgreason.relations.table import Table


class ConcernedRules:
    """Those of one pass over the stratum `number`."""

    def __init__(self, state: PassState, number: int) -> None:
        self._state = state
        self._strata = state.strata
        self._number = number

    def reading(self, code: int, facts: Table, read: Reader) -> Sequence[Occurrence]:
        """The rules that read some facts of a relation; `read` gives those of other relations."""
        if self._state.represented is not None:
            return self._strata.recursive_rules(code)
        return self._strata.recursive_rules_with(code, facts, read)

    def deriving(self, code: int, facts: Table) -> Deriving:
        """The rules that may derive some facts, as `Strata.rules_for` has them."""
        if self._state.represented is not None:
            return self._strata.rules_for(code)
        return self._strata.rules_for_some(code, facts, self._state.get)

    def guarded(self, code: int, guards: Table) -> Iterator[Occurrence]:
        """The rules of which the guard facts are some facts of a relation."""
        for group in self._strata.guards.get(code, ()):
            rows = self._strata.guarded(group, guards)
            inside = self._strata.are_members(group.heads(rows), self._number)
            yield from (Occurrence.of(group, row) for row in rows[inside].tolist())
