"""In which order the relations of a stratum take in what was derived of them.

Where all do at once, a fact passes one rule a round: along a chain of classes with a thing each, every class gets
things in as many rounds as there are classes before it, and each time its rules are evaluated. So where many relations
wait, they are swept over in the order in which rules lead from one to the next, and each takes in at once what has come
from all before it. What comes from those after it, around a circle, waits for the next sweep, which goes the other way:
so facts pass along a chain of classes that are equal to their neighbours in two sweeps, and not one class a sweep.

Source: the order is that of iterative data-flow analysis (Kam and Ullman 1976, "Global Data Flow Analysis and Iterative
Algorithms").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
        self._is_first = True
        self._levels: list[Mapping[int, int]] = []
        """The levels in the order of this sweep, and in that of the next one."""
        self._at: int | None = None
        """The level that a sweep has reached; None between sweeps."""
        self._ahead: list[int] = []
        """The levels above it at which keys wait, as a heap."""
        self._waiting: dict[int, list[int]] = {}
        self._seen: set[int] = set()

    def next_of(self, keys: Keys) -> list[int]:
        """Those of the keys that wait which take their facts in next: all, unless they are many; never those of the
        first round in part, as the origins of their facts are not known (`RuleFilter`).

        Cost: O(log(levels)) for each key that waits since the last call, or was returned by it; O(keys) for a sweep.
        """
        if self._is_first:
            self._is_first = False
            return [*keys]
        if self._at is not None:
            self._place(keys, self._at)
        if not self._ahead:
            self._at = None
            self._seen.clear()
            if len(keys) < rule_tuning.SWEPT_KEYS:
                return [*keys]
            self._turn()
            self._place(keys, -1)
        self._at = heappop(self._ahead)
        found = self._waiting.pop(self._at)
        self._seen.difference_update(found)
        return found

    def all_of(self, keys: Keys) -> list[int]:
        """All keys, which end a sweep."""
        self._is_first, self._at = False, None
        self._ahead.clear()
        self._waiting.clear()
        self._seen.clear()
        return [*keys]

    def _place(self, keys: Keys, above: int) -> None:
        """Let those of some keys that are new, which are the last ones, wait at their levels above one."""
        levels = self._levels[0]
        for key in reversed(keys):
            if key in self._seen:
                return
            self._seen.add(key)
            level = levels[relation_of(key)]
            if level > above:
                if level not in self._waiting:
                    self._waiting[level] = []
                    heappush(self._ahead, level)
                self._waiting[level].append(key)

    def _turn(self) -> None:
        """Begin a sweep in the other order than that of the last one."""
        if not self._levels:
            successors: dict[int, dict[int, None]] = {code: {} for code in self._strata.members(self._number)}
            for code, use in self._strata.rules_within(self._number):
                successors[code][use.head] = None  # each head once, in order
            order = _reverse_postorder(successors)
            self._levels = [_levels(successors, order[::-1]), _levels(successors, order)]
        self._levels.reverse()


def _levels(successors: Mapping[int, Iterable[int]], order: Sequence[int]) -> dict[int, int]:
    """For each node one more than the highest of those before it that lead to it: O(edges)."""
    places = {node: place for place, node in enumerate(order)}
    levels = dict.fromkeys(order, 0)
    for node in order:
        for other in successors[node]:
            if places[other] > places[node]:
                levels[other] = max(levels[other], levels[node] + 1)
    return levels


def _reverse_postorder(successors: Mapping[int, Iterable[int]]) -> list[int]:
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
