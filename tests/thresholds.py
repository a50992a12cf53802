"""Thresholds shrunk, so that what is rare with large data happens all the time."""

from __future__ import annotations

import pytest

from kgreason.engine.modules import lists
from kgreason.engine.rules import bodies, gathering
from kgreason.knowledge import indexes
from kgreason.schemes import binary, label_sets, virtual
from kgreason.schemes.transitive import changes, closure, detours, table


def shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    """Merge blocks and sets, relabel, read in chunks, and join batch by batch at every opportunity; never close from
    scratch for speed."""
    monkeypatch.setattr(binary, "MERGE_LEAST", 2)
    monkeypatch.setattr(label_sets, "MERGE_LEAST", 1)
    monkeypatch.setattr(label_sets, "LIVE", 2)
    monkeypatch.setattr(label_sets, "SMALL", 1)
    monkeypatch.setattr(closure, "RELABEL_LEAST", 8)
    monkeypatch.setattr(changes, "CLOSE_FRACTION", -1)
    monkeypatch.setattr(changes, "BATCH_FRACTION", -1)
    monkeypatch.setattr(detours, "SHARE", 1)
    monkeypatch.setattr(detours, "EDGES", 3)
    monkeypatch.setattr(table, "PENDING_FRACTION", 1)
    monkeypatch.setattr(virtual, "SUBJECTS", 1)
    monkeypatch.setattr(virtual, "CHUNK", 4)
    monkeypatch.setattr(binary, "CHUNK", 4)
    monkeypatch.setattr(bodies, "BATCH", 3)
    monkeypatch.setattr(gathering, "LEAST", 2)
    monkeypatch.setattr(lists, "ROWS", 2)
    monkeypatch.setattr(indexes, "LARGE", 2)
    monkeypatch.setattr(indexes, "SHARE", 1000)
    monkeypatch.setattr(indexes, "STALE", 1)
