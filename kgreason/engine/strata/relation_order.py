"""Relations in the order in which they follow from each other.

Strata are the strongly connected components of the dependency graph (body to head, guard to head, and what modules
lead to), in topological order. A relation must be above those that its rules deny or aggregate.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgreason.columns.components import topological_components
from kgreason.engine.rules.groups import RuleGroup
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


def components_of(rules: NumberedRules, modules: Sequence[Dependency]) -> Numbers:
    """For each relation of the rules in force the number of its stratum, int64, in the order of `rules.codes`; sources
    come first. Cost: O(atoms of the rules).

    Raises:
        CircularError: a relation depends on its own negation, or on an aggregate of itself.
    """
    codes = rules.codes
    (inputs, outputs), (deniers, denied) = rules.inputs(), rules.denied()
    links = codes.searchsorted([(link.source, link.target) for link in modules]).reshape(-1, 2)
    sources = np.concatenate((inputs, denied, links[:, 0]))
    targets = np.concatenate((outputs, rules.heads[deniers], links[:, 1]))
    components = topological_components(len(codes), sources, targets)
    circular = np.flatnonzero(components[denied] == components[rules.heads[deniers]])
    if len(circular):
        rule, end = int(deniers[circular[0]]), int(denied[circular[0]])
        cycle = codes[[end, *_path(len(codes), sources, targets, int(rules.heads[rule]), end)]]
        raise CircularError(rules.groups[rules.places[rule]], cycle.tolist())
    return components


def _path(count: int, sources: Numbers, targets: Numbers, begin: int, end: int) -> list[int]:
    """The relations on a shortest way from one to another, both included."""
    successors: list[list[int]] = [[] for _ in range(count)]
    for source, target in zip(sources.tolist(), targets.tolist(), strict=True):
        successors[source].append(target)
    return shortest_path(successors, begin, end)
