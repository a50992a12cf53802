"""Which rules of a group have their guard fact: of a few rules one by one, of many all of the group together."""

from __future__ import annotations

from dataclasses import dataclass, field

from kgreason.engine import rule_tuning
from kgreason.engine.rules.groups import RuleGroup
from kgreason.relations.table import Mask, Table


@dataclass(slots=True, eq=False, repr=False)
class _Asked:
    """How many rules of a group were asked about while a guard had some facts, and for each rule whether its fact is
    there, once that is known."""

    guards: Table
    times: int = 0
    holding: Mask | None = None


@dataclass(slots=True, eq=False, repr=False)
class GuardRows:
    """What is known of the groups in a pass."""

    _asked: dict[int, _Asked] = field(default_factory=dict)

    def hold(self, group: RuleGroup, row: int, guards: Table) -> bool:
        """Whether the guard fact of a rule is in the table."""
        asked = self._asked.get(group.number)
        if asked is None or asked.guards is not guards:
            asked = self._asked[group.number] = _Asked(guards)
        if asked.holding is None:
            asked.times += 1
            if asked.times * rule_tuning.GUARDS_TOGETHER < len(group.rows):
                return group.guard_holds(row, guards)
            asked.holding = group.guards_hold(guards)
        return bool(asked.holding[row])
