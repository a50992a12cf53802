"""In which order the relations of a stratum take in what was derived of them.

Where all do at once, a fact passes one rule a round: along a chain of classes with a thing each, every class gets
things in as many rounds as there are classes before it, and each time its rules are evaluated. So where many relations
wait, they are swept over in the order in which rules lead from one to the next, and each takes in at once what has come
from all before it. What comes from those after it, around a circle, waits for the next sweep.

Source: the order is that of iterative data-flow analysis (Kam and Ullman 1976, "Global Data Flow Analysis and Iterative
Algorithms").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush

from kgreason.engine import rule_tuning
from kgreason.engine.facts import relation_of
from kgreason.engine.modules.agenda import Keys
from kgreason.engine.strata.stratum_lookups import StratumLookups


class Sweeps:
    """The sweeps over the stratum `number` of one pass."""

    def __init__(self, strata: StratumLookups, number: int) -> None:
        self._strata = strata
        self._number = number
        self._levels: Mapping[int, int] | None = None
        self._is_first = True
        self._at: int | None = None
        """The level that a sweep has reached; None between sweeps."""
        self._ahead: list[int] = []
        self._behind: list[int] = []
        """The levels at which keys wait, as heaps: for this sweep, and for the next one."""
        self._waiting: dict[int, list[int]] = {}
        self._placed: set[int] = set()

    def next_of(self, keys: Keys) -> list[int]:
        """Those of the keys that wait which take their facts in next: all, unless they are many; never those of the
        first round in part, as the origins of their facts are not known (`RuleFilter`).

        Cost: O(log(levels)) for each key that waits since the last call, or was returned by it.
        """
        if self._is_first:
            self._is_first = False
            return [*keys]
        if self._at is not None:
            self._place(keys)
        if not self._ahead:
            self._at = None
            if len(keys) < rule_tuning.SWEPT_KEYS:
                self._forget()
                return [*keys]
            self._place(keys)
            self._ahead, self._behind = self._behind, []
        self._at = heappop(self._ahead)
        found = self._waiting.pop(self._at)
        self._placed.difference_update(found)
        return found

    def _place(self, keys: Keys) -> None:
        """Let the last of some keys, which are new, wait at their levels."""
        if self._levels is None:
            self._levels = _levels({code: self._heads(code) for code in self._strata.members(self._number)})
        for key in reversed(keys):
            if key in self._placed:
                return
            self._placed.add(key)
            level = self._levels[relation_of(key)]
            if level not in self._waiting:
                self._waiting[level] = []
                heappush(self._ahead if self._at is not None and level > self._at else self._behind, level)
            self._waiting[level].append(key)

    def _forget(self) -> None:
        """No key waits any more."""
        self._behind.clear()
        self._waiting.clear()
        self._placed.clear()

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
