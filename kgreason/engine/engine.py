"""The engine: explicit changes and rules go in, the next state and net changes of all facts come out.

`apply` is a function of values: a state is never written into, so a change that comes to nothing leaves no trace. It
runs maintenance passes under fixed rules until no rule comes or goes. Guard facts that a pass removed take their rules
with them within that pass; guard facts that it derived bring new rules, which the next pass evaluates. The life of a
rule is in `kgreason.engine.rules.groups`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from kgreason.engine.engine_state import EngineState, GuardDelta, Outcome, Setting, Specialise
from kgreason.engine.facts import Changes, Facts
from kgreason.engine.maintenance.maintenance_pass import Maintenance
from kgreason.engine.meter import Meter
from kgreason.engine.modules.lists import ListModule
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.modules.unsuited import UnsuitedError
from kgreason.engine.pass_totals import PassTotals
from kgreason.engine.persistent_map import Draft
from kgreason.engine.redefinitions import hand_over, redefinitions, write_out
from kgreason.engine.rules.occurrences import NO_RULES, RuleDelta
from kgreason.engine.rules.rule_draft import RuleDraft
from kgreason.engine.strata.possible_relations import Guards
from kgreason.engine.strata.scheme_policy import SchemePolicy
from kgreason.engine.strata.strata import Strata
from kgreason.relations.table import Table

P = TypeVar("P")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExplicitChange:
    """A net change of the explicit facts, and what they are after it."""

    changes: Changes
    explicit: Facts


def apply(
    state: EngineState,
    program: P,
    change: ExplicitChange,
    setting: Setting,
    specialise: Specialise[P],
    meter: Meter | None = None,
) -> Outcome[P]:
    """Bring all facts to the fixpoint after a change of the explicit ones, under the rules of the state.

    Args:
        program: what the rules were specialised from.
        specialise: gives the rules that guard facts bring.
        meter: has the budget for what is derived.

    Raises:
        StratificationError: the rules make a relation depend on its own negation.
        BudgetError: the change derives more than the budget allows.
        DearerThanAnewError: it takes more work than the meter allows.
    """
    meter = Meter() if meter is None else meter
    while True:
        try:
            return Driver(state, program, setting, specialise, meter).run(change)
        except UnsuitedError as unsuited:
            state = replace(state, unsuited=state.unsuited | unsuited.codes, strata=None)
            meter.restart()


@dataclass(slots=True, eq=False, repr=False)
class Driver(Generic[P]):
    """One change on its way from a state to the next; dropped when it comes to nothing."""

    state: EngineState
    program: P
    setting: Setting
    specialise: Specialise[P]
    meter: Meter
    policy: SchemePolicy = field(init=False)
    explicit: Facts = field(init=False)
    facts: Draft[Table] = field(init=False)
    external: Draft[Table] = field(init=False)
    lists: ListModule | None = field(init=False)
    given: frozenset[int] | None = None
    """Auxiliary relations that are not derived while facts are taken over (`adoption`)."""
    totals: PassTotals = field(init=False)

    _last: Changes = field(default_factory=Changes)
    """The net change of the last pass."""
    _suspended: set[int] = field(default_factory=set)
    """Relations that a scheme stopped keeping in the last pass."""
    _deferred: set[int] = field(default_factory=set)
    """Relations of strata that wait for the next pass to be remade."""
    _has_lost_rules: bool = False
    """Whether rules have gone, or are going to, since the change began."""
    _lengths: tuple[int, ...] = ()
    """The lengths of lists that the last pass was the first to find."""

    def __post_init__(self) -> None:
        state = self.state
        self.totals = PassTotals(state)
        self.facts, self.external = state.facts.draft(), state.external.draft()
        self.explicit = state.explicit
        self._has_lost_rules = bool(state.rules.leaving or state.rules.retired)
        policy = self.setting.policy
        self.policy = replace(policy, unsuited=state.unsuited) if policy.unsuited != state.unsuited else policy
        self.lists = self.setting.list_module(state.sequences) if state.rules.has_lists else None

    def run(self, change: ExplicitChange) -> Outcome[P]:
        """Make the change."""
        for table in change.changes.added.values():
            self.meter.asserted(table)
        self.explicit = change.explicit
        total = self.make_passes(change.changes)
        self.totals.finish(total, self.state, self.facts)
        return self.outcome(total)

    def make_passes(self, changes: Changes) -> Changes:
        """Make passes until no rule comes or goes; the net change of the facts, but for virtual ones."""
        total = self._pass(changes)
        self.totals.began(total)
        while self._update_rules():
            self.totals.followed(total, self._pass(Changes()))
        return total

    def outcome(self, total: Changes) -> Outcome[P]:
        """The outcome of the change, of which `total` is the net change."""
        breaks = self.lists.touched_breaks(self.facts.get) if self.lists is not None else []
        if self.state.rules.retired:
            draft = RuleDraft(self.state.rules)
            draft.forget_retired()
            self.state = replace(self.state, rules=draft.rules(), strata=None)
        state = self.state.with_facts(self.facts.version(), self.explicit, self.external.version())
        state = replace(state, effort=self.totals.effort(state, self.meter.work))
        return Outcome(state, self.program, total, self.totals.stored(total, state), breaks)

    # -- a pass -------------------------------------------------------------------------------------------------

    def _pass(self, changes: Changes) -> Changes:
        """Bring the facts to the fixpoint under the rules as they are; the net change."""
        strata, coming = self.state.strata, NO_RULES
        redefined: dict[int, bool] = {}
        draft: RuleDraft | None = None
        modules = [self.lists] if self.lists is not None else []
        targets = [(module, module.sequences[length]) for module in modules for length in self._lengths]
        # Where only conditions ask for lists of a new length, no rule has come that would have strata made anew.
        needed = (*changes.added, *(target for _, target in targets))
        is_known = strata is not None and all(strata.knows(code) for code in needed)
        if strata is None or not is_known or strata.is_provisional:
            draft = RuleDraft(self.state.rules)
            if strata is not None and is_known:
                strata = strata.settled(draft, self.setting.hidden, self.policy, self.meter)
            else:
                strata = self.strata(draft, changes)
            coming = strata.take_coming()
            redefined = redefinitions(strata, self.state.definitions)
            self.totals.redefined(redefined.keys())
            hand_over(redefined, strata.definitions(), self.state.definitions, self.facts, self.external)
            if not self._has_lost_rules:
                write_out(redefined, strata.definitions(), self.facts, self.external, self.meter)
        redefined |= dict.fromkeys(self._suspended - redefined.keys(), False)
        redefined |= dict.fromkeys(self._deferred, True)
        known = len(self.lists.sequences) if self.lists is not None else 0
        state = self.pass_state(strata, coming)
        try:
            self._last = Maintenance(state, modules).run(changes, targets, redefined)
        except UnsuitedError as unsuited:
            raise unsuited.spread(strata.definitions()) from None
        self._suspended, self._deferred = state.suspended, state.deferred
        self.totals.wrote(state)
        if draft is not None:
            self.finish_pass(draft, strata)
        if self.lists is not None:
            # A dictionary keeps the order in which lengths were found.
            self._lengths = (*self.lists.sequences,)[known:]
            if self._lengths:
                self.state = replace(self.state, sequences=dict(self.lists.sequences))
        return self._last

    def strata(self, draft: RuleDraft, changes: Changes) -> Strata:
        """The strata of rules, for the relations that have facts or get some; the draft gets its universal rows."""
        dependencies = list(self.lists.dependencies()) if self.lists is not None else []
        # The first facts of a relation whose stratum waits have been asserted, and are not there yet.
        asserted_first = {code for code in self._deferred if self.explicit.get(code) is not None}
        possible = {*self.facts, *changes.added, *asserted_first}
        guards, hidden = Guards(self.facts.get, self.setting.terms), self.setting.hidden
        others = (self.meter, self.given, self.state.plan, self.state.order)
        return Strata(draft, possible, dependencies, hidden, self.policy, guards, *others)

    def pass_state(self, strata: Strata, coming: RuleDelta = NO_RULES) -> PassState:
        """The state that a pass reads and writes."""
        policy = self.policy
        return PassState(
            self.facts,
            self.explicit,
            self.external,
            strata,
            coming,
            self.setting.terms,
            policy.catalogue,
            policy.strategy,
            self.meter,
            self.state.rules.guarded.keys(),
            self.state.effort.facts,
        )

    def finish_pass(self, draft: RuleDraft, strata: Strata) -> None:
        """Fresh rules have been evaluated, and leaving ones are gone."""
        has_left = draft.finish_pass()
        self.state = replace(
            self.state,
            rules=draft.rules(),
            definitions=strata.definitions(),
            plan=strata.plan,
            order=strata.order,
            strata=None if has_left else strata,
        )

    # -- rules --------------------------------------------------------------------------------------------------

    def _update_rules(self) -> bool:
        """Let rules come and go with guard facts and new lengths of lists; whether a pass must follow."""
        changes, rules = self._last, self.state.rules
        removed = changes.removed.keys() & rules.guarded.keys()
        added = changes.added.keys() & rules.guarded.keys()
        lengths = self._lengths
        if not (removed or added or lengths):
            return bool(self._deferred)
        more = bool(lengths)
        if removed:
            self._has_lost_rules = True
            draft = RuleDraft(rules)
            for code in removed:
                for number in rules.guarded[code]:
                    self.meter.tick()
                    draft.drop(number, changes.removed[code])
            rules = draft.rules()
            more |= rules is not self.state.rules and self._leaves_rules_out()
        if added or lengths:
            self.meter.tick()
            delta = GuardDelta({code: changes.added[code] for code in added}, self.state.sequences, lengths)
            self.program, rules = self.specialise(self.program, rules, delta)
        if rules is not self.state.rules:
            self.state = replace(self.state, rules=rules, strata=None)
        return more or bool(self._suspended or self._deferred) or rules.wait

    def _leaves_rules_out(self) -> bool:
        """Whether there are rules that do not run because of others, which may have gone."""
        return bool(self.state.definitions) or any(flags.any() for flags in self.state.rules.repeating.values())


def asserted(explicit: Facts, changes: Changes, known: Mapping[int, Table | None] | None = None) -> ExplicitChange:
    """A net change of explicit facts; `known` are next versions of tables, as far as the caller has them."""
    draft, known = explicit.draft(), known or {}
    for code in changes.added.keys() | changes.removed.keys():
        if code in known:
            draft.put(code, known[code])
            continue
        table, gone, come = explicit.get(code), changes.removed.get(code), changes.added.get(code)
        if table and gone:
            table = table.difference(gone)
        draft.put(code, table.union(come) if table and come else table or come)
    return ExplicitChange(changes, draft.version())
