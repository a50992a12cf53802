"""Relations that copy each other in a circle have the same facts, so that rules about one of them are enough.

Classes and properties that are equal, or equivalent, are such relations: a rule about each member of two circles of n
is n * n rules that derive the same. One member, the least, stands for its circle: of the rules that are the same once
each member is replaced by what stands for it, one is enough, that about what stands for others where there is one. Of
the copies within a circle those are enough that lead on shortest ways from the least member to all others, and back.
These are never left out on account of others, so each fact is still derived, and the circle takes it to its members.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kgreason.columns import pairs, sorted_sets
from kgreason.columns.components import topological_components
from kgreason.engine.rules.guard_rows import Flags, as_keys
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.strata.atom_columns import Numbers
from kgreason.engine.strata.numbered_rules import NumberedRules

MOST_STEPS: Final = 64
"""Longer ways through a circle are not looked for: each step takes some ten microseconds, and a fixpoint a round."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Ways:
    """Ways through circles that are kept: their copies, as sorted keys; the relations from which some lead to the least
    one of their circle, and those to which some lead from it."""

    leads: Flags
    is_led_to: Flags
    kept: NDArray[np.uint64]

    def lead_around(self, sources: Numbers, targets: Numbers) -> Flags:
        """For copies within a circle whether ways that are kept lead from one end to the least member and on to the
        other end, and the copy is none of theirs."""
        others: Flags = ~sorted_sets.contains(self.kept, _keys(sources, targets))
        return self.leads[sources] & self.is_led_to[targets] & others


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Circles:
    """For each relation the one that stands for it, itself where it is in no circle; and the copies within circles,
    as sorted keys of the source and the target."""

    least: Numbers
    copies: NDArray[np.uint64]

    def repeated(self, rules: NumberedRules, steady: Flags) -> Flags:
        """For each rule whether it repeats a `steady` one that is the same but for relations of a circle:
        O(rules log rules)."""
        moved = self.least != np.arange(len(self.least))
        touched = rules.about(moved)
        inside = moved.copy()
        inside[self.least[moved]] = True
        # What such a rule repeats is about relations of circles as well.
        about = rules.about(inside)
        found, ways = np.zeros(len(rules), dtype=np.bool_), self._shortest_ways()
        for template, numbers in rules.by_template(touched & (rules.heads >= 0)):
            some = numbers[about[numbers]]
            found[some] = self._repeated(template, rules, some, touched[some], steady[some])
            if template.is_copy:
                sources, heads = rules.firsts[some], rules.heads[some]
                circling = self.least[sources] == self.least[heads]
                found[some[circling]] = ways.lead_around(sources[circling], heads[circling])
        return found

    def _repeated(
        self, template: RuleTemplate, rules: NumberedRules, numbers: Numbers, touched: Flags, steady: Flags
    ) -> Flags:
        """The same for rules in force of a template; `touched` are those about relations that others stand for."""
        rows = rules.parameters(numbers)
        standing = rows.copy()
        for atom in (*template.body, *template.negated, template.head):
            assert atom is not None
            relations = rules.codes.searchsorted(rows[:, atom.relation])
            standing[:, atom.relation] = rules.codes[self.least[relations]]
        keys = as_keys(standing[:, list(template.deriving_parameters)])
        candidates = np.concatenate([np.flatnonzero(steady & ~touched), np.flatnonzero(steady & touched)])
        known, first = np.unique(keys[candidates], return_index=True)
        found = touched & sorted_sets.among(keys, known)
        found[candidates[first]] = False
        return found

    def _shortest_ways(self) -> _Ways:
        """Shortest ways from the least relation of each circle to the others, and back."""
        begin, end = (ends(self.copies).astype(np.int64) for ends in (pairs.subjects, pairs.objects))
        inside = self.least[begin] == self.least[end]
        begin, end = begin[inside], end[inside]
        is_led_to, ways = self._ways(begin, end)
        leads, back = self._ways(end, begin)
        return _Ways(leads, is_led_to, sorted_sets.unique(np.concatenate((_keys(*ways), _keys(*back[::-1])))))

    def _ways(self, begin: Numbers, end: Numbers) -> tuple[Flags, tuple[Numbers, Numbers]]:
        """The relations that steps lead to from the least ones in `MOST_STEPS` at most, these included, and for each of
        the others the last step of a shortest way: O(steps log steps)."""
        is_led_to = np.zeros(len(self.least), dtype=np.bool_)
        ways = [np.empty(0, dtype=np.int64)]
        order = np.argsort(begin, kind="stable")
        begin, end = begin[order], end[order]
        frontier = sorted_sets.unique(self.least[begin])
        is_led_to[frontier] = True
        for _ in range(MOST_STEPS):
            _, places = pairs.spread(*(begin.searchsorted(frontier, side) for side in ("left", "right")))
            places = places[~is_led_to[end[places]]]
            if not len(places):
                break
            frontier, first = np.unique(end[places], return_index=True)
            is_led_to[frontier] = True
            ways.append(places[first])
        last = np.concatenate(ways)
        return is_led_to, (begin[last], end[last])


def find_circles(rules: NumberedRules, components: Numbers) -> Circles | None:
    """The circles of copies, None if there are none: O(relations + copies)."""
    sources, targets = rules.copies(components)
    inside = (components[sources] == components[targets]) & (sources != targets)
    if not inside.any():
        return None
    copies = sorted_sets.unique(_keys(sources[inside], targets[inside]))
    sources, targets = (ends(copies).astype(np.int64) for ends in (pairs.subjects, pairs.objects))
    nodes, places = np.unique(np.concatenate((sources, targets)), return_inverse=True)
    circle = topological_components(len(nodes), *np.split(places, 2))
    _, first, member_of = np.unique(circle, return_index=True, return_inverse=True)
    least = np.arange(len(components))
    least[nodes] = nodes[first][member_of]
    return Circles(least, copies)


def _keys(sources: Numbers, targets: Numbers) -> NDArray[np.uint64]:
    return pairs.pack(sources.astype(np.uint32), targets.astype(np.uint32))
