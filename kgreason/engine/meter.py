"""The work of a change so far, compared with its budget, and with what it would take to derive all facts anew.

All code that makes facts tells the meter: evaluations what a rule gave and how many rows they will make, passes what
was written out. So nothing is counted fact by fact, and an explosion is found before it takes the memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from typing import TYPE_CHECKING, Final, TypeAlias

from kgreason import memory, progress
from kgreason.engine import rule_tuning
from kgreason.engine.budget import Budget
from kgreason.engine.effort import DearerThanAnewError, Effort, UnsureError
from kgreason.errors import BudgetError
from kgreason.relations.table import Table

if TYPE_CHECKING:
    from kgreason.engine.facts import Facts
    from kgreason.engine.rules.groups import RuleGroup
    from kgreason.engine.rules.occurrences import Occurrence

Producer: TypeAlias = "RuleGroup | None"
"""The group of a rule; None for what derives the members of RDF lists."""

Describe: TypeAlias = Callable[[Producer, int], tuple[str, str]]
"""From a producer and the relation that it derives to the rule, named or as it was written, and the relation's name."""

ID_BYTES: Final = 4
NOWHERE: Final = -1
"""The relation of a rule that has none yet."""
_UNLIMITED: Final = Budget()
NAMED: Final = 5
"""So many rules are named in an error."""


class Meter:
    """The spending of one change."""

    def __init__(self, budget: Budget | None = None, describe: Describe | None = None) -> None:
        """Begin now; without a budget nothing is ever exceeded."""
        self._budget = _UNLIMITED if budget is None else budget
        self._describe = describe
        facts, seconds, nbytes = self._budget.facts, self._budget.seconds, self._budget.bytes
        self._deadline = self._budget.deadline()
        self._effort = Effort()
        self._may_give_up = False
        self._most_facts = inf if facts is None else facts
        self._most_bytes = inf if nbytes is None else nbytes
        self._texts = 0
        self.is_limited = not (facts is None and seconds is None and nbytes is None)
        self.restart()

    def restart(self) -> None:
        """Begin again with nothing derived; the time that has passed has passed."""
        self._facts = 0
        self._bytes = 0
        self._made: dict[tuple[Producer, int], int] = {}
        self._rule: tuple[Producer, int] | None = None
        self._work = self._spared = 0.0
        self._coming = self._going = 0
        self.count_rules(0, 0)

    @property
    def work(self) -> float:
        """What was done so far, counted as in `effort`."""
        return self._work

    @property
    def _spent(self) -> float:
        """What was done so far as it counts against more to come: it is lost if the change is dropped."""
        return (self._work - self._spared) / rule_tuning.ANEW_SPENT

    @property
    def is_compared(self) -> bool:
        """Whether the change may take too much work."""
        return self._most_work < inf

    def compare(self, effort: Effort) -> None:
        """Have the change end in DearerThanAnewError once it takes clearly more work than to derive a state anew."""
        self._effort = effort
        self._may_give_up = True
        self.count_rules(0, 0)

    def count_rules(self, coming: int, going: int) -> None:
        """So many rules come with the change, and so many go."""
        self._coming += coming
        self._going += going
        self._most_work = self._effort.anew(self._coming, self._going)

    def replaces(self, facts: Facts, explicit: Facts) -> None:
        """What is derived from now on takes the place of some facts, of which some are asserted."""
        if self.is_limited:
            for _, table in facts.items():
                self.wrote(table, None)
            for _, table in explicit.items():
                self.wrote(None, table)

    # -- what happened ------------------------------------------------------------------------------------------

    def begin(self, use: Occurrence) -> None:
        """A rule is evaluated from now on.

        Raises:
            MemoryError: there is hardly any left.
            DearerThanAnewError: the change takes too much work.
        """
        memory.check_reserve("a rule")
        self.worked(rule_tuning.RULE_WORK)
        if self.is_limited:
            self._rule = use.group, use.head
            self.tick()

    def begin_rules(self, group: RuleGroup, count: int) -> None:
        """So many rules are about to be made of one for the relations that there are.

        Raises:
            BudgetError: they take too much memory, or time is up.
        """
        if self.is_limited:
            self._rule = group, NOWHERE
            self.expect(0, group.bytes_of(count))

    def begin_lists(self, target: int) -> None:
        """The members of lists are looked for from now on, for a relation of theirs."""
        if self.is_limited:
            self._rule = None, target
            self.tick()

    def gave(self, found: Table | None, each: float = 1) -> None:
        """The rule that is evaluated gave these facts, known ones among them, `each` at so much work.

        Raises:
            DearerThanAnewError: the change takes too much work.
        """
        if found is not None:
            self.gave_rows(found.estimate, each)

    def gave_rows(self, count: int, each: float = 1) -> None:
        """The same of so many facts, or rows of them."""
        self.worked(count * each)
        if self.is_limited and self._rule is not None:
            self._made[self._rule] = self._made.get(self._rule, 0) + count

    def worked(self, work: float) -> None:
        """So much more was done.

        Raises:
            DearerThanAnewError: that is too much.
        """
        self._work += work
        if self._spent > self._most_work:
            raise DearerThanAnewError

    @contextmanager
    def uncounted(self) -> Iterator[None]:
        """What is done in the body is not too much: a stratum is derived anew, and not twice."""
        spared, work = self._spared, self._work
        self._spared = inf
        try:
            yield
        finally:
            self._spared = spared + self._work - work

    def foresee(self, strata: int, work: float = 0.0, idle: int = 0) -> None:
        """So many strata wait for the change, or will, each with a rule to be evaluated at least; and so much other
        work. In the end so many rules will be `idle`, which are not evaluated where all is derived anew.

        Raises:
            DearerThanAnewError: that takes too much work.
        """
        most = self._effort.anew(self._coming, idle) if idle > self._going else self._most_work
        if self._spent + strata * rule_tuning.RULE_WORK + work > most:
            raise DearerThanAnewError

    def remakes(self, facts: int) -> None:
        """So many facts are about to be derived anew by the rules as they are.

        Raises:
            DearerThanAnewError: some of these rules go, and the facts are most of those that are written out.
        """
        if self.is_in_vain(facts):
            raise DearerThanAnewError

    def is_in_vain(self, facts: int) -> bool:
        """Whether rules go, and so many facts, which would be derived under them, are most of those that are written
        out."""
        return self.is_compared and self._going > 0 and facts * rule_tuning.REMADE_TWICE > self._effort.facts

    def is_dear(self, work: float, facts: int) -> bool:
        """Whether so much of a pass over a stratum has taken a good part of the work that it takes to derive everything
        anew, and the stratum has most facts that are written out."""
        effort = self._effort
        return work * rule_tuning.REMADE_SPENT > effort.work and 2 * facts > effort.facts

    def doubt(self) -> None:
        """Facts may be there because of what they derive, and nothing else.

        Raises:
            UnsureError: the change may be dropped.
        """
        if self._may_give_up:
            raise UnsureError

    def asserted(self, table: Table) -> None:
        """Facts are asserted. They do not count against the budget when they are written out."""
        if not self.is_limited:
            return
        self._facts -= len(table)
        self._bytes -= len(table) * table.arity * ID_BYTES

    def wrote(self, before: Table | None, after: Table | None) -> None:
        """Other facts are written out now in the place of some."""
        for table, sign in ((before, -1), (after, 1)):
            if table is not None and not table.is_virtual:
                self._facts += sign * len(table)
                self._bytes += sign * len(table) * table.arity * ID_BYTES
        self.expect(0, 0)

    def showed(self, before: Table | None, after: Table | None) -> None:
        """A scheme shows something else now."""
        if self._budget.bytes is not None:
            for table, sign in ((before, -1), (after, 1)):
                if table is not None and table.is_virtual:
                    self._bytes += sign * table.nbytes
        self.expect(0, 0)

    def made_texts(self, characters: int) -> None:
        """Terms of so many characters were made, which stay also where the change begins again.

        Raises:
            BudgetError: more than the budget allows.
        """
        if characters and self.is_limited:
            self._texts += characters
            self.expect(0, 0)

    # -- whether it is too much ---------------------------------------------------------------------------------

    def tick(self) -> None:
        """Look at the clock.

        Raises:
            BudgetError: time is up.
        """
        progress.tick()
        passed = self._budget.spent(self._deadline)
        if passed is not None:
            self._exceed("seconds", passed)

    def check(self, rows: int = 0) -> None:
        """Look at the clock, as `checkpoints.Check`; rows that are not facts do not count.

        Raises:
            BudgetError: time is up.
        """
        self.tick()

    def expect(self, facts: int, nbytes: int) -> None:
        """So many facts more are about to be written out, or so many bytes to be taken.

        Raises:
            BudgetError: more than the budget allows, or time is up.
        """
        self.tick()
        if self._facts + facts > self._most_facts:
            self._exceed("facts", f"{self._facts + facts:,} are derived")
        needed = self._bytes + self._texts + nbytes
        if needed > self._most_bytes:
            self._exceed("bytes", f"{needed:,} are needed")

    def has_room(self, facts: int, nbytes: int) -> bool:
        """Whether there is room for so many facts more, of so many bytes, even if all of them are new."""
        return self._facts + facts <= self._most_facts and self._bytes + self._texts + nbytes <= self._most_bytes

    def _exceed(self, limit: str, spent: str) -> None:
        most = getattr(self._budget, limit)
        text = f"the closure exceeds the budget of {most:,} {limit}: {spent} so far"
        rules = self._most_productive()
        if rules:
            told = ", ".join(f"{rule} ({count:,}{place})" for rule, place, count in rules)
            text += f"; most by {told}, known ones included"
        raise BudgetError(text, limit, tuple((rule, count) for rule, _, count in rules))

    def _most_productive(self) -> list[tuple[str, str, int]]:
        """The rules that gave most, most first, each with the relation in which it gave most."""
        if self._rule is not None:
            self._made.setdefault(self._rule, 0)
        totals: Counter[str] = Counter()
        places: dict[str, list[str]] = {}
        for (producer, head), count in Counter(self._made).most_common():
            rule, place = self._describe(producer, head) if self._describe is not None else ("a rule", "")
            totals[rule] += count
            places.setdefault(rule, []).append(place)
        return [(rule, _chiefly(places[rule]), count) for rule, count in totals.most_common(NAMED)]


def _chiefly(places: list[str]) -> str:
    """Where a rule gave most, given all its relations, the fullest first; internal ones have no name."""
    if not places[0]:
        return ""
    return f" of {places[0]}" if len(places) == 1 else f", chiefly of {places[0]}"
