"""Where long work asks whether it may go on.

A limit of time belongs to a query, a change or a load. The loops that take the time lie far below it, in columns,
tables and parsers, which know nothing of whose work they do: they call `checkpoint` every tenth of a second or so,
and who has a limit lets it be `heeded`:

    with heeding(limits.check):
        ...                      # checkpoint() raises in here once the time is over

What `checkpoint` raises must leave everything as it was, as Ctrl-C does. Each thread, and each context of one, has
a check of its own; the innermost counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TypeAlias, TypeVar

Check: TypeAlias = Callable[[int], None]
"""Given how many rows a step is about to make; raises when the time is over, or when these are too many."""

Item = TypeVar("Item")
Text = TypeVar("Text", str, str | None)

_CHARACTERS: Final = 1 << 20
"""Of texts between two checkpoints: ENCODE_FOR_URI, the slowest of their functions, takes 0.06 s for them."""


def _anything(_: int) -> None:
    pass


_CHECK: Final[ContextVar[Check]] = ContextVar("check", default=_anything)


def checkpoint(rows: int = 0) -> None:
    """Raise what the limit of the work at hand raises, if it is exceeded; `rows` is what the next step makes."""
    _CHECK.get()(rows)


def passes(items: Iterable[Item], every: int = 256) -> Iterator[Item]:
    """The items, with a checkpoint before every so many of them."""
    check = _CHECK.get()
    if check is _anything:
        return iter(items)
    return _checked(items, every, check)


def _checked(items: Iterable[Item], every: int, check: Check) -> Iterator[Item]:
    for number, item in enumerate(items):
        if not number % every:
            check(0)
        yield item


def text_passes(texts: Iterable[Text], every: int = 4096) -> Iterator[Text]:
    """The texts, with a checkpoint after so many of them, or fewer that are long: a function takes time with their
    characters."""
    check = _CHECK.get()
    if check is _anything:
        return iter(texts)
    return _weighed(texts, every, check)


def _weighed(texts: Iterable[Text], every: int, check: Check) -> Iterator[Text]:
    each = _CHARACTERS // every
    weight = 0
    for text in texts:
        weight += each if text is None else each + len(text)
        if weight >= _CHARACTERS:
            check(0)
            weight = 0
        yield text


@contextmanager
def heeding(check: Check) -> Iterator[None]:
    """Have the body's checkpoints call `check`, and no other."""
    token = _CHECK.set(check)
    try:
        yield
    finally:
        _CHECK.reset(token)


def heeded(check: Check, items: Iterator[Item]) -> Iterator[Item]:
    """The items of a lazy iterator, each made under a check, which does not hold between them."""
    while True:
        with heeding(check):
            try:
                item = next(items)
            except StopIteration:
                return
        yield item
