"""Transactions: several changes as one, with the state before as a reference to go back to."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from kgreason.engine.budget import Budget
from kgreason.engine.facts import difference
from kgreason.engine.modules.list_cells import Break
from kgreason.store.current_state import CurrentState
from kgreason.store.explicit_triples import Buffer


@contextmanager
def transaction(current: CurrentState, budget: Budget | None) -> Iterator[None]:
    """Make one change of all that the body changes; see `KnowledgeBase.transaction`."""
    with current.lock:
        current.flush()
        before, outer, count = current.now, current.defective, len(current.dictionary)
        try:
            current.defective = set()
            yield
            current.flush(budget)
            state = current.now.state
            breaks = _breaks(current, current.defective)
            if current.strict and outer is None:
                current.refuse(breaks, state)
        except BaseException:
            buffer = Buffer()
            current.now, current.buffer, current.defective = before, buffer, outer
            current.forget_terms(count)
            raise
        current.defective = outer
        if outer is not None:
            outer.update(each.list for each in breaks)
            return
        if current.feed.has_listeners:
            news = current.feed.news_of(difference(before.state.engine.facts, state.engine.facts))
            current.now = replace(current.now, news=current.now.news + news)
        current.tell(breaks)


def _breaks(current: CurrentState, lists: Collection[int]) -> list[Break]:
    """Where some lists break in the current state."""
    if not lists:
        return []
    found = np.fromiter(sorted(lists), dtype=np.uint32)
    return current.configuration.lists.breaks(current.now.state.engine.facts.get, found)
