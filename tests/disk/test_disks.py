"""A disk that fails, fills up, or loses power in the middle of every call: one error, and what was committed stands.

`test_faults` lets the same fail from inside Python; here it is the C library's calls, so that SQLite's own are among
them, and the store goes on working when the disk does again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kgreason import ReasoningStore
from tests.disk import disk, small
from tests.disk.outcomes import outcome
from tests.disk.store_history import apply, expected, history, shown
from tests.profiles import IS_THOROUGH
from tests.thresholds import Tuned

SEED = 3
STRIDE = 1 if IS_THOROUGH else 300


@pytest.mark.slow
@pytest.mark.skipif(not disk.can_be_compiled(), reason="needs Linux and gcc")
def test_every_call(tmp_path: Path) -> None:
    done = disk.run(tmp_path, "tests.disk.on_a_failing_disk", str(STRIDE))
    assert done.returncode == 0, done.stderr[-4000:]
    points = dict(line.partition(": ")[::2] for line in done.stdout.splitlines() if ": " in line)
    assert points.keys() == {f"{life} {fault.name}" for life in ("new", "old") for fault in disk.Fault}
    assert all(int(line.split()[0]) >= max(1, 90 // STRIDE) for line in points.values()), done.stdout
    print(done.stdout)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs limits for the size of files")
def test_files_that_may_not_grow(tmp_path: Path, tuned: Tuned) -> None:
    """What a full disk is to SQLite, without a compiler: each file may only have so many bytes."""
    small.shrink(tuned)
    failed = 0
    for limit in range(0, 100_000, 3000 if STRIDE == 1 else 30_000):
        store = ReasoningStore()
        store.open(str(tmp_path / str(limit)), create=True)
        change(store, 0)
        store.commit()
        for step in range(1, 4):
            change(store, step)
            with files_of_at_most(limit):
                error = outcome(store.commit)
                outcome(store.write_snapshot)
            failed += error is not None
            assert shown(store) == expected(SEED, step)
            store.commit()
        store.close()
        store = ReasoningStore()
        store.open(str(tmp_path / str(limit)))
        assert shown(store) == expected(SEED, 3)
        store.close()
    assert failed > 2


def change(store: ReasoningStore, step: int) -> None:
    """Apply a step of the history."""
    apply(store, history(SEED).state(step - 1), history(SEED).state(step))


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size."""
    import resource

    before, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (before, most))
