"""Relations that copy each other in a circle have the same facts, so that rules about one of them are enough.

Classes and properties that are equal, or equivalent, are such relations: a rule about each member of two circles of n
is n * n rules that derive the same. One member, the least, stands for its circle: a rule about other members repeats
the one about those that stand for them, and a copy between two members the copies by way of the one that stands for
both. What stands for others is never left out on account of these, so each fact is still derived, and the circle
takes it to its members.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kgreason.columns import pairs, sorted_sets
from kgreason.columns.components import topological_components
from kgreason.engine.rules.groups import Flags, as_keys
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.strata.numbered_rules import NumberedRules, Numbers


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Circles:
    """For each relation the one that stands for it, itself where it is in no circle; and the copies within circles,
    as sorted keys of the source and the target."""

    least: Numbers
    copies: NDArray[np.uint64]

    def repeated(self, rules: NumberedRules, steady: Flags) -> Flags:
        """For each rule whether it repeats a `steady` one about what stands for its relations: O(rules log rules)."""
        moved = self.least != np.arange(len(self.least))
        touched = (rules.heads >= 0) & moved[rules.heads]
        for atoms in (rules.bodies, rules.negated):
            touched |= atoms.any_of(moved[atoms.relations], len(rules))
        found = np.zeros(len(rules), dtype=np.bool_)
        for template, numbers in rules.by_template(touched & (rules.heads >= 0)):
            found[numbers] = self._repeated(template, rules, numbers, touched[numbers], steady[numbers])
        return found

    def _repeated(
        self, template: RuleTemplate, rules: NumberedRules, numbers: Numbers, touched: Flags, steady: Flags
    ) -> Flags:
        """The same for the rules in force of a template; `touched` are those about relations that others stand for."""
        rows = rules.parameters(numbers)
        standing = rows.copy()
        for atom in (*template.body, *template.negated, template.head):
            assert atom is not None
            relations = rules.codes.searchsorted(rows[:, atom.relation])
            standing[:, atom.relation] = rules.codes[self.least[relations]]
        used = list(template.deriving_parameters)
        known = as_keys(rows[~touched & steady][:, used])
        found = touched.copy()
        found[touched] = sorted_sets.among(as_keys(standing[touched][:, used]), known) if len(known) else False
        if template.is_copy:
            sources, heads = rules.firsts[numbers], rules.heads[numbers]
            inside = self.least[sources] == self.least[heads]
            found[inside] = self._are_detours(sources[inside], heads[inside])
        return found

    def _are_detours(self, sources: Numbers, targets: Numbers) -> Flags:
        """For copies within a circle whether others lead from one end to the least member and on to the other end."""
        least = self.least[sources]
        begin, end = (column.astype(np.int64) for column in (pairs.subjects(self.copies), pairs.objects(self.copies)))
        leads, follows = (np.zeros(len(self.least), dtype=np.bool_) for _ in range(2))
        leads[begin[self.least[begin] == end]] = True
        follows[end[self.least[end] == begin]] = True
        found: Flags = (sources != least) & (targets != least) & leads[sources] & follows[targets]
        return found


def find_circles(rules: NumberedRules, components: Numbers) -> Circles | None:
    """The circles of copies, None if there are none: O(relations + copies)."""
    sources, targets = rules.copies(components)
    inside = (components[sources] == components[targets]) & (sources != targets)
    if not inside.any():
        return None
    copies = sorted_sets.unique(_keys(sources[inside], targets[inside]))
    sources, targets = (ends(copies).astype(np.int64) for ends in (pairs.subjects, pairs.objects))
    circle = topological_components(len(components), sources, targets)
    first = np.full(len(components), len(components), dtype=np.int64)
    np.minimum.at(first, circle, np.arange(len(components)))
    return Circles(first[circle], copies)


def _keys(sources: Numbers, targets: Numbers) -> NDArray[np.uint64]:
    return pairs.pack(sources.astype(np.uint32), targets.astype(np.uint32))
