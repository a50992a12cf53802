"""The engine: explicit changes and rules go in, net changes of all facts come out.

An `apply` runs maintenance passes under fixed rules until no rule comes or goes. Guard facts that a pass
removed take their rules with them within that pass; guard facts that it derived bring new rules, which the
next pass evaluates. Whatever goes wrong on the way, facts and rules are as they were before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from kgreason.engine.facts import Changes, Facts
from kgreason.engine.maintenance.maintenance import Maintenance
from kgreason.engine.maintenance.state import PassState
from kgreason.engine.maintenance.virtual import UnsuitedError
from kgreason.engine.meter import Meter
from kgreason.engine.modules.list_cells import Break
from kgreason.engine.modules.lists import ListModule
from kgreason.engine.rules.bodies import Terms
from kgreason.engine.rules.families import Family, ParameterRows
from kgreason.engine.rules.shapes import Shape
from kgreason.engine.states import EngineState, RuleState, Undo
from kgreason.engine.strata.choice import Choice
from kgreason.engine.strata.strata import Strata
from kgreason.schemes.catalogue import Definition
from kgreason.schemes.closures import net_change
from kgreason.schemes.scheme import Table


class RuleSource(Protocol):
    """What the engine asks when the facts bring rules."""

    def admit(self, family: Family, rows: ParameterRows) -> ParameterRows:
        """Those of the guard rows that make proper rules; may add further rules to the engine."""

    def sequences_found(self, lengths: tuple[int, ...]) -> None:
        """Lists of new lengths were found; may add rules to the engine."""

    def state(self) -> Any:
        """A snapshot of what the source knows."""

    def restore(self, state: Any) -> None:
        """Go back to a snapshot."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What is written out: plain relations, and the external facts of virtual ones; and its last net change."""

    facts: Mapping[int, Table]
    changes: Changes
    definitions: Mapping[int, Definition]


class Engine:
    """Facts and rules, kept at their fixpoint by `apply`."""

    def __init__(self, terms: Terms, hidden: int, choice: Choice) -> None:
        """`hidden` is a relation that no universal column ranges over: type triples with a literal as class;
        `choice` says which relations schemes keep. Of these, `external` has the facts that other rules derive."""
        self.facts = Facts()
        self.explicit = Facts()
        self.external = Facts()
        self.definitions: dict[int, Definition] = {}
        self.choice = choice
        self.families: list[Family] = []
        self.lists: ListModule | None = None
        # Where lists break that the last change concerned.
        self.breaks: list[Break] = []
        self._terms = terms
        self._hidden = hidden
        self._plain: dict[tuple[str, Shape], Family] = {}
        self._guarded: dict[int, list[Family]] = {}
        self._retired: list[Family] = []
        self._strata: Strata | None = None
        self._fresh_lengths: tuple[int, ...] = ()
        self._last = Changes()
        self._external_changes = Changes()
        self._suspended: set[int] = set()
        self._stored_changes = Changes()
        # Auxiliary relations that are not derived while facts are taken over (`adoption`).
        self._given: frozenset[int] | None = None

    # -- rules ------------------------------------------------------------------------------------------------

    def add_rules(self, name: str, shape: Shape, parameters: ParameterRows) -> None:
        """Add plain rules of one shape, which are not there yet, as rows of parameters."""
        family = self._plain.get((name, shape))
        if family is None:
            family = self._plain[name, shape] = Family(name, shape)
            self.families.append(family)
        family.add(parameters)
        self._strata = None

    def remove_rules(self, name: str, shape: Shape, parameters: ParameterRows) -> None:
        """Let plain rules leave with the next `apply`."""
        self._plain[name, shape].leave(parameters)
        self._strata = None

    def add_family(self, family: Family) -> None:
        """Add specialised rules; their guard relation must have no facts yet, or they bring their rows."""
        self.families.append(family)
        if family.guard is not None:
            self._guarded.setdefault(family.guard, []).append(family)
        self._strata = None

    def retire_family(self, family: Family) -> None:
        """Let a family leave with the next `apply`; one with a guard loses its rows with its guard facts."""
        if family.guard is None:
            family.leaving = np.ones(len(family.rows), dtype=np.bool_)
            family.bases, family.fresh_bases = family.bases[:0], family.fresh_bases[:0]
        self._retired.append(family)
        self._strata = None

    # -- facts ------------------------------------------------------------------------------------------------

    def apply(
        self,
        changes: Changes,
        source: RuleSource,
        asserted: Mapping[int, Table | None] | None = None,
        meter: Meter | None = None,
        undo: Undo | None = None,
    ) -> Changes:
        """Bring all facts to the fixpoint after a net change of the explicit ones; the net change of all.

        Args:
            asserted: the next versions of explicit tables, as far as the caller knows them.
            meter: has the budget for what is derived.
            undo: a fresh one, with which the caller can take the whole change back once this has returned.

        Raises:
            StratificationError, BudgetError: and nothing has changed, neither facts nor rules that facts brought;
                whatever else comes up on the way leaves everything as it was, too.
        """
        undo = Undo() if undo is None else undo
        meter = Meter() if meter is None else meter
        undo.begin(self)
        while True:
            try:
                return self._apply(changes, source, asserted or {}, undo, meter)
            except UnsuitedError as unsuited:
                undo.revert(self, source)
                undo.passes.clear()
                self.choice.unsuited |= unsuited.codes
                self._strata = None
                meter.restart()
            except BaseException:
                undo.revert(self, source)
                raise

    def _apply(
        self,
        changes: Changes,
        source: RuleSource,
        asserted: Mapping[int, Table | None],
        undo: Undo,
        meter: Meter,
    ) -> Changes:
        for table in changes.added.values():
            meter.asserted(table)
        if self._strata is None:
            undo.save_rules(self, source)
        self._assert(changes, asserted, undo)
        self._external_changes = Changes()
        total = self._pass(changes, source, undo, meter, ())
        while self._update_rules(source, undo, meter):
            fresh, self._fresh_lengths = self._fresh_lengths, ()
            total.follow(self._pass(Changes(), source, undo, meter, fresh))
        self.breaks = self.lists.touched_breaks(self.facts.get) if self.lists is not None else []
        self._forget_retired()
        self._merge(total, undo)
        self._note_stored(total)
        return total

    def _note_stored(self, total: Changes) -> None:
        """Take note of the net change of what is written out."""
        self._stored_changes = Changes()
        for code in (total.added.keys() | total.removed.keys()) - self.definitions.keys():
            self._stored_changes.replace(code, total.added.get(code), total.removed.get(code))
        external = self._external_changes
        for code in (external.added.keys() | external.removed.keys()) & self.definitions.keys():
            self._stored_changes.replace(code, external.added.get(code), external.removed.get(code))

    def stored(self) -> Stored:
        """What is written out, as it is now: O(relations)."""
        plain = {code: table for code, table in self.facts.items() if code not in self.definitions}
        return Stored(plain | dict(self.external.items()), self._stored_changes, self.definitions)

    def _merge(self, total: Changes, undo: Undo) -> None:
        """Give virtual relations the net change of all passes together, and time to tidy up."""
        facts, external = undo.facts(), undo.external()
        for code, before in facts.items():
            after = self.facts.get(code)
            if code in external or any(table is not None and table.is_virtual for table in (before, after)):
                total.replace(code, *net_change(before, after))
        for code in facts.keys() & self.definitions.keys():
            table = self.facts.get(code)
            self.facts.put(code, table.merged() if table is not None else None)

    def _assert(self, changes: Changes, asserted: Mapping[int, Table | None], undo: Undo) -> None:
        for code in changes.added.keys() | changes.removed.keys():
            table = self.explicit.get(code)
            undo.explicit.setdefault(code, table)
            if code in asserted:
                self.explicit.put(code, asserted[code])
                continue
            gone, come = changes.removed.get(code), changes.added.get(code)
            if table and gone:
                table = table.difference(gone)
            self.explicit.put(code, table.union(come) if table and come else table or come)

    def _pass(
        self, changes: Changes, source: RuleSource, undo: Undo, meter: Meter, fresh_lengths: tuple[int, ...]
    ) -> Changes:
        strata = self._strata
        redefined: dict[int, bool] = {}
        is_new = strata is None or not all(strata.knows(code) for code in changes.added)
        if strata is None or is_new:
            undo.save_rules(self, source)
            dependencies = list(self.lists.dependencies()) if self.lists is not None else []
            possible = {*self.facts, *changes.added}
            strata = self._strata = Strata(
                self.families, possible, dependencies, self._hidden, self.choice, meter, self._given
            )
            redefined = self._redefined(strata)
        redefined |= dict.fromkeys(self._suspended - redefined.keys(), False)
        modules = [self.lists] if self.lists is not None else []
        targets = [(module, module.sequences[length]) for module in modules for length in fresh_lengths]
        known = [*self.lists.sequences] if self.lists is not None else []
        state = PassState(
            self.facts,
            self.explicit,
            self.external,
            strata,
            self._terms,
            self.choice.catalogue,
            self.choice.strategy,
            meter,
        )
        undo.passes.append(state)
        self._last = Maintenance(state, modules).run(changes, targets, redefined)
        self._suspended = state.suspended
        self._external_changes.follow(state.external_changes)
        self.definitions = strata.definitions()
        if is_new:
            self._settle(strata)
        if self.lists is not None:
            self._fresh_lengths = tuple(self.lists.sequences.keys() - known)
        return self._last

    def _redefined(self, strata: Strata) -> dict[int, bool]:
        """The relations whose definition is another one now; true where what is external is so, too, so that they must
        be remade: a scheme takes over from tables, or the other way round, or for another part of a stratum."""
        now = strata.definitions()
        found: dict[int, bool] = {}
        for code in now.keys() | self.definitions.keys():
            new, old = now.get(code), self.definitions.get(code)
            if new != old:
                found[code] = new is None or old is None or new.is_part or old.is_part
        return found

    def _settle(self, strata: Strata) -> None:
        """What was fresh has been evaluated, what was leaving is gone."""
        strata.settle()
        for family in self.families:
            if family.is_waiting():
                self._strata = None if family.leaving.any() else self._strata
                family.settle()

    def _update_rules(self, source: RuleSource, undo: Undo, meter: Meter) -> bool:
        """Let rules come and go with guard facts and new lengths of lists; whether a pass must follow."""
        changes = self._last
        removed = changes.removed.keys() & self._guarded.keys()
        added = changes.added.keys() & self._guarded.keys()
        if not (removed or added or self._fresh_lengths):
            return False
        undo.save_rules(self, source)
        for code in removed:
            for family in self._guarded[code]:
                meter.tick()
                family.drop(_rows(changes.removed[code]))
                self._strata = None
        more = bool(self._fresh_lengths) or (bool(removed) and self._leaves_rules_out())
        for code in added:
            for family in list(self._guarded[code]):
                meter.tick()
                rows = source.admit(family, _rows(changes.added[code]))
                if len(rows):
                    family.add(rows)
                    self._strata = None
                    more = True
        if self._fresh_lengths:
            self._strata = None
            source.sequences_found(self._fresh_lengths)
        return more or bool(self._suspended) or self._strata_is_stale_with_rules()

    def _leaves_rules_out(self) -> bool:
        """Whether there are rules that do not run because of others, which may have gone."""
        return bool(self.definitions) or any(family.repeating.any() for family in self.families)

    def _strata_is_stale_with_rules(self) -> bool:
        """Whether rules were added while guard rows were looked at."""
        return any(family.is_waiting() for family in self.families)

    def rules(self) -> RuleState:
        """The state of all rules, for `restore_rules`."""
        states = [(family, family.snapshot()) for family in self.families]
        guarded = {code: list(families) for code, families in self._guarded.items()}
        sequences = dict(self.lists.sequences) if self.lists is not None else {}
        return RuleState(states, guarded, dict(self._plain), list(self._retired), sequences)

    def restore_rules(self, state: RuleState) -> None:
        """Go back to a state of the rules; facts must go back with them."""
        self.families = [family for family, _ in state.families]
        for family, arrays in state.families:
            family.restore(arrays)
        self._guarded = {code: list(families) for code, families in state.guarded.items()}
        self._plain = dict(state.plain)
        self._retired = list(state.retired)
        if self.lists is not None:
            self.lists.sequences = dict(state.sequences)
            self.lists.touched = set()
        self._fresh_lengths = ()
        self._strata = None

    def state(self) -> EngineState:
        """Everything, as it is between two changes, for `restore`: O(relations + rules)."""
        rules, unsuited = self.rules(), frozenset(self.choice.unsuited)
        facts = (self.facts.copy(), self.explicit.copy(), self.external.copy())
        return EngineState(*facts, self.definitions, rules, self.lists is not None, unsuited)

    def restore(self, state: EngineState, lists: ListModule) -> None:
        """Go on from a state; `lists` is the module for lists, if it had one."""
        self.facts, self.explicit, self.external = state.facts.copy(), state.explicit.copy(), state.external.copy()
        self.definitions = dict(state.definitions)
        self.lists = lists if state.has_lists else None
        self.choice.unsuited = set(state.unsuited)
        self.restore_rules(state.rules)

    def forget_strata(self) -> None:
        """Make the strata anew with the next `apply`."""
        self._strata = None

    def _forget_retired(self) -> None:
        for family in self._retired:
            self.families.remove(family)
            if family.guard is not None:
                self._guarded[family.guard].remove(family)
        if self._retired:
            self._retired = []
            self._strata = None

    def _check(self) -> None:
        self.facts._check()
        self.explicit._check()
        self.external._check()
        assert {*self.external} <= {*self.definitions}, "external facts of a relation that no scheme keeps"
        for code, table in self.explicit.items():
            known = self.facts.get(code)
            assert known is not None, "a relation with explicit facts is missing"
            assert len(table.difference(known)) == 0, "an explicit fact is missing"
        for family in self.families:
            assert not family.is_waiting(), "a rule waits outside a change"
            if family.guard is not None and not family.universals:
                guards = self.facts.get(family.guard)
                assert not len(family.rows) or guards, "rules without guard facts"


def _rows(table: Table) -> ParameterRows:
    return np.stack(table.columns(), axis=1).astype(np.int64)
