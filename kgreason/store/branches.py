"""Branches: knowledge bases that begin as another one, share everything with it, and change without touching it.

A branch begins with the state of its origin, so making one costs O(1), and so does each of its changes what it would
cost in the origin. Its dictionary is a fork: the terms that only the branch has are unknown to the origin.

* `difference` is what the branch has and lacks beside the state that it began with, also when the origin has changed.
* `adopt` makes the origin what the branch is. It is refused where the origin has other explicit triples or rules than
  when the branch began. What the origin or the branch has queued is maintained first. The branch begins anew then, so
  that it may be changed and adopted again.
* A branch of a branch has the first branch as its origin, which alone can adopt it.
* A branch needs its origin only to be adopted: it outlives one that was closed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kgreason.dictionary.dictionary import Dictionary
from kgreason.engine.facts import difference as facts_difference
from kgreason.errors import BranchError
from kgreason.io.quad_steps import Step
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.relations.table import Ids
from kgreason.store.current_state import CurrentState
from kgreason.store.history import History
from kgreason.store.specialised_program import RuleEdit
from kgreason.store.state import State
from kgreason.store.state_difference import StateDifference, is_same


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a branch began: in which knowledge base, its state and its dictionary then, and how many terms this had."""

    base: CurrentState
    state: State
    dictionary: Dictionary
    terms: int

    @classmethod
    def of(cls, base: CurrentState) -> Origin:
        """A knowledge base as it is now."""
        return cls(base, base.state, base.dictionary, len(base.dictionary))


@dataclass(frozen=True, slots=True)
class Offer:
    """A branch as it is to be adopted: what it is now, where it began, and the steps that led from there to here."""

    origin: Origin
    state: State
    dictionary: Dictionary
    steps: Sequence[Step]


class Branch:
    """The current state of a branch, and where it began."""

    def __init__(self, base: CurrentState) -> None:
        """Begin as another knowledge base, after what is queued there: O(1)."""
        with base.lock:
            state = base.flushed()
            configuration = base.configuration.over(base.dictionary.fork())
            self.current = CurrentState(state, configuration, base.budget, base.strict)
            self.current.log = []
            self._origin = Origin.of(base)

    def difference(self) -> StateDifference:
        """The difference from the state that it began with."""
        with self.current.lock:
            return StateDifference(self._origin.state, self.current.flushed(), self.current.configuration.type_id)

    def offer(self) -> Offer:
        """This branch as it is now."""
        with self.current.lock:
            state = self.current.flushed()
            return Offer(self._origin, state, self.current.dictionary, tuple(History(self.current).uncommitted))

    def begin_anew(self, offer: Offer, origin: Origin) -> None:
        """Begin where the origin is by now, unless something has changed since an offer."""
        current = self.current
        with current.lock:
            if current.state is offer.state and not current.buffer:
                current.configuration = current.configuration.over(origin.dictionary.fork())
                current.publish(origin.state, None)
                History(current).mark_committed()
                self._origin = origin


def adopt(current: CurrentState, branch: Branch) -> None:
    """Become what a branch is, which begins anew then; see `KnowledgeBase.adopt`.

    Raises:
        BranchError: it is not a branch of this one, or this one has changed since; nothing has changed.
    """
    offer = branch.offer()
    with current.lock:
        current.check_open()
        state, origin = current.flushed(), offer.origin
        if origin.base is not current:
            raise BranchError("adopt: this is a branch of another store")
        if not is_same(origin.state, state):
            raise BranchError("adopt: the store has changed since the branch began")
        is_same_dictionary = current.dictionary is origin.dictionary
        if is_same_dictionary and origin.terms in (len(current.dictionary), len(offer.dictionary)):
            _take(current, offer)
        else:
            shared = origin.terms if is_same_dictionary else 0
            steps = list(translated(offer.steps, offer.dictionary, current.dictionary, shared))
            edit = RuleEdit.between(state.program.counts, offer.state.program.counts)
            current.maintain(steps, current.budget, edit or None, quiet=True)
        begin = Origin.of(current)
    branch.begin_anew(offer, begin)


def _take(current: CurrentState, offer: Offer) -> None:
    """Have the state and the terms of a branch."""
    if len(offer.dictionary) > offer.origin.terms:
        current.configuration = current.configuration.over(offer.dictionary)
    changes = None
    if current.feed.has_listeners and current.defective is None:
        changes = facts_difference(current.state.engine.facts, offer.state.engine.facts)
    current.publish(offer.state, changes, offer.steps)
    current.settle_terms()
    current.tell([])


def translated(steps: Sequence[Step], here: Dictionary, there: Dictionary, shared: int) -> Iterator[Step]:
    """Steps by the ids of another dictionary, which has the first `shared` terms under the same ids."""
    for added, removed in steps:
        yield _translated(added, here, there, shared), _translated(removed, here, there, shared)


def _translated(quads: Quads, here: Dictionary, there: Dictionary, shared: int) -> Quads:
    def renamed(column: Ids) -> Ids:
        known, places = np.unique(column, return_inverse=True)
        other = known.copy()
        own = (known >= shared) & (known != DEFAULT_GRAPH)
        other[own] = there.encode_keys(here.keys(known[own]))
        return other[places.reshape(-1)]

    return Quads(*map(renamed, (quads.graph, quads.subject, quads.predicate, quads.object)))
