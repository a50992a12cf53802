"""What waits in a pass: for a stratum to be visited, and for candidates to be compared with what is known."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from kgreason.engine.meter import Meter
from kgreason.engine.modules.lists import ListModule
from kgreason.engine.rules.bodies import Reader
from kgreason.engine.rules.families import Use
from kgreason.engine.rules.gathering import Gathering
from kgreason.schemes.scheme import Table


class Candidates:
    """Facts that an evaluation produced, by key, not yet compared with what is known."""

    __slots__ = ("_found", "_known", "_meter")

    def __init__(self, meter: Meter, known: Reader | None = None) -> None:
        """`known` gives the facts of a key, if the candidates are to be added to them."""
        self._meter = meter
        self._known = known
        self._found: dict[int, Gathering] = {}

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, code: int, table: Table | None) -> None:
        """Collect facts of a relation; None and empty tables are ignored."""
        if table:
            found = self._found.get(code)
            if found is None:
                known = partial(self._known, code) if self._known is not None else None
                found = self._found[code] = Gathering(self._meter, known)
            found.add(table)

    def take(self) -> Iterator[tuple[int, Table]]:
        """Each relation with the union of what was collected; afterwards nothing is left."""
        found, self._found = self._found, {}
        for code, gathering in found.items():
            table = gathering.table()
            if table is not None:
                yield code, table


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
