"""Transitive rules: shortest paths in place of the many ways in which such a rule gives the same pair.

The rules are those whose body has ``p(x, y), p(y, z)`` for the head ``p(x, z)``, and beside it only atoms that say
nothing of x, y and z, such as ``[?p, a, owl:TransitiveProperty]``, and filters that say nothing of y, such as
``?x != ?z``: those must be true wherever the path passes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations

import numpy as np
from pyroaring import BitMap

from kgreason.algebra.expressions.tree import Variable
from kgreason.columns import bitmaps
from kgreason.columns.id_columns import repeated
from kgreason.program.rule_variables import any_variables
from kgreason.proofs.rule_patterns import Check, IdRule, Part, Pattern
from kgreason.proofs.steps import TRIPLE, Fact, IdFact
from kgreason.relations.table import Ids, Table


@dataclass(frozen=True, slots=True)
class Transitivity:
    """A transitive rule without the two atoms that make it one: what else it asks for. Of its checks, those in
    `on_ends` are about the pair that it gives, whose second end is `end`."""

    rule: IdRule
    beside: tuple[Part, ...]
    on_ends: tuple[Check, ...]
    end: Variable


def transitivity(rule: IdRule) -> Transitivity | None:
    """The rule as a transitive one; None when it is not."""
    is_plain = not (rule.negated or rule.rule.aggregates or any(check.variable is not None for check in rule.checks))
    if len(rule.heads) != 1 or not is_plain:
        return None
    head = rule.heads[0]
    ends = _ends(head)
    steps = [part for part in rule.body if isinstance(part, Pattern) and _is_step(part, head)]
    for first, second in permutations(steps, 2):
        before, after = _ends(first), _ends(second)
        if ends is None or before is None or after is None:
            continue
        middle = before[1]
        if before == (ends[0], middle) and after == (middle, ends[1]) and len({*ends, middle}) == 3:
            return _without(rule, (first, second), ends, middle)
    return None


def _without(
    rule: IdRule, steps: tuple[Pattern, Pattern], ends: tuple[Variable, Variable], middle: Variable
) -> Transitivity | None:
    others = [(atom, part) for atom, part in zip(rule.rule.body, rule.body, strict=True) if part not in steps]
    if {*ends, middle} & {variable for atom, _ in others for variable in any_variables(atom)}:
        return None
    if any(middle in check.inputs for check in rule.checks):
        return None
    on_ends = tuple(check for check in rule.checks if check.inputs & {*ends})
    return Transitivity(rule, tuple(part for _, part in others), on_ends, ends[1])


def _is_step(part: Pattern, head: Pattern) -> bool:
    return part.relation == head.relation and part.arguments[1:-1] == head.arguments[1:-1] and _ends(part) is not None


def _ends(pattern: Pattern) -> tuple[Variable, Variable] | None:
    """The two ends of a binary atom, where both are variables and the predicate, if it has one, is neither."""
    if len(pattern.arguments) != (3 if pattern.relation == TRIPLE else 2):
        return None
    first, last = pattern.arguments[0], pattern.arguments[-1]
    if not (isinstance(first, Variable) and isinstance(last, Variable)) or {first, last} & {*pattern.arguments[1:-1]}:
        return None
    return first, last


def turns_round(rule: IdRule) -> bool:
    """Whether a rule may give the pair (x, y) of a relation from the pair (y, x)."""
    ends = [(head, _ends(head)) for head in rule.heads]
    return any(
        pair is not None and isinstance(part, Pattern) and _is_step(part, head) and _ends(part) == pair[::-1]
        for head, pair in ends
        for part in rule.body
    )


def ends_of(fact: IdFact) -> tuple[int, int]:
    """The two ends of a fact of a property or a binary relation."""
    return fact.arguments[0], fact.arguments[-1]


def between(fact: IdFact, start: int, end: int) -> IdFact:
    """The fact of the same property or relation with other ends."""
    return Fact(fact.relation, (start, *fact.arguments[1:-1], end))


def facts_along(fact: IdFact, nodes: Sequence[int]) -> tuple[IdFact, ...]:
    """The facts from each node to the next."""
    return tuple(between(fact, *pair) for pair in pairwise(nodes))


def shortest_path(edges: Sequence[Table], closure: Table, start: int, end: int) -> tuple[int, ...] | None:
    """The nodes of a shortest path of one edge or more, None when there is none.

    Breadth first, a level at a time, only through nodes that `closure` says reach the end: O(edges at those nodes).
    """
    seen = BitMap()
    levels: list[tuple[Ids, Ids]] = []
    frontier = np.array([start], dtype=np.uint32)
    while len(frontier):
        nodes, before = _following(edges, frontier)
        levels.append((nodes, before))
        if end in nodes:
            return _trace(levels, end)
        frontier = nodes[~bitmaps.contains(seen, nodes)]
        seen |= bitmaps.from_ids(frontier)
        frontier = frontier[closure.contains((frontier, repeated(end, len(frontier))))]
    return None


def _following(edges: Sequence[Table], frontier: Ids) -> tuple[Ids, Ids]:
    """The nodes one edge away, sorted, each with one node before it."""
    found = [table.lookup({0: frontier})[1] for table in edges]
    before = np.concatenate([columns[0] for columns in found])
    nodes, index = np.unique(np.concatenate([columns[1] for columns in found]), return_index=True)
    return nodes, before[index]


def _trace(levels: Sequence[tuple[Ids, Ids]], end: int) -> tuple[int, ...]:
    way = [end]
    for nodes, before in reversed(levels):
        way.append(int(before[np.searchsorted(nodes, way[-1])]))
    return tuple(way[::-1])


def shortest_way(following: Callable[[int], Iterable[int]], start: int, end: int, limit: int) -> tuple[int, ...] | None:
    """The nodes of a shortest path of one step or more, where a function gives the nodes one step away.

    None when there is none, or when `limit` nodes were seen and the end was not among them.
    """
    before: dict[int, int] = {}
    waiting = deque([start])
    while waiting and len(before) < limit:
        node = waiting.popleft()
        for other in following(node):
            if other not in before:
                before[other] = node
                waiting.append(other)
            if other == end:
                way = [end, before[end]]
                while way[-1] != start:
                    way.append(before[way[-1]])
                return tuple(way[::-1])
    return None


def first_edges(edges: Sequence[Table], closure: Table, start: int, end: int) -> Iterator[int]:
    """Where the first step of a path of two edges or more may lead."""
    nodes, _ = _following(edges, np.array([start], dtype=np.uint32))
    reaching = closure.contains((nodes, repeated(end, len(nodes))))
    yield from nodes[reaching].tolist()
