"""Strata that are remade: emptied, so that all that derives their facts does so again; or left to the next pass.

Whether to remake one is for `remaking` to say.
"""

from __future__ import annotations

from collections.abc import Sequence

from kgreason.engine.facts import external_key
from kgreason.engine.modules.agenda import AgendaEntry
from kgreason.engine.modules.lists import ListModule
from kgreason.engine.modules.pass_state import PassState


def take_out_all(state: PassState, number: int, waiting: AgendaEntry, lists: Sequence[ListModule]) -> None:
    """Take all facts out of a stratum, and have everything wait that derives them."""
    members = state.strata.members(number)
    is_whole = state.strata.definition(number) is not None
    # What has changed below is not looked at apart from all else there.
    waiting.fresh, waiting.triggers, waiting.modules = [], [], []
    for code in members:
        if state.strata.key(code) != code:
            state.meter.wrote(state.facts.get(code), None)
        if state.external.get(code) is not None:
            state.put(external_key(code), None)
        state.put(code, state.facts.get(code) if is_whole else None)
        explicit = state.explicit.get(code)
        if explicit:
            waiting.added.append((code, explicit))
        waiting.fresh.extend(state.strata.heads.of(code))
        waiting.targets.extend((module, code) for module in lists if code in module.targets)


def consolidate_inputs(state: PassState, number: int) -> None:
    """Merge what small changes have left in the relations below that the rules of a stratum read, unless these are
    larger than the stratum: a look-up in a table with small blocks takes half as long again."""
    get, members = state.facts.get, state.strata.members(number)
    uses = [use for code in members for use in state.strata.heads.of(code)]
    read = {use.parameters[atom.relation] for use in uses for atom in use.group.template.body} - {*members}
    size = sum(table.estimate for table in map(get, members) if table and not table.is_virtual)
    for code in read:
        table = get(code)
        if table and table.estimate <= size:
            state.facts.put(code, table.consolidated())


def defer(state: PassState, number: int) -> None:
    """Leave a stratum as it was to all that is above it, and have the next pass remake it."""
    for code in state.strata.members(number):
        for key in (code, external_key(code)):
            if state.get(key) is not state.get_before(key):
                state.put(key, state.get_before(key))
        state.deferred.add(code)
