"""In which order the relations of a stratum take in what was derived of them.

Where all do at once, a fact passes one rule a round: along a chain of classes with a thing each, every class gets
things in as many rounds as there are classes before it, and each time its rules are evaluated. So where many relations
wait, they are swept over in the order in which rules lead from one to the next, and each takes in at once what has come
from all before it. What comes from those after it, around a circle, waits for the next sweep.

Source: the order is that of iterative data-flow analysis (Kam and Ullman 1976, "Global Data Flow Analysis and Iterative
Algorithms").
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from kgreason.engine import rule_tuning
from kgreason.engine.facts import relation_of
from kgreason.engine.strata.stratum_lookups import StratumLookups


class Sweeps:
    """The sweeps over the stratum `number` of one pass."""

    def __init__(self, strata: StratumLookups, number: int) -> None:
        self._strata = strata
        self._number = number
        self._levels: Mapping[int, int] | None = None
        self._at: int | None = None
        """The level that a sweep has reached; None between sweeps."""
        self._is_first = True

    def next_of(self, keys: Collection[int]) -> list[int]:
        """Those of the keys that wait which take their facts in next: all, unless they are many; never those of the
        first round in part, as the origins of their facts are not known (`RuleFilter`). O(keys)."""
        if self._is_first:
            self._is_first = False
            return [*keys]
        found = self._beyond(keys, self._at) if self._at is not None else []
        if not found and len(keys) >= rule_tuning.SWEPT_KEYS:
            found = self._beyond(keys, -1)
        if not found:
            self._at = None
        return found or [*keys]

    def _beyond(self, keys: Collection[int], level: int) -> list[int]:
        """The keys of the lowest level above one."""
        if self._levels is None:
            self._levels = _levels({code: self._heads(code) for code in self._strata.members(self._number)})
        of = {key: self._levels[relation_of(key)] for key in keys}
        later = [each for each in of.values() if each > level]
        self._at = min(later, default=None)
        return [key for key, each in of.items() if each == self._at]

    def _heads(self, code: int) -> Sequence[int]:
        """The relations of the stratum that rules derive from a relation of it."""
        return [*dict.fromkeys(use.head for use in self._strata.recursive_rules(code))]


def _levels(successors: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """For each node one more than the highest of those that lead to it, but along edges that lead back: O(edges)."""
    order = _reverse_postorder(successors)
    places = {node: place for place, node in enumerate(order)}
    levels = dict.fromkeys(order, 0)
    for node in order:
        for other in successors[node]:
            if places[other] > places[node]:
                levels[other] = max(levels[other], levels[node] + 1)
    return levels


def _reverse_postorder(successors: Mapping[int, Sequence[int]]) -> list[int]:
    """The nodes so that an edge leads back only where it closes a circle."""
    done: list[int] = []
    met: set[int] = set()
    for root in successors:
        waiting = [(root, iter(successors[root]))] if root not in met else []
        met.add(root)
        while waiting:
            node, others = waiting[-1]
            other = next((each for each in others if each not in met), None)
            if other is None:
                done.append(node)
                waiting.pop()
            else:
                met.add(other)
                waiting.append((other, iter(successors[other])))
    return done[::-1]
