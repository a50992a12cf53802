"""Limits that loops ask for: catches a check that holds where it was not meant to."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from kgreason.checkpoints import checkpoint, heeded, heeding, passes, text_passes


class Counting:
    """Counts looks, and raises at the last one."""

    def __init__(self, most: int) -> None:
        self.looks = 0
        self.rows: list[int] = []
        self._most = most

    def __call__(self, rows: int) -> None:
        self.looks += 1
        self.rows.append(rows)
        if self.looks >= self._most:
            raise TimeoutError


def test_checkpoint_without_a_check_does_nothing() -> None:
    checkpoint()
    assert [*passes(range(1000))] == [*range(1000)]


def test_inner_check_counts_and_the_outer_one_comes_back() -> None:
    outer, inner = Counting(9), Counting(9)

    with heeding(outer):
        checkpoint()
        with heeding(inner):
            checkpoint(5)
        checkpoint()

    assert (outer.looks, inner.looks, inner.rows) == (2, 1, [5])


def test_check_is_gone_after_an_error() -> None:
    with pytest.raises(TimeoutError), heeding(Counting(1)):
        checkpoint()
    checkpoint()


def test_passes_looks_now_and_then() -> None:
    with heeding(Counting(3)):
        numbers = passes(count(), every=10)
        assert [next(numbers) for _ in range(20)] == [*range(20)]
        with pytest.raises(TimeoutError):
            next(numbers)


def test_text_passes_looks_after_so_many_texts_or_characters() -> None:
    texts = [None, *["a"] * 5000, *["b" * 700_000] * 6]
    check = Counting(99)

    assert [*text_passes(texts, 1000)] == texts
    with heeding(check):
        assert [*text_passes(texts, 1000)] == texts

    assert check.looks == 5000 // 1000 + 6 // 2


def test_check_of_a_lazy_iterator_does_not_hold_for_its_reader() -> None:
    def numbers() -> Iterator[int]:
        for number in range(3):
            checkpoint()
            yield number

    check, outer = Counting(9), Counting(9)

    with heeding(outer):
        for _ in heeded(check, numbers()):
            checkpoint()

    assert (check.looks, outer.looks) == (3, 3)
