"""Forks of a process that has a store open: they read and write nothing there, and do not disturb what the parent does.

Would catch a fork that shares the parent's connection or releases its lock.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kgreason import ReasoningStore
from kgreason.errors import ForkedError, KGReasonError
from tests.disk.test_two_writers import add, on_disk, opened

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning"),
]


def test_fork_does_not_open_what_was_open_before_it(tmp_path: Path) -> None:
    """SQLite would find the log malformed there, or show it as it was at the fork."""
    path = tmp_path / "store"
    graph = opened(path, create=True)
    add(graph, "base")
    graph.commit()
    reader = ReasoningStore()
    reader.open(str(path), read_only=True)

    for work in (lambda: on_disk(path), reader.refresh, lambda: opened(path)):
        said = in_a_fork(work)
        assert said.startswith((ForkedError.__name__, "LockedError")), said
    add(graph, "more")
    graph.commit()
    assert on_disk(path) == {"base", "more"}

    reader.close()
    graph.close()
    assert in_a_fork(lambda: opened(path).close()) == "returned", "all was closed before the fork"


def in_a_fork(work: Callable[[], object]) -> str:
    """What a fork that does some work says."""
    end, begin = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            work()
            os.write(begin, b"returned")
        except BaseException as error:
            os.write(begin, f"{type(error).__name__}: {error}".encode())
        os._exit(0)
    os.close(begin)
    with os.fdopen(end) as stream:
        said = stream.read()
    os.waitpid(process, 0)
    return said


@pytest.mark.slow
def test_fork_refuses_to_commit_and_does_not_disturb(tmp_path: Path) -> None:
    path = tmp_path / "store"
    graph = opened(path, create=True)
    add(graph, "base")
    graph.commit()

    def commit() -> None:
        add(graph, "child")
        graph.commit()

    said = in_a_fork(commit)
    assert said.startswith(ForkedError.__name__)
    assert str(os.getpid()) in said
    for work in (graph.close, graph.store.write_snapshot, graph.store.compact):
        in_a_fork(work)
    with pytest.raises(KGReasonError, match="another writer"):
        opened_elsewhere(path)
    add(graph, "parent")
    graph.commit()
    in_a_fork(graph.close)
    add(graph, "again")
    graph.commit()
    assert on_disk(path) == {"base", "parent", "again"}
    graph.close()
    assert on_disk(path) == {"base", "parent", "again"}


def opened_elsewhere(path: Path) -> None:
    program = "import sys; from kgreason import ReasoningStore; ReasoningStore().open(sys.argv[1])"
    found = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=60)
    if found.returncode:
        raise KGReasonError(found.stderr.splitlines()[-1])
