"""Stratified negation and aggregates on the cluster: which rules wait until which others have come to their fixpoint.

The level of a relation is the number of negations and aggregates below it. Guards count as body atoms: a specialised
rule is there no earlier than what it was made from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kgreason.errors import StratificationError
from kgreason_spark.materialisation.parameter_frames import Codes, RuleGroup


class LevelError(Exception):
    """What was denied or aggregated at a level has got facts after all: the levels must be those given here, from the
    start."""

    def __init__(self, levels: Mapping[int, int]) -> None:
        super().__init__("a relation was denied or aggregated too early")
        self.levels = dict(levels)


def has_levels(groups: Sequence[RuleGroup]) -> bool:
    """Whether a rule denies or aggregates anything."""
    return any(group.template.negated or group.template.summaries for group in groups)


def possible_rules(groups: Sequence[RuleGroup], with_facts: Codes) -> list[RuleGroup]:
    """The rules whose positive body relations have facts or are heads of such rules: the others derive nothing, even if
    they would make a relation depend on its own negation."""
    known = np.unique(with_facts)
    while True:
        found = [group.where(group.possible(known)) for group in groups]
        grown = np.unique(np.concatenate([known, *(group.heads for group in found)]))
        if len(grown) == len(known):
            return found
        known = grown


def levels_of(groups: Sequence[RuleGroup], least: Mapping[int, int]) -> dict[int, int]:
    """The level of each relation that is not at 0; no level is below `least`.

    Raises:
        StratificationError: a relation depends on its own negation, or on an aggregate of itself.
    """
    levels = dict(least)
    bound = sum(len(group.parameters) for group in groups) + max(least.values(), default=0) + 1
    changed = True
    while changed:
        changed = False
        for group in groups:
            needed = rule_levels(group, levels)
            heads = group.heads
            known = _look_up(levels, heads)
            for number in np.flatnonzero(needed > known).tolist():
                head, level = int(heads[number]), int(needed[number])
                if level > levels.get(head, 0):
                    levels[head] = level
                    changed = True
                if level > bound:
                    what = "an aggregate of itself" if group.template.summaries else "its own negation"
                    raise StratificationError(f"rule {group.name!r} makes a relation depend on {what}")
    return levels


def rule_levels(group: RuleGroup, levels: Mapping[int, int]) -> Codes:
    """For each rule the level from which on it may be evaluated."""
    needed = np.zeros(len(group.parameters), dtype=np.int64)
    for position in range(len(group.template.body)):
        needed = np.maximum(needed, _look_up(levels, group.body(position)) + bool(group.template.summaries))
    for atom in group.template.negated:
        needed = np.maximum(needed, _look_up(levels, group.parameters[:, atom.relation]) + 1)
    if group.guard is not None:
        needed = np.maximum(needed, levels.get(group.guard, 0))
    return needed


def denial_levels(group: RuleGroup, levels: Mapping[int, int]) -> Codes:
    """For each rule the level from which on all that it denies or aggregates is complete."""
    needed = np.zeros(len(group.parameters), dtype=np.int64)
    template = group.template
    for atom in (*template.negated, *(template.body if template.summaries else ())):
        needed = np.maximum(needed, _look_up(levels, group.parameters[:, atom.relation]) + 1)
    return needed


def _look_up(levels: Mapping[int, int], codes: Codes) -> Codes:
    distinct, back = np.unique(codes, return_inverse=True)
    return np.array([levels.get(code, 0) for code in distinct.tolist()], dtype=np.int64)[back.reshape(-1)]
