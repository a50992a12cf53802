"""The rules of a stratum that copy one set into another, closed over at once for the new facts of a round.

Round by round a fact passes one such rule after the other, and around a circle of them again and again. Sets that are
copied into each other are one component with the same facts. So where many relations wait, what is new goes through
the components in topological order: each takes in once what comes to it, and its relations share one table.

Source: the condensation is that of Nuutila 1995, "Efficient Transitive Closure Computation in Large Digraphs", with
sets of facts in the place of successors.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush

import numpy as np

from kgreason.columns.components import topological_components
from kgreason.engine import rule_tuning
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.rules.occurrences import Occurrence
from kgreason.relations.plain import union_of
from kgreason.relations.table import Table


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Graph:
    """The relations that are copied or copied into, by component, and where each component is copied to."""

    components: dict[int, int]
    members: Sequence[Sequence[int]]
    targets: Sequence[Collection[int]]


class Copies:
    """Those of one pass over the stratum `number` that adds facts. `copied` are the relations that the last facts which
    were put in were copied into; None where they were not copied."""

    def __init__(self, state: PassState, number: int) -> None:
        self._state = state
        self._strata = state.strata
        self._number = number
        self.copied: Collection[int] | None = None

    def begin_round(self, keys: Collection[int]) -> bool:
        """Whether facts of so many keys wait that they are copied together: O(rules) when there are many first."""
        self.copied = None
        return len(keys) >= rule_tuning.SWEPT_KEYS and self._state.represented is None and bool(self._graph.members)

    def has(self, use: Occurrence) -> bool:
        """Whether a rule of the stratum copies a set, and nothing in the stratum decides whether it is there."""
        if not (use.group.template.is_copy and len(use.group.template.body[0].arguments) == 1):
            return False
        guard = use.group.guard
        if guard is not None and self._strata.is_member(guard, self._number):
            return False
        return self._strata.key(use.head) == use.head

    def close(self, delta: dict[int, Table]) -> dict[int, Table]:
        """Put in all copies of facts that have just been put in; these facts and all others that are new."""
        found, graph = dict(delta), self._graph
        waiting: dict[int, list[Table]] = {}
        for code, table in delta.items():
            if code in graph.components:
                waiting.setdefault(graph.components[code], []).append(table)
        heap = [*waiting]
        heapify(heap)
        copied: set[int] = set()
        while heap:
            number = heappop(heap)
            self._state.meter.worked(rule_tuning.RULE_WORK)
            come = union_of(waiting.pop(number))
            fresh = self._take_in(graph.members[number], come)
            copied |= fresh.keys()
            for code, table in fresh.items():
                found[code] = found[code].union(table) if code in found else table
            for other in graph.targets[number]:
                if other not in waiting:
                    waiting[other] = []
                    heappush(heap, other)
                waiting[other].append(come)
        self.copied = copied
        return found

    def _take_in(self, members: Sequence[int], come: Table) -> dict[int, Table]:
        """Have all relations of a component have the facts of each, and some that come; what is new of each."""
        known: dict[int, list[int]] = {}
        tables: dict[int, Table | None] = {}
        for code in members:
            table = self._state.get(code)
            known.setdefault(id(table), []).append(code)
            tables[id(table)] = table
        whole = union_of([come, *(table for table in tables.values() if table)])
        found = {}
        for key, codes in known.items():
            table = tables[key]
            fresh = whole.difference(table) if table else whole
            if fresh:
                self._state.meter.gave(fresh, rule_tuning.COPIED_WORK * len(codes))
            if fresh or len(known) > 1:
                for code in codes:
                    self._state.put(code, whole)
                    if fresh:
                        found[code] = fresh
        return found

    @cached_property
    def _graph(self) -> _Graph:
        """O(rules of the stratum)."""
        rules = self._strata.rules_within(self._number)
        pairs = [(code, use.head) for code, use in rules if self.has(use) and self._state.may_fire(use)]
        if len(pairs) < rule_tuning.SWEPT_KEYS:
            return _Graph({}, (), ())
        nodes, places = np.unique(pairs, return_inverse=True)
        sources, targets = places.reshape(-1, 2).T
        numbers = topological_components(len(nodes), sources, targets)
        members: list[list[int]] = [[] for _ in range(int(numbers.max()) + 1)]
        leads: list[set[int]] = [set() for _ in members]
        for code, number in zip(nodes.tolist(), numbers.tolist(), strict=True):
            members[number].append(code)
        for source, target in zip(numbers[sources].tolist(), numbers[targets].tolist(), strict=True):
            if source != target:
                leads[source].add(target)
        return _Graph(dict(zip(nodes.tolist(), numbers.tolist(), strict=True)), members, leads)
