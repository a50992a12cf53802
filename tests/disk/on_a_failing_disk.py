"""Stores on a disk that fails at each call in turn: to be run on such a disk (`disk.run`).

    python -m tests.disk.on_a_failing_disk FOLDER STRIDE

One life of a store has some hundred calls; with a stride only one in so many is let fail.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from kgreason import ReasoningStore
from kgreason.disk.log_file import FILE
from kgreason.errors import KGReasonError
from tests.disk import small
from tests.disk.disk import Disk, Fault
from tests.disk.store_history import apply, expected, history, shown, step_of
from tests.thresholds import tuning_context

SEED = 5
SHORTEST = 150
"""Calls that every life has at least."""
LIVES = {"new": (-1, 0), "old": (2, 4)}
"""Lives by name: the step that a store has at first, -1 where there is none yet, and the last one that it comes to."""


class Life:
    """A store that goes through some steps of its history, on a disk that may fail."""

    def __init__(self, path: Path, name: str, disk: Disk, tell: Callable[[int], object]) -> None:
        self._path = path
        self._first, self._last = LIVES[name]
        self._disk = disk
        self._tell = tell
        self._store = ReasoningStore()

    def live(self) -> None:
        """Open, commit, roll back, write a snapshot, commit again, close."""
        self._done(lambda: self._store.open(str(self._path), create=self._first < 0), self._first)
        for step in range(self._first + 1, self._last + 1):
            self._change(step - 1, step)
            self._done(self._store.commit, step)
            self._tell(step)
            self._change(step, step + 3)
            self._done(self._store.rollback, step)
            self._done(self._store.write_snapshot, step)
        self._done(self._store.close, self._last)

    def _change(self, before: int, after: int) -> None:
        apply(self._store, history(SEED).state(before), history(SEED).state(after))

    def _done(self, deed: Callable[[], object], step: int) -> None:
        """Do it, or when the disk fails nothing; then, when the disk works again, do it."""
        try:
            deed()
        except KGReasonError:
            if deed != self._store.rollback and step_of(self._store) >= 0:
                assert shown(self._store) == expected(SEED, step), "an error has changed what is in memory"
            self._disk.repair()
            deed()
        assert shown(self._store) == expected(SEED, step)


def reopened(path: Path) -> int:
    """The step that a store has, which it shows exactly; -1 where there is none."""
    store = ReasoningStore()
    if not (path / FILE).is_file():
        return -1
    store.open(str(path))
    step = step_of(store)
    assert shown(store) == expected(SEED, step)
    store._durable.directory.close()
    assert not list(path.glob("*.new"))
    return step


def prepared(path: Path, name: str) -> None:
    """A store with a snapshot and commits after it, as a process leaves it that was killed; or an empty directory."""
    path.mkdir()
    first = LIVES[name][0]
    if first < 0:
        return
    if child := os.fork():
        os.waitpid(child, 0)
        return
    store = ReasoningStore()
    store.open(str(path), create=True)
    for step in range(first + 1):
        apply(store, history(SEED).state(step - 1), history(SEED).state(step))
        store.commit()
        if step == first - 1:
            store.write_snapshot()
    os.kill(os.getpid(), signal.SIGKILL)


def failed(path: Path, name: str, disk: Disk, call: int, fault: Fault) -> str:
    """Live with one call that fails; which one that was."""
    with disk.failing(path, call, fault):
        Life(path, name, disk, lambda _: None).live()
    assert reopened(path) == LIVES[name][1]
    return disk.failed_in


def killed(path: Path, name: str, disk: Disk, call: int, fault: Fault) -> str:
    """Live until a call in which the process or the machine comes to its end; "end" if there is none."""
    ours, theirs = os.pipe()
    if child := os.fork():
        os.close(theirs)
        status = os.waitpid(child, 0)[1]
        with open(ours, "rb") as told:
            returned = max([LIVES[name][0], *told.read()])
        assert reopened(path) in (returned, returned + 1), f"{returned} had returned"
        assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
        return "end" if os.WIFSIGNALED(status) else ""
    try:
        with disk.failing(path, call, fault, seed=call):
            Life(path, name, disk, lambda step: os.write(theirs, bytes([step]))).live()
    except BaseException as error:
        print(repr(error), file=sys.stderr)
        os._exit(1)
    os._exit(0)


def tried(folder: Path, name: str, fault: Fault, stride: int, most: int | None) -> int:
    """Let every call, or one in so many, of one life fail in one way; say how many these were.

    It ends with the first call that does not come, or with one above `most`; that call is returned.
    """
    disk = Disk()
    points: Counter[str] = Counter()
    call = 1 + random.Random(fault).randrange(min(stride, SHORTEST))
    while most is None or call <= most:
        path = shutil.copytree(folder / name, folder / f"{name}-{fault.name}-{call}")
        try:
            failed_in = (killed if fault >= Fault.KILL else failed)(path, name, disk, call, fault)
        except BaseException as error:
            error.add_note(f"{fault.name} at call {call} of {name}, {disk.failed_in}")
            raise
        if not failed_in:
            break
        points[failed_in] += 1
        shutil.rmtree(path)
        call += stride
    print(f"{name} {fault.name}: {points.total()} points {dict(points)}", flush=True)
    return call


def main(folder: Path, stride: int) -> None:
    """Try all faults in all lives."""
    with tuning_context() as tuned:
        small.shrink(tuned)
        for name, (first, last) in LIVES.items():
            for step in range(first, last + 1):
                expected(SEED, step)  # which each child would have to find out again
            prepared(folder / name, name)
            most: int | None = None
            for fault in Fault:
                end = tried(folder, name, fault, stride, most)
                if stride > 1 and most is None:
                    most = end  # so that no other life goes by without a fault


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
