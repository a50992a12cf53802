"""What the driver's relations lose with explicit facts: just what does not follow any more, as its engine has it.

The engine derives from the explicit facts alone before the facts that followed come to it, and again from those that
there are now. Relations that had all their facts by that are maintained exactly: nothing is deleted that is derived
again. A relation that the cluster gave facts, too, may not lose any, nor may a rule of the driver read such a relation
beside one that lost facts: nobody knows there which facts the cluster had derived.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from kgreason_spark import spark_tuning

if TYPE_CHECKING:
    from kgreason.relations.table import Table
    from kgreason_spark.materialisation.parameter_frames import RuleGroup


class NotMaintainedError(Exception):
    """What follows must be derived from the beginning; says why."""


@dataclass(frozen=True, slots=True)
class DriverLosses:
    """The facts that are lost, by the cluster's codes with the driver's ids, and the `rules` that were there because of
    them, for the cluster."""

    facts: Mapping[int, Table] = field(default_factory=dict)
    rules: Sequence[RuleGroup] = ()

    def left_of(self, sizes: Mapping[int, int]) -> dict[int, int]:
        """How many facts relations have left, where any are."""
        left = {code: size - len(self.facts[code]) if code in self.facts else size for code, size in sizes.items()}
        return {code: size for code, size in left.items() if size}

    def check(
        self, groups: Iterable[RuleGroup], residents: Collection[int], mixed: Collection[int], lists: Collection[int]
    ) -> None:
        """NotMaintainedError where the driver does not know by itself what went with the facts.

        Args:
            groups: all rules, of which `rules` are some.
            mixed: the resident relations that have facts of the cluster's.
            lists: the relations that the driver derives from each other along lists.
        """
        if sum(table.estimate for table in self.facts.values()) > spark_tuning.LOST_FACTS:
            raise NotMaintainedError(f"more than {spark_tuning.LOST_FACTS:,} facts of the driver's relations went")
        check_kept(self.facts, mixed)
        if {*lists} & self.facts.keys() and {*lists} & {*mixed}:
            raise NotMaintainedError("lists are made of facts that the cluster derived, too")
        touched = [(group, group.reading(self.facts)) for group in groups]
        touched += [(group, np.ones(len(group.parameters), dtype=np.bool_)) for group in self.rules]
        for group, concerned in touched:
            unknown = group.reading(mixed) | np.isin(group.heads, [*mixed])
            if (group.confined(residents) & concerned & unknown).any():
                raise NotMaintainedError("a rule of the driver reads facts that the cluster derived, too")


def check_kept(relations: Iterable[int], mixed: Collection[int]) -> None:
    """NotMaintainedError where a relation lost a fact whose facts the cluster derived, too."""
    if not {*mixed}.isdisjoint(relations):
        raise NotMaintainedError("a relation of the driver with facts of the cluster lost one")
