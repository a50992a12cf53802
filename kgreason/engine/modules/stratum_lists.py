"""The list module within one stratum: what it derives of the relations of the stratum."""

from __future__ import annotations

from kgreason.engine.modules.agenda import AgendaEntry
from kgreason.engine.modules.lists import ListModule
from kgreason.engine.modules.module import Delta, Found
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.rules.rule_inputs import Reader
from kgreason.relations.table import Table


class StratumLists:
    """The lists of the program, as far as the stratum `number` is concerned."""

    def __init__(self, lists: ListModule, state: PassState, number: int, waiting: AgendaEntry) -> None:
        self._lists = lists
        self._state = state
        self._number = number
        self._waiting = waiting

    def lost(self) -> Found:
        yield from self._below(self._state.before.get, self._state.changes.removed)

    def delete(self, delta: Delta) -> Found:
        for code, table in delta.items():
            yield from self._from(self._state.before.get, code, table)

    def rederive(self, deleted: Delta) -> Found:
        for code, table in deleted.items():
            if code in self._lists.targets:
                yield code, self._lists.derivable(self._state.facts.get, code, table, self._state.meter)

    def gained(self) -> Found:
        yield from self._below(self._state.facts.get, self._state.changes.added)
        for module, target in self._waiting.targets:
            if module is self._lists:
                yield target, module.everything(self._state.facts.get, target, self._state.meter)

    def add(self, delta: Delta) -> Found:
        for code, table in delta.items():
            yield from self._from(self._state.facts.get, code, table)

    def _below(self, read: Reader, changes: Delta) -> Found:
        for module, code in self._waiting.modules:
            if module is self._lists and code in changes:
                yield from self._from(read, code, changes[code])

    def _from(self, read: Reader, code: int, delta: Table) -> Found:
        if code not in self._lists.inputs:
            return
        strata = self._state.strata
        has_items = strata.is_member(self._lists.item, self._number)
        for derived, table in self._lists.derive(read, code, delta, self._state.meter, has_items):
            if strata.is_member(derived, self._number):
                yield derived, table
