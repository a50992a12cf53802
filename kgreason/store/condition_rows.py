"""The rows that satisfied a condition, kept until a table changes that was read for them.

Tables never change, and what a change does not concern is the same object in the next state and in branches. So a
condition is evaluated again only where one of its relations is another table: a what-if costs what it touches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from kgreason.engine.facts import Facts
from kgreason.program.rules import Rule
from kgreason.relations.table import Columns, Table
from kgreason.store import store_tuning
from kgreason.store.compiler import Compiled

Rows: TypeAlias = "tuple[tuple[Columns, int], ...]"
Key: TypeAlias = tuple[Rule, Compiled]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Known:
    """Rows, and the tables that they are of, by the codes of their relations."""

    tables: dict[int, Table | None]
    rows: Rows

    def is_of(self, facts: Facts) -> bool:
        """Whether facts have the same tables."""
        return all(facts.get(code) is table for code, table in self.tables.items())


@dataclass(slots=True, eq=False, repr=False)
class ConditionRows:
    """What a knowledge base and its branches remember; may be used by several threads."""

    _known: dict[Key, tuple[_Known, ...]] = field(default_factory=dict)

    def of(
        self, key: Key, facts: Facts, evaluate: Callable[[Callable[[int], Table | None]], Iterator[tuple[Columns, int]]]
    ) -> Iterator[tuple[Columns, int]]:
        """The rows of a condition over facts. `evaluate` gives them by a reader of relations."""
        versions = self._known.get(key, ())
        for known in versions:
            if known.is_of(facts):
                yield from known.rows
                return
        tables: dict[int, Table | None] = {}

        def read(code: int) -> Table | None:
            found = tables[code] = facts.get(code)
            return found

        kept: list[tuple[Columns, int]] = []
        count = 0
        for columns, length in evaluate(read):
            count += length
            if count <= store_tuning.KEPT_VIOLATIONS:
                kept.append((columns, length))
            yield columns, length
        if count <= store_tuning.KEPT_VIOLATIONS and len(self._known) < store_tuning.KEPT_CONDITIONS:
            self._known[key] = (_Known(tables, tuple(kept)), *versions[: store_tuning.KEPT_STATES - 1])
