"""The current state of a knowledge base: the one reference that changes replace, what is queued, and the lock.

A change has three steps. `maintain` computes the next state, beside the one that readers see; `publish` replaces the
reference, and with it empties the queue; `tell` warns of defective lists and tells the listeners. A change that fails,
or that is stopped before `publish`, leaves the state as it was.

It takes its terms with it: `dictionary` is another one then, which has the older terms under their ids, and gives the
ids of the newer ones to other terms. So the ids of a view, or of terms that are in no triple, are to be decoded by the
dictionary that there was when they were asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import Final

from kgreason import memory
from kgreason.dictionary.dictionary import Dictionary
from kgreason.engine.budget import Budget
from kgreason.engine.facts import Changes
from kgreason.engine.modules.list_cells import Break
from kgreason.errors import KGReasonError, ListError, StoreError
from kgreason.io.quad_steps import Step
from kgreason.notebook_bar import notebook_bar
from kgreason.store import store_tuning
from kgreason.store.change_feed import Feed, News
from kgreason.store.defective_lists import warn_of
from kgreason.store.explicit_triples import Buffer
from kgreason.store.overlays import Overlay, Quad
from kgreason.store.specialised_program import RuleEdit
from kgreason.store.state import Configuration, State, describer
from kgreason.store.state_changes import Change, apply

_UNLIMITED: Final = Budget()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Now:
    """All that a knowledge base refers to, in one reference: its state, how many steps of its log led there, and the
    changes that listeners have yet to hear of. It `is_settled` where nothing but a change has to be done before a
    read."""

    state: State
    logged: int = 0
    news: tuple[News, ...] = ()
    is_settled: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_settled", not (self.news or self.state.has_waiting_rules))


class CurrentState:
    """The reference to the state of a knowledge base, and the changes that wait for it.

    Its attributes are read and replaced by the modules of this package while they hold `lock`.

    Args:
        state: where it begins.
        configuration: what all its states have in common.
        budget: how much one change may derive.
        strict: refuse a change that leaves a list defective which it concerns.
    """

    def __init__(self, state: State, configuration: Configuration, budget: Budget | None, strict: bool) -> None:
        memory.keep_free()
        self.now = Now(state)
        self.configuration = configuration
        self.budget = Budget() if budget is None else budget
        self.strict = strict
        # The lists that the changes of a transaction left defective so far; None outside of one.
        self.defective: set[int] | None = None
        self.buffer = Buffer()
        # What shows the changes that wait, as long as it is of these.
        self.overlay: Overlay | None = None
        self.feed = Feed(configuration.type_id)
        # The steps since `mark_committed`, of which `now.logged` count, and the state of then; None in memory.
        self.log: list[Step] | None = None
        self.committed = state
        self.lock = RLock()
        # So many terms stay when what is queued comes to nothing, and so many after a rollback.
        self._settled = self._committed_terms = len(configuration.dictionary)
        # How many bodies of `making_terms` have ids of terms that are not queued yet.
        self._attempts = 0
        self._is_telling = False
        # Whether the directory that changes were kept in is closed: then there are none any more.
        self.is_closed = False

    @property
    def dictionary(self) -> Dictionary:
        """The terms that there are: another dictionary after a change that came to nothing."""
        return self.configuration.dictionary

    @property
    def state(self) -> State:
        """The state as of the last maintenance; what is queued since is not in it."""
        return self.now.state

    def flushed(self) -> State:
        """The state after what is queued. To be called with the lock held."""
        self.flush()
        return self.now.state

    # -- terms --------------------------------------------------------------------------------------------------

    def mark_committed(self) -> None:
        """Log steps from now on, and let the state and the terms that there are now stay after a rollback."""
        now, log, terms = replace(self.now, logged=0), list[Step](), len(self.dictionary)
        # In one step, between whose parts no Ctrl-C can come: the state that is gone back to has all of its terms.
        self.now, self.log, self.committed, self._settled, self._committed_terms = now, log, now.state, terms, terms

    def keep_terms(self) -> None:
        """Let no change that fails later take away the terms that there are now. To be called while nothing is
        queued."""
        self._settled = self._committed_terms = len(self.dictionary)

    @contextmanager
    def making_terms(self) -> Iterator[None]:
        """Keep the terms of which the body makes ids until it has queued them, also when other changes fail meanwhile.
        If it raises, they are forgotten, except for those of quads that were queued or maintained meanwhile."""
        with self.lock:
            self._attempts += 1
        try:
            yield
        except BaseException:
            with self.lock:
                self._attempts -= 1
                self.forget_terms(max(self._settled, self.buffer.terms()))
            raise
        with self.lock:
            self._attempts -= 1

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """The same, and let no other thread change anything while the body runs."""
        with self.lock, self.making_terms():
            yield

    def forget_terms(self, count: int) -> None:
        """Forget the terms from an id on, which only a change that is gone had brought; those stay of which a listener
        has yet to hear, and those that are on their way into a change."""
        if not (self.now.news or self._attempts) and count < len(self.dictionary):
            self.overlay = None
            with suppress(MemoryError):  # then they stay, until another change comes to nothing
                self.configuration = self.configuration.over(self.dictionary.prefix(count))
                self._settled = min(self._settled, count)

    def settle_terms(self) -> None:
        """Let the terms that there are now stay when a change that is queued later comes to nothing."""
        self._settled = len(self.dictionary)

    def forget_uncommitted_terms(self) -> None:
        """Forget the terms that came since `keep_terms`."""
        self.forget_terms(self._committed_terms)

    # -- changes ------------------------------------------------------------------------------------------------

    def queue(self, quad: Quad, is_added: bool) -> None:
        """Have one quad come, or go. To be called with the lock held."""
        if self.is_closed:
            self.check_open()
        # What stops this in between leaves no overlay that lacks the quad.
        overlay, self.overlay = self.overlay, None
        quads = self.buffer.singles
        quads[quad] = is_added
        if overlay is not None and overlay.quads is quads and overlay.record(quad, is_added):
            self.overlay = overlay

    def queue_few(self, quads: Sequence[Quad], is_added: bool) -> None:
        """Have some quads come, or go: all, or when that is stopped none. To be called with the lock held."""
        self.check_open()
        overlay, self.overlay = self.overlay, None
        singles = self.buffer.singles
        singles.update(dict.fromkeys(quads, is_added))
        if overlay is not None and overlay.quads is singles and all(overlay.record(quad, is_added) for quad in quads):
            self.overlay = overlay

    def queue_many(self, *steps: Step) -> None:
        """Have columns of quads come and go, all steps or, when that is stopped, none; in a step, removals come first.
        To be called with the lock held."""
        self.check_open()
        self.buffer.bulk(steps)

    def check_open(self) -> None:
        """Raise StoreError where no change would be kept."""
        if self.is_closed:
            raise StoreError("the store is closed", expected="one that is open: call `open` again")

    def overlaid(self) -> State | Overlay:
        """The state, where changes wait: with these over it, or after their maintenance if they call for that. To be
        called with the lock held."""
        overlay = self.overlay
        if self.now.is_settled and overlay is not None and overlay.quads is self.buffer.singles:
            overlay.reads += 1
            return overlay if overlay.reads < store_tuning.OVERLAID_READS else self.flushed()
        self.overlay = None
        if self.now.is_settled and not (self.buffer.steps or self.feed.has_listeners or self.budget != _UNLIMITED):
            self.overlay = Overlay.of(self.now.state, self.buffer.singles, self.configuration.type_id, self.lock)
        return self.flushed() if self.overlay is None else self.overlay

    def flush(self, budget: Budget | None = None) -> None:
        """Maintain what is queued; see `KnowledgeBase.flush`."""
        if not self.buffer and not self.now.state.has_waiting_rules:
            if not self.now.is_settled:  # something stopped an announcement
                self._announce()
            return
        with self.lock:
            steps = self.buffer.waiting()
            is_large = sum(len(added) + len(removed) for added, removed in steps) >= store_tuning.GIVEN_BACK
            if is_large:  # reading them took more than they take
                memory.give_back_arrow()
            self.maintain(steps, self.budget if budget is None else budget)
            del steps
            if is_large:
                memory.give_back()

    def maintain(
        self, steps: Sequence[Step], budget: Budget, edit: RuleEdit | None = None, *, quiet: bool = False
    ) -> None:
        """Make a change, after which nothing is queued, and tell of it; `quiet` says nothing of defective lists."""
        self.change(steps, lambda: apply(self.now.state, steps, edit, self.configuration, budget), quiet=quiet)

    def change(self, steps: Sequence[Step], change: Callable[[], Change], *, quiet: bool = False) -> None:
        """Have the state that a change leads to, whose steps are given."""
        is_whole = self.defective is None
        try:
            with notebook_bar("reasoning"):
                found = change()
            if self.strict and is_whole and not quiet:
                self.refuse(found.breaks, found.state)
        except KGReasonError:
            self.buffer.clear()
            self.forget_terms(self._settled)
            raise
        self.publish(found.state, found.changes, steps)
        if self.defective is not None and not quiet:
            self.defective.update(each.list for each in found.breaks)
        self.tell(found.breaks if is_whole and not quiet else [])

    def publish(self, state: State, changes: Changes | None, steps: Sequence[Step] = ()) -> None:
        """Have another state from now on, with nothing queued."""
        now = self.now
        news, logged = now.news, now.logged
        if changes is not None and self.defective is None:
            news += self.feed.news_of(changes)
        if self.log is not None:
            # What is there beyond the steps that count is of changes that came to nothing.
            self.log[logged:] = steps
            logged += len(steps)
        # In one step, between whose parts no Ctrl-C can come: otherwise what it stops is still queued, or has terms
        # that the next change that comes to nothing takes away.
        now, buffer, terms = Now(state, logged, news), Buffer(), len(self.dictionary)
        self.now, self.buffer, self._settled = now, buffer, terms

    def refuse(self, breaks: Sequence[Break], state: State) -> None:
        """Raise ListError where lists break."""
        if breaks:
            raise ListError(str(describer(state, self.configuration).describe(breaks[0])))

    def tell(self, breaks: Sequence[Break]) -> None:
        """Warn of lists, and tell the listeners of the changes that wait."""
        try:
            if breaks:
                warn_of(breaks, describer(self.now.state, self.configuration))
        finally:  # also where a filter makes errors of warnings
            if self.now.news:
                self._announce()

    def _announce(self) -> None:
        """Tell the listeners of the changes that wait.

        A change that a listener brings about while it is told of another is announced after that one. What listeners
        raise comes out once all have been told.

        Raises:
            ExceptionGroup: several listeners failed; the error itself if it was one.
        """
        with self.lock:
            if self.defective is not None or self._is_telling:
                return
            errors: list[Exception] = []
            self._is_telling = True
            try:
                while self.now.news:
                    errors += self.feed.tell(self.now.news[0])
                    self.now = replace(self.now, news=self.now.news[1:])
            finally:
                self._is_telling = False
        if len(errors) == 1:
            raise errors[0]
        if errors:
            raise ExceptionGroup("several listeners failed", errors)
