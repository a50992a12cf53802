"""How much work it takes to derive the facts of a state anew, which no change of it should exceed.

Work is counted in facts that rules give, known ones among them; a rule that is evaluated counts as
`rule_tuning.RULE_WORK`, and so does a stratum that is visited.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from kgreason.engine import rule_tuning


class DearerThanAnewError(Exception):
    """A change has taken, or is about to take, more work than to derive all facts anew."""


class UnsureError(DearerThanAnewError):
    """Only to derive all facts anew can tell which of them hold themselves up."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The work that it took to derive a state from its explicit facts, and the size of that state."""

    work: float
    size: int


@dataclass(frozen=True, slots=True)
class Effort:
    """What it takes to derive a state from its explicit facts, as far as that is known.

    Args:
        work: infinite where it is unknown.
        rules: the rules that the state has.
        facts: the facts that are written out.
        measured: the last state that was derived from its explicit facts, of which this one is a change; None for this
            state. What comes and goes again leaves the work as it was.
    """

    work: float = inf
    rules: int = 0
    facts: int = 0
    measured: Measured | None = None

    def anew(self, coming: int, going: int) -> float:
        """What it would take with some rules more and some less, and to compare what is found with what there was."""
        size = self._size
        after = max(1, size + (coming - going) * rule_tuning.RULE_WORK)
        return rule_tuning.ANEW_LEAST + self.facts / 4 + self.work * (after / size if size else 1)

    def after(self, spent: float, rules: int, facts: int) -> Effort:
        """That of the state after a change which took some work. A state that has grown takes more than the measured
        one, but not out of proportion; one that has shrunk takes less in proportion."""
        known, now = self._size, rules * rule_tuning.RULE_WORK + facts
        if self.work == inf or not known:
            return Effort(self.work, rules, facts)
        measured = self.measured or Measured(self.work, known)
        if now <= measured.size:
            return Effort(measured.work * now / measured.size, rules, facts, measured)
        more = max(0.0, self.work - measured.work)
        more = more + spent if now >= known else more * (now - measured.size) / (known - measured.size)
        most = rule_tuning.ANEW_GROWTH * (now / measured.size - 1) * measured.work
        return Effort(measured.work + min(more, most), rules, facts, measured)

    @property
    def _size(self) -> int:
        return self.rules * rule_tuning.RULE_WORK + self.facts
