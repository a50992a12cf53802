"""Facts that are followed one after the other: each is given to the rules that read it, and what these derive waits.

A stratum has two such queues: of facts that come and of facts that go. They differ in which rules a fact is given to,
and in which derived facts are accepted. The tables of the state stay the same meanwhile.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from kgreason.engine import rule_tuning
from kgreason.engine.meter import ID_BYTES
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.rules.nested_loops import Take, derives_fact, for_each_fact
from kgreason.engine.rules.occurrences import Occurrence
from kgreason.engine.rules.single_facts import Fact, FactsByRelation, ManyFactsError
from kgreason.relations.plain import table_of
from kgreason.relations.table import Table

_CHECKED: Final = 1 << 6
"""So many facts are followed between looks at the clock."""

Accept: TypeAlias = Callable[[Fact], bool]
"""Whether a derived fact is one that is followed, and has not been accepted before."""


@dataclass(frozen=True, slots=True, eq=False)
class Followed:
    """Accepted facts by relation: those that are `done`, from which nothing follows but what is here, and those that
    wait for a round."""

    done: Mapping[int, Table]
    waiting: Mapping[int, Table]


class FactQueue(ABC):
    """Facts that wait to be followed, in order. `is_followed` says of which relations."""

    def __init__(self, state: PassState, facts: FactsByRelation, is_followed: Callable[[int], bool]) -> None:
        """`facts` are those that the rules read."""
        self._state = state
        self._facts = facts
        self._is_followed = is_followed
        self._accepted: dict[int, list[Fact]] = {}
        self._waiting: deque[tuple[int, Fact]] = deque()
        self._left: list[tuple[int, Fact]] = []
        self._takers: dict[int, Take] = {}
        self._rules: dict[int, Sequence[Take]] = {}

    @abstractmethod
    def _accepts(self, code: int) -> Accept:
        """Which facts of a relation are accepted."""

    @abstractmethod
    def _uses(self, code: int) -> Iterable[Occurrence]:
        """The rules that a fact of a relation is given to."""

    def add(self, code: int, table: Table) -> None:
        """Have facts of a relation wait, those that are accepted, or of which that would take too long to say."""
        take = self._taker(code)
        for fact in zip(*(column.tolist() for column in table.columns()), strict=True):
            try:
                take(fact)
            except ManyFactsError:
                self._left.append((code, fact))

    def follow(self) -> bool:
        """Follow what waits until nothing does, or for `FACTS_A_RUN` facts; False where it becomes too much.

        Raises:
            BudgetError: there is no time left, or more facts come than the budget allows.
        """
        waiting, rules, allowance = self._waiting, self._rules, self._facts.allowance
        count = 0
        try:
            while waiting and count < rule_tuning.FACTS_A_RUN:
                if len(waiting) > rule_tuning.MORE_FACTS:
                    return False
                if not count % _CHECKED:
                    self._check(count)
                code, fact = waiting[0]
                allowance.begin()
                for give in rules.get(code) or self._rules_of(code):
                    give(fact)
                waiting.popleft()
                count += 1
        except ManyFactsError:
            return False
        return True

    def found(self) -> Followed:
        """All that was accepted."""
        waiting: dict[int, dict[Fact, None]] = {}
        for code, fact in (*self._left, *self._waiting):
            waiting.setdefault(code, {})[fact] = None
        done = {}
        for code, facts in self._accepted.items():
            but = waiting.get(code)
            done[code] = [fact for fact in facts if fact not in but] if but else facts
        return Followed(
            {code: _table(facts) for code, facts in done.items() if facts},
            {code: _table([*facts]) for code, facts in waiting.items()},
        )

    def _taker(self, code: int) -> Take:
        """What has a fact of a relation wait if it is accepted."""
        found = self._takers.get(code)
        if found is None:
            accepts, accepted = self._accepts(code), self._accepted.setdefault(code, [])
            waiting = self._waiting if self._is_followed(code) else self._left

            def take(fact: Fact) -> None:
                if accepts(fact):
                    accepted.append(fact)
                    waiting.append((code, fact))

            found = self._takers[code] = take
        return found

    def _rules_of(self, code: int) -> Sequence[Take]:
        """What gives a fact of a relation to each of its rules."""
        found = self._rules.get(code)
        if found is None:
            facts, terms = self._facts, self._state.terms
            made = [for_each_fact(use, facts, terms, self._taker(use.head)) for use in self._uses(code)]
            found = self._rules[code] = [give for give in made if give is not None]
        return found

    def _check(self, count: int) -> None:
        """See to it that time is left after so many facts."""
        if count:
            self._state.meter.worked(_CHECKED * rule_tuning.LOOPED_WORK)
        self._state.meter.tick()


class Coming(FactQueue):
    """Facts that come: those that are not there. Rules read them at once."""

    def __init__(self, state: PassState, is_followed: Callable[[int], bool]) -> None:
        super().__init__(state, FactsByRelation(state.get), is_followed)

    def _accepts(self, code: int) -> Accept:
        return self._facts.of(code).add

    def _uses(self, code: int) -> Iterable[Occurrence]:
        return filter(self._state.may_fire, self._state.strata.recursive_rules(code))

    def _check(self, count: int) -> None:
        """And that the facts are no more than the budget allows."""
        super()._check(count)
        if self._state.meter.is_limited:
            found = [(len(facts), len(facts[0])) for facts in self._accepted.values() if facts]
            nbytes = sum(ID_BYTES * facts * width for facts, width in found)
            self._state.meter.expect(sum(facts for facts, _ in found), nbytes)


class Going(FactQueue):
    """Facts that go, as they followed from others before the pass: those that are there, neither asserted nor derived
    by a rule from what is below the stratum."""

    def __init__(self, state: PassState, is_followed: Callable[[int], bool]) -> None:
        super().__init__(state, FactsByRelation(state.get_before), is_followed)
        self._sure = FactsByRelation(state.get)

    def _accepts(self, code: int) -> Accept:
        state = self._state
        has, explicit, gone = self._facts.of(code).has, state.explicit.get(code), set[Fact]()
        uses = filter(state.is_active, state.strata.rules_for(code)[1]) if state.strategy.support else ()
        tests = [test for use in uses if (test := derives_fact(use, self._sure)) is not None]
        allowance = self._sure.allowance

        def accept(fact: Fact) -> bool:
            if fact in gone or not has(fact) or (explicit is not None and explicit.has(fact)):
                return False
            allowance.begin()
            if any(test(fact) for test in tests):
                return False
            gone.add(fact)
            return True

        return accept

    def _uses(self, code: int) -> Iterable[Occurrence]:
        return self._state.rules.without_fresh(self._state.strata.recursive_rules(code))


def _table(facts: Sequence[Fact]) -> Table:
    return table_of(tuple(np.array(column, dtype=np.uint32) for column in zip(*facts, strict=True)))
