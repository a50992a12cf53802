"""Which parts of a conjunction share variables: atoms of rules, or patterns of queries."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import chain
from typing import TypeVar

Part = TypeVar("Part")
Variable = TypeVar("Variable", bound=Hashable)


def connected(parts: Iterable[tuple[frozenset[Variable], Part]]) -> list[tuple[frozenset[Variable], list[Part]]]:
    """Parts by their variables, those together that share some, directly or by others; with these variables.

    Cost: for each part, a look at the groups so far."""
    groups: list[tuple[frozenset[Variable], list[Part]]] = []
    for variables, part in parts:
        met = [group for group in groups if not group[0].isdisjoint(variables)]
        groups = [group for group in groups if group[0].isdisjoint(variables)]
        whole = variables.union(*(known for known, _ in met))
        groups.append((whole, [*chain.from_iterable(own for _, own in met), part]))
    return groups
