"""What compaction makes of a log: one commit with the quads that are left, however many commits it takes together.

Would catch a fold that forgets in which order quads came and went once it folds more than once.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from kgreason.disk.commit_records import Commit, Step
from kgreason.disk.compaction import folded
from kgreason.io.quads import Quads
from tests.thresholds import Tuned

Row = tuple[int, int, int, int]
TERMS = 6


def quads(rows: set[Row]) -> Quads:
    return Quads(*np.array(sorted(rows), dtype=np.uint32).reshape(-1, 4).T.copy())


def rows(steps: list[Step]) -> list[Row]:
    assert not any(len(removed) for _, removed in steps)
    return [
        row
        for added, _ in steps
        for row in zip(
            *(column.tolist() for column in (added.graph, added.subject, added.predicate, added.object)), strict=True
        )
    ]


def log(chance: random.Random, left: set[Row]) -> Iterator[Commit]:
    """Commits of a few steps each; what they leave is put into `left`."""
    keys = [f"http://example.org/{number}" for number in range(TERMS)]
    for number in range(chance.choice([1, 7, 60])):
        steps = []
        for _ in range(chance.randrange(3)):
            removed = {row for row in sorted(left) if chance.random() < 0.2}
            added = {(0, *(chance.randrange(TERMS) for _ in range(3))) for _ in range(chance.randrange(4))}
            left -= removed
            left |= added
            steps.append((quads(added), quads(removed)))
        yield Commit(TERMS if number else 0, [] if number else keys, steps, {})


@pytest.mark.parametrize("together", [1, 2, 5, 4096])
def test_what_is_left_does_not_depend_on_how_many_are_taken_together(together: int, tuned: Tuned) -> None:
    tuned(COMPACTION_STEPS=together)
    for seed in range(20):
        left: set[Row] = set()

        found = rows(list(folded(log(random.Random(seed), left)).steps))

        assert len(found) == len(left)
        assert set(found) == left
