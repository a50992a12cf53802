"""Relations that copy each other in a circle have the same facts, so that rules about one of them are enough.

Classes and properties that are equal, or equivalent, are such relations: a rule about each member of two circles of n
is n * n rules that derive the same. One member, the least, stands for its circle: a rule about other members repeats
the one about those that stand for them, and a copy between two members the copies by way of the one that stands for
both. What stands for others is never left out on account of these, so each fact is still derived, and the circle
takes it to its members.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kgreason.columns import pairs, sorted_sets
from kgreason.columns.components import topological_components
from kgreason.engine.rules.groups import as_keys
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.strata.numbered_rules import Flags, NumberedRules, Numbers


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Circles:
    """For each relation the one that stands for it, itself where it is in no circle; and the copies within circles,
    as sorted keys of the source and the target."""

    least: Numbers
    copies: NDArray[np.uint64]

    def repeated(self, template: RuleTemplate, rules: Sequence[NumberedRules]) -> Flags:
        """For each rule in force of some groups of a template, whether it repeats one about what stands for its
        relations: O(rules log rules)."""
        count = sum(len(rule.numbers) for rule in rules)
        atoms = (*template.body, *template.negated, template.head)
        columns = [
            np.concatenate(each) for each in zip(*(_relations(rule) for rule in rules), strict=True)
        ]
        touched = np.zeros(count, dtype=np.bool_)
        for column in columns:
            touched |= self.least[column] != column
        if not touched.any():
            return touched
        rows = np.concatenate([rule.group.parameters[rule.numbers] for rule in rules])
        standing = rows.copy()
        for atom, column in zip(atoms, columns, strict=True):
            assert atom is not None
            rows[:, atom.relation], standing[:, atom.relation] = column, self.least[column]
        used = list(template.deriving_parameters)
        known = as_keys(rows[~touched][:, used])
        found = touched.copy()
        found[touched] = sorted_sets.among(as_keys(standing[touched][:, used]), known) if len(known) else False
        if template.is_copy:
            inside = self.least[columns[0]] == self.least[columns[-1]]
            found[inside] = self._are_detours(columns[0][inside], columns[-1][inside])
        return found

    def _are_detours(self, sources: Numbers, targets: Numbers) -> Flags:
        """For copies within a circle whether others lead from one end to the least member and on to the other end."""
        least = self.least[sources]
        found: Flags = (sources != least) & (targets != least)
        for ends in ((sources, least), (least, targets)):
            found &= sorted_sets.contains(self.copies, _keys(*ends))
        return found


def find_circles(rules: Sequence[NumberedRules], components: Numbers) -> Circles | None:
    """The circles of copies, None if there are none: O(relations + copies)."""
    found = []
    for rule in rules:
        if rule.group.template.is_copy:
            sources, targets = rule.bodies[0][rule.numbers], rule.heads[rule.numbers]
            inside = (components[sources] == components[targets]) & (sources != targets)
            if inside.any():
                found.append(_keys(sources[inside], targets[inside]))
    if not found:
        return None
    copies = sorted_sets.unique(np.concatenate(found))
    sources, targets = (ends(copies).astype(np.int64) for ends in (pairs.subjects, pairs.objects))
    circle = topological_components(len(components), sources, targets)
    first = np.full(len(components), len(components), dtype=np.int64)
    np.minimum.at(first, circle, np.arange(len(components)))
    return Circles(first[circle], copies)


def _relations(rule: NumberedRules) -> list[Numbers]:
    """The relations of the rules in force, in the order of the atoms: body, negated atoms, head."""
    return [column[rule.numbers] for column in (*rule.bodies, *rule.negated, rule.heads)]


def _keys(sources: Numbers, targets: Numbers) -> NDArray[np.uint64]:
    return pairs.pack(sources.astype(np.uint32), targets.astype(np.uint32))
