"""Rederive and insert: overdeleted facts that still follow come back, and new ones come, with what follows from both.

Rounds of a fixpoint: what is pending becomes facts, relation by relation in the order of `sweeps`, and the modules say
what follows from those that were not known.

Source: Hu et al. 2019, Algorithms 2 and 3.
"""

from __future__ import annotations

from kgreason.engine.maintenance.overdeletion import Overdeleted
from kgreason.engine.maintenance.remaking import Remaking, counts
from kgreason.engine.maintenance.stratum_modules import StratumModules
from kgreason.engine.maintenance.sweeps import Sweeps
from kgreason.engine.modules.agenda import DeltaBuffer
from kgreason.relations.plain import union_of
from kgreason.relations.table import Table


class Insertion:
    """These steps in one pass over a stratum, after what was `overdeleted`; `run` may be called once."""

    def __init__(self, stratum: StratumModules, remaking: Remaking, overdeleted: Overdeleted) -> None:
        self._stratum = stratum
        self._state = stratum.state
        self._remaking = remaking
        self._overdeleted = overdeleted
        self._sweeps = Sweeps(stratum.state.strata, stratum.number)

    def run(self) -> dict[int, Table] | None:
        """Everything that is new in the stratum: rederived, asserted, and what follows; None where that is so much that
        the pass is dropped."""
        pending = DeltaBuffer(self._state.meter, self._state.get)
        self._stratum.few.begin()
        for module in self._stratum.modules:
            pending.extend(module.rederive(self._overdeleted.facts))
        for code, table in self._stratum.waiting.added:
            pending.add(self._state.strata.key(code), table)
        for module in self._stratum.modules:
            pending.extend(module.gained())
        inserted = {key: [joined] for key, joined in self._overdeleted.joined.items()}
        is_first = True
        while pending or is_first:
            if not self._insert_round(pending, inserted):
                return None
            is_first = False
            for last in (self._stratum.late.derived, self._stratum.ends.derived_again):
                if not pending:
                    pending.extend(last())
        return {key: self._inserted(key, tables) for key, tables in inserted.items()}

    def _insert_round(self, pending: DeltaBuffer, inserted: dict[int, list[Table]]) -> bool:
        """Put in what is pending and next, and gather what follows from what is new of it; False where the pass is
        dropped. By then what is new is held no more, but by `inserted` where it is a change."""
        if self._stratum.few.are_to_come(pending):
            self._follow_few(pending, inserted)
            if not pending:
                return True
        visible = self._put_in_next(pending, inserted)
        if visible is None:
            return False
        for module in self._stratum.modules:
            pending.extend(module.add(visible))
        return True

    def _follow_few(self, pending: DeltaBuffer, inserted: dict[int, list[Table]]) -> None:
        """Put in what is pending, and what follows from it, one fact after the other; what is left is pending then."""
        found = self._stratum.few.come(pending.take(self._sweeps.all_of(pending.keys())))
        for key, table in found.done.items():
            self._record(key, self._state.insert(key, table), inserted)
        for key, table in found.waiting.items():
            pending.add(key, table)

    def _record(self, key: int, fresh: Table, inserted: dict[int, list[Table]]) -> None:
        inserted.setdefault(key, []).extend(() if self._began_empty(key) else (fresh,))

    def _put_in_next(self, pending: DeltaBuffer, inserted: dict[int, list[Table]]) -> dict[int, Table] | None:
        """Put in what is pending and next; what is new for the rules of it, and of what schemes show then. None where
        the pass is dropped."""
        keys = pending.keys()
        copies = self._stratum.copies.begin_round(keys)
        taken = pending.take(self._sweeps.all_of(keys) if copies else self._sweeps.next_of(keys))
        delta = {key: fresh for key, table in taken if (fresh := self._state.insert(key, table))}
        if copies:
            delta = self._stratum.copies.close(delta)
        for key, fresh in delta.items():
            self._record(key, fresh, inserted)
        if not self._stratum.waiting.remade and self._remaking.costs_less_than_closing(self._stratum.late, delta):
            return None
        visible = {key: table for key, table in delta.items() if key >= 0}
        shown = {key: table for part in self._stratum.parts for key, table in part.add(delta)}
        if shown and not self._stratum.waiting.remade and self._remaking.costs_less_than_gain(counts(shown)):
            return None
        return {**visible, **shown}

    def _began_empty(self, key: int) -> bool:
        """Whether all facts that a relation has were inserted by this pass."""
        return self._stratum.waiting.remade or not self._state.get_before(key)

    def _inserted(self, key: int, tables: list[Table]) -> Table:
        """All facts that were inserted, round by round: where the pass began without any, those that there are."""
        whole = self._state.get(key) if self._began_empty(key) else None
        return whole or union_of(tables)
