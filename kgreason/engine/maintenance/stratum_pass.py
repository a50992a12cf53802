"""A pass over one stratum: overdelete, rederive, insert, with the modules of the stratum (DRED^c-MOD).

1. *Overdelete*: every fact that loses one of its derivations, judged by the view before the pass, and
   what depended on it; what is sure to hold stays.
2. *Rederive*: overdeleted facts that still follow in one step from what is left.
3. *Insert*: rederived and new facts, and what follows from them, to a fixpoint.

Where much of a stratum is overdeleted, or its schemes gain much that its rules read, the pass is dropped and the
stratum remade: it is emptied and derived anew, so that a change costs little more than that. Where rules go after the
pass, a stratum of most facts is left to the next one, and what is above reads it as it was until then.

Source: Hu et al. 2019, Algorithms 2 and 3. Relations that a scheme keeps have two keys here: rules derive their
external facts, and what the scheme makes of these is what rules read. A stratum that a scheme keeps as a whole has no
rule that reads its relations, so its scheme gives the next version when all else is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from kgreason.engine import rule_tuning
from kgreason.engine.facts import external_key, relation_of
from kgreason.engine.maintenance.remaking import Remaking, counts
from kgreason.engine.maintenance.rule_free import scheme_changes
from kgreason.engine.maintenance.sweeps import Sweeps
from kgreason.engine.modules.agenda import AgendaEntry, DeltaBuffer
from kgreason.engine.modules.closure_module import ClosureModule
from kgreason.engine.modules.interchangeable_ends import InterchangeableEnds
from kgreason.engine.modules.late_rules import LateRules
from kgreason.engine.modules.lists import ListModule
from kgreason.engine.modules.module import Found, Module
from kgreason.engine.modules.mutual_module import MutualModule
from kgreason.engine.modules.part_module import PartModule, PartVersion
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.modules.seminaive import SeminaiveModule
from kgreason.engine.modules.spanning_rules import SpanningRules
from kgreason.engine.modules.stratum_lists import StratumLists
from kgreason.engine.modules.support import Support
from kgreason.engine.modules.table_versions import NetChange
from kgreason.relations.catalogue import Definition
from kgreason.relations.net_changes import net_change
from kgreason.relations.plain import union_of
from kgreason.relations.table import Table

if TYPE_CHECKING:
    from kgreason.engine.modules.representatives import Representatives


class StratumPass:
    """One pass; `run` may be called once."""

    def __init__(
        self,
        state: PassState,
        number: int,
        waiting: AgendaEntry,
        lists: Sequence[ListModule],
        known: Sequence[PartVersion] = (),
    ) -> None:
        """`lists` are the list modules of the program; `waiting` says what causes the pass. In place of a pass that was
        dropped, `known` are the versions of its parts there."""
        parts = state.strata.parts(number)
        self._shown = state
        self._over = _over_representatives(state, parts)
        self._state = state = state if self._over is None else self._over.state
        self._strata = state.strata
        self._number = number
        self._waiting = waiting
        self._lists = lists
        if waiting.remade:
            self._empty()
        self._support = Support(state, number)
        self._spanning, self._ends = SpanningRules(state), InterchangeableEnds(state)
        self._late = LateRules(state, self._ends)
        self._checks = state.strategy.support
        self._remaking = Remaking(state, number)
        self._modules: list[Module] = [
            SeminaiveModule(state, self._support, self._spanning, self._ends, self._late, number, waiting),
            *(StratumLists(module, state, number, waiting) for module in lists),
        ]
        self._joined: dict[int, Table] = {}
        self._sweeps = Sweeps(state.strata, number)
        self._parts: list[PartModule] = []
        for place, each in enumerate(parts):
            self._parts.append(self._part(each, known[place] if known else None))

    def _part(self, definition: Definition, known: PartVersion | None) -> PartModule:
        again, remade = not self._waiting.redefined.isdisjoint(_codes(definition)), self._waiting.remade
        if self._over is not None and definition.is_represented_part:
            from kgreason.engine.modules.represented_part import RepresentedPart

            return RepresentedPart(self._over, definition, again=again, remade=remade, known=known)
        if definition.is_mutual:
            return MutualModule(self._state, definition, self._parts, again=again, remade=remade, known=known)
        return ClosureModule(self._state, self._support, definition, again=again, remade=remade, known=known)

    def run(self) -> Iterator[tuple[int, NetChange]]:
        """Maintain the stratum; the net change of each of its relations that may have changed."""
        # Of a stratum that is remade nothing is left that could be overdeleted.
        deleted = {} if self._waiting.remade else self._overdelete()
        inserted = None
        if deleted is not None:
            with self._state.meter.uncounted() if self._waiting.remade else nullcontext():
                inserted = self._insert(deleted)
        if deleted is None or inserted is None:
            waits = not self._waiting.redefined and self._remaking.can_wait()
            self._remaking.foresee(waits=waits)
            if waits:
                self._defer()
                return
            self._waiting.remade = True
            self._consolidate()
            known = [part.version for part in self._parts]
            yield from StratumPass(self._shown, self._number, self._waiting, self._lists, known).run()
            return
        changed = deleted.keys() | inserted.keys()
        if self._waiting.remade:
            changed = {self._strata.key(code) for code in self._strata.members(self._number)}
        changes = [(key, self._net(key, deleted.get(key), inserted.get(key))) for key in changed]
        for key, change in changes:
            if key < 0:
                self._state.external_changes.record(relation_of(key), *change)
        if self._strata.definition(self._number) is not None:
            yield from scheme_changes(self._state, self._number, bool(self._waiting.redefined))
            return
        for part in self._parts:
            yield from part.finish()
        yield from ((key, change) for key, change in changes if key >= 0)

    def _defer(self) -> None:
        """Leave the stratum as it was to all that is above it, and have the next pass remake it."""
        state = self._shown
        for code in self._strata.members(self._number):
            for key in (code, external_key(code)):
                if state.get(key) is not state.get_before(key):
                    state.put(key, state.get_before(key))
            state.deferred.add(code)

    def _net(self, key: int, gone: Table | None, come: Table | None) -> NetChange:
        if self._waiting.remade:
            return net_change(self._state.get_before(key), self._state.get(key))
        both = gone.intersection(come) if gone and come else None
        added = come.difference(both) if come and both else come
        removed = gone.difference(both) if gone and both else gone
        return added or None, removed or None

    def _overdelete(self) -> dict[int, Table] | None:
        """Take away the facts of the stratum that lose a derivation or their assertion, unless they are asserted.

        Returns:
            What was taken away, or None if that is so much that the pass is dropped.
        """
        candidates = self._lost()
        if candidates is None:
            return None
        deleted: dict[int, Table] = {}
        last = 0
        while candidates:
            delta: dict[int, Table] = {}
            for key, table in candidates.take([*candidates.keys()]):
                fresh = self._newly_deleted(key, table, deleted.get(key))
                if fresh:
                    delta[key] = fresh
                    deleted[key] = deleted[key].union(fresh) if key in deleted else fresh
                    if key < 0:
                        self._take_away(key, fresh)
            self._doubt(delta)
            come = sum(map(len, delta.values()))
            expected = come * min(come / last, rule_tuning.REMADE_GROWTH) if last else 0.0
            last = come
            shown = self._shown_as_lost(delta, deleted, expected)
            if shown is None:
                return None
            visible = {key: table for key, table in delta.items() if key >= 0}
            visible.update(shown)
            _collect(candidates, (module.delete(visible) for module in self._modules))
        for key, table in deleted.items():
            if key >= 0:
                self._take_away(key, table)
        return deleted

    def _doubt(self, delta: Iterable[int]) -> None:
        """Facts of some keys go. Where a rule that a scheme stands for has its guard in the stratum, that guard may
        follow from a pair which the scheme still makes of other facts, by that rule alone.

        Raises:
            UnsureError: there is such a guard in the stratum.
        """
        if self._parts and any(key < 0 for key in delta):
            codes = (code for part in self._parts for code in part.codes)
            if any(map(self._state.may_hold_itself_up, codes)):
                self._state.meter.doubt()

    def _lost(self) -> DeltaBuffer | None:
        """The facts that may go with what went below the stratum, and with their assertion; None where they are so many
        that the pass is dropped."""
        candidates = DeltaBuffer(self._state.meter)
        for code, table in self._waiting.removed:
            candidates.add(self._strata.key(code), table)
        for found in (module.lost() for module in self._modules):
            for key, lost in found:
                candidates.add(key, lost)
                if self._remaking.costs_less_than_to_judge(key, lost):
                    return None
        return candidates

    def _shown_as_lost(
        self, delta: dict[int, Table], deleted: dict[int, Table], expected: float
    ) -> dict[int, Table] | None:
        """The pairs that schemes lose with overdeleted facts; what is in doubt with them is added to `deleted`. None
        where that, and as many facts as are `expected` in the next round, is so much that the pass is dropped."""
        if self._remaking.costs_less_than_return(sum(map(len, deleted.values())) + expected):
            return None
        least = {code: count for part in self._parts if (count := part.least_lost(delta)) for code in part.codes}
        if self._remaking.costs_less_than_loss(least):
            return None
        for part in self._parts:
            part.doubt(delta, deleted)
        if not self._joined and any(part.sure for part in self._parts):
            self._join_surely()
        if self._parts and self._remaking.costs_less_than_return(sum(map(len, deleted.values())) + expected):
            return None
        shown: dict[int, Table] = {}
        for part in self._parts:
            shown.update(part.delete({**delta, **shown}))
        if self._remaking.costs_less_than_loss(counts(shown)) or self._remaking.costs_less_than_to_compare(shown):
            return None
        return shown

    def _join_surely(self) -> None:
        """Put in what connects groups of which members have gone, as far as it is sure."""
        for key, paths in self._spanning.surely_joined(self._support):
            fresh = self._put_in(key, paths) if paths else None
            if fresh:
                self._joined[key] = self._joined[key].union(fresh) if key in self._joined else fresh

    def _newly_deleted(self, key: int, table: Table, deleted: Table | None) -> Table | None:
        known = self._state.get(key)
        if not known:
            return None
        delta = known.intersection(table) if self._over is None else self._over.represented.alike(key, known, table)
        explicit = self._state.explicit.get(relation_of(key))
        if explicit:
            delta = delta.difference(explicit)
        for other in (deleted, self._joined.get(key)):
            delta = delta.difference(other) if other else delta
        if not delta or not self._checks or self._is_grouped(key):
            return delta
        sure = self._support.nonrecursive(relation_of(key), delta)
        return delta.difference(sure) if sure else delta

    def _is_grouped(self, key: int) -> bool:
        """Whether grouping rules derive the facts, which know themselves what they no longer derive."""
        return any(use.group.template.summaries for use in self._strata.heads.of(relation_of(key)))

    def _take_away(self, key: int, table: Table) -> None:
        known = self._state.get(key)
        self._state.put(key, known.difference(table) if known else None)

    def _insert(self, deleted: dict[int, Table]) -> dict[int, Table] | None:
        """Everything that is new in the stratum: rederived, asserted, and what follows; None where that is so much that
        the pass is dropped."""
        pending = DeltaBuffer(self._state.meter, self._state.get)
        _collect(pending, (module.rederive(deleted) for module in self._modules))
        for code, table in self._waiting.added:
            pending.add(self._strata.key(code), table)
        _collect(pending, (module.gained() for module in self._modules))
        inserted = {key: [joined] for key, joined in self._joined.items()}
        is_first = True
        while pending or is_first:
            if not self._insert_round(pending, inserted):
                return None
            is_first = False
            for last in (self._late.derived, self._ends.derived_again):
                if not pending:
                    _collect(pending, [last()])
        return {key: self._inserted(key, tables) for key, tables in inserted.items()}

    def _insert_round(self, pending: DeltaBuffer, inserted: dict[int, list[Table]]) -> bool:
        """Put in what is pending and next, and gather what follows from what is new of it; False where the pass is
        dropped. By then what is new is held no more, but by `inserted` where it is a change."""
        visible = self._put_in_next(pending, inserted)
        if visible is None:
            return False
        _collect(pending, (module.add(visible) for module in self._modules))
        return True

    def _put_in_next(self, pending: DeltaBuffer, inserted: dict[int, list[Table]]) -> dict[int, Table] | None:
        """Put in what is pending and next; what is new for the rules of it, and of what schemes show then. None where
        the pass is dropped."""
        taken = pending.take(self._sweeps.next_of(pending.keys()))
        delta = {key: fresh for key, table in taken if (fresh := self._put_in(key, table))}
        for key, fresh in delta.items():
            inserted.setdefault(key, []).extend(() if self._began_empty(key) else (fresh,))
        visible = {key: table for key, table in delta.items() if key >= 0}
        shown = {key: table for part in self._parts for key, table in part.add(delta)}
        if shown and not self._waiting.remade and self._remaking.costs_less_than_gain(counts(shown)):
            return None
        return {**visible, **shown}

    def _put_in(self, key: int, table: Table) -> Table:
        """Add facts to a relation; those that are new. Its last version is not held while rules are evaluated."""
        known = self._state.get(key)
        whole, fresh = known.insert(table) if known else (table, table)
        if fresh:
            self._state.put(key, whole)
        return fresh

    def _began_empty(self, key: int) -> bool:
        """Whether all facts that a relation has were inserted by this pass."""
        return self._waiting.remade or not self._state.get_before(key)

    def _inserted(self, key: int, tables: list[Table]) -> Table:
        """All facts that were inserted, round by round: where the pass began without any, those that there are."""
        whole = self._state.get(key) if self._began_empty(key) else None
        return whole or union_of(tables)

    def _empty(self) -> None:
        """Take all facts out of a stratum that is remade, and let everything that derives them do so again."""
        waiting, members = self._waiting, self._strata.members(self._number)
        # What has changed below is not looked at apart from all else there.
        waiting.fresh, waiting.triggers, waiting.modules = [], [], []
        for code in members:
            is_whole = self._strata.definition(self._number) is not None
            if self._strata.key(code) != code:
                self._state.meter.wrote(self._state.facts.get(code), None)
            if self._state.external.get(code) is not None:
                self._state.put(external_key(code), None)
            self._state.put(code, self._state.facts.get(code) if is_whole else None)
            explicit = self._state.explicit.get(code)
            if explicit:
                waiting.added.append((code, explicit))
            waiting.fresh.extend(self._strata.heads.of(code))
            waiting.targets.extend((module, code) for module in self._lists if code in module.targets)

    def _consolidate(self) -> None:
        """Merge what small changes have left in the relations below that the rules read, unless these are larger than
        the stratum: a look-up in a table with small blocks takes half as long again."""
        get, members = self._state.facts.get, self._strata.members(self._number)
        uses = [use for code in members for use in self._strata.heads.of(code)]
        read = {use.parameters[atom.relation] for use in uses for atom in use.group.template.body} - {*members}
        size = sum(table.estimate for table in map(get, members) if table and not table.is_virtual)
        for code in read:
            table = get(code)
            if table and table.estimate <= size:
                self._state.facts.put(code, table.consolidated())


def _over_representatives(state: PassState, parts: Sequence[Definition]) -> Representatives | None:
    """The pass over representatives, where rules read some parts there."""
    if not any(part.is_represented_part for part in parts):
        return None
    # Imported when a stratum first needs it, with the tables of classes: few do.
    from kgreason.engine.modules.representatives import Representatives

    return Representatives.of(state, parts)


def _codes(definition: Definition) -> Iterator[int]:
    return (member.code for member in definition.members)


def _collect(target: DeltaBuffer, found: Iterable[Found]) -> None:
    for each in found:
        for key, table in each:
            target.add(key, table)
