"""A state that was derived anew in the place of a change, as the outcome of that change.

Where a change takes more work than to derive everything anew it is dropped, since states are values, and everything is
derived anew. What readers, indexes and listeners learn of it are the net changes all the same; those of relations that
are kept over representatives are looked for when a listener reads them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from kgreason.engine.engine_state import EngineState, Outcome, Setting, StoredFacts
from kgreason.engine.facts import Changes, Facts
from kgreason.relations.net_changes import NetChanges, unread_change
from kgreason.relations.table import Table

P = TypeVar("P")


def as_change(before: EngineState, outcome: Outcome[P], setting: Setting) -> Outcome[P]:
    """The outcome of a change of a state, given that of deriving anew the state that it leads to.

    Tables that have the same facts as before stay the same ones, with what was built for them. Cost: O(written out
    facts of the relations whose tables differ).
    """
    after = outcome.state
    changes = NetChanges()
    total = Changes()
    facts = _kept(before.facts, after.facts, NetChanges(unread_change), total)
    external = _kept(before.external, after.external, changes, Changes())
    state = replace(after, facts=facts, external=external)
    stored = _stored(before, state, changes, total)
    breaks = []
    if outcome.breaks:
        known = {each.list for each in setting.list_module(before.sequences).breaks(before.facts.get)}
        breaks = [each for each in outcome.breaks if each.list not in known]
    return Outcome(state, outcome.program, total, stored, breaks)


def _stored(before: EngineState, after: EngineState, changes: NetChanges, total: Changes) -> Changes:
    """The net change of what is written out, given that of all facts."""
    found, kept = Changes(), {*before.definitions, *after.definitions}
    for code in (total.added.keys() | total.removed.keys()) - kept:
        found.replace(code, total.added.get(code), total.removed.get(code))
    then, now = StoredFacts(before), StoredFacts(after)
    for code in kept:
        found.replace(code, *changes.of(then.get(code), now.get(code)))
    return found


def _kept(before: Facts, after: Facts, changes: NetChanges, total: Changes) -> Facts:
    """A version in which tables that have the same facts as in another one are those of that one; `total` gets what
    differs."""
    draft = after.draft()
    for code in {*before, *after}:
        known, now = before.get(code), after.get(code)
        added, removed = changes.of(known, now)
        total.replace(code, added, removed)
        if added is None and removed is None and _is_written_out(known) and _is_written_out(now):
            draft.put(code, known)
    return draft.version()


def _is_written_out(table: Table | None) -> bool:
    return table is not None and not table.is_virtual
