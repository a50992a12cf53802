"""Counts in texts: ``counted(1, "triple")`` is "1 triple", ``counted(2000, "triple")`` is "2,000 triples"."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """A number with its noun, whose plural ends in s."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
