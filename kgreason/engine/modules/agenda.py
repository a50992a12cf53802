"""The agenda of a pass: work that waits for each stratum, and candidates to be compared with known facts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Reversible
from typing import Protocol

from kgreason.engine.facts import Changes
from kgreason.engine.meter import Meter
from kgreason.engine.modules.lists import ListModule
from kgreason.engine.modules.module import Found
from kgreason.engine.rules.occurrences import Occurrence
from kgreason.engine.rules.relation_buffer import RelationBuffer
from kgreason.engine.rules.rule_inputs import Reader
from kgreason.relations.table import Table


class Keys(Collection[int], Reversible[int], Protocol):
    """Keys that can be looked at from the last one."""


class DeltaBuffer:
    """Facts that an evaluation produced, by key, not yet compared with what is known."""

    __slots__ = ("_found", "_known", "_meter")

    def __init__(self, meter: Meter, known: Reader | None = None) -> None:
        """`known` gives the facts of a key, if the candidates are to be added to them."""
        self._meter = meter
        self._known = known
        # What is one table alone, which is the usual case, needs no gathering.
        self._found: dict[int, Table | RelationBuffer] = {}

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, code: int, table: Table | None) -> None:
        """Collect facts of a relation; None and empty tables are ignored."""
        if table:
            found = self._found.get(code)
            if found is None and not (table.is_virtual and self._meter.is_limited):
                self._found[code] = table
                return
            if not isinstance(found, RelationBuffer):
                first, found = found, RelationBuffer(self._meter, self._known, code)
                self._found[code] = found
                if first is not None:
                    found.add(first)
            found.add(table)

    def extend(self, found: Found) -> None:
        """Collect facts of several relations."""
        for code, table in found:
            self.add(code, table)

    def are_few(self, most: int) -> bool:
        """Whether no more facts than so many were collected, repetitions among them."""
        count = 0
        for found in self._found.values():
            count += 0 if found.is_virtual else len(found)
            if found.is_virtual or count > most:
                return False
        return True

    def keys(self) -> Keys:
        """The keys of what was collected, the last of which the facts began to come last."""
        return self._found.keys()

    def take(self, keys: Collection[int]) -> Iterator[tuple[int, Table]]:
        """Each of some keys with the union of what was collected, which is not collected any more."""
        found = {key: self._found.pop(key) for key in keys}
        for code, each in found.items():
            table = each.table() if isinstance(each, RelationBuffer) else each.materialised()
            if table is not None:
                yield code, table


class AgendaEntry:
    """The work that waits for a pass over a stratum."""

    __slots__ = (
        "added", "fresh", "leaving", "modules", "redefined", "remade", "removed", "targets", "triggers", "unguarded"
    )

    def __init__(self) -> None:
        self.added: list[tuple[int, Table]] = []
        self.removed: list[tuple[int, Table]] = []
        self.fresh: list[Occurrence] = []
        self.leaving: list[Occurrence] = []
        self.unguarded: list[Occurrence] = []
        self.triggers: list[tuple[Occurrence, int, bool]] = []
        self.modules: list[tuple[ListModule, int]] = []
        self.targets: list[tuple[ListModule, int]] = []
        self.redefined: set[int] = set()
        self.remade = False

    def is_empty(self) -> bool:
        """Whether nothing waits: the stratum is visited on account of what its scheme reads."""
        return self.is_asserted_alone() and not (self.added or self.removed)

    def is_asserted_alone(self) -> bool:
        """Whether nothing waits but facts that were asserted, or are no longer."""
        derived = self.fresh or self.leaving or self.unguarded or self.triggers or self.modules or self.targets
        return not (derived or self.redefined or self.remade)

    def only_loses(self, changes: Changes) -> bool:
        """Whether nothing waits but what takes facts away, given the net changes below: no rule is evaluated that gives
        a fact which was not there."""
        comes = self.added or self.fresh or self.modules or self.targets or self.redefined
        return not comes and not any(
            use.group.template.summaries or code in (changes.removed if negated else changes.added)
            for use, code, negated in self.triggers
        )
