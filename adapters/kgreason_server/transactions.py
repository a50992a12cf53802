"""Changes over several requests: each transaction is a branch of the store, which no other client sees until it is
adopted.

A transaction ends with its commit, when it is rolled back, or when its client pauses for too long. The store takes it
only if nothing else has changed since it began. A transaction that changed nothing can always be committed.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from time import monotonic

from kgreason.checkpoints import heeding
from kgreason.sparql.limits import Limits
from kgreason_rdflib.store import ReasoningStore
from kgreason_server.problems import RequestError
from kgreason_server.served_store import bounded_branch


@dataclass(slots=True, eq=False)
class Transaction:
    """A branch, whether it was changed, how many requests are at work on it, and when the last one ended."""

    branch: ReasoningStore
    is_changed: bool = False
    requests: int = 0
    used: float = field(default_factory=monotonic)
    is_open: bool = True
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Keep other changes and the commit waiting while the body runs, so that each sees those before it.

        Raises:
            RequestError: 404, the transaction has ended meanwhile.
        """
        async with self._turn:
            if not self.is_open:
                raise _not_open()
            yield

    def change(self, work: Callable[[ReasoningStore], None], limits: Limits) -> None:
        """Change the branch: all that `work` does and what follows from it, or nothing if it raises."""
        made = bounded_branch(self.branch, limits)
        with heeding(limits.check):
            work(made)
        made.commit()
        self.branch.adopt(made)
        self.is_changed = True


class Transactions:
    """The transactions that are open; to be used in the event loop of a server alone."""

    def __init__(self, most: int, seconds: float) -> None:
        """`most` may be open at a time, and each pause for so many seconds."""
        self._most, self._seconds = most, seconds
        self._open: dict[str, Transaction] = {}
        self._has_timer = False

    def check_room(self) -> None:
        """Refuse one more than there may be.

        Raises:
            RequestError: 503.
        """
        self._end_idle()
        if len(self._open) >= self._most:
            raise RequestError(HTTPStatus.SERVICE_UNAVAILABLE, "too many transactions are open", {"Retry-After": "10"})

    def add(self, branch: ReasoningStore) -> str:
        """Open a transaction; its name, which cannot be guessed."""
        name = secrets.token_hex(16)
        self._open[name] = Transaction(branch)
        if not self._has_timer:
            self._set_timer()
        return name

    @contextmanager
    def using(self, name: str) -> Iterator[Transaction]:
        """An open transaction, which stays open while the body runs, unless that ends it.

        Raises:
            RequestError: 404, none is open under this name.
        """
        self._end_idle()
        found = self._open.get(name)
        if found is None:
            raise _not_open()
        found.requests += 1
        try:
            yield found
        finally:
            found.requests -= 1
            found.used = monotonic()

    def end(self, name: str) -> None:
        """Close a transaction."""
        ended = self._open.pop(name, None)
        if ended is not None:
            ended.is_open = False

    def _end_idle(self) -> None:
        """Close those whose clients have paused for too long."""
        last = monotonic() - self._seconds
        for name, each in [*self._open.items()]:
            if not each.requests and each.used < last:
                self.end(name)

    def _set_timer(self) -> None:
        """Have idle transactions closed, so that they take no memory on a server without requests."""

        def look() -> None:
            self._end_idle()
            self._has_timer = False
            if self._open:
                self._set_timer()

        self._has_timer = True
        asyncio.get_running_loop().call_later(self._seconds, look)


def _not_open() -> RequestError:
    return RequestError(HTTPStatus.NOT_FOUND, "the transaction is not open (it has ended, or was idle for too long)")
