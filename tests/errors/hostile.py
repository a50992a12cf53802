"""What the tests of hostile input share: what is long and deep, how long it may take, and what an error must be."""

from __future__ import annotations

from kgreason import KGReasonError

MOST_SECONDS = 30
"""Of processor time; each takes a small part of that."""
DEEP = 100_000
DIGITS = "9" * 10_000
IRI = "http://example.org/"

Content = str | bytes


def check(error: KGReasonError, place: str | None = None) -> None:
    text = str(error)
    assert text.isprintable()
    assert len(text) < 600
    text.encode()
    assert place is None or place in text
