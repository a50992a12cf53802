"""The facts in a pass: as they were, as they are by now, and what has changed for good."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.facts import Changes, Facts
from kgreason.engine.meter import Meter
from kgreason.engine.modules.guard_rows import GuardRows
from kgreason.engine.persistent_map import Draft
from kgreason.engine.rules.evaluation import Evaluation
from kgreason.engine.rules.groups import RuleGroup
from kgreason.engine.rules.occurrences import Occurrence, RuleDelta
from kgreason.engine.rules.rule_inputs import Terms
from kgreason.engine.strata.strata import Strata
from kgreason.engine.strategy import Strategy
from kgreason.relations.catalogue import Catalogue
from kgreason.relations.plain import table_of, union_of
from kgreason.relations.table import Mask, Table

if TYPE_CHECKING:
    from kgreason.engine.modules.representatives import Represented


@dataclass
class PassState:
    """The facts that a maintenance pass reads and writes.

    A *key* is the code of a relation, or that of the external facts of a relation which a scheme keeps. `facts` and
    `external` are drafts, `before` and `external_before` the versions that the pass began with. `explicit` is as it is
    after the change. `rules` are those that come and go in the pass; a change of a relation of `guards` makes others
    come or go after it. So many facts were `written` out before the change. `external_changes` are the changes of the
    external facts alone. `touched` are the keys that were written. `suspended` are relations that a scheme stopped
    keeping in this pass, `deferred` those of strata that the next pass remakes. `meter` hears of all that is evaluated
    and written out. `represented` says what the rules of the stratum read over representatives
    (`kgreason.engine.modules.representatives`).
    """

    facts: Draft[Table]
    explicit: Facts
    external: Draft[Table]
    strata: Strata
    rules: RuleDelta
    terms: Terms
    catalogue: Catalogue
    strategy: Strategy
    meter: Meter
    guards: Collection[int] = ()
    written: int = 0
    changes: Changes = field(default_factory=Changes)
    external_changes: Changes = field(default_factory=Changes)
    touched: set[int] = field(default_factory=set)
    suspended: set[int] = field(default_factory=set)
    deferred: set[int] = field(default_factory=set)
    represented: Represented | None = None
    _guard_rows: GuardRows = field(default_factory=GuardRows)
    _derived_guards: dict[int, bool] = field(default_factory=dict)
    _active_facts: dict[int, Table | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.before = self.facts.version()
        self.external_before = self.external.version()
        self.now_evaluation = Evaluation(self.facts.get, self.terms, self.meter)
        self.before_evaluation = Evaluation(self.before.get, self.terms, self.meter)

    def over(self, before: Facts, represented: Represented) -> PassState:
        """The same pass with other facts to begin with: those of some relations over representatives."""
        found = copy.copy(self)
        found.before, found.represented = before, represented
        found.before_evaluation = Evaluation(before.get, self.terms, self.meter)
        return found

    @property
    def literals(self) -> Callable[[], Mask]:
        """For each id whether it stands in the place of objects alone."""
        return self.terms.object_only_mask

    def get(self, key: int) -> Table | None:
        """The facts of a key by now."""
        return self.facts.get(key) if key >= 0 else self.external.get(~key)

    def put(self, key: int, table: Table | None) -> None:
        """Replace the facts of a key."""
        if self.meter.is_limited:
            self._tell(key, self.get(key), table)
        self.touched.add(key)
        if key >= 0:
            self.facts.put(key, table)
        else:
            self.external.put(~key, table)

    def insert(self, key: int, table: Table) -> Table:
        """Add facts to a key; those that are new. The version before is not held any more when this returns."""
        known = self.get(key)
        whole, fresh = known.insert(table) if known else (table, table)
        if fresh:
            self.put(key, whole)
        return fresh

    def remove(self, key: int, table: Table) -> None:
        """Take facts of a key away."""
        known = self.get(key)
        self.put(key, known.difference(table) if known else None)

    def _tell(self, key: int, known: Table | None, table: Table | None) -> None:
        """Have the meter hear of other facts of a key. What a scheme shows is not written out, and while it takes over
        from tables, neither is what they had."""
        if key < 0 or self.strata.key(key) == key:
            self.meter.wrote(known, table)
        else:
            self.meter.showed(known, table)

    def get_before(self, key: int) -> Table | None:
        """The facts of a key before the pass."""
        return self.before.get(key) if key >= 0 else self.external_before.get(~key)

    def may_hold_itself_up(self, code: int) -> bool:
        """Whether rules that a scheme stands for, which keeps a relation as a part of its stratum, may be there because
        of what the scheme derives: a guard of theirs in that stratum is not asserted."""
        if not self.strata.may_hold_itself_up(code):
            return False
        number = self.strata.component(code)
        found = self._derived_guards.get(number)
        if found is None:
            found = self._derived_guards[number] = self.strata.has_derived_guards(number, self._asserted)
        return found

    def _asserted(self, guard: int) -> Table | None:
        """The facts of a guard relation that are asserted, or follow from asserted facts alone by a rule of the program
        that reads no others."""
        evaluation = Evaluation(self.explicit.get, self.terms, self.meter)
        found = [table] if (table := self.explicit.get(guard)) else []
        if known := self.active_facts(guard):
            found.append(known)
        for use in self.strata.heads.divided(guard)[0]:
            template = use.group.template
            if use.group.guard is None and not (template.negated or template.summaries) and self.is_active(use):
                table = evaluation.heads(template, use.parameters)
                found.extend([table] if table else [])
        return union_of(found) if found else None

    def active_facts(self, code: int) -> Table | None:
        """The facts of a relation that rules without a condition derive which have been evaluated before and still
        hold, where there are many of these rules: by columns, once in a pass."""
        if code not in self._active_facts:
            tables = [self._active_rows(group, rows) for group, rows in self.strata.facts_for(code)]
            self._active_facts[code] = union_of(tables) if tables else None
        return self._active_facts[code]

    def _active_rows(self, group: RuleGroup, rows: NDArray[np.int64]) -> Table:
        for changing in (self.rules.fresh_rows, self.rules.leaving_rows):
            if (flags := changing.get(group.number)) is not None:
                rows = rows[~flags[rows]]
        assert group.template.head is not None
        columns = [group.parameters[rows, ~slot].astype(np.uint32) for slot in group.template.head.arguments]
        return table_of(tuple(columns))

    def may_fire(self, use: Occurrence) -> bool:
        """Whether the rule does not leave and its guard fact is there."""
        group = use.group
        if self.rules.leaving_rows and self.rules.is_leaving(use):
            return False
        if group.guard is None or group.guard not in self.touched:
            return True
        table = self.facts.get(group.guard)
        return table is not None and self._guard_rows.hold(group, use.row, table)

    def is_active(self, use: Occurrence) -> bool:
        """Whether the rule has been evaluated before and still holds."""
        return not self.rules.is_fresh(use) and self.may_fire(use)
