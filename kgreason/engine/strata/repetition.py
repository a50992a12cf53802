"""Rules that can only repeat what other rules derive, so that they need not run.

A rule ``H <- body`` repeats if another one derives ``P <- body`` from the same body, and a copy ``H <- P`` takes it up:
resolved with the copy, the second rule subsumes the first (the subsumed rules of VLog, paper 001, decided once for
all facts). OWL's schema rules bring many of these: for each property with a domain one for every superclass of it,
for each class one for every superclass of a superclass.

The relations are visited bottom up: P must come from a lower stratum than H, and for a copy ``H <- A`` that goes by
way of P, from a higher one than A. Rules about relations of a circle of copies (`circles`) repeat, too. So no two rules
are left out on account of each other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kgreason.columns import pairs, sorted_sets
from kgreason.engine.rules.groups import as_keys
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.strata.circles import find_circles
from kgreason.engine.strata.numbered_rules import Flags, NumberedRules, Numbers


def repeating_rows(rules: Sequence[NumberedRules], components: Numbers) -> list[Flags]:
    """For each group, which of its rules repeat others that are in force; O(rules log rules)."""
    found = [np.zeros(len(rule.heads), dtype=np.bool_) for rule in rules]
    copies, circles = _copies(rules, components), find_circles(rules, components)
    if not len(copies) and circles is None:
        return found
    has_copy = np.zeros(len(components), dtype=np.bool_)
    has_copy[pairs.subjects(copies)] = True
    for template, members in _by_shape(rules).items():
        group = [rules[index] for index in members]
        flags = np.zeros(sum(len(rule.numbers) for rule in group), dtype=np.bool_)
        if circles is not None:
            flags |= circles.repeated(template, group)
        if any(has_copy[rule.heads[rule.numbers]].any() for rule in group):
            flags |= _repeating(*_columns(template, group, components), copies, components)
        begin = 0
        for index in members:
            rows = rules[index].numbers
            found[index][rows] = flags[begin : begin + len(rows)]
            begin += len(rows)
    return found


def _by_shape(rules: Sequence[NumberedRules]) -> dict[RuleTemplate, list[int]]:
    groups: dict[RuleTemplate, list[int]] = {}
    for index, rule in enumerate(rules):
        if rule.group.template.head is not None and len(rule.numbers):
            groups.setdefault(rule.group.template, []).append(index)
    return groups


def _copies(rules: Sequence[NumberedRules], components: Numbers) -> NDArray[np.uint64]:
    """The copies from a lower stratum into a higher one, as sorted keys of the source and the target."""
    found = [np.empty(0, dtype=np.uint64)]
    for rule in rules:
        if rule.group.template.is_copy:
            sources, targets = rule.bodies[0][rule.numbers], rule.heads[rule.numbers]
            upward = components[sources] < components[targets]
            found.append(pairs.pack(sources[upward].astype(np.uint32), targets[upward].astype(np.uint32)))
    return sorted_sets.unique(np.concatenate(found))


def _columns(
    template: RuleTemplate, rules: Sequence[NumberedRules], components: Numbers
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], Numbers]:
    """For each rule the number of its body, its head, and the stratum that a relation in between must be above."""
    assert template.head is not None
    rows = np.concatenate([rule.group.parameters[rule.numbers] for rule in rules])
    heads = np.concatenate([rule.heads[rule.numbers] for rule in rules])
    body = rows[:, [each for each in template.deriving_parameters if each != template.head.relation]]
    bodies = np.unique(as_keys(body), return_inverse=True)[1] if body.shape[1] else np.zeros(len(rows), dtype=np.int64)
    middle = np.full(len(rows), -1, dtype=np.int64)
    if template.is_copy:
        middle = components[np.concatenate([rule.bodies[0][rule.numbers] for rule in rules])]
    return bodies.astype(np.uint32), heads.astype(np.uint32), middle


def _repeating(
    bodies: NDArray[np.uint32],
    heads: NDArray[np.uint32],
    middle: Numbers,
    copies: NDArray[np.uint64],
    components: Numbers,
) -> Flags:
    """Which rules have a head that a copy leads to from the head of a rule with the same body."""
    lower = np.flatnonzero(components[heads] > middle)
    index, positions = pairs.spread(*pairs.ranges(copies, heads[lower]))
    reached = pairs.pack(bodies[lower][index], pairs.objects(copies[positions]))
    return sorted_sets.contains(sorted_sets.unique(reached), pairs.pack(bodies, heads))
