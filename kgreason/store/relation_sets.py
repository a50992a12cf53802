"""Sets of relations, as a view of triples reads them: those of a state, and what two or more of them make together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Protocol

from kgreason.relations.table import Table


class Relations(Protocol):
    """From relation codes to tables."""

    def get(self, code: int) -> Table | None:
        """The table of a relation, None when it has no facts."""

    def __iter__(self) -> Iterator[int]: ...


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
