"""The first reads after a change, made cheap by work that is a hundredth of the change at most.

Planners ask how many pairs an id has, readers how many facts a relation has and which id a name has. All of it is found
when something first asks, and kept. After a large change, as a load is, the change pays for it and not the first query.
"""

from __future__ import annotations

from itertools import islice

import numpy as np

from kgreason.dictionary.dictionary import Dictionary
from kgreason.engine.engine_state import EngineState, StoredFacts
from kgreason.engine.facts import Changes
from kgreason.relations.codes import AUXILIARY, identifier_of, kind_of
from kgreason.sorting import distinct
from kgreason.store import store_tuning
from kgreason.store.views import Views


def warm_up(engine: EngineState, stored: Changes, views: Views, dictionary: Dictionary) -> None:
    """Find what first reads of a state ask, after a change that stored some facts: O(the facts of relations that grew
    by many)."""
    least = max(store_tuning.LOADED_FACTS, store_tuning.LOADED_SHARE * len(engine.facts))
    is_load = sum(map(len, stored.added.values())) > least
    _survey(engine, stored, store_tuning.SURVEYED_PAIRS if is_load else store_tuning.LARGE_CHANGE)
    if is_load:
        _count(engine)
        views.survey()
        named = (identifier_of(code) for code in engine.facts if kind_of(code) != AUXILIARY)
        names = np.fromiter(islice(named, store_tuning.RECALLED_NAMES), dtype=np.uint32)
        dictionary.recall(distinct(names))


def _survey(engine: EngineState, stored: Changes, least: int) -> None:
    """Find what planners ask of relations that grew by more than `least` pairs."""
    facts = StoredFacts(engine)
    for code, table in stored.added.items():
        if len(table) > least and (whole := facts.get(code)) is not None and whole.arity == 2:
            whole.survey()


def _count(engine: EngineState) -> None:
    """Count the facts of relations that are not written out, where they are few."""
    for _, table in engine.facts.items():
        if table.is_virtual and table.estimate <= store_tuning.COUNTED_FACTS:
            len(table)
