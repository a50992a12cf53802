"""A pass over one stratum: overdelete, rederive, insert, with the modules of the stratum (DRED^c-MOD).

1. *Overdelete* (`overdeletion`): every fact that loses one of its derivations, judged by the view before the pass, and
   what depended on it; what is sure to hold stays.
2. *Rederive* (`insertion`): overdeleted facts that still follow in one step from what is left.
3. *Insert* (`insertion`): rederived and new facts, and what follows from them, to a fixpoint.

Where much of a stratum is overdeleted, its schemes gain much that its rules read, or a circle closes from which most of
it follows, the pass is dropped and the stratum remade: it is emptied and derived anew, so that a change costs little
more than that. Where rules come or go after the pass, a stratum of many facts is left to the next one, and what is
above reads it as it was until then.

Source: Hu et al. 2019, Algorithms 2 and 3. Relations that a scheme keeps have two keys here: rules derive their
external facts, and what the scheme makes of these is what rules read. A stratum that a scheme keeps as a whole has no
rule that reads its relations, so its scheme gives the next version when all else is done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext

from kgreason.engine.facts import relation_of
from kgreason.engine.maintenance import remade_strata
from kgreason.engine.maintenance.insertion import Insertion
from kgreason.engine.maintenance.overdeletion import Overdeleted, Overdeletion
from kgreason.engine.maintenance.remaking import Remaking
from kgreason.engine.maintenance.rule_free import scheme_changes
from kgreason.engine.maintenance.stratum_modules import StratumModules, over_representatives
from kgreason.engine.modules.agenda import AgendaEntry
from kgreason.engine.modules.lists import ListModule
from kgreason.engine.modules.part_module import PartVersion
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.modules.table_versions import NetChange
from kgreason.relations.net_changes import net_change, unread_loss
from kgreason.relations.table import Table


class StratumPass:
    """One pass; `run` may be called once."""

    def __init__(
        self,
        state: PassState,
        number: int,
        waiting: AgendaEntry,
        lists: Sequence[ListModule],
        known: Sequence[PartVersion] = (),
    ) -> None:
        """`lists` are the list modules of the program; `waiting` says what causes the pass. In place of a pass that was
        dropped, `known` are the versions of its parts there."""
        self._shown = state
        over = over_representatives(state, number)
        self._state = state = state if over is None else over.state
        self._strata = state.strata
        self._number = number
        self._waiting = waiting
        self._lists = lists
        # Schemes and representatives have sources that the agenda does not name.
        self._only_loses = over is None and not self._strata.parts(number) and waiting.only_loses(state.changes)
        if waiting.remade:
            remade_strata.take_out_all(state, number, waiting, lists)
        self._remaking = Remaking(state, number)
        self._stratum = StratumModules.of(state, number, waiting, lists, over, known)

    def run(self) -> Iterator[tuple[int, NetChange]]:
        """Maintain the stratum; the net change of each of its relations that may have changed."""
        done = self._steps()
        if done is None:
            yield from self._run_again()
            return
        deleted, inserted = done
        changed = deleted.keys() | inserted.keys()
        if self._waiting.remade:
            changed = {self._strata.key(code) for code in self._strata.members(self._number)}
        changes = [(key, self._net(key, deleted.get(key), inserted.get(key))) for key in changed]
        for key, change in changes:
            if key < 0:
                self._state.external_changes.record(relation_of(key), *change)
        if self._strata.definition(self._number) is not None:
            yield from scheme_changes(self._state, self._number, bool(self._waiting.redefined))
            return
        for part in self._stratum.parts:
            yield from part.finish()
        yield from ((key, change) for key, change in changes if key >= 0)

    def _steps(self) -> tuple[Mapping[int, Table], Mapping[int, Table]] | None:
        """What was overdeleted and what was inserted, by key; None where the pass is dropped."""
        # Of a stratum that is remade nothing is left that could be overdeleted.
        remade = self._waiting.remade
        overdeleted = Overdeleted() if remade else Overdeletion(self._stratum, self._remaking).run()
        if overdeleted is None:
            return None
        with self._state.meter.uncounted() if remade else nullcontext():
            inserted = Insertion(self._stratum, self._remaking, overdeleted).run()
        return None if inserted is None else (overdeleted.facts, inserted)

    def _run_again(self) -> Iterator[tuple[int, NetChange]]:
        """Remake the stratum in place of this pass, which was dropped, or leave that to the next one."""
        waits = not self._waiting.redefined and self._remaking.can_wait()
        self._remaking.foresee(waits=waits)
        if waits:
            remade_strata.defer(self._shown, self._number)
            return
        self._waiting.remade = True
        remade_strata.consolidate_inputs(self._state, self._number)
        known = [part.version for part in self._stratum.parts]
        yield from StratumPass(self._shown, self._number, self._waiting, self._lists, known).run()

    def _is_read(self, code: int) -> bool:
        """Whether the change of a relation of the stratum is read above it, or decides which rules there are."""
        strata = self._strata
        if code in self._state.guards or strata.readers(code) or any(code in module.inputs for module in self._lists):
            return True
        inside = len(strata.recursive_rules(code))
        return strata.negated.count(code) > 0 or strata.body.count(code) > inside

    def _net(self, key: int, gone: Table | None, come: Table | None) -> NetChange:
        """The net change of a key of which some facts were overdeleted and some inserted."""
        if self._waiting.remade:
            before, after = self._state.get_before(key), self._state.get(key)
            if self._only_loses and not self._is_read(key):
                return None, unread_loss(before, after)
            return net_change(before, after)
        both = gone.intersection(come) if gone and come else None
        added = come.difference(both) if come and both else come
        removed = gone.difference(both) if gone and both else gone
        return added or None, removed or None
