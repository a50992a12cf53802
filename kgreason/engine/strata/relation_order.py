"""Relations in the order in which they follow from each other.

Strata are the strongly connected components of the dependency graph (body to head, guard to head, and what modules
lead to), in topological order. A relation must be above those that its rules deny or aggregate. Where rules have only
come since the last strata, these are not searched again, but for what the new rules may join or put in another order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kgreason.columns.components import topological_components
from kgreason.columns.grown_components import grown_components
from kgreason.engine import rule_tuning
from kgreason.engine.rules.groups import Flags, RuleGroup
from kgreason.engine.strata.atom_columns import Numbers
from kgreason.engine.strata.numbered_rules import NumberedRules
from kgreason.engine.strata.possible_relations import Dependency
from kgreason.errors import StratificationError
from kgreason.program.dependency_graph import shortest_path


class CircularError(StratificationError):
    """A rule of `group` that makes the first relation of a `cycle` depend on its own negation, or on an aggregate of
    itself: the codes of the relations, each of which the next one depends on."""

    def __init__(self, group: RuleGroup, cycle: Sequence[int]) -> None:
        self.what = "an aggregate of itself" if group.template.summaries else "its own negation"
        super().__init__(f"rule {group.name!r} makes a relation depend on {self.what}")
        self.group = group
        self.cycle = cycle


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RelationOrder:
    """The order of the relations of some rules, and what tells whether others are these and more.

    Attributes:
        codes, components: the relations, and for each of them the number of its stratum; sources come first.
        groups, in_force: the groups of the rules, and which rules of these there are, repeating ones among them.
        possible: the relations that can have facts.
        modules: what modules derive.
        unexamined: how many of the rules may repeat others, and run; None where all are to be looked at.
    """

    codes: Numbers
    components: Numbers
    groups: Sequence[RuleGroup]
    in_force: Flags
    possible: Numbers
    modules: Sequence[Dependency]
    unexamined: int | None = None

    @classmethod
    def of(
        cls, rules: NumberedRules, possible: Numbers, modules: Sequence[Dependency], before: RelationOrder | None
    ) -> RelationOrder:
        """The order of the relations of the rules in force. Cost: O(atoms of the rules).

        Args:
            possible: those that can have facts.
            before: the order of rules that these may be more than.

        Raises:
            CircularError: a relation depends on its own negation, or on an aggregate of itself.
        """
        known = before._known(rules, modules) if before is not None else None
        components, are_joined = _components_of(rules, modules, known)
        found = cls(rules.codes, components, rules.groups, rules.in_force.copy(), possible, modules)
        if before is None or before.unexamined is None or known is None or are_joined:
            return found
        count = int(np.count_nonzero(found.in_force))
        unexamined = before.unexamined + count - int(np.count_nonzero(before.in_force))
        return replace(found, unexamined=unexamined) if unexamined * rule_tuning.UNEXAMINED_SHARE <= count else found

    def _known(self, rules: NumberedRules, modules: Sequence[Dependency]) -> Numbers | None:
        """For each relation of other rules the number of its stratum here, -1 for none; None where not all rules in
        force here are among them."""
        if not {*self.modules} <= {*modules} or not self._are_among(rules):
            return None
        found = np.full(len(rules.codes), -1, dtype=np.int64)
        at = rules.codes.searchsorted(self.codes)
        is_there = rules.codes.take(at, mode="clip") == self.codes
        found[at[is_there]] = self.components[is_there]
        return found

    def _are_among(self, rules: NumberedRules) -> bool:
        places = {group.number: place for place, group in enumerate(rules.groups)}
        begin = 0
        for group in self.groups:
            place, count = places.get(group.number), len(group.rows)
            if place is None or not rules.groups[place].begins_with(group):
                return False
            now = rules.span(place).start
            if (self.in_force[begin : begin + count] & ~rules.in_force[now : now + count]).any():
                return False
            begin += count
        return True


def _components_of(
    rules: NumberedRules, modules: Sequence[Dependency], known: Numbers | None
) -> tuple[Numbers, bool]:
    """For each relation of the rules in force the number of its stratum, int64, in the order of `rules.codes`; and
    whether strata that are `known` have become one.

    Raises:
        CircularError: a relation depends on its own negation, or on an aggregate of itself.
    """
    codes = rules.codes
    (inputs, outputs), (deniers, denied) = rules.inputs(), rules.denied()
    links = codes.searchsorted([(link.source, link.target) for link in modules]).reshape(-1, 2)
    sources = np.concatenate((inputs, denied, links[:, 0]))
    targets = np.concatenate((outputs, rules.heads[deniers], links[:, 1]))
    if known is None:
        components, are_joined = topological_components(len(codes), sources, targets), False
    else:
        components, are_joined = grown_components(known, sources, targets)
    circular = np.flatnonzero(components[denied] == components[rules.heads[deniers]])
    if len(circular):
        rule, end = int(deniers[circular[0]]), int(denied[circular[0]])
        cycle = codes[[end, *_path(len(codes), sources, targets, int(rules.heads[rule]), end)]]
        raise CircularError(rules.groups[rules.places[rule]], cycle.tolist())
    return components, are_joined


def _path(count: int, sources: Numbers, targets: Numbers, begin: int, end: int) -> list[int]:
    """The relations on a shortest way from one to another, both included."""
    successors: list[list[int]] = [[] for _ in range(count)]
    for source, target in zip(sources.tolist(), targets.tolist(), strict=True):
        successors[source].append(target)
    return shortest_path(successors, begin, end)
