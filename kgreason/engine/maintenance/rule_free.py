"""Strata in which no rule has anything to do: what a change comes to there is known without a pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kgreason.engine.modules.agenda import AgendaEntry
from kgreason.engine.modules.lists import ListModule
from kgreason.engine.modules.pass_state import PassState
from kgreason.engine.modules.table_versions import Derivation, Inputs, NetChange


def rule_free_changes(
    state: PassState, number: int, waiting: AgendaEntry, lists: Sequence[ListModule]
) -> Iterator[tuple[int, NetChange]] | None:
    """The net change of each relation of a stratum that may have changed; None where rules must be asked."""
    if waiting.is_asserted_alone() and _is_asserted(state, waiting, lists):
        return _asserted_changes(state, waiting)
    if waiting.is_empty() and state.strata.definition(number) is not None:
        return scheme_changes(state, number, redefined=False)
    return None


def _is_asserted(state: PassState, waiting: AgendaEntry, lists: Sequence[ListModule]) -> bool:
    """Whether no rule and no module derives the relations that gain or lose facts, and no scheme keeps them."""
    codes = {code for code, _ in (*waiting.added, *waiting.removed)}
    if not codes:
        return False
    targets = {target for module in lists for target in module.targets}
    strata = state.strata
    return targets.isdisjoint(codes) and not any(strata.heads.of(code) or strata.key(code) < 0 for code in codes)


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
    derivation = Derivation(definition, state.catalogue.of(definition), inputs, state.terms)
    for code, table, change in derivation.members(redefined):
        state.put(code, table)
        yield code, change
