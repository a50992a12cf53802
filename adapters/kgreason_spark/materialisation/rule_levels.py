"""Which rules with negation or aggregates may be evaluated in a round: those at the level that rounds have come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from kgreason.engine.rules.groups import Flags
from kgreason.relations.codes import AUXILIARY, CLASS, PROPERTY, identifier_of, kind_of
from kgreason_spark.materialisation.fact_columns import RELATION, argument, padded
from kgreason_spark.materialisation.instance_levels import InstanceLevels
from kgreason_spark.materialisation.instance_nodes import SOME_CLASS, SOME_RELATION
from kgreason_spark.materialisation.levels import (
    LevelError,
    denial_levels,
    has_levels,
    levels_of,
    possible_rules,
    rule_levels,
)
from kgreason_spark.materialisation.parameter_frames import Codes, RuleGroup
from kgreason_spark.materialisation.residents import Residents


@dataclass(slots=True)
class RuleLevels:
    """The levels of relations, and the `level` of the rounds.

    Attributes:
        least: the least levels of relations.
        instances: those of rules that are not specialised, if there are such.
        late: the codes of the relations of classes and of properties that may still get facts
            (`unspecialised.LATE_CLASS`, `LATE_PROPERTY`), None where no rule denies such.
    """

    least: Mapping[int, int]
    instances: InstanceLevels | None
    late: tuple[int | None, int | None] = (None, None)
    level: int = 0
    _levels: dict[int, int] = field(default_factory=dict)
    _denied: set[int] = field(default_factory=set)
    _begins: bool = False

    def find(self, groups: Sequence[RuleGroup], with_facts: Codes, came: set[int]) -> None:
        """Find the levels, where relations that `came` have new facts.

        Raises:
            LevelError: what was denied or aggregated got facts.
            StratificationError: a relation depends on its own negation, or on an aggregate of itself.
        """
        if not has_levels(groups):
            return
        if self.instances is None:
            self._levels = levels_of(possible_rules(groups, with_facts), self.least)
        else:
            self._levels = self.instances.of(groups, with_facts, self.least, came)
        some = {SOME_CLASS if kind_of(code) == CLASS else SOME_RELATION for code in came if kind_of(code) != AUXILIARY}
        if (came | some | ({SOME_RELATION} if some else set())) & self._denied:
            raise LevelError(self._levels)

    def go_on(self) -> bool:
        """Go on to the next level, if there is one: nothing more follows at this one."""
        if self.level >= max(self._levels.values(), default=0):
            return False
        self.level += 1
        self._begins = True
        return True

    def allowed(self, group: RuleGroup) -> Flags:
        """The rules of a group that may be evaluated. Without negation and aggregates, what is not complete does not
        matter; where data name relations there is no level for the rule as a whole."""
        if not self._levels:
            return np.ones(len(group.parameters), dtype=np.bool_)
        find = denial_levels if self._is_of_instances(group) else rule_levels
        return np.asarray(find(group, self._levels) <= self.level)

    def is_anew(self, group: RuleGroup) -> bool:
        """Whether all facts matter again to a group, since a level has begun, and with it less is late."""
        return self._begins and self._denies_late(group)

    def evaluated(self, due: Sequence[RuleGroup]) -> None:
        """Take note of rules that a round has evaluated."""
        self._begins = False
        for group in due:
            self._denied |= set(group.denied().tolist())
        if self.instances is not None and any(map(self._denies_late, due)):
            self._denied.discard(self.instances.naming.triples)
            self._denied |= self.instances.denied(self.level, self._levels)

    def with_late(self, residents: Residents) -> Residents:
        """Resident relations with those that say what is late."""
        codes = [code for code in self.late if code is not None]
        if not codes:
            return residents
        of_class, of_property = self.late
        found = {code for code, level in self._levels.items() if level >= self.level}
        classes = [identifier_of(code) for code in found if kind_of(code) == CLASS]
        properties = [identifier_of(code) for code in found if kind_of(code) == PROPERTY]
        parts = [residents.table]
        for relation, ids in ((of_class, classes), (of_property, properties)):
            if relation is not None:
                these = np.full(len(ids), relation, dtype=np.int64), np.array(ids, dtype=np.int64)
                table = pa.table(dict(zip((RELATION, argument(0)), these, strict=True)))
                parts.append(padded(table, residents.width))
        return replace(residents, codes=residents.codes | {*codes}, table=pa.concat_tables(parts))

    def _is_of_instances(self, group: RuleGroup) -> bool:
        return self.instances is not None and self.instances.naming.is_named_by_data(group)

    def _denies_late(self, group: RuleGroup) -> bool:
        codes = [code for code in self.late if code is not None]
        return any(np.isin(group.parameters[:, atom.relation], codes).any() for atom in group.template.negated)
