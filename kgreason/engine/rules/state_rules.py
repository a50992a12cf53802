"""All rules of a state: their groups, and which of their rows are fresh, leaving or repeating (`groups`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from kgreason.engine.rules.groups import Flags, RuleGroup
from kgreason.engine.rules.reached import Reached
from kgreason.engine.rules.rule_templates import RuleTemplate


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rules:
    """All rules of a state, by the numbers of their groups, and which of their rows wait for the next pass.

    Args:
        guarded: the groups of each guard relation.
        plain: the plain groups, by the name and the template of their rules.
        fresh_bases, fresh: guard rows and rows that were not evaluated yet; a group without any has no entry.
        leaving: rows that go in the next pass.
        repeating: rows that other rules make superfluous, as of the last strata.
        retired: groups that go with the next change.
        has_lists: whether a rule reads the members of lists.
        reached: the relations for which guard facts have brought rows. None where each guard fact brings its row,
            because relations have facts elsewhere, too.
    """

    groups: Mapping[int, RuleGroup] = field(default_factory=dict)
    guarded: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    plain: Mapping[tuple[str, RuleTemplate], int] = field(default_factory=dict)
    fresh_bases: Mapping[int, Flags] = field(default_factory=dict)
    fresh: Mapping[int, Flags] = field(default_factory=dict)
    leaving: Mapping[int, Flags] = field(default_factory=dict)
    repeating: Mapping[int, Flags] = field(default_factory=dict)
    retired: tuple[int, ...] = ()
    has_lists: bool = False
    reached: Reached | None = field(default_factory=Reached)

    @property
    def wait(self) -> bool:
        """Whether there are rules that are to be evaluated in the next pass."""
        return bool(self.fresh_bases or self.fresh or self.leaving)

    @property
    def may_lose_facts(self) -> bool:
        """Whether facts may go with others that come, by negation or an aggregate: O(groups)."""
        templates = (group.template for group in self.groups.values())
        return any(template.negated or template.summaries for template in templates)

    def flags(self, which: Mapping[int, Flags], group: RuleGroup) -> Flags:
        """The flags of a group's rows in one of these mappings."""
        found = which.get(group.number)
        return np.zeros(len(group.rows), dtype=np.bool_) if found is None else found

    def _check(self) -> None:
        for number, group in self.groups.items():
            assert group.number == number, "a group has another number"
            assert len(group.rows) == len(group.parameters), "rows without parameters"
            assert group.guard is None or number in self.guarded[group.guard], "a guard does not know its group"
        for which in (self.fresh, self.leaving, self.repeating):
            for number, flags in which.items():
                assert len(flags) == len(self.groups[number].rows), "flags of other rows"
        for number, flags in self.fresh_bases.items():
            assert len(flags) == len(self.groups[number].bases), "flags of other guard rows"
