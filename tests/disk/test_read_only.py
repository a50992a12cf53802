"""Folders that the user may not write to: readers work, and a writer gets one clear error.

As root, for whom there are no such folders, the test takes on the rights of nobody for a while.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from kgreason.disk.log_file import FILE
from kgreason.disk.store_copies import back_up
from kgreason.errors import KGReasonError
from tests.disk.test_opening import FACTS, RULES, TYPE, filled, held
from tests.facade import Triple, add, ex

NOBODY = 65534

pytestmark = pytest.mark.skipif(not hasattr(os, "setresuid"), reason="the system has no other users")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that everybody may look into, unlike pytest's own."""
    path = Path(tempfile.mkdtemp())
    path.chmod(0o755)
    yield path
    for each in (path, *path.rglob("*")):
        if each.is_dir():
            each.chmod(0o755)
    shutil.rmtree(path)


@contextmanager
def write_protected(path: Path) -> Iterator[None]:
    """A directory that cannot be written to while the body runs, as without the rights to do so."""
    for file in path.iterdir():
        file.chmod(0o444)
    path.chmod(0o555)
    is_root = os.getuid() == 0
    if is_root:
        os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        if is_root:
            os.setresuid(0, 0, 0)
        path.chmod(0o755)
        for file in path.iterdir():
            file.chmod(0o644)


def read(path: Path) -> set[Triple]:
    store = DurableKnowledge(path, OpenOptions(), read_only=True)
    found = held(store)
    store.knowledge._check()
    store.close()
    return found


def import_all(path: Path) -> None:
    """Have everything imported that is imported at first use, which nobody may not be able to read."""
    copy = path.with_name("imported")
    shutil.copytree(path, copy)
    read(copy)
    shutil.rmtree(copy)


def assert_reads_and_refuses(path: Path, found: set[Triple]) -> None:
    import_all(path)
    before = {file.name for file in path.iterdir()}
    with write_protected(path):
        assert read(path) == found
        with pytest.raises(KGReasonError, match=f"{path}") as refusal:
            DurableKnowledge(path, OpenOptions())
        assert "\n" not in str(refusal.value)
        with pytest.raises(KGReasonError, match="inside"):
            DurableKnowledge(path / "inside", OpenOptions(), create=True)
        with pytest.raises(KGReasonError, match="copy"):
            back_up(path, path / "copy")
        assert read(path) == found
    assert {file.name for file in path.iterdir()} == before
    store = DurableKnowledge(path, OpenOptions())
    add(store.knowledge, (ex("late"), TYPE, ex("Cat")))
    store.commit({})
    assert held(store) > found
    store.close()


def test_a_store_that_was_closed(folder: Path) -> None:
    found = filled(folder / "store")
    assert not (folder / "store" / f"{FILE}-wal").exists()
    assert_reads_and_refuses(folder / "store", found)


@pytest.mark.parametrize("files", ["-wal -shm", "-wal", "-shm"])
def test_a_store_that_was_killed(folder: Path, files: str) -> None:
    """What SQLite keeps beside its file is there, or a part of it; with its log, what was committed last is in that."""
    store = DurableKnowledge(folder / "killed", RULES, create=True)
    add(store.knowledge, *FACTS)
    store.commit({})
    found = held(store)
    if "-wal" not in files:
        store.close()
    (folder / "store").mkdir()
    for file in (folder / "killed").iterdir():
        if not file.name.endswith(("-wal", "-shm")) or file.name.endswith(tuple(files.split())):
            shutil.copy(file, folder / "store")
    if "-wal" in files:
        store.close()
    assert_reads_and_refuses(folder / "store", found)


def test_a_reader_beside_a_writer(folder: Path) -> None:
    filled(folder / "store")
    writer = DurableKnowledge(folder / "store", RULES)
    add(writer.knowledge, FACTS[0])
    writer.commit({})
    import_all(folder / "store")
    with write_protected(folder / "store"):
        assert read(folder / "store") == held(writer)
    writer.close()


def test_a_folder_that_may_not_be_looked_into(folder: Path) -> None:
    filled(folder / "store")
    import_all(folder / "store")
    (folder / "store" / FILE).chmod(stat.S_IWUSR)
    is_root = os.getuid() == 0
    if is_root:
        os.setresuid(NOBODY, NOBODY, 0)
    try:
        with pytest.raises(KGReasonError, match=FILE):
            DurableKnowledge(folder / "store", OpenOptions(), read_only=True)
    finally:
        if is_root:
            os.setresuid(0, 0, 0)
