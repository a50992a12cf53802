"""Thresholds of durable stores shrunk, so that a handful of triples does what millions do."""

from __future__ import annotations

from tests.thresholds import Tuned


def shrink(tuned: Tuned) -> None:
    """Every column is one of its own, every commit but the smallest has files, terms become columns, and
    the log is compacted after every snapshot."""
    tuned(
        LONG_COLUMN=0,
        LARGE_COMMIT=4,
        COMMIT_BATCH=3,
        TERM_COLUMN_LEAST=3,
        COMPACTION_LEAST=0,
        COMPACTION_SHARE=0,
        CLOSING_COMMITS=2,
        RUNNING_COMMITS=3,
        RUNNING_LEAST=20,
        SEGMENT_LEAST=3, NUMBERS_LEAST=3,
    )
