"""What the tools of an agent work on: a store of their own, or one that others serve and change, too."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from kgreason.errors import LoadError

if TYPE_CHECKING:
    from kgreason_rdflib.store import ReasoningStore

Work = Callable[["ReasoningStore"], str]
"""Changes a branch, and says what has come of it."""


class AgentStore(Protocol):
    """A store that is read as it is at a moment, and changed as a whole."""

    @property
    def current(self) -> ReasoningStore:
        """The store as it is now, to be read; it stays so."""

    def change(self, work: Work) -> str:
        """Become what `work` makes of a branch, committed; its answer. Nothing changes where it raises.

        Raises:
            AnswerError: nothing may be changed, or not now.
        """


class OwnStore:
    """A store that is changed here alone, or one on disk that is open for reading while another process changes it."""

    def __init__(self, store: ReasoningStore, opening: Callable[[], ReasoningStore] | None = None) -> None:
        """`opening` opens the store anew, when another process has compacted it."""
        self._store = store
        self._opening = opening
        self._changing, self._following = Lock(), Lock()

    @property
    def current(self) -> ReasoningStore:
        """The store as it is now, with what was committed to it elsewhere. Cost: a branch, and those changes."""
        if self._store.is_read_only:
            with self._following:
                self._follow()
        return self._store.branch()

    def _follow(self) -> None:
        try:
            self._store.refresh()
        except LoadError:
            if self._opening is None:
                raise
            compacted, self._store = self._store, self._opening()
            compacted.close()

    def change(self, work: Work) -> str:
        """Become what `work` makes of a branch."""
        with self._changing:
            branch = self._store.branch()
            answer = work(branch)
            try:
                self._store.adopt(branch)
                self._store.commit()
            except BaseException:
                if self._store.transaction_aware:
                    self._store.rollback()
                raise
        return answer

    def close(self) -> None:
        """Close the store."""
        self._store.close()
