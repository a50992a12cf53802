"""Catches files that stay open, and connections that Python 3.13 complains about, when a store is not closed."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

import pytest

from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from tests.facade import add, ex


def open_files(folder: Path) -> list[str]:
    """The files below a folder that this process has open, and the folder if it has."""
    links = (f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd"))
    return [name for link in links if os.path.islink(link) and (name := os.readlink(link)).startswith(str(folder))]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells which files are open")
@pytest.mark.parametrize("read_only", [False, True])
def test_a_store_that_is_dropped_lets_go_of_its_files(tmp_path: Path, read_only: bool) -> None:
    DurableKnowledge(tmp_path, OpenOptions("none"), create=True).close()
    store = DurableKnowledge(tmp_path, OpenOptions("none"), read_only=read_only)
    if not read_only:
        add(store.knowledge, (ex("a"), ex("b"), ex("c")))
        store.commit({})
    assert open_files(tmp_path)

    del store
    gc.collect()

    assert open_files(tmp_path) == []
    DurableKnowledge(tmp_path, OpenOptions("none")).close()  # nothing holds the lock
