"""A commit that returned is in the directory, or it raised: locks and directories that go while a store is open.

Would catch a commit that goes to a file without a name, takes the commit of another writer for its own, or leaves a
store with rows whose files are elsewhere.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from rdflib import Graph, URIRef

from kgreason import ReasoningStore
from kgreason.disk import store_directory as directory
from kgreason.disk.log_file import FILE
from kgreason.disk.writer_lock import FILE as LOCK
from kgreason.errors import KGReasonError, MovedError
from tests.thresholds import Tuned

EX = "http://example.org/"


def opened(path: Path, create: bool = False) -> Graph:
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.open(str(path), create=create)
    return graph


def add(graph: Graph, name: str, count: int = 1) -> None:
    for number in range(count):
        graph.add((URIRef(EX + name), URIRef(EX + "p"), URIRef(f"{EX}o{number}")))


def on_disk(path: Path) -> set[str]:
    store = ReasoningStore(rules="none")
    store.open(str(path), read_only=True)
    found = {str(subject).removeprefix(EX) for subject, _, _ in store.explicit}
    store.close()
    return found


def renamed(path: Path) -> None:
    path.rename(path.with_name("moved"))


def replaced(path: Path) -> None:
    path.rename(path.with_name("moved"))
    path.mkdir()


def replaced_by_a_copy(path: Path) -> None:
    shutil.copytree(path, path.with_name("copy"))
    path.rename(path.with_name("moved"))
    path.with_name("copy").rename(path)


def replaced_by_a_link_to_it_elsewhere(path: Path) -> None:
    path.rename(path.with_name("moved"))
    shutil.copytree(path.with_name("moved"), path.with_name("copy"))
    path.symlink_to(path.with_name("copy"))


def removed(path: Path) -> None:
    shutil.rmtree(path)


def without(name: str) -> Callable[[Path], None]:
    def remove(path: Path) -> None:
        (path / name).unlink()

    remove.__name__ = f"without_{name}"
    return remove


def with_another(name: str) -> Callable[[Path], None]:
    def replace(path: Path) -> None:
        data = (path / name).read_bytes()
        (path / name).unlink()
        (path / name).write_bytes(data)

    replace.__name__ = f"with_another_{name}"
    return replace


EVENTS = [
    *(renamed, replaced, replaced_by_a_copy, replaced_by_a_link_to_it_elsewhere, removed),
    *map(without, (LOCK, FILE, f"{FILE}-wal", f"{FILE}-shm")),
    *map(with_another, (LOCK, FILE)),
]


@pytest.mark.parametrize("size", [1, 40])
@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.__name__)
def test_commit_after_the_directory_changed_raises(
    tmp_path: Path, event: Callable[[Path], None], size: int, tuned: Tuned
) -> None:
    tuned(LARGE_COMMIT=16)
    path = tmp_path / "store"
    graph = opened(path, create=True)
    add(graph, "first")
    graph.commit()

    event(path)
    add(graph, "second", size)

    with pytest.raises(MovedError, match=str(path)):
        graph.commit()
    with pytest.raises(KGReasonError):
        graph.store.write_snapshot()
    graph.rollback()
    graph.close()
    where = path.with_name("moved") if path.with_name("moved").exists() else path
    if event is not removed and (where / FILE).exists() and "wal" not in event.__name__:
        assert on_disk(where) == {"first"}


@pytest.mark.parametrize("event", [renamed, replaced, replaced_by_a_copy], ids=lambda event: event.__name__)
@pytest.mark.parametrize("step", ["prepared", "appended"])
def test_directory_that_moves_within_a_commit_leaves_a_whole_store(
    tmp_path: Path, event: Callable[[Path], None], step: str, monkeypatch: pytest.MonkeyPatch, tuned: Tuned
) -> None:
    tuned(LARGE_COMMIT=16)
    path = tmp_path / "store"
    graph = opened(path, create=True)
    add(graph, "first")
    graph.commit()
    add(graph, "second", 40)

    place, name = (directory.StoreDirectory, "prepare") if step == "prepared" else (directory.CommitLog, "append")
    usual = getattr(place, name)

    def interrupted(*arguments: object) -> object:
        found = usual(*arguments)
        event(path)
        return found

    monkeypatch.setattr(place, name, interrupted)
    with pytest.raises(MovedError):
        graph.commit()

    assert on_disk(path.with_name("moved")) == ({"first"} if step == "prepared" else {"first", "second"})


def test_directory_that_comes_back_is_committed_to(tmp_path: Path) -> None:
    path = tmp_path / "store"
    graph = opened(path, create=True)
    add(graph, "first")
    renamed(path)
    with pytest.raises(MovedError):
        graph.commit()

    path.with_name("moved").rename(path)
    graph.commit()

    assert on_disk(path) == {"first"}
    graph.close()


def test_store_opened_by_a_relative_path_stays_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tuned: Tuned
) -> None:
    tuned(LARGE_COMMIT=16)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    graph = opened(Path("store"), create=True)

    monkeypatch.chdir(tmp_path / "elsewhere")
    add(graph, "first", 40)
    graph.commit()
    graph.close()

    assert on_disk(tmp_path / "store") == {"first"}
    assert not [*(tmp_path / "elsewhere").iterdir()]


def test_two_writers_after_the_lock_was_deleted_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store"
    graph = opened(path, create=True)
    add(graph, "base")
    graph.commit()
    (path / LOCK).unlink()
    other = opened(path)

    add(graph, "first")
    with pytest.raises(MovedError, match=LOCK):
        graph.commit()
    add(other, "second")
    other.commit()

    assert on_disk(path) == {"base", "second"}
    other.close()


def test_commit_of_another_writer_is_not_taken_for_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two writers side by side, as on a file system without locks."""
    monkeypatch.setattr(directory.WriterLock, "__init__", lambda self, folder: None)
    monkeypatch.setattr(directory.WriterLock, "release", lambda self: None)
    path = tmp_path / "store"
    opened(path, create=True).close()
    graph, other = opened(path), opened(path)

    add(graph, "first")
    graph.commit()
    add(other, "second")
    with pytest.raises(KGReasonError, match="another writer"):
        other.commit()

    assert on_disk(path) == {"first"}
    assert "second" in str(list(other)), "the change is still in memory"


_WRITER = """
import sys
from rdflib import Graph, URIRef
from kgreason import ReasoningStore
graph = Graph(store=ReasoningStore(rules="none"))
graph.open(sys.argv[1], create=True)
for number in range(100000):
    subject = URIRef(f"http://example.org/{sys.argv[2]}-{number}")
    graph.add((subject, URIRef("http://example.org/p"), URIRef("http://example.org/o")))
    try:
        graph.commit()
    except Exception as error:  # the parent judges its name
        print(type(error).__name__, flush=True)
        break
    print(f"{sys.argv[2]}-{number}", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("event", [renamed, without(LOCK), replaced_by_a_copy], ids=lambda event: event.__name__)
@pytest.mark.parametrize("moment", range(3))
def test_killed_writer_while_the_directory_changes_keeps_what_returned(
    tmp_path: Path, event: Callable[[Path], None], moment: int
) -> None:
    path = tmp_path / "store"
    command = [sys.executable, "-c", _WRITER, str(path)]
    with subprocess.Popen([*command, "one"], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        returned = [writer.stdout.readline().strip() for _ in range(20 + 7 * moment)]
        event(path)
        time.sleep(0.01 * moment)
        writer.send_signal(signal.SIGKILL)
        rest = writer.stdout.read().split()

    where = path.with_name("moved") if path.with_name("moved").exists() else path
    acknowledged = {line for line in [*returned, *rest] if line.startswith("one-")}
    found = on_disk(where)
    assert acknowledged <= found
    assert len(found - acknowledged) <= 1
