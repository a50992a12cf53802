"""Sets of relations, as a view of triples reads them: those of a state, and what two or more of them make together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Protocol, TypeAlias

from kgreason.relations.table import Table

Measure: TypeAlias = Callable[[int, Table], int]
"""What is counted of a relation: of its code and table."""


class Relations(Protocol):
    """From relation codes to tables."""

    def get(self, code: int) -> Table | None:
        """The table of a relation, None when it has no facts."""

    def __iter__(self) -> Iterator[int]: ...

    def total(self, measure: Measure) -> int:
        """The sum of what is counted of each relation."""


class Difference:
    """The facts of one set of relations that another one does not have, relation by relation when asked."""

    def __init__(self, whole: Relations, part: Relations) -> None:
        self._whole = whole
        self._part = part
        self._known: dict[int, Table | None] = {}

    def get(self, code: int) -> Table | None:
        """The difference of one relation: computed once."""
        if code not in self._known:
            whole, part = self._whole.get(code), self._part.get(code)
            self._known[code] = (whole.difference(part) or None) if whole and part else whole
        return self._known[code]

    def __iter__(self) -> Iterator[int]:
        return iter(self._whole)

    def total(self, measure: Measure) -> int:
        """The sum of what is counted of each relation: O(relations)."""
        return _sum(self, measure)


class Remainder(Difference):
    """What is left of a set of relations without a part of it: all facts of the part are among them."""

    def total(self, measure: Measure) -> int:
        """The sum of what is counted of each relation's facts, without a look at any relation."""
        return self._whole.total(measure) - self._part.total(measure)


class United:
    """The facts of several sets of relations together, relation by relation when asked."""

    def __init__(self, parts: Sequence[Relations]) -> None:
        self._parts = tuple(parts)
        self._known: dict[int, Table | None] = {}

    def get(self, code: int) -> Table | None:
        """The union of one relation: computed once, and for free where only one part has it."""
        if code not in self._known:
            tables = [table for part in self._parts if (table := part.get(code))]
            self._known[code] = reduce(lambda one, other: one.union(other), tables) if tables else None
        return self._known[code]

    def __iter__(self) -> Iterator[int]:
        return iter(dict.fromkeys(code for part in self._parts for code in part))

    def total(self, measure: Measure) -> int:
        """The sum of what is counted of each relation: O(relations) for several sets."""
        return self._parts[0].total(measure) if len(self._parts) == 1 else _sum(self, measure)


def _sum(relations: Relations, measure: Measure) -> int:
    tables = ((code, relations.get(code)) for code in relations)
    return sum(measure(code, table) for code, table in tables if table is not None)
