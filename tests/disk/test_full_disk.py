"""A disk without room: one clear error, what was committed stands, and all goes on when there is room again.

Files may not grow beyond a limit, which fails in the same places as a full disk, in any of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from kgreason.disk.store_copies import back_up
from kgreason.errors import KGReasonError
from tests.disk import small
from tests.disk.test_faults import outcome
from tests.disk.test_opening import RULES, SCHEMA, TYPE, held
from tests.facade import Triple, add, ex
from tests.thresholds import Tuned

resource = pytest.importorskip("resource")

FEW = [(ex(f"few{number}"), TYPE, ex("Cat")) for number in range(2)]
MANY = [(ex(f"many{number}"), TYPE, ex("Cat")) for number in range(2000)]
LIMITS = [0, 100, 5_000, 50_000, 100_000]


@contextmanager
def room(size: int) -> Iterator[None]:
    """No file can be larger than that while the body runs."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def reopened(path: Path) -> set[Triple]:
    store = DurableKnowledge(path, OpenOptions(), read_only=True)
    found = held(store)
    store.close()
    return found


@pytest.mark.parametrize("size", LIMITS)
@pytest.mark.parametrize("triples", [FEW, MANY], ids=["few", "many"])
def test_commits(tmp_path: Path, size: int, triples: list[Triple], tuned: Tuned) -> None:
    small.shrink(tuned)
    store = DurableKnowledge(tmp_path, RULES, create=True)
    add(store.knowledge, SCHEMA)
    store.commit({})
    before = held(store)
    add(store.knowledge, *triples)
    after = held(store)
    with room(size):
        errors = [outcome(deed) for deed in (lambda: store.commit({}), store.write_snapshot, store.compact)]
        assert held(store) == after
    failures = [str(error) for error in errors if error is not None]
    assert failures or size > 5_000
    assert all(str(tmp_path) in failure and "\n" not in failure for failure in failures)
    store._snapshots.wait()
    assert not list(tmp_path.glob("*.new"))
    assert reopened(tmp_path) in (before, after)
    store.commit({})
    assert reopened(tmp_path) == after
    store.compact()
    store.close()
    assert reopened(tmp_path) == after


@pytest.mark.slow
def test_opening_and_copies(tmp_path: Path, tuned: Tuned) -> None:
    small.shrink(tuned)
    store = DurableKnowledge(tmp_path / "store", RULES, create=True)
    add(store.knowledge, SCHEMA, *MANY)
    store.commit({})
    found = held(store)
    store.close()
    for size in LIMITS[:3]:
        with room(size):
            with pytest.raises(KGReasonError, match="store"):
                DurableKnowledge(tmp_path / "store", OpenOptions())
            with pytest.raises(KGReasonError, match="new"):
                DurableKnowledge(tmp_path / "new", OpenOptions(), create=True)
            with pytest.raises(KGReasonError, match="copy"):
                back_up(tmp_path / "store", tmp_path / "copy")
            assert reopened(tmp_path / "store") == found
        assert not (tmp_path / "copy").exists()
        assert reopened(tmp_path / "store") == found
    store = DurableKnowledge(tmp_path / "new", RULES, create=True)
    add(store.knowledge, *FEW)
    store.commit({})
    store.close()
    back_up(tmp_path / "store", tmp_path / "copy")
    assert reopened(tmp_path / "copy") == found
