"""A process that follows a known random history in a directory, to be killed at any moment."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

from kgreason import ReasoningStore
from tests.disk import small
from tests.disk.store_history import BULK, State, apply, history, step_of
from tests.thresholds import tuning_context

Tell = Callable[[tuple[str, int]], object]
"""Told what begins now, "commit" of a step, say; or with "" that it has ended."""
DEEDS = ("open", "commit", "bulk", "rollback", "snapshot", "close")


def live(path: Path, seed: int, steps: int, deed: str, tell: Tell) -> None:
    """Go on where the directory's last commit was: some steps, then a deed, then on until the process is killed."""
    with tuning_context() as tuned:
        small.shrink(tuned)
        chance = random.Random(f"{seed} {time.time_ns()}")
        life = Life(path, seed, tell)
        for _ in range(steps):
            life.step(chance)
        life.do(deed)
        while True:
            life.step(chance)


class Life:
    """A store in a directory on its way through a history."""

    def __init__(self, path: Path, seed: int, tell: Tell) -> None:
        self._path = path
        self._history = history(seed)
        self._tell = tell
        self._store = ReasoningStore()
        self._open()
        self._done = step_of(self._store)
        tell(("", self._done))

    def step(self, chance: random.Random) -> None:
        """One commit, and what comes before or after it now and then."""
        if chance.random() < 0.2:
            self.do("rollback")
        self.do("commit")
        if chance.random() < 0.2:
            self.do(chance.choice(["snapshot", "close"]))

    def do(self, deed: str) -> None:
        """One deed of DEEDS."""
        match deed:
            case "commit":
                self._commit(deed)
            case "bulk":
                while not is_bulk(self._history.state(self._done + 1)):
                    self._commit("commit")
                self._commit(deed)
            case "rollback":
                apply(self._store, self._history.state(self._done), self._history.state(self._done + 9))
                len(self._store)
                self._while("rollback", self._store.rollback)
            case "snapshot":
                self._while("snapshot", self._store.write_snapshot)
            case _:
                self._while("close", self._store.close)
                self._store = ReasoningStore()
                self._open()
                self._tell(("", self._done))

    def _commit(self, name: str) -> None:
        apply(self._store, self._history.state(self._done), self._history.state(self._done + 1))
        self._while(name, self._store.commit, 1)

    def _open(self) -> None:
        self._tell(("open", -1))
        self._store.open(str(self._path), create=True)

    def _while(self, name: str, deed: Callable[[], None], steps: int = 0) -> None:
        self._tell((name, self._done + steps))
        deed()
        self._done += steps
        self._tell(("", self._done))


def is_bulk(state: State) -> bool:
    """Whether many triples come with it."""
    return any(quad[1] == BULK for quad in state.quads)
