"""One maintenance pass under a fixed set of rules, stratum by stratum (DRED^c-MOD).

The pass takes net changes of explicit facts, rules that are fresh and rules that leave, and brings the facts to
the fixpoint of the explicit facts under the rules that stay. Strata wait in a heap and are visited in
topological order, only where something below or in them changed, so a change costs nothing for rules that it
cannot reach. What happens in a stratum is in `stratum_pass`.

Source: Hu et al. 2019, Algorithm 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush

import numpy as np

from kgreason import progress
from kgreason.checkpoints import passes
from kgreason.columns import sorted_sets
from kgreason.engine import rule_tuning
from kgreason.engine.facts import Changes
from kgreason.engine.maintenance.moved_facts import moved_facts
from kgreason.engine.maintenance.rule_free import rule_free_changes
from kgreason.engine.maintenance.stratum_pass import StratumPass
from kgreason.engine.modules.agenda import AgendaEntry
from kgreason.engine.modules.lists import ListModule
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.modules.table_versions import NetChange
from kgreason.engine.rules.occurrences import Occurrence
from kgreason.relations.table import Table


class Maintenance:
    """One pass; `run` may be called once."""

    def __init__(self, state: PassState, lists: Sequence[ListModule]) -> None:
        self._state = state
        self._strata = state.strata
        self._lists = lists
        self._heap: list[int] = []
        self._waiting: dict[int, AgendaEntry] = {}
        self._emptied = 0
        """How many relations have lost all facts, and at how many those are looked for that will."""
        self._looked_at = rule_tuning.EMPTIED

    def run(
        self,
        explicit_changes: Changes,
        fresh_targets: Sequence[tuple[ListModule, int]] = (),
        redefined: Mapping[int, bool] | None = None,
    ) -> Changes:
        """Maintain, and give the net changes of all facts.

        `fresh_targets` of modules are derived in full. `redefined` are relations whose definition has changed,
        and whether their facts must be remade because a scheme takes over from tables or the other way round.
        """
        for code, remade in (redefined or {}).items():
            if self._strata.knows(code):
                self._redefine(code, remade)
        for module, target in fresh_targets:
            self._stratum(target).targets.append((module, target))
        for code, table in explicit_changes.removed.items():
            self._stratum(code).removed.append((code, table))
        for code, table in explicit_changes.added.items():
            self._stratum(code).added.append((code, table))
        leaving, fresh = [*passes(self._state.rules.leaving.all())], [*passes(self._state.rules.fresh.all())]
        if fresh or leaving:
            self._state.meter.count_rules(len(fresh), len(leaving))
            self._state.meter.foresee(len(fresh) + len(leaving))
        for use in leaving:
            self._state.meter.tick()
            self._stratum(use.head).leaving.append(use)
            self._doubt(use.head)
        for use in fresh:
            self._state.meter.tick()
            self._stratum(use.head).fresh.append(use)
        progress.begin("deriving", total=self._strata.count)
        while self._heap:
            number = heappop(self._heap)
            self._state.meter.worked(rule_tuning.RULE_WORK)
            progress.advance(number)
            for code, (added, removed) in self._stratum_changes(number, self._waiting.pop(number)):
                if added is not None or removed is not None:
                    self._state.changes.record(code, added, removed)
                    self._notify_above(number, code)
        return self._state.changes

    def _redefine(self, code: int, remade: bool) -> None:
        """Have a stratum visited in which a relation has another definition."""
        stratum = self._stratum(code)
        stratum.redefined.add(code)
        stratum.remade |= remade
        if remade:
            self._doubt(code)
        for reader in self._strata.readers(code):  # it may have the same facts, kept in another way
            self._waiting_stratum(reader)

    def _stratum_changes(self, number: int, waiting: AgendaEntry) -> Iterator[tuple[int, NetChange]]:
        """Maintain a stratum; the net change of each of its relations that may have changed."""
        found = rule_free_changes(self._state, number, waiting, self._lists)
        return StratumPass(self._state, number, waiting, self._lists).run() if found is None else found

    def _stratum(self, code: int) -> AgendaEntry:
        return self._waiting_stratum(self._strata.component(code))

    def _waiting_stratum(self, number: int) -> AgendaEntry:
        stratum = self._waiting.get(number)
        if stratum is None:
            stratum = self._waiting[number] = AgendaEntry()
            heappush(self._heap, number)
        return stratum

    def _notify_above(self, number: int, code: int) -> None:
        """Have the strata above visited that use a relation which changed."""
        concerned = self._concerned(code)
        if self._state.meter.is_compared:
            moved = moved_facts(self._state, code)
            self._state.meter.foresee(len(self._heap), moved * rule_tuning.MOVED_WORK)
            if code in self._state.changes.removed and not self._state.get(code):
                self._foresee_unreached()
        for uses, negated in ((concerned, False), (self._strata.negated.of(code), True)):
            for use in uses:
                if self._strata.component(use.head) != number:
                    self._stratum(use.head).triggers.append((use, code, negated))
        removed = self._state.changes.removed.get(code)
        if removed is not None:
            self._notify_unguarded(number, code, removed)
        for reader in self._strata.readers(code):
            if reader != number:
                self._waiting_stratum(reader)
        self._notify_lists(number, code)

    def _foresee_unreached(self) -> None:
        """A relation has lost all facts. Once many have, look for those that will.

        Raises:
            DearerThanAnewError: to take their facts away takes too much work.
        """
        self._emptied += 1
        if self._emptied < self._looked_at:
            return
        self._looked_at = 2 * self._emptied
        found = self._strata.unreached(self._state.explicit, self._state.changes.removed)
        waiting = sum(bool(self._state.get(code)) for code in found.relations)
        rules = found.rules * waiting // max(1, len(found.relations))
        self._state.meter.foresee(waiting + rules, idle=found.rules)

    def _notify_unguarded(self, number: int, code: int, removed: Table) -> None:
        """Have the strata above visited that have rules whose guard facts are gone."""
        for group in self._strata.guards.get(code, ()):
            going = self._strata.guarded(group, removed)
            self._state.meter.count_rules(0, len(going))
            self._state.meter.foresee(len(self._heap) + len(going))
            inside = self._strata.are_members(group.heads(going), number)
            for row in going[~inside].tolist():
                use = Occurrence.of(group, row)
                self._stratum(use.head).unguarded.append(use)
        for group, rows in self._strata.absorbed(code, removed):
            heads = sorted_sets.unique(group.heads(rows))
            for head in heads[~self._strata.are_members(heads, number)].tolist():
                self._doubt(head)

    def _doubt(self, code: int) -> None:
        """A rule goes that a scheme may have stood for, or its stratum is remade. Others that the scheme stands for may
        be there because of what it derived, and the next pass need not find another definition.

        Raises:
            UnsureError: so it is.
        """
        if self._state.may_hold_itself_up(code):
            self._state.meter.doubt()

    def _concerned(self, code: int) -> Sequence[Occurrence]:
        """The rules that read a relation which changed, without those that have other constants where there are many.

        Raises:
            DearerThanAnewError: so many strata that they derive take too much work.
        """
        body, changes = self._strata.body, self._state.changes
        if body.count(code) < rule_tuning.MANY_RULES:
            return body.of(code)
        if code in changes.removed:
            self._state.meter.count_rules(0, self._idle_rules(code))
        changed = [table for which in (changes.added, changes.removed) if (table := which.get(code)) is not None]
        if all(body.are_many_for(code, table) for table in changed):
            found = body.with_constants(code, changed)
            self._state.meter.foresee(len(self._heap) + len(found))
            return found
        self._state.meter.foresee(len(self._heap) + body.count(code))
        return body.of(code)

    def _idle_rules(self, code: int) -> int:
        """How many rules that used a relation derive nothing any more: their atom is one fact, and that is gone."""
        table, idle = self._state.get(code), 0
        for group, position, rows in self._strata.body.parts(code):
            atom = group.template.body[position]
            if not atom.variables():
                named = group.parameters[rows][:, [~slot for slot in atom.arguments]].astype(np.uint32)
                idle += len(rows) - (int(table.contains(tuple(named.T)).sum()) if table else 0)
        return idle

    def _notify_lists(self, number: int, code: int) -> None:
        """Have the strata visited whose facts are read off lists, of which a relation that changed is part."""
        for module in self._lists:
            if code in module.inputs:
                known = filter(self._strata.knows, module.derived_from(code))
                above = {self._strata.component(target): target for target in known}
                above.pop(number, None)
                for target in above.values():
                    self._stratum(target).modules.append((module, code))
