"""The strata of the possible relations: made of the rules over them, with those left out that repeat others or that
schemes stand for. What a pass asks about one relation is in `stratum_lookups`."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from kgreason.checkpoints import passes
from kgreason.columns import sorted_sets
from kgreason.engine import rule_tuning
from kgreason.engine.meter import Meter
from kgreason.engine.rules.copying import naming_of
from kgreason.engine.rules.groups import Flags, RuleGroup
from kgreason.engine.rules.occurrences import NO_RULES, Entries, RuleDelta, RuleIndex
from kgreason.engine.rules.rule_draft import RuleDraft
from kgreason.engine.strata.atom_columns import AtomColumns, Numbers
from kgreason.engine.strata.possible_relations import Dependency, Guards, PossibleRelations
from kgreason.engine.strata.relation_order import RelationOrder
from kgreason.engine.strata.repetition import repeating_fresh_ones, repeating_rules
from kgreason.engine.strata.scheme_plan import SchemePlan
from kgreason.engine.strata.scheme_policy import SchemePolicy
from kgreason.engine.strata.stratum_lookups import StratumLookups
from kgreason.engine.strata.unreached import Unreached, unreached
from kgreason.relations.catalogue import Naming
from kgreason.relations.codes import AUXILIARY
from kgreason.relations.table import Table
from kgreason.sorting import argsort


class Strata(StratumLookups):
    """The strata of the rules over the relations that can have facts; a value, made anew when either changes.

    They are provisional, and serve one pass, where many rules run that are going to be left out after it: `settled`
    then gives those for the passes that follow. Few run on until rules come or go again, perhaps those on account of
    which they would be left out.
    """

    def __init__(
        self,
        draft: RuleDraft,
        with_facts: Iterable[int],
        modules: Sequence[Dependency],
        hidden: int,
        policy: SchemePolicy,
        guards: Guards,
        meter: Meter | None = None,
        given: Collection[int] | None = None,
        before: SchemePlan | None = None,
        order: RelationOrder | None = None,
    ) -> None:
        """Groups with universal columns get their rows for the relations that are possible now, but `hidden`.

        Args:
            draft: the rules. It gets the universal rows, and those of relations that are reached for the first time,
                and learns which rules repeat others.
            policy: which definitions of the strata are used.
            guards: the guard facts, some of which become rules when a relation is reached.
            meter: has the budget for the time and memory that many rules take.
            given: auxiliary relations whose facts are all there, as are then those of all classes and properties: the
                look-ups lead to no rule that derives any of these.
            before, order: the plan of strata that the state had before, and the order of their relations.

        Raises:
            CircularError: a relation depends on its own negation, or on an aggregate of itself.
            BudgetError: there are too many rules.
        """
        meter = Meter() if meter is None else meter
        self._modules = modules
        self._given = given
        facts = np.fromiter(with_facts, dtype=np.int64)
        known = facts[:0] if order is None else order.possible
        reached = PossibleRelations(draft, facts, modules, hidden, guards, meter, known)
        self._codes, self._rules, self._possible = reached.rules.codes, reached.rules, reached.possible
        meter.tick()
        self._rules.select(self._possible)
        self._known = self._codes[self._possible]
        self.order = RelationOrder.of(self._rules, self._known, modules, order)
        self._number_strata()
        meter.tick()
        repeating, waiting = self._found_repeating(policy)
        # What is left out once the rules that wait have run, and the rules as they are then.
        is_later = np.count_nonzero(waiting) > rule_tuning.RUNNING_ON
        self._later = (repeating, self._rules.evaluated_all(repeating & ~waiting)) if is_later else None
        self._coming = self._leave_out(repeating & ~waiting, draft, hidden, policy, before, meter)

    def _found_repeating(self, policy: SchemePolicy) -> tuple[Flags, Flags]:
        """The rules that repeat others, and those among them that wait for fresh ones."""
        rules, waiting = self._rules, np.zeros(len(self._rules), dtype=np.bool_)
        if not policy.strategy.skip_repeating:
            return waiting, waiting
        if self.order.unexamined is not None:
            return rules.repeating & rules.in_force, waiting
        repeating = repeating_rules(rules, self._components)
        waiting = repeating_fresh_ones(rules, repeating, self._components)
        count = int(np.count_nonzero(waiting))
        self.order = replace(self.order, unexamined=count if count <= rule_tuning.RUNNING_ON else None)
        return repeating, waiting

    @property
    def is_provisional(self) -> bool:
        """Whether rules run that are going to be left out."""
        return self._later is not None

    def settled(self, draft: RuleDraft, hidden: int, policy: SchemePolicy, meter: Meter) -> Strata:
        """Provisional strata after their pass, if no rule has come or gone since: without the rules that ran once.

        Cost: a third of that of making them anew, of which most is to find what repeats.
        """
        assert self._later is not None
        found = copy.copy(self)
        repeating, rules = self._later
        # What is left out is noted in the rules, and a change may be tried again, or made in a branch, too.
        found._rules, found._later = rules.copy(), None
        found.order = replace(self.order, unexamined=0)
        found._coming = found._leave_out(repeating, draft, hidden, policy, self.plan, meter)
        return found

    def take_coming(self) -> RuleDelta:
        """The rules that come and go in the pass for which these strata were made; none when asked again."""
        coming, self._coming = self._coming, NO_RULES
        return coming

    def are_members(self, codes: Numbers, number: int) -> Flags:
        """For each of some possible relations whether it is in a stratum."""
        return np.asarray(self._components[self._codes.searchsorted(codes)] == number)

    def guarded(self, group: RuleGroup, guards: Table) -> Numbers:
        """The rows of the possible rules of the group whose guard facts are in the table, but those that are left out,
        or that a scheme stands for.

        When the guard fact of one of these goes, a module of its stratum sees to it, or else the next pass.
        """
        rows = group.find_guards(guards)
        for left_out in (self._absorbed.get(group.number), self._repeating.get(group.number)):
            if left_out is not None:
                rows &= ~left_out
        return self._possible_rows(group, rows)

    def absorbed(self, code: int, guards: Table) -> Iterator[tuple[RuleGroup, Numbers]]:
        """The rules that a scheme stands for whose guard facts are in the table of the relation `code`: groups, and
        their rows."""
        for group in self.guards.get(code, ()):
            absorbed = self._absorbed.get(group.number)
            if absorbed is not None:
                yield group, self._possible_rows(group, group.find_guards(guards) & absorbed)

    def may_hold_itself_up(self, code: int) -> bool:
        """Whether a scheme that keeps a relation as a part of its stratum stands for rules with a guard in that
        stratum: these may be there because of what the scheme derives."""
        number = self._component.get(code)
        if number is None:
            return False
        found = self._doubtful.get(number)
        if found is None:
            inside = (groups for guard, groups in self.guards.items() if self._component.get(guard) == number)
            is_guarded = any(group.number in self._absorbed for groups in inside for group in groups)
            members = (member.code for part in self.parts(number) for member in part.members)
            found = self._doubtful[number] = {*members} if is_guarded else set()
        return code in found

    def has_derived_guards(self, number: int, asserted_of: Callable[[int], Table | None]) -> bool:
        """Whether a rule of a stratum that a scheme stands for has a guard there which is not among the asserted facts
        of its relation: O(guards)."""
        for guard, groups in self.guards.items():
            absorbed = [group for group in groups if group.number in self._absorbed]
            if absorbed and self._component.get(guard) == number:
                asserted = asserted_of(guard)
                for group in absorbed:
                    rows = self._absorbed[group.number]
                    derived = rows & ~group.find_guards(asserted) if asserted else rows
                    heads = group.heads(self._possible_rows(group, derived))
                    if self.are_members(heads, number).any():
                        return True
        return False

    def unreached(self, asserted: Iterable[int], removed: Mapping[int, Table]) -> Unreached:
        """What nothing leads to any more from relations with asserted facts, by rules whose guard facts have not been
        removed: O(rules)."""
        return unreached(self._rules, self._possible, asserted, self._modules, removed)

    def _possible_rows(self, group: RuleGroup, rows: Flags) -> Numbers:
        """The possible rules among some of a group."""
        head, numbers = group.template.head, np.flatnonzero(rows)
        assert head is not None
        parameters = group.parameters[numbers]
        kept = self._are_derived(parameters[:, head.relation])
        for atom in (head, *group.template.body):
            kept &= sorted_sets.contains(self._known, parameters[:, atom.relation])
        return numbers[kept]

    def _number_strata(self) -> None:
        self._components = components = self.order.components
        self.count = int(components.max()) + 1 if len(components) else 0
        numbers = components[self._possible]
        self._component = dict(zip(self._known.tolist(), numbers.tolist(), strict=True))
        order = argsort(numbers)
        self._members, self._strata = self._known[order], numbers[order]

    def _leave_out(
        self,
        repeating: Flags,
        draft: RuleDraft,
        hidden: int,
        policy: SchemePolicy,
        before: SchemePlan | None,
        meter: Meter,
    ) -> RuleDelta:
        """Drop the rules that only repeat others, and those that schemes stand for; the rules that come and go."""
        self._rules.leave_out(repeating)
        self._repeating = self._rules.by_group(repeating)
        draft.repeating = dict(self._repeating)
        meter.tick()
        self._define(policy, self._copied(draft, hidden), before)
        meter.tick()
        return self._index(draft)

    @staticmethod
    def _copied(draft: RuleDraft, hidden: int) -> dict[int, Naming]:
        """The guards whose rules all copy facts from what one id names to what the other names."""
        groups = draft.groups
        found: dict[int, Naming] = {}
        for guard, numbers in draft.guarded.items():
            namings = {naming_of(groups[number], hidden) for number in numbers}
            if len(namings) == 1 and (naming := namings.pop()) is not None:
                found[guard] = naming
        return found

    def _define(self, policy: SchemePolicy, copied: Mapping[int, Naming], before: SchemePlan | None) -> None:
        """Find what schemes keep, and take the rules that they stand for out of the others."""
        reserved = {code for link in self._modules for code in (link.source, link.target)}
        rules, components = self._rules, self._components
        self.plan = SchemePlan.of(rules, components, self._possible, reserved, copied, policy, before)
        self._definitions = self.plan.definitions
        whole = self.plan.is_whole[components] & self._possible
        keepers, fed = np.where(whole, components, -1), np.full(len(self._codes), -1, dtype=np.int64)
        parts = [part.definition for number in self.plan.partial for part in self.plan.parts(number)]
        for at, each in passes(enumerate(parts, self.count)):
            if not each.is_represented_part:
                keepers[self._codes.searchsorted([member.code for member in each.members])] = at
            if not each.is_mutual:
                fed[self._codes.searchsorted([feed.relation.code for feed in each.feeds])] = at
        rules.absorb(keepers, fed, whole, components, self.plan.absorbed)
        self._absorbed = rules.by_group(rules.absorbed)

    def _index(self, draft: RuleDraft) -> RuleDelta:
        """Make look-ups from a relation to the rules that it concerns; the rules that come and go.

        A rule that is left out from now on leaves what it derived to those that derive the same; only where that is
        external to a scheme it must go.
        """
        rules, heads = self._rules, self._codes[self._rules.heads]
        is_derived = (rules.heads >= 0) & self._are_derived(heads)
        in_force = rules.in_force & is_derived
        external = np.isin(heads, np.fromiter(self._definitions, dtype=np.int64, count=len(self._definitions)))
        fresh = in_force & rules.fresh | is_derived & rules.revived
        leaving = is_derived & (rules.leaving | rules.silenced & external)
        self.body, self.negated = self._index_of(rules.bodies, in_force), self._index_of(rules.negated, in_force)
        self.heads, coming, going = (self._index_of_heads(chosen, heads) for chosen in (in_force, fresh, leaving))
        self._doubtful: dict[int, set[int]] = {}
        self.guards = {}
        for group in rules.groups:
            if group.guard is not None:
                self.guards.setdefault(group.guard, []).append(group)
        self._forget()
        return RuleDelta(coming, going, dict(draft.fresh), dict(draft.leaving))

    def _index_of(self, atoms: AtomColumns, chosen: Flags) -> RuleIndex:
        """The look-up of atoms of chosen rules."""
        rules, kept = self._rules, chosen[atoms.rules]
        numbers, codes = atoms.rules[kept], self._codes[atoms.relations[kept]]
        entries = Entries(rules.places[numbers], rules.rows[numbers], atoms.positions[kept], codes)
        return RuleIndex(rules.groups, entries)

    def _index_of_heads(self, chosen: Flags, heads: Numbers) -> RuleIndex:
        """The look-up of chosen rules by what they derive."""
        rules, codes = self._rules, heads[chosen]
        if not len(codes):
            return RuleIndex()
        entries = Entries(rules.places[chosen], rules.rows[chosen], np.full(len(codes), -1), codes)
        return RuleIndex(rules.groups, entries)

    def _are_derived(self, heads: Numbers) -> Flags:
        """Which relations that rules derive are not given."""
        if self._given is None:
            return np.ones(len(heads), dtype=np.bool_)
        given = np.fromiter(self._given, dtype=np.int64, count=len(self._given))
        derived: Flags = (heads & 3 == AUXILIARY) & ~np.isin(heads, given)
        return derived
