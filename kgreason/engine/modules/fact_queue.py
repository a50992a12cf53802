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

IsEnough: TypeAlias = Callable[[int], bool]
"""Whether so many accepted facts are enough."""


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
        self._rule_count = 0

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
        """Follow what waits until nothing does, or for `FACTS_A_RUN` facts; False where it becomes too much, or all is
        left to columns.

        Raises:
            BudgetError: there is no time left, or more facts come than the budget allows.
        """
        waiting, rules, allowance = self._waiting, self._rules, self._facts.allowance
        if not waiting and self._left:
            return False
        count, round_ends = 0, len(waiting)
        try:
            while waiting and count < rule_tuning.FACTS_A_RUN:
                if len(waiting) > rule_tuning.MORE_FACTS or (count == round_ends and self._took_long()):
                    return False
                if count == round_ends:
                    round_ends += len(waiting)
                if not count % _CHECKED and self._is_enough(count):
                    return True
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
            made = [
                for_each_fact(
                    use.group.template, use.parameters, use.position, facts, terms, self._taker(use.head)
                )
                for use in self._uses(code)
            ]
            found = self._rules[code] = [give for give in made if give is not None]
            self._rule_count += len(found)
        return found

    def _took_long(self) -> bool:
        """Whether so many facts were looked at in the round that is done that columns would have taken less time."""
        return self._looked_at() > rule_tuning.LOOKED_AT * self._rule_count

    def _looked_at(self) -> int:
        return self._facts.allowance.taken()

    def _is_enough(self, count: int) -> bool:
        """Whether to stop after so many facts, even though few wait; sees to it that time is left."""
        if count:
            self._state.meter.worked(_CHECKED * rule_tuning.LOOPED_WORK)
        self._state.meter.tick()
        return False


class Coming(FactQueue):
    """Facts that come: those that are not there. Rules read them at once."""

    def __init__(self, state: PassState, is_followed: Callable[[int], bool]) -> None:
        super().__init__(state, FactsByRelation(state.get), is_followed)

    def _accepts(self, code: int) -> Accept:
        return self._facts.of(code).add

    def _uses(self, code: int) -> Iterable[Occurrence]:
        return filter(self._state.may_fire, self._state.strata.recursive_rules(code))

    def _is_enough(self, count: int) -> bool:
        """And that the facts are no more than the budget allows."""
        if self._state.meter.is_limited:
            found = [(len(facts), len(facts[0])) for facts in self._accepted.values() if facts]
            nbytes = sum(ID_BYTES * facts * width for facts, width in found)
            self._state.meter.expect(sum(facts for facts, _ in found), nbytes)
        return super()._is_enough(count)


class Going(FactQueue):
    """Facts that go, as they followed from others before the pass: those that are there, neither asserted nor derived
    by a rule from what is below the stratum."""

    def __init__(
        self, state: PassState, is_followed: Callable[[int], bool], gone: Mapping[int, Table], is_enough: IsEnough
    ) -> None:
        """Other facts are `gone` already; `is_enough` says whether to go on after so many more is in vain."""
        super().__init__(state, FactsByRelation(state.get_before), is_followed)
        self._sure = FactsByRelation(state.get)
        self._gone = gone
        self._is_in_vain = is_enough

    def _accepts(self, code: int) -> Accept:
        state = self._state
        has, explicit, gone = self._facts.of(code).has, state.explicit.get(code), set[Fact]()
        gone_before = self._gone.get(code)
        uses = filter(state.is_active, state.strata.rules_for(code)[1]) if state.strategy.support else ()
        made = (derives_fact(use.group.template, use.parameters, self._sure, state.terms) for use in uses)
        tests = [test for test in made if test is not None]
        if state.strategy.support and (facts := state.active_facts(code)):
            tests.append(facts.has)
        self._rule_count += len(tests)
        allowance = self._sure.allowance

        def accept(fact: Fact) -> bool:
            if fact in gone or not has(fact) or (explicit is not None and explicit.has(fact)):
                return False
            if gone_before is not None and gone_before.has(fact):
                return False
            allowance.begin()
            if any(test(fact) for test in tests):
                return False
            gone.add(fact)
            return True

        return accept

    def _looked_at(self) -> int:
        return super()._looked_at() + self._sure.allowance.taken()

    def _is_enough(self, count: int) -> bool:
        return super()._is_enough(count) or self._is_in_vain(sum(map(len, self._accepted.values())))

    def _uses(self, code: int) -> Iterable[Occurrence]:
        return self._state.rules.without_fresh(self._state.strata.recursive_rules(code))


def _table(facts: Sequence[Fact]) -> Table:
    return table_of(tuple(np.array(column, dtype=np.uint32) for column in zip(*facts, strict=True)))
