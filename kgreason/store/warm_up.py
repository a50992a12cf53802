"""The first reads after a change, made cheap by work that is a hundredth of the change at most.

Planners ask how many pairs an id has, readers how many facts a relation has and which id a name has. All of it is found
when something first asks, and kept. After a large change, as a load is, the change pays for it and not the first query.
"""

from __future__ import annotations

from itertools import islice
from typing import Final

import numpy as np

from kgreason.dictionary.dictionary import Dictionary
from kgreason.engine.engine_state import EngineState, StoredFacts
from kgreason.engine.facts import Changes
from kgreason.relations.codes import AUXILIARY, identifier_of, kind_of
from kgreason.sorting import distinct
from kgreason.store import store_tuning
from kgreason.store.views import Views

_LOADED_FACTS: Final = 1 << 14
_LOADED_SHARE: Final = 1 << 6
"""After a change that brings so many facts, and so many for each relation, each relation is looked at for what first
queries ask: 2 to 4 microseconds for one (Records in Contexts, Berlin's benchmark), a hundredth of the change."""

_SURVEYED: Final = 1 << 10
"""After such a change what planners ask is at hand of relations that got more pairs: some 0.1 milliseconds for one."""

_COUNTED_FACTS: Final = 1 << 18
"""After such a change the facts of relations that are not written out are counted, where they have so many or fewer:
254 relations of Records in Contexts in 19 milliseconds, a hundredth of the change, which the first question for the
number of all triples took, or for that of each predicate's."""

_RECALLED_NAMES: Final = 1 << 12
"""After such a change the names of so many relations are at hand: to find one among 300,000 terms for the first time
takes 10 to 20 microseconds, of which a query of Berlin's benchmark has a dozen."""


def warm_up(engine: EngineState, stored: Changes, views: Views, dictionary: Dictionary) -> None:
    """Find what first reads of a state ask, after a change that stored some facts: O(the facts of relations that grew
    by many)."""
    is_load = sum(map(len, stored.added.values())) > max(_LOADED_FACTS, _LOADED_SHARE * len(engine.facts))
    _survey(engine, stored, _SURVEYED if is_load else store_tuning.LARGE_CHANGE)
    if is_load:
        _count(engine)
        views.survey()
        named = (identifier_of(code) for code in engine.facts if kind_of(code) != AUXILIARY)
        names = np.fromiter(islice(named, _RECALLED_NAMES), dtype=np.uint32)
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
        if table.is_virtual and table.estimate <= _COUNTED_FACTS:
            len(table)
