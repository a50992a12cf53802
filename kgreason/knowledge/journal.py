"""What happened to the explicit triples since the last commit: to be put on disk, or to be undone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kgreason.engine.facts import Facts
from kgreason.knowledge.explicit import Step
from kgreason.loading.quads import Quads
from kgreason.schemes.relations import CLASS, identifier_of, kind_of
from kgreason.schemes.scheme import Table


@dataclass(slots=True)
class Journal:
    """The steps that were maintained since the last commit, and of each table that they concern the version before.

    Tables are immutable, so a version costs what no later one shares with it.
    """

    steps: list[Step] = field(default_factory=list)
    _before: dict[tuple[int, int], Table | None] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.steps)

    def note(
        self, steps: Sequence[Step], graphs: Mapping[int, Facts], tables: Mapping[tuple[int, int], object]
    ) -> None:
        """Take note of steps before `graphs` follow them; `tables` will change, by graph and relation.

        To undo this, it is enough to take the steps away again: a table that did not change asks for nothing.
        """
        for graph, code in tables:
            facts = graphs.get(graph)
            self._before.setdefault((graph, code), None if facts is None else facts.get(code))
        self.steps += steps

    def follow(self, later: Journal) -> None:
        """Take over what a journal noted that began after this one stopped: O(tables that changed)."""
        for key, table in later._before.items():
            self._before.setdefault(key, table)
        self.steps += later.steps

    def reverse(self, graphs: Mapping[int, Facts], type_id: int) -> Step:
        """What leads from the graphs as they are to what they were: O(tables that changed)."""
        come: list[Quads] = []
        gone: list[Quads] = []
        for (graph, code), before in self._before.items():
            facts = graphs.get(graph)
            now = None if facts is None else facts.get(code)
            come += _quads(graph, code, type_id, before, now)
            gone += _quads(graph, code, type_id, now, before)
        return Quads.concatenated(come), Quads.concatenated(gone)


def _quads(graph: int, code: int, type_id: int, table: Table | None, without: Table | None) -> Iterator[Quads]:
    """The facts of a table that another one does not have."""
    if table and without:
        table = table.difference(without)
    if not table:
        return
    columns, identifier = table.columns(), identifier_of(code)
    subject = columns[0]
    is_class = kind_of(code) == CLASS
    predicate = np.full(len(subject), type_id if is_class else identifier, dtype=np.uint32)
    object = np.full(len(subject), identifier, dtype=np.uint32) if is_class else columns[1]
    yield Quads(np.full(len(subject), graph, dtype=np.uint32), subject, predicate, object)
