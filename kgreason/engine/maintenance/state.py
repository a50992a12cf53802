"""The facts in a pass: as they were, as they are by now, and what has changed for good."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kgreason.engine.facts import Changes, Facts
from kgreason.engine.meter import Meter
from kgreason.engine.rules.bodies import Terms
from kgreason.engine.rules.evaluation import Evaluation
from kgreason.engine.rules.families import Use
from kgreason.engine.strata.strata import Strata
from kgreason.engine.strategy import Strategy
from kgreason.schemes.catalogue import Catalogue
from kgreason.schemes.scheme import Mask, Table


@dataclass
class PassState:
    """What the visits of a pass read and write. Facts change in place; `before` keeps what they were.

    A *key* is the code of a relation, or that of the external facts of a relation which a scheme keeps. `explicit` is
    as it is after the change. `external_changes` are those of the external facts alone. `suspended` are relations that
    a scheme stopped keeping in this pass. `meter` hears of all that is evaluated and written out.
    """

    facts: Facts
    explicit: Facts
    external: Facts
    strata: Strata
    terms: Terms
    catalogue: Catalogue
    strategy: Strategy
    meter: Meter
    before: dict[int, Table | None] = field(default_factory=dict)
    external_before: dict[int, Table | None] = field(default_factory=dict)
    changes: Changes = field(default_factory=Changes)
    external_changes: Changes = field(default_factory=Changes)
    suspended: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.now_evaluation = Evaluation(self.facts.get, self.terms, self.meter)
        self.before_evaluation = Evaluation(self.read_before, self.terms, self.meter)

    @property
    def literals(self) -> Callable[[], Mask]:
        """For each id whether it is a literal."""
        return self.terms.literal_mask

    def get(self, key: int) -> Table | None:
        """The facts of a key by now."""
        return self.facts.get(key) if key >= 0 else self.external.get(~key)

    def put(self, key: int, table: Table | None) -> None:
        """Replace the facts of a key, and remember what they were."""
        if key >= 0:
            known = self.facts.get(key)
            self.before.setdefault(key, known)
            self.facts.put(key, table)
        else:
            known = self.external.get(~key)
            self.external_before.setdefault(~key, known)
            self.external.put(~key, table)
        if self.meter.is_limited:
            self._tell(key, known, table)

    def _tell(self, key: int, known: Table | None, table: Table | None) -> None:
        """Have the meter hear of other facts of a key. What a scheme shows is not written out, and while it takes over
        from tables, neither is what they had."""
        if key < 0 or self.strata.key(key) == key:
            self.meter.wrote(known, table)
        else:
            self.meter.showed(known, table)

    def get_before(self, key: int) -> Table | None:
        """The facts of a key before the pass."""
        if key >= 0:
            return self.read_before(key)
        return self.external_before[~key] if ~key in self.external_before else self.external.get(~key)

    def read_before(self, code: int) -> Table | None:
        """The facts of a relation before the pass."""
        return self.before[code] if code in self.before else self.facts.get(code)

    def revert(self) -> None:
        """Put back all facts as they were before the pass."""
        for code, table in self.before.items():
            self.facts.put(code, table)
        for code, table in self.external_before.items():
            self.external.put(code, table)

    def may_fire(self, use: Use) -> bool:
        """Whether the rule does not leave and its guard fact is there."""
        family = use.family
        if family.leaving[use.row]:
            return False
        if family.guard is None or family.guard not in self.before:
            return True
        table = self.facts.get(family.guard)
        return table is not None and family.guard_holds(use.row, table)

    def is_active(self, use: Use) -> bool:
        """Whether the rule has been evaluated before and still holds."""
        return not use.family.fresh[use.row] and self.may_fire(use)
