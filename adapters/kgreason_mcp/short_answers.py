"""Answers of bounded size: an agent pays for each word it reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeVar

from kgreason.errors.limits import check_limit
from kgreason.html_fragments import printable

T = TypeVar("T")

MOST_CHARACTERS: Final = 8_000
"""So long is an answer at most: some 2,000 tokens."""

MOST_OF_A_TERM: Final = 1_000
"""So many characters of a term are shown: a query with SUBSTR reads the others."""

MOST_ITEMS: Final = 200
"""So many rows, triples or terms an answer has at most."""


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """What the owner of a store allows an agent.

    Attributes:
        allow_changes: whether the tool that changes the store is there.
        timeout: how many seconds a query may take, or a change with what follows from it.
        max_rows: how many rows a step of it may make.
        language: that of labels, where there is a choice.

    Raises:
        OptionError: a limit that is negative, or not a number.
    """

    allow_changes: bool = False
    timeout: float = 20.0
    max_rows: int = 5_000_000
    language: str = "en"

    def __post_init__(self) -> None:
        for name in ("timeout", "max_rows"):
            limit = getattr(self, name)
            check_limit(limit, name, f"{name}={limit!r}")


class AnswerError(Exception):
    """What an agent asks cannot be answered; the message says what it should do instead."""


def checked_limit(limit: int) -> int:
    """A number of items that is allowed: between 1 and `MOST_ITEMS`."""
    return max(1, min(limit, MOST_ITEMS))


def first(items: Iterable[T], limit: int) -> tuple[list[T], bool]:
    """The first items, and whether there are more."""
    found = list(islice(items, limit + 1))
    return found[:limit], len(found) > limit


def joined(lines: Iterable[str]) -> str:
    """Lines as one text, cut at the end of a line where it is too long, or within the first line.

    A character that ends a line, or does not print, is escaped: what data say cannot look like another line."""
    return "\n".join(_fitting(lines))


def _fitting(lines: Iterable[str]) -> Iterator[str]:
    left = MOST_CHARACTERS
    for line in map(printable, lines):
        if len(line) >= left:
            if left == MOST_CHARACTERS:
                yield line[:left]
            yield "... (cut here: ask for less, or more precisely)"
            return
        left -= len(line) + 1
        yield line


def cut(text: str, most: int = MOST_OF_A_TERM) -> str:
    """The beginning of a text that is too long, and how long it is."""
    return text if len(text) <= most else f"{text[:most]}... ({len(text):,} characters)"
