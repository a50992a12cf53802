"""Rules that can only repeat what other rules derive, so that they need not run.

A rule ``H <- body`` repeats if another one derives ``P <- body`` from the same body, and a copy ``H <- P`` takes it up:
resolved with the copy, the second rule subsumes the first (the subsumed rules of VLog, Urbani et al. 2016, decided
once for all facts). OWL's schema rules bring many of these: for each property with a domain one for every superclass of
it, for each class one for every superclass of a superclass.

The relations are visited bottom up: P must come from a lower stratum than H, and for a copy ``H <- A`` that goes by
way of P, from a higher one than A. Rules about relations of a circle of copies (`circles`) repeat, too. So no two rules
are left out on account of each other. Nor is any on account of one with a guard in the stratum of its own head, which
may be there only because of what the other derives. A rule that ran so far is not left out on account of fresh ones
until these have been evaluated; few such rules run on until rules come or go again, so that a link that comes and goes
takes no rules out and back.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kgreason.columns import pairs, sorted_sets
from kgreason.engine.rules.groups import Flags
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.strata.atom_columns import Numbers
from kgreason.engine.strata.circles import find_circles
from kgreason.engine.strata.numbered_rules import NumberedRules
from kgreason.sorting import numbered


def repeating_rules(rules: NumberedRules, components: Numbers) -> Flags:
    """Which rules repeat others that are in force; O(rules log rules)."""
    return _repeating_rules(rules, _copies(rules, components), components)


def repeating_fresh_ones(rules: NumberedRules, repeating: Flags, components: Numbers) -> Flags:
    """Where rules that ran so far are `repeating` from now on, those of all that were there before, and only repeat
    rules that are fresh, or are of a circle that fresh copies close.

    What they derived has not come by way of these. If it is lost in the pass that evaluates the fresh rules, only they
    themselves can tell. A fresh copy into a higher stratum asks in that pass what it would have copied.
    """
    if not rules.silenced_by(repeating).any() or not rules.fresh.any():
        return np.zeros(len(rules), dtype=np.bool_)
    known = repeating & rules.evaluated & ~rules.fresh
    return known & ~_repeating_rules(rules.without(rules.fresh), _copies(rules, components), components)


def _repeating_rules(rules: NumberedRules, copies: NDArray[np.uint64], components: Numbers) -> Flags:
    """Which rules repeat others that are in force, by way of some copies into higher strata or of circles."""
    found = np.zeros(len(rules), dtype=np.bool_)
    circles = find_circles(rules, components)
    if circles is not None:
        found |= circles.repeated(rules, ~rules.guarded_inside(components))
    if len(copies):
        has_copy = np.zeros(len(components), dtype=np.bool_)
        has_copy[pairs.subjects(copies)] = True
        for template, numbers in rules.by_template((rules.heads >= 0) & has_copy[rules.heads]):
            bodies, heads, middle = _columns(template, rules, numbers, components)
            shared = np.flatnonzero(np.bincount(bodies)[bodies] > 1)
            columns = bodies[shared], heads[shared], middle[shared]
            found[numbers[shared]] |= _have_detours(*columns, copies, components)
    return found


def _copies(rules: NumberedRules, components: Numbers) -> NDArray[np.uint64]:
    """The copies from a lower stratum into a higher one, as sorted keys of the source and the target."""
    sources, targets = rules.copies(components)
    upward = components[sources] < components[targets]
    return sorted_sets.unique(pairs.pack(sources[upward].astype(np.uint32), targets[upward].astype(np.uint32)))


def _columns(
    template: RuleTemplate, rules: NumberedRules, numbers: Numbers, components: Numbers
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], Numbers]:
    """For each rule the number of its body, its head, and the stratum that a relation in between must be above."""
    assert template.head is not None
    deriving = [each for each in template.deriving_parameters if each != template.head.relation]
    body = rules.parameters(numbers)[:, deriving]
    bodies = np.zeros(len(numbers), dtype=np.int64)
    for column in body.T:
        distinct, places = numbered(column)
        bodies = numbered(bodies * len(distinct) + places)[1]
    middle = np.full(len(numbers), -1, dtype=np.int64)
    if template.is_copy:
        middle = components[rules.firsts[numbers]]
    return bodies.astype(np.uint32), rules.heads[numbers].astype(np.uint32), middle


def _have_detours(
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
