"""Rounds of a few facts, one fact after the other, until more wait than are worth it.

Along a path that a recursion follows, each round finds a few facts. To find them by columns takes some 100 microseconds
a round, in loops over single facts (`kgreason.engine.rules.nested_loops`) some microseconds a fact. So while few facts
come or go, each is given to the rules that read it, and what these derive waits after it (`fact_queue`). Facts that no
loops are for are left to the rounds of the pass.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from kgreason.engine import rule_tuning
from kgreason.engine.modules.agenda import DeltaBuffer
from kgreason.engine.modules.fact_queue import Coming, FactQueue, Followed, Going, IsEnough
from kgreason.engine.modules.lists import ListModule
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.rules.occurrences import Occurrence
from kgreason.relations.table import Table


class FewFacts:
    """The rounds of a few facts in one pass over the stratum `number`.

    `left` are the relations of facts that wait since the last of them: which rules derived these is not known.
    """

    def __init__(self, state: PassState, number: int, lists: Sequence[ListModule]) -> None:
        """`lists` are the list modules of the program."""
        self._state = state
        self._strata = state.strata
        self._lists = lists
        self._has_schemes = state.strata.definition(number) is not None or bool(state.strata.parts(number))
        self.left: Collection[int] = ()
        self.begin()

    def begin(self) -> None:
        """Facts go in the rounds that come now, or they come: those before tell nothing of these."""
        self._paused, self._pause = 0, 1

    def are_to_come(self, facts: DeltaBuffer) -> bool:
        """Whether facts that wait are few, and some are given to rules one by one."""
        return self._are_worth_it(facts, self._are_given)

    def are_to_go(self, facts: DeltaBuffer) -> bool:
        """The same of facts that go."""
        return self._are_worth_it(facts, self._are_taken)

    def _are_worth_it(self, facts: DeltaBuffer, is_followed: Callable[[int], bool]) -> bool:
        self.left = ()
        if self._paused:
            self._paused -= 1
            return False
        if self._has_schemes or self._state.represented is not None or not facts.are_few(rule_tuning.FEW_FACTS):
            return False
        keys = facts.keys()
        return any(is_followed(key) and self._strata.recursive_rules(key) for key in keys)

    def come(self, facts: Iterable[tuple[int, Table]]) -> Followed:
        """Follow facts that come, while those that wait are few; those that are new.

        Raises:
            BudgetError: there is no time left, or these are more facts than the budget allows.
        """
        return self._followed(Coming(self._state, self._are_given), facts)

    def go(self, facts: Iterable[tuple[int, Table]], gone: Mapping[int, Table], is_enough: IsEnough) -> Followed:
        """The same of facts that go: those that are there and not sure to hold, beside others that are `gone` already,
        until `is_enough` says that to go on after so many is in vain.

        Raises:
            BudgetError: as `come`.
        """
        return self._followed(Going(self._state, self._are_taken, gone, is_enough), facts)

    def _followed(self, queue: FactQueue, facts: Iterable[tuple[int, Table]]) -> Followed:
        for code, table in facts:
            queue.add(code, table)
        if queue.follow():
            self._pause = 1
        else:
            self._paused, self._pause = self._pause, 2 * self._pause
        found = queue.found()
        self.left = found.waiting.keys()
        return found

    def _are_given(self, code: int) -> bool:
        """Whether the facts of a relation are given to rules one by one, since all of these are evaluated by loops."""
        return self._are_rules_alone(code) and all(map(_has_loops, self._strata.recursive_rules(code)))

    def _are_taken(self, code: int) -> bool:
        """The same of facts that go, of which it is also asked whether rules derive them from what is below."""
        if not self._are_given(code) or self._strata.heads.count(code) > rule_tuning.LOOPED_RULES:
            return False
        return all(use.group.template.loops_from_head is not None for use in self._strata.rules_for(code)[1])

    def _are_rules_alone(self, code: int) -> bool:
        """Whether nothing but rules, and few of them, reads a relation within the stratum."""
        if self._strata.body.count(code) > rule_tuning.LOOPED_RULES or code in self._strata.guards:
            return False
        return not any(code in module.inputs for module in self._lists)


def _has_loops(use: Occurrence) -> bool:
    """Whether a rule is evaluated by loops; one that passes a set on goes all the way at once."""
    return not use.passes_on and use.group.template.loops[use.position] is not None
