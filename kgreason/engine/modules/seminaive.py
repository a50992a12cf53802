"""The seminaive module: every rule of a stratum that no other module stands for, evaluated from deltas.

A specialised rule carries its guard fact as one more body atom: when the guard is overdeleted, so is what
the rule derived, and the rule rederives nothing until the guard comes back. This is what keeps an axiom
from supporting itself through its own rule.
"""

from __future__ import annotations

from kgreason.engine import rule_tuning
from kgreason.engine.facts import relation_of
from kgreason.engine.modules.agenda import AgendaEntry
from kgreason.engine.modules.compared_rules import ComparedRules, is_sooner_read_whole
from kgreason.engine.modules.concerned_rules import ConcernedRules
from kgreason.engine.modules.copies import Copies
from kgreason.engine.modules.few_facts import FewFacts
from kgreason.engine.modules.grouping_rules import GroupingRules
from kgreason.engine.modules.interchangeable_ends import InterchangeableEnds
from kgreason.engine.modules.late_rules import LateRules
from kgreason.engine.modules.module import Delta, Found
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.modules.passed_sets import PassedSets
from kgreason.engine.modules.rule_filter import RuleFilter
from kgreason.engine.modules.spanning_rules import SpanningRules
from kgreason.engine.modules.support import Support
from kgreason.engine.modules.whole_relations import WholeRelations
from kgreason.engine.rules.evaluation import Evaluation
from kgreason.engine.rules.new_facts import NewFacts
from kgreason.engine.rules.occurrences import Occurrence
from kgreason.engine.rules.output import ALL, Output
from kgreason.engine.rules.rings import bridges
from kgreason.engine.rules.rule_batches import Intersections, RuleBatches
from kgreason.relations.table import Table


class SeminaiveModule:
    """The rules of the stratum `number`; what waits for it says which rules the strata below concern.

    With the strategy's `support`, a fact is only overdeleted if no nonrecursive rule derives it any more, so that
    these have nothing to rederive.
    """

    def __init__(
        self,
        state: PassState,
        support: Support,
        spanning: SpanningRules,
        ends: InterchangeableEnds,
        late: LateRules,
        copies: Copies,
        few: FewFacts,
        number: int,
        waiting: AgendaEntry,
    ) -> None:
        self._state = state
        self._strata = state.strata
        self._waiting = waiting
        self._deleting, self._adding = RuleFilter(state.strategy), RuleFilter(state.strategy, passes_on=True)
        self._spanning = spanning
        self._ends = ends
        self._late = late
        self._copies = copies
        self._few = few
        self._concerned = ConcernedRules(state, number)
        self._compared = ComparedRules(state, number)
        self._grouping = GroupingRules(state)
        self._passed = PassedSets(state, support)
        self._new: NewFacts | None = None

    def lost(self) -> Found:
        evaluation, changes = self._state.before_evaluation, self._state.changes
        intersections, batches = Intersections(), RuleBatches()
        for use in (*self._waiting.leaving, *self._waiting.unguarded):
            if not self._takes(batches, use, None):
                yield self._key(use), self._heads(evaluation, use)
        yield from self._derived_together(evaluation, batches)
        for use, code, negated in self._waiting.triggers:
            if use.group.template.summaries:
                yield self._key(use), self._grouping.lost(use, code)
                continue
            table = changes.added.get(code) if negated else changes.removed.get(code)
            if table is not None and not negated and self._compares(use, table, self._state.get_before(code)):
                yield self._key(use), self._compared.lost(use)
            elif table is not None and not intersections.take(use, table, negated):
                yield self._key(use), self._from_delta(evaluation, use, table, negated)
        yield from self._intersected(evaluation, intersections)

    def delete(self, delta: Delta) -> Found:
        evaluation, skipping = self._state.before_evaluation, self._deleting
        intersections = Intersections()
        for code in self._few.left:
            skipping.record(code, None)
        skipping.next_round(delta)
        self._ends.record(delta)
        for code, table in delta.items():
            reading = self._concerned.reading(code, table, self._state.get_before)
            for use in self._state.rules.without_fresh(reading):
                if not skipping.is_idle(code, use):
                    skipping.record(self._key(use), use)
                    if use.passes_on:
                        yield self._key(use), self._passed.go_with(use, table)
                    elif not intersections.take(use, table):
                        yield self._key(use), self._from_delta(evaluation, use, table, negated=False)
            for use in self._concerned.guarded(code, table):
                skipping.record(self._key(use), None)  # what the rule copied is still there
                yield self._key(use), self._heads(evaluation, use)
        yield from self._intersected(evaluation, intersections)

    def rederive(self, deleted: Delta) -> Found:
        evaluation, represented = self._state.now_evaluation, self._state.represented
        for key, table in deleted.items():
            recursive, others = self._concerned.deriving(relation_of(key), table)
            uses = recursive if self._state.strategy.support else [*others, *recursive]
            wanted = table
            if not self._state.strategy.support and (facts := self._state.active_facts(relation_of(key))):
                yield key, facts.intersection(table)
            for use in filter(self._state.is_active, uses):
                if represented is not None and represented.are_read(use):
                    yield key, represented.derivable(evaluation, use, table)
                    continue
                found = evaluation.derivable(use.group.template, use.parameters, wanted)
                if found:
                    yield key, found
                    wanted = wanted.difference(found)
                    if not wanted:
                        break
        yield from self._spanning.joined_again()

    def gained(self) -> Found:
        evaluation, changes = self._state.now_evaluation, self._state.changes
        # From here on facts come and none go, but that other representatives may take the place of some.
        self._new = NewFacts(self._state.get)
        intersections, batches = Intersections(), RuleBatches()
        for use, code, negated in self._waiting.triggers:
            if use.group.template.summaries:
                yield self._key(use), self._grouping.gained(use, code)
                continue
            if not self._state.is_active(use):
                continue
            table = changes.removed.get(code) if negated else changes.added.get(code)
            if table is not None and not negated and self._compares(use, table, self._state.get(code)):
                yield self._key(use), self._compared.gained(use)
            elif table is None or intersections.take(use, table, negated):
                continue
            elif negated or not self._takes(batches, use, table):
                yield self._key(use), self._from_delta(evaluation, use, table, negated)
        yield from self._intersected(evaluation, intersections)
        for use in filter(self._state.may_fire, self._waiting.fresh):
            if not self._takes(batches, use, None):
                yield self._key(use), self._heads(evaluation, use)
        yield from self._derived_together(evaluation, batches)
        yield from self._late.rings()

    def add(self, delta: Delta) -> Found:
        evaluation, skipping = self._state.now_evaluation, self._adding
        intersections, batches, copied = Intersections(), RuleBatches(), self._copies.copied
        for code in (*(copied or ()), *self._few.left):
            skipping.record(code, None)
        skipping.next_round(delta)
        whole = WholeRelations(self._state.get, delta)
        for code, table in whole.first():
            for use in self._concerned.reading(code, table, self._state.get):
                if copied is not None and self._copies.has(use):
                    continue
                if self._state.may_fire(use) and not skipping.is_idle(code, use):
                    skipping.record(self._key(use), use)
                    if whole.have_covered(code, use) or intersections.take(use, table):
                        continue
                    if self._only_repeats(evaluation, use, table):
                        continue
                    if use.passes_on:
                        yield self._key(use), self._passed.come_with(use, table)
                    elif not self._takes(batches, use, table):
                        yield self._key(use), self._come_with(use, table, whole.have(code))
            for use in self._concerned.guarded(code, table):
                if not self._state.rules.is_leaving(use):
                    skipping.record(self._key(use), use)
                    yield self._key(use), self._heads(evaluation, use)
        yield from self._intersected(evaluation, intersections, is_adding=True)
        yield from self._derived_together(evaluation, batches)
        yield from self._late.rings()

    def _takes(self, batches: RuleBatches, use: Occurrence, facts: Table | None) -> bool:
        """Whether a rule may be evaluated together with others, with new facts of its atom or with all facts."""
        return not (self._is_represented(use) or self._ends.has(use)) and batches.take(use, facts)

    def _derived_together(self, evaluation: Evaluation, batches: RuleBatches) -> Found:
        """What rules derive that may be evaluated together, where they are many."""
        for batch in batches.taken():
            if len(batch) >= rule_tuning.BATCHED_RULES:
                yield from ((self._strata.key(code), found) for code, found in evaluation.heads_together(batch))
            elif batch.tables:
                for use, table in zip(batch.uses, batch.tables, strict=True):
                    yield self._key(use), self._from_delta(evaluation, use, table, negated=False)
            else:
                yield from ((self._key(use), self._heads(evaluation, use)) for use in batch.uses)

    def _compares(self, use: Occurrence, changed: Table, whole: Table | None) -> bool:
        """Whether what a rule derives is compared, before and after."""
        return not self._spanning.has(use) and self._compared.compares(use, changed, whole)

    def _intersected(
        self, evaluation: Evaluation, intersections: Intersections, is_adding: bool = False
    ) -> Found:
        """What the intersections of a round derive."""
        for use, table in intersections.taken():
            if not (is_adding and self._only_repeats(evaluation, use, table)):
                self._state.meter.begin(use)
                yield self._key(use), evaluation.heads_among(use.group.template, use.parameters, table)

    def _only_repeats(self, evaluation: Evaluation, use: Occurrence, delta: Table) -> bool:
        """Whether all that a rule can derive from new facts is known."""
        is_asked = self._state.strategy.skip_redundant
        if not is_asked:
            return False
        known = self._state.get(self._key(use))  # what a scheme makes of that may rest on other facts
        return evaluation.only_repeats(use.group.template, use.parameters, use.position, delta, known)

    def _key(self, use: Occurrence) -> int:
        return self._strata.key(use.head)

    def _heads(self, evaluation: Evaluation, use: Occurrence) -> Table | None:
        self._state.meter.begin(use)
        if use.group.template.is_single:
            return evaluation.heads(use.group.template, use.parameters)
        if self._spanning.has(use):
            is_lost = evaluation is self._state.before_evaluation
            return self._spanning.lost(use) if is_lost else self._spanning.gained(use)
        if evaluation is self._state.before_evaluation and self._ends.has(use):
            return self._ends.lost(use)
        if self._waits(use):
            return None
        return evaluation.heads(use.group.template, use.parameters, self._output(evaluation, use))

    def _from_delta(self, evaluation: Evaluation, use: Occurrence, delta: Table, negated: bool) -> Table | None:
        is_lost = evaluation is self._state.before_evaluation
        if not (is_lost or negated) and is_sooner_read_whole(use, delta):
            return self._heads(evaluation, use)
        self._state.meter.begin(use)
        if use.group.template.is_single:
            return evaluation.heads_from(use.group.template, use.parameters, use.position, delta)
        if self._spanning.has(use):
            return self._spanning.lost(use, delta) if is_lost else self._spanning.gained(use, delta)
        if is_lost and self._ends.has(use):
            return self._ends.lost(use, delta)
        template, output = use.group.template, self._output(evaluation, use)
        if not (is_lost or negated) and self._waits(use, delta):
            return None
        if negated:
            return evaluation.heads_from_negated(template, use.parameters, use.position, delta, output)
        asked = self._asked(use) if is_lost and delta.is_dear else None
        return evaluation.heads_from(template, use.parameters, use.position, delta, output, asked)

    def _waits(self, use: Occurrence, delta: Table | None = None) -> bool:
        """Whether a rule that adds facts waits with new facts of its atom, or with all facts."""
        if self._new is None or self._is_represented(use):
            return False
        return self._late.take(use, delta, self._new.maker(self._key(use)))

    def _asked(self, use: Occurrence) -> Table | None:
        """Those of the facts of a rule's head that it may lose."""
        known, explicit = self._state.get_before(self._key(use)), self._state.explicit.get(use.head)
        if self._state.represented is not None or not known:  # there they may have other names
            return None
        return known.difference(explicit) if explicit else known

    def _output(self, evaluation: Evaluation, use: Occurrence) -> Output:
        """Which heads are needed: where facts are added, not those that are known, or that follow from others."""
        if self._new is None or evaluation is self._state.before_evaluation or self._is_represented(use):
            return ALL
        return Output(self._new.maker(self._key(use)), self._ends.of(use))

    def _is_represented(self, use: Occurrence) -> bool:
        """Whether other representatives may take the place of facts that a rule reads, or of those that it derives."""
        represented = self._state.represented
        return represented is not None and represented.concern(use)

    def _come_with(self, use: Occurrence, delta: Table, is_whole: bool) -> Table | None:
        """What a rule derives from new facts. Where these are all facts of its atom, one that pairs the members of
        groups may begin with any atom."""
        if is_whole and bridges(use.group.template):
            return self._heads(self._state.now_evaluation, use)
        return self._from_delta(self._state.now_evaluation, use, delta, negated=False)
