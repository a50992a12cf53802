"""Which relations can have facts, and the rules over them, with densely numbered relations.

A relation is possible when it has facts or is the head of a rule whose positive body relations are all possible. Those
that were possible so stay possible without facts, too, while they are few: so things that come and go take no rules out
of force.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kgreason.columns import pairs, sorted_sets
from kgreason.columns.graphs import rows_of
from kgreason.engine import rule_tuning
from kgreason.engine.meter import Meter
from kgreason.engine.rules.copying import naming_of
from kgreason.engine.rules.groups import Constant, Flags, ParameterRows, RuleGroup
from kgreason.engine.rules.reached import Reached
from kgreason.engine.rules.rule_draft import RuleDraft
from kgreason.engine.rules.rule_inputs import Reader, Terms
from kgreason.engine.strata.numbered_rules import NumberedRules
from kgreason.engine.strata.reached_by_clauses import guard_facts, led_to

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Guards:
    """Where guard facts are, and what the engine asks of terms."""

    get: Reader
    terms: Terms


@dataclass(frozen=True, slots=True)
class Dependency:
    """A relation that a module derives from another one, beside the rules."""

    source: int
    target: int


@dataclass(slots=True, eq=False, repr=False)
class PossibleRelations:
    """The possible relations of a draft of rules, which gets the rows of its universal groups for them, and the rows
    of guard facts whose body relations are reached for the first time.

    Args:
        draft: the rules.
        facts: the relations with facts.
        modules: what modules derive.
        hidden: the relation that no universal group has rows for.
        guards: the guard facts.
        meter: has the budget for the rows.
        before: the relations that were possible so far, in order.

    Attributes:
        rules: the rules over numbers of all relations.
        possible: for each number whether the relation is possible.
    """

    draft: RuleDraft
    facts: Codes
    modules: Sequence[Dependency]
    hidden: int
    guards: Guards
    meter: Meter
    before: Codes = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    rules: NumberedRules = field(init=False)
    possible: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        # What has facts is possible whatever the rules are, and its rows mostly are all that come.
        self._grow(sorted_sets.unique(self.facts))
        self._number()
        while self._grow(self.rules.codes[self.possible]):
            self._number()

    def _number(self) -> None:
        """Number the relations of the rules, those with facts, and those of modules, and find which are possible."""
        links = np.array([code for link in self.modules for code in (link.source, link.target)], dtype=np.int64)
        self.rules = NumberedRules.of(self.draft, np.append(self.facts, links))
        self.possible = np.zeros(len(self.rules.codes), dtype=np.bool_)
        self.possible[self.rules.codes.searchsorted(self.facts)] = True
        self._spread_possible()
        self._keep_possible()

    def _keep_possible(self) -> None:
        """Let what was possible before stay so if that is little."""
        codes = self.rules.codes
        places = codes.searchsorted(self.before)
        places = places[codes.take(places, mode="clip") == self.before]
        others = places[~self.possible[places]]
        if 0 < len(others) * rule_tuning.IMPOSSIBLE_SHARE <= np.count_nonzero(self.possible):
            self.possible[others] = True
            self._spread_possible()

    def _grow(self, possible: Codes) -> bool:
        """Add the rows that possible relations, by their sorted codes, bring; whether there are any."""
        reached = Reached.of_codes(possible[possible != self.hidden])
        classes, properties = reached.classes, reached.properties
        has_grown = False
        for group in list(self.draft.groups.values()):
            if group.universals and len(group.bases) and self._constants_possible(group, possible):
                self.meter.begin_rules(group, group.rows_for(len(classes), len(properties)))
                has_grown |= self.draft.extend(group.number, classes, properties, self.guards.terms.test)
        return has_grown | self._admit_reached(reached)

    def _admit_reached(self, now: Reached) -> bool:
        """Add the rows of guard facts that name relations which are reached for the first time, and of those that name
        what these lead to; whether there are any."""
        known = self.draft.reached
        has_grown, rounds = False, 0
        while known is not None and len(fresh := now.without(known)):
            self.meter.tick()
            rounds += 1
            fresh = self._led_to(fresh, known).without(known)
            if not rounds % rule_tuning.REACHED_ROUNDS:
                fresh = self._led_far(known.with_more(fresh), rounds).without(known)
            known = known.with_more(fresh)
            heads = [np.empty(0, dtype=np.int64)]
            for group in list(self.draft.groups.values()):
                guards = self.guards.get(group.guard) if group.guard is not None and group.named() else None
                if guards:
                    rows = group.rows_reached(guards, fresh, known)
                    if len(rows) and len(rows := rows[self._admits(group, rows)]):
                        heads.append(self.draft.add_reached(group.number, rows))
                        has_grown = True
            now = Reached.of_codes(sorted_sets.unique(np.concatenate(heads)))
        self.draft.reached = known
        return has_grown

    def _admits(self, group: RuleGroup, rows: ParameterRows) -> Flags:
        """For each guard row of a group whether it may become a rule."""
        terms = self.guards.terms
        kept = group.are_named(rows, terms.names) & ~group.have_name(rows, self.hidden)
        kept[kept] = group.passes(rows[kept], terms.test)
        return kept

    def _led_far(self, reached: Reached, rounds: int) -> Reached:
        """Relations, and those that guard facts lead to from them, if there are few of these beside the rounds that
        there were."""
        facts = [*guard_facts(self.draft.groups.values(), self.guards.get, self.hidden)]
        is_worth_it = sum(map(len, facts)) <= rounds * rule_tuning.REACHED_EACH
        return led_to(facts, reached, self._admits) if is_worth_it else reached

    def _led_to(self, reached: Reached, known: Reached) -> Reached:
        """Relations, and those that rules lead to from them which copy facts along pairs of a guard, step by step, as
        far as these are not known: what these lead to has been found with them, or is when it is possible."""
        for group in self.draft.groups.values():
            naming = naming_of(group, self.hidden)
            guards = self.guards.get(group.guard) if group.guard is not None and naming is not None else None
            if not guards or naming is None:
                continue
            ends = dict(group.named())
            ids = front = reached.of(naming.kind).astype(np.uint32)
            before = known.of(naming.kind)
            while len(front):
                more = [guards.image(position, front) for position in ends]
                front = sorted_sets.difference(sorted_sets.union_all(more), ids)
                front = front[~sorted_sets.contains(before, front.astype(np.int64))]
                ids = sorted_sets.union(ids, front)
            reached = reached.with_more(Reached.among(naming.kind, ids))
        return reached

    @staticmethod
    def _constants_possible(group: RuleGroup, possible: Codes) -> bool:
        """Whether the body relations that are the same in all rows of a universal group can have facts."""
        sources = (group.sources[atom.relation] for atom in group.template.body)
        constants = [source.value for source in sources if isinstance(source, Constant)]
        return bool(sorted_sets.contains(possible, np.array(constants, dtype=np.int64)).all())

    def _spread_possible(self) -> None:
        possible, rules, codes = self.possible, self.rules, self.rules.codes
        links = [(codes.searchsorted(m.source), codes.searchsorted(m.target)) for m in self.modules]
        lengths = np.bincount(rules.bodies.rules, minlength=len(rules))
        # Most relations of most rules have facts.
        derives, is_single = (rules.heads >= 0) & ~possible[rules.heads], lengths == 1
        single, others = np.flatnonzero(derives & is_single), derives & ~is_single
        changed = True
        while changed:
            before = int(np.count_nonzero(possible))
            for source, target in links:
                possible[target] |= possible[source]
            possible[rules.heads[others & ~rules.lacking(possible)]] = True
            _follow(possible, rules.firsts[single], rules.heads[single])
            changed = int(np.count_nonzero(possible)) > before


def _follow(possible: NDArray[np.bool_], bodies: Codes, heads: Codes) -> None:
    """Make possible what rules with one body relation lead to, along paths: O(rules)."""
    offsets, targets = rows_of(len(possible), bodies, heads)
    front = sorted_sets.unique(bodies[possible[bodies]])
    while len(front):
        _, positions = pairs.spread(offsets[front], offsets[front + 1])
        found = targets[positions]
        front = sorted_sets.unique(found[~possible[found]])
        possible[front] = True
