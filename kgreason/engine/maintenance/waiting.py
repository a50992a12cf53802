"""What waits in a pass: for a stratum to be visited, and for candidates to be compared with what is known."""

from __future__ import annotations

from collections.abc import Iterator

from kgreason.engine.modules.lists import ListModule
from kgreason.engine.rules.families import Use
from kgreason.schemes.relations import union_of
from kgreason.schemes.scheme import Table


class Candidates:
    """Facts that an evaluation produced, by key, not yet compared with what is known."""

    __slots__ = ("_tables",)

    def __init__(self) -> None:
        self._tables: dict[int, list[Table]] = {}

    def __bool__(self) -> bool:
        return bool(self._tables)

    def add(self, code: int, table: Table | None) -> None:
        """Collect facts of a relation; None and empty tables are ignored."""
        if table:
            self._tables.setdefault(code, []).append(table)

    def take(self) -> Iterator[tuple[int, Table]]:
        """Each relation with the union of what was collected; afterwards nothing is left."""
        tables, self._tables = self._tables, {}
        for code, parts in tables.items():
            yield code, union_of(parts)


class WaitingStratum:
    """What waits for a stratum to be visited."""

    __slots__ = (
        "added", "fresh", "leaving", "modules", "redefined", "remade", "removed", "targets", "triggers", "unguarded"
    )

    def __init__(self) -> None:
        self.added: list[tuple[int, Table]] = []
        self.removed: list[tuple[int, Table]] = []
        self.fresh: list[Use] = []
        self.leaving: list[Use] = []
        self.unguarded: list[Use] = []
        self.triggers: list[tuple[Use, int, bool]] = []
        self.modules: list[tuple[ListModule, int]] = []
        self.targets: list[tuple[ListModule, int]] = []
        self.redefined: set[int] = set()
        self.remade = False

    def is_asserted_alone(self) -> bool:
        """Whether nothing waits but facts that were asserted, or are no longer."""
        derived = self.fresh or self.leaving or self.unguarded or self.triggers or self.modules or self.targets
        return not (derived or self.redefined or self.remade)
