"""Whether to remake a stratum costs less than to go on with a pass over it.

A pass that is dropped has cost what it did until then. So what a change takes away or brings is judged as soon as it
can be told, from counts alone where that is possible.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from kgreason.engine import rule_tuning
from kgreason.engine.modules.late_rules import LateRules
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.rules.occurrences import Occurrence
from kgreason.relations.plain import table_of
from kgreason.relations.table import NO_IDS, Table


class Remaking:
    """What is known of remaking the stratum `number`, for the pass that begins now."""

    def __init__(self, state: PassState, number: int) -> None:
        self._state = state
        self._strata = state.strata
        self._number = number
        self._begun = state.meter.work

    def costs_less_than_to_judge(self, key: int, lost: Table | None) -> bool:
        """Whether a rule gives so many facts of a key as lost, of those that there are, that to see which of them still
        follow costs as much as to remake the stratum."""
        if lost is None or lost.estimate < rule_tuning.REMADE_LEAST or not self._is_recursive:
            return False
        known = self._state.get_before(key)
        return known is not None and lost.estimate * rule_tuning.REMADE_SHOWN > known.estimate

    def costs_less_than_return(self, gone: float) -> bool:
        """Whether so much is overdeleted, or is expected to be after the next round, that to remake the stratum costs
        no more than to find what comes back."""
        least = rule_tuning.REMADE_LEAST
        fewest = min(rule_tuning.PROPAGATED_LOSS, least / rule_tuning.REMADE_JOINED)
        if gone < fewest or self._strata.definition(self._number) is not None:
            return False
        if self._state.strategy.support and not self._is_recursive:
            return False  # what went does not come back, and takes nothing with it
        if self._passes_sets_on:
            return gone * rule_tuning.PROPAGATED_SHARE > self._written
        if gone < least / rule_tuning.REMADE_JOINED:
            return False
        spent = self._state.meter.work - self._begun  # much where there are many rounds of few facts
        if self._state.meter.is_dear(spent, self._written):
            return True
        if max(gone, spent) < least and not self._joins_itself:
            return False
        return gone * rule_tuning.REMADE_SHARE > self._written + rule_tuning.RULE_WORK * self._rules

    def costs_less_than_loss(self, lost: Mapping[int, int]) -> bool:
        """Whether rules of the stratum read so many pairs as lost by its schemes, by relation, of those that there
        were; or a good part of these, and many more than there are facts which a remade stratum derives."""
        pairs = sum(lost.values())
        if pairs < rule_tuning.REMADE_LEAST:
            return False
        is_dear = pairs > rule_tuning.REMADE_LOST * self._external()
        share = rule_tuning.REMADE_LOST_SHARE if is_dear else rule_tuning.REMADE_SHOWN
        return self._is_most(lost, self._state.before.get, share)

    def costs_less_than_to_follow(self, lost: Mapping[int, Table]) -> bool:
        """Whether rules lose so much with many pairs that schemes lose, judged by those of some subjects, that to see
        which of it still follows costs as much as to remake the stratum."""
        for code, table in lost.items() if self._state.represented is None else ():
            # The subjects of such pairs are known once all sets of a closure have been compared.
            uses = self._joining_many(code) if table.estimate >= rule_tuning.REMADE_SAMPLED else []
            subjects = table.distinct(0) if uses else NO_IDS
            if len(subjects):
                some = subjects[:: len(subjects) // rule_tuning.REMADE_SAMPLES + 1]
                _, columns = table.lookup({0: some})
                sample, times = table_of(columns), len(subjects) / len(some)
                if any(self._loses_most(use, known, sample, times) for use, known in uses):
                    return True
        return False

    def _joining_many(self, code: int) -> Sequence[tuple[Occurrence, Table]]:
        """The rules of the stratum that join facts of a relation of it, and have many heads which are written out; and
        these as they were."""
        found = []
        for use in self._strata.recursive_rules(code):
            known = self._state.get_before(self._strata.key(use.head))
            is_single = use.group.template.is_single
            if known and not (is_single or known.is_virtual) and known.estimate >= rule_tuning.REMADE_LEAST:
                found.append((use, known))
        return found

    def _loses_most(self, use: Occurrence, known: Table, sample: Table, times: float) -> bool:
        """Whether a rule loses most of the facts that there were, if it loses so many times what it does by a
        sample."""
        evaluation = self._state.before_evaluation
        found = evaluation.known_heads_from(use.group.template, use.parameters, use.position, sample, known)
        return found is not None and found.estimate * times * rule_tuning.REMADE_SHOWN > known.estimate

    def costs_less_than_gain(self, gained: Mapping[int, int]) -> bool:
        """Whether they read so many pairs as gained, of those that there are now, and many more than there are facts
        which a remade stratum derives for its schemes again. Where there was next to nothing before, what is gained is
        all."""
        pairs = sum(gained.values())
        if pairs < rule_tuning.REMADE_LEAST or pairs <= rule_tuning.REMADE_READ * self._external():
            return False
        return self._is_most(gained, self._state.facts.get, rule_tuning.REMADE_SHOWN)

    def costs_less_than_closing(self, late: LateRules, edges: Mapping[int, Table]) -> bool:
        """Whether new edges close circles that many facts follow from, most of those that the stratum has: to derive
        all again without these costs less than to close them once more."""
        if not self._closes_many:
            return False
        superseded = late.superseded(edges)
        is_much = superseded >= rule_tuning.REMADE_LEAST
        return is_much and superseded * rule_tuning.REMADE_SHOWN > self._external() + self._written

    def can_wait(self) -> bool:
        """Whether rules come or go after this pass, and none of them by what the stratum has, which has many facts: it
        is enough to remake it once, under the rules that there are then. A small one is remade at once: what it loses
        may take others with it, of which the next pass then makes no strata."""
        is_large = self._written * rule_tuning.WAITING_SHARE > self._state.written
        if self._state.rules.leaving_rows or not is_large:
            return False
        state, members = self._state, self._strata.members(self._number)
        changed = state.changes.added.keys() | state.changes.removed.keys()
        return not changed.isdisjoint(state.guards) and not any(code in state.guards for code in members)

    def foresee(self, *, waits: bool) -> None:
        """The stratum is about to be remade; in the next pass if it waits for that.

        Raises:
            UnsureError: rules of it may be there because of what they derived.
            DearerThanAnewError: rules are going to leave after this pass, so that the stratum would be remade under
                them in vain, and has most facts that are written out.
        """
        if any(map(self._state.may_hold_itself_up, self._strata.members(self._number))):
            self._state.meter.doubt()
        if not (waits or self._state.rules.leaving_rows):
            self._state.meter.remakes(self._written)

    def _external(self) -> int:
        """How many facts the schemes of the stratum make closures of."""
        whole = self._strata.definition(self._number)
        kept = self._strata.parts(self._number) if whole is None else [whole]
        external = (self._state.external.get(member.code) for each in kept for member in each.members)
        return sum(table.estimate for table in external if table)

    def _is_most(self, change: Mapping[int, int], larger: Callable[[int], Table | None], share: int) -> bool:
        """Whether rules of the stratum read more than one in `share` of some pairs as changed."""
        least = rule_tuning.REMADE_LEAST
        read = {code: count for code, count in change.items() if self._is_read(code)}
        shown = sum(read.values())
        before, whole = (
            sum(table.estimate for table in map(get, read) if table) for get in (self._state.before.get, larger)
        )
        return min(shown, before) >= least and shown * share > whole

    def _is_read(self, code: int) -> bool:
        """Whether rules of the stratum read a relation of it."""
        return bool(self._strata.recursive_rules(code))

    @cached_property
    def _closes_many(self) -> bool:
        """Whether schemes of the stratum make closures of many facts, as the pass begins."""
        return self._external() >= rule_tuning.REMADE_LEAST

    @cached_property
    def _written(self) -> int:
        """How many facts of the stratum were written out before."""
        tables = map(self._state.before.get, self._strata.members(self._number))
        return sum(table.estimate for table in tables if table and not table.is_virtual)

    @cached_property
    def _rules(self) -> int:
        """How many rules derive facts of the stratum, all of which are evaluated where it is remade."""
        return sum(self._strata.heads.count(code) for code in self._strata.members(self._number))

    @cached_property
    def _passes_sets_on(self) -> bool:
        """Whether rules of the stratum that read facts of it do nothing but to pass sets on, which takes less than to
        find what comes back."""
        members = self._strata.members(self._number)
        return all(use.passes_on for code in members for use in self._strata.recursive_rules(code))

    @cached_property
    def _is_recursive(self) -> bool:
        """Whether a rule of the stratum reads facts of it."""
        return any(self._strata.recursive_rules(code) for code in self._strata.members(self._number))

    @cached_property
    def _joins_itself(self) -> bool:
        """Whether a rule of the stratum joins facts of it with each other."""
        members = {*self._strata.members(self._number)}
        uses = (use for code in members for use in self._strata.rules_for(code)[0])
        bodies = ([use.parameters[atom.relation] for atom in use.group.template.body] for use in uses)
        return any(sum(code in members for code in body) > 1 for body in bodies)


def counts(change: Mapping[int, Table]) -> dict[int, int]:
    """About how many facts each table has."""
    return {code: table.estimate for code, table in change.items()}
