"""Thresholds of durable stores shrunk, so that a handful of triples does what millions do."""

from __future__ import annotations

import pytest

from kgreason.durable import codec, columns, compaction, directory
from kgreason.knowledge import replaying, snapshots
from kgreason.terms import dictionary


def shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every column is one of its own, every commit but the smallest has files, terms become columns, and
    the log is compacted after every snapshot."""
    monkeypatch.setattr(codec, "LONG", 0)
    monkeypatch.setattr(directory, "LARGE", 4)
    monkeypatch.setattr(columns, "CHUNK", 3)
    monkeypatch.setattr(replaying, "COLUMN_LEAST", 3)
    monkeypatch.setattr(compaction, "LEAST", 0)
    monkeypatch.setattr(compaction, "SHARE", 0)
    monkeypatch.setattr(snapshots, "CLOSING_COMMITS", 2)
    monkeypatch.setattr(snapshots, "RUNNING_COMMITS", 3)
    monkeypatch.setattr(snapshots, "RUNNING_LEAST", 20)
    monkeypatch.setattr(dictionary, "SEGMENT_LEAST", 3)
