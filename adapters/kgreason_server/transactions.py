"""Changes over several requests: each transaction is a branch of the store, which no one else sees until it is adopted.

A transaction ends with its commit, when it is rolled back, or when its client pauses for too long. The store takes it
only as long as nothing else has changed since it began.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from time import monotonic

from kgreason.checkpoints import heeding
from kgreason.sparql.limits import Limits
from kgreason_rdflib.store import ReasoningStore
from kgreason_server.problems import RequestError
from kgreason_server.served_store import bounded_branch


@dataclass(slots=True)
class Transaction:
    """A branch, and when it was used last."""

    branch: ReasoningStore
    used: float = field(default_factory=monotonic)

    def change(self, work: Callable[[ReasoningStore], None], limits: Limits) -> None:
        """Change the branch: all that `work` does and what follows from it, or nothing if it raises."""
        made = bounded_branch(self.branch, limits)
        with heeding(limits.check):
            work(made)
        made.commit()
        self.branch.adopt(made)


class Transactions:
    """The transactions that are open; only the event loop of a server asks here."""

    def __init__(self, most: int, seconds: float) -> None:
        """`most` may be open at a time, and each pause for so many seconds."""
        self._most, self._seconds = most, seconds
        self._open: dict[str, Transaction] = {}

    def check_room(self) -> None:
        """Refuse one more than there may be.

        Raises:
            RequestError: 503.
        """
        self.forget_idle()
        if len(self._open) >= self._most:
            raise RequestError(HTTPStatus.SERVICE_UNAVAILABLE, "too many transactions are open", {"Retry-After": "10"})

    def add(self, branch: ReasoningStore) -> str:
        """Open a transaction; its name, which no one guesses."""
        name = secrets.token_hex(16)
        if not self._open:
            self._look_later()
        self._open[name] = Transaction(branch)
        return name

    def _look_later(self) -> None:
        """Forget those that are idle now and then, so that they take no memory where no one asks again."""

        def look() -> None:
            self.forget_idle()
            if self._open:
                self._look_later()

        asyncio.get_running_loop().call_later(self._seconds, look)

    def of(self, name: str) -> Transaction:
        """An open transaction, which is used now.

        Raises:
            RequestError: 404, there is none of this name, or not any more.
        """
        self.forget_idle()
        found = self._open.get(name)
        if found is None:
            raise RequestError(HTTPStatus.NOT_FOUND, "there is no such transaction, or not any more")
        found.used = monotonic()
        return found

    def end(self, name: str) -> None:
        """Close a transaction."""
        self._open.pop(name, None)

    def forget_idle(self) -> None:
        """Close those whose clients have paused for too long."""
        last = monotonic() - self._seconds
        self._open = {name: each for name, each in self._open.items() if each.used >= last}
