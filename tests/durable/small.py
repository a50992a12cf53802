"""Thresholds of durable stores shrunk, so that a handful of triples does what millions do."""

from __future__ import annotations

import pytest

from kgreason.durable import columns, directory, frozen
from kgreason.knowledge import replaying, snapshots
from kgreason.terms import dictionary


def shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every buffer is mapped and read-only, every commit but the smallest has files, terms become columns."""
    monkeypatch.setattr(frozen, "INSIDE", 0)
    monkeypatch.setattr(directory, "LARGE", 4)
    monkeypatch.setattr(columns, "CHUNK", 3)
    monkeypatch.setattr(replaying, "COLUMN_LEAST", 3)
    monkeypatch.setattr(snapshots, "CLOSING_COMMITS", 2)
    monkeypatch.setattr(snapshots, "RUNNING_COMMITS", 3)
    monkeypatch.setattr(snapshots, "RUNNING_LEAST", 20)
    monkeypatch.setattr(dictionary, "SEGMENT_LEAST", 3)
