"""The history of a knowledge base, for what puts it on disk: the steps since the last commit, rollback, snapshots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kgreason.engine.budget import Budget
from kgreason.engine.facts import difference
from kgreason.io.quad_steps import Step
from kgreason.program.rules import Rule
from kgreason.store.current_state import CurrentState, Now
from kgreason.store.explicit_triples import Buffer
from kgreason.store.specialised_program import RuleEdit
from kgreason.store.state import KnowledgeState, state_of


class History:
    """Logs the steps that led from the last committed state to the current one, and goes back to it."""

    __slots__ = ("_current",)

    def __init__(self, current: CurrentState) -> None:
        self._current = current

    def advance(
        self, steps: Sequence[Step], rules: Mapping[Rule, int] | None = None, budget: Budget | None = None
    ) -> None:
        """Drop what is queued, and maintain steps and the change to other rules as one change; without a `budget`
        of its own it has that of every change. Where this leads was accepted before, so nothing is said of lists."""
        current = self._current
        with current.lock:
            counts = current.state.program.counts
            edit = RuleEdit.between(counts, counts if rules is None else rules)
            current.maintain(steps, current.budget if budget is None else budget, edit or None, quiet=True)

    def mark_committed(self) -> None:
        """Let `roll_back` lead here, and log steps from now on."""
        current = self._current
        with current.lock:
            current.mark_committed()

    @property
    def uncommitted(self) -> Sequence[Step]:
        """The steps that were maintained since `mark_committed`."""
        current = self._current
        return () if current.log is None else current.log[: current.now.logged]

    def close(self) -> None:
        """Log nothing from now on, and refuse all changes: the directory that they were kept in is closed."""
        current = self._current
        with current.lock:
            current.log = None
            current.now = replace(current.now, logged=0)
            current.is_closed = True

    @property
    def is_closed(self) -> bool:
        """Whether changes are refused since `close`."""
        return self._current.is_closed

    def check_open(self) -> None:
        """Raise StoreError after `close`."""
        self._current.check_open()

    def roll_back(self) -> None:
        """Go back to where `mark_committed` was called last, and drop what is queued; nothing is evaluated."""
        current = self._current
        with current.lock:
            if current.log is None:
                return
            now, state = current.now, current.committed
            news = now.news
            if current.feed.has_listeners:
                news += current.feed.news_of(difference(now.state.engine.facts, state.engine.facts))
            now, buffer = Now(state, 0, news), Buffer()
            current.now, current.buffer = now, buffer
            current.forget_uncommitted_terms()
            current.tell([])

    def keep_terms(self) -> None:
        """Let no change that fails later take away the terms that there are now: they are on disk, for example, under
        their ids. To be called while nothing is queued."""
        self._current.keep_terms()

    def snapshot(self) -> KnowledgeState:
        """The state after what is queued, with its terms, for `go_on_from`: O(terms that came one by one)."""
        current = self._current
        with current.lock:
            state = current.flushed()
            return KnowledgeState(current.dictionary.state(), state.engine, state.program, state.graphs)

    def go_on_from(self, kept: KnowledgeState) -> None:
        """Become the state that another knowledge base with the same options had, over a dictionary of the same state;
        nothing is evaluated. This one must be empty and without rules."""
        current = self._current
        with current.lock:
            current.publish(state_of(kept.engine, kept.program, kept.graphs, current.configuration.type_id), None)

    def take_listeners(self, before: History) -> None:
        """Tell the listeners of another knowledge base from now on, in whose place this one steps."""
        with self._current.lock:
            self._current.feed.follow(before._current.feed)
            self._current.overlay = None
