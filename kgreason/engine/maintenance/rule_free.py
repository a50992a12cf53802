"""Strata in which no rule has anything to do: what a change comes to there is known without a pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kgreason.engine.maintenance.idle_triggers import drop_idle
from kgreason.engine.modules.agenda import AgendaEntry
from kgreason.engine.modules.lists import ListModule
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.modules.table_versions import Derivation, Inputs, NetChange
from kgreason.relations.catalogue import REPRESENTED, Definition
from kgreason.relations.schemes import turned
from kgreason.relations.table import Table


def rule_free_changes(
    state: PassState, number: int, waiting: AgendaEntry, lists: Sequence[ListModule]
) -> Iterator[tuple[int, NetChange]] | None:
    """The net change of each relation of a stratum that may have changed; None where rules must be asked."""
    drop_idle(state, number, waiting)
    if not waiting.is_asserted_alone():
        return None
    if waiting.is_empty():
        if state.strata.definition(number) is not None:
            return scheme_changes(state, number, redefined=False)
        # The scheme of a part reads relations of its own stratum, unless it says otherwise.
        return None if any(part.reads for part in state.strata.parts(number)) else iter(())
    return _asserted_changes(state, waiting) if _is_asserted(state, waiting, lists) else None


def _is_asserted(state: PassState, waiting: AgendaEntry, lists: Sequence[ListModule]) -> bool:
    """Whether no rule and no module derives the relations that gain or lose facts, and no scheme keeps them."""
    codes = {code for code, _ in (*waiting.added, *waiting.removed)}
    if not codes:
        return False
    targets = {target for module in lists for target in module.targets}
    strata = state.strata
    return targets.isdisjoint(codes) and not any(strata.heads.count(code) or strata.key(code) < 0 for code in codes)


def _asserted_changes(state: PassState, waiting: AgendaEntry) -> Iterator[tuple[int, NetChange]]:
    """Facts that are only asserted are those of the explicit table itself, and so are their changes."""
    added, removed = dict(waiting.added), dict(waiting.removed)
    for code in added.keys() | removed.keys():
        state.put(code, state.explicit.get(code))
        yield code, (added.get(code), removed.get(code))


def scheme_changes(state: PassState, number: int, redefined: bool) -> Iterator[tuple[int, NetChange]]:
    """Have the scheme that keeps a whole stratum give the next version; `redefined` says that its definition is a new
    one."""
    definition = state.strata.definition(number)
    assert definition is not None
    inputs = Inputs(state.get, state.get_before, state.changes, state.external_changes, state.literals)
    same = None if redefined else _over_other_classes(state, definition, inputs)
    if same is not None:
        for member in definition.members:
            state.put(member.code, turned(same, member))
        return
    derivation = Derivation(definition, state.catalogue.of(definition), inputs, state.terms)
    for code, table, change in derivation.members(redefined):
        state.put(code, table)
        yield code, change


def _over_other_classes(state: PassState, definition: Definition, inputs: Inputs) -> Table | None:
    """The facts of the first member of a definition over other representatives, where they are about nothing that is
    equal to other things than before; else None. A link among many relations leaves most of them so."""
    known = state.get(definition.members[0].code) if definition.closure == REPRESENTED else None
    if not known or not inputs.have_other_classes_alone(definition):
        return None
    (equality,) = definition.equality
    same = state.catalogue.unmoved(known, state.get_before(equality.code), state.get(equality.code))
    if same is not None and same.is_virtual:
        same.count_from(known, 0, 0)
    return same
