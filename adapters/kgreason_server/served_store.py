"""The store behind a server: one writer, and readers that never wait for it.

Readers ask a branch of the store, which is made after each change: what they began on stays as it is. A writer works on
another branch, which the store adopts when all of the change is made and maintained; a change that fails, or takes
longer than it may, is a branch that nothing keeps. A change is committed before its client hears of it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from time import time
from typing import Any, TypeVar

from kgreason.checkpoints import heeding
from kgreason.errors import BranchError, LoadError
from kgreason.sparql.limits import Limits
from kgreason.store.state_difference import is_same
from kgreason.store.triple_view import TripleView
from kgreason_rdflib.store import ReasoningStore
from kgreason_server.authorization import WritePermit
from kgreason_server.change_feed import RecentChanges, ServedChange
from kgreason_server.problems import RequestError

Result = TypeVar("Result")
Opening = Callable[[], ReasoningStore]


@dataclass(frozen=True, slots=True)
class Version:
    """The store as of one change: to be read, and not to be changed.

    Attributes:
        name: the same for the same content as long as the server runs, and for a store on disk also after that.
        changed: when it came about, in seconds since 1970.
    """

    store: ReasoningStore
    number: int
    name: str
    changed: float
    _memory: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def remembered(self, name: str, make: Callable[[], Result]) -> Result:
        """What was made under a name before, or is made now; two threads may both make it."""
        if name not in self._memory:
            self._memory[name] = make()
        found: Result = self._memory[name]
        return found

    def branch(self) -> ReasoningStore:
        """A store of one's own that begins as this one; what takes long holds up none but its owner."""
        return self.store.branch()

    def bounded_branch(self, limits: Limits) -> ReasoningStore:
        """The same, for changes whose maintenance ends with the time of the limits."""
        return bounded_branch(self.store, limits)


class ServedStore:
    """A store that is opened once, read by many and changed by one at a time."""

    def __init__(self, opening: Opening, changes_kept: int = 1000) -> None:
        """`opening` makes the store when the server starts; the store is then the server's alone."""
        self.changes = RecentChanges(changes_kept)
        self._news: list[tuple[TripleView, TripleView]] = []
        self._opening = opening
        self._writing = Lock()
        self._store: ReasoningStore | None = None
        self._version: Version | None = None
        self._published = 0
        self._run = secrets.token_hex(4)

    def open(self) -> None:
        """Open the store. Until then nothing can be read."""
        with self._writing:
            if self._store is None:
                store = self._opened()
                self._publish(store)
                self._store = store

    @property
    def is_ready(self) -> bool:
        """Whether the store is open."""
        return self._version is not None

    @property
    def version(self) -> Version:
        """The last version.

        Raises:
            RequestError: 503, the store is not open.
        """
        version = self._version
        if version is None:
            raise RequestError(503, "the store is not open yet", {"Retry-After": "1"})
        return version

    def change(
        self, permit: WritePermit, work: Callable[[ReasoningStore], Result], limits: Limits
    ) -> tuple[Result, Version]:
        """Change the store and commit: all that `work` does to a branch of it, or nothing if it raises.

        Args:
            limits: of `work` and of the maintenance of what it changes, together.

        Returns: what `work` returns, and the version that has come of it.
        """
        with self._writing:
            branch = bounded_branch(self._opened_store, limits)
            with heeding(limits.check):
                result = work(branch)
            branch.commit()
            return result, self._taken(branch)

    def begin(self, permit: WritePermit) -> ReasoningStore:
        """A branch for changes over several requests. Other clients see these after `adopt`."""
        with self._writing:
            return self._opened_store.branch()

    def adopt(self, permit: WritePermit, branch: ReasoningStore) -> Version:
        """Make a branch that `begin` gave the store, and commit.

        Raises:
            RequestError: 409, the store has changed since the branch began; nothing has changed.
        """
        with self._writing:
            try:
                return self._taken(branch)
            except BranchError:
                detail = "the store has changed since the transaction began (expected to begin anew)"
                raise RequestError(409, detail) from None

    @property
    def _opened_store(self) -> ReasoningStore:
        if self._store is None:
            raise RequestError(503, "the store is not open", {"Retry-After": "1"})
        return self._store

    def _taken(self, branch: ReasoningStore) -> Version:
        """The version that comes of a branch whose changes are maintained."""
        store = self._opened_store
        try:
            store.adopt(branch)
            store.commit()
        except BaseException:
            if store.transaction_aware:
                store.rollback()
            self._news.clear()
            raise
        self._publish(store)
        return self.version

    def follow(self) -> None:
        """Show what another process has committed to a store that is open for reading here."""
        with self._writing:
            store = self._store
            if store is None or not store.is_read_only:
                return
            try:
                is_changed = store.refresh()
            except LoadError:  # compacted, or so damaged that it cannot be opened either
                self._store = self._opened()
                store.close()
                # Clients of the feed see by the gap that they have missed something.
                self._published += 1
                is_changed = True
            if is_changed:
                self._publish(self._store or store)

    def close(self) -> None:
        """Commit, and close the store. What readers have begun goes on."""
        with self._writing:
            if self._store is not None:
                self._store.close()
            self._store = self._version = None
        self.changes.wake()

    def _opened(self) -> ReasoningStore:
        store = self._opening()
        store.ask("ASK {}")  # from now on, all branches share the queries that are known
        self._news.clear()
        store.knowledge_base.subscribe(lambda *sides: self._news.append(sides))
        return store

    def _publish(self, store: ReasoningStore) -> None:
        """Let readers see what is there now."""
        before = self._version
        reader = store.branch()
        if before is not None and not self._news and _shows_the_same(before.store, reader):
            return
        self._published = number = self._published + 1
        self._version = Version(reader, number, self._name(store, number), time())
        steps = tuple(self._news)
        self._news.clear()
        self.changes.add(ServedChange(number, self._version.name, steps))

    def _name(self, store: ReasoningStore, number: int) -> str:
        committed = store.committed_version
        return f"{self._run}-{number}" if committed is None else committed


def bounded_branch(store: ReasoningStore, limits: Limits) -> ReasoningStore:
    """A branch of a store, whose changes together are maintained within the time that limits leave."""
    branch, seconds = store.branch(), limits.remaining
    if seconds is not None:
        branch.budget = branch.budget.within(max(0.0, round(seconds, 2)))
    return branch


def _shows_the_same(one: ReasoningStore, other: ReasoningStore) -> bool:
    """Whether two stores have the same explicit triples, rules, graphs and prefixes."""
    return (
        is_same(one.knowledge_base.state, other.knowledge_base.state)
        and set(one.graph_names()) == set(other.graph_names())
        and dict(one.namespaces()) == dict(other.namespaces())
    )
