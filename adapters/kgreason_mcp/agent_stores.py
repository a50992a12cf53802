"""What the tools of an agent work on: a store of their own, or one that others serve and change, too."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kgreason_rdflib.store import ReasoningStore

Work = Callable[["ReasoningStore"], str]
"""Changes a branch, and says what has come of it."""


class AgentStore(Protocol):
    """A store that is read as it is at a moment, and changed as a whole."""

    @property
    def current(self) -> ReasoningStore:
        """The store as it is now, to be read."""

    def change(self, work: Work) -> str:
        """Become what `work` makes of a branch, committed; its answer. Nothing changes where it raises.

        Raises:
            AnswerError: nothing may be changed, or not now.
        """


class OwnStore:
    """A store that nothing else changes."""

    def __init__(self, store: ReasoningStore) -> None:
        self.current = store
        self._changing = Lock()

    def change(self, work: Work) -> str:
        """Become what `work` makes of a branch."""
        with self._changing:
            branch = self.current.branch()
            answer = work(branch)
            self.current.adopt(branch)
            self.current.commit()
        return answer
