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


@dataclass(frozen=True, slots=True)
class Effort:
    """What it took to derive a state from its explicit facts, or would take, as far as that is known.

    Args:
        work: infinite where it is unknown.
        rules: the rules that the state has.
        facts: the facts that are written out.
    """

    work: float = inf
    rules: int = 0
    facts: int = 0

    def anew(self, coming: int, going: int) -> float:
        """What it would take with some rules more and some less, and to compare what is found with what there was."""
        size = self._size
        after = max(1, size + (coming - going) * rule_tuning.RULE_WORK)
        return rule_tuning.ANEW_LEAST + self.facts / 4 + self.work * (after / size if size else 1)

    def after(self, spent: float, rules: int, facts: int) -> Effort:
        """That of the state after a change which took some work. A state that has grown takes more than before, but not
        out of proportion; one that has shrunk takes less in proportion."""
        known, now = self._size, rules * rule_tuning.RULE_WORK + facts
        if now <= known:
            return Effort(self.work * (now / known if known else 1), rules, facts)
        grown = inf if not known else rule_tuning.ANEW_GROWTH * (now / known - 1) * self.work
        return Effort(self.work + min(spent, grown), rules, facts)

    @property
    def _size(self) -> int:
        return self.rules * rule_tuning.RULE_WORK + self.facts
