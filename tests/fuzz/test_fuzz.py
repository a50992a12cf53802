"""Each target with its seeds, and with some hundred inputs, which are the same in every run but a thorough one.
"""

from __future__ import annotations

import random

import pytest

from tests.fuzz.target import Target
from tests.fuzz.targets import TARGETS
from tests.profiles import IS_SEARCHING, examples

EXAMPLES = examples(150)


@pytest.mark.parametrize("target", TARGETS.values(), ids=[*TARGETS])
def test_hostile_inputs(target: Target) -> None:
    for seed in target.seeds:
        target.check(seed)
    chance = random.Random() if IS_SEARCHING else random.Random(target.name)
    for _ in range(EXAMPLES):
        data = target.mutated(chance)
        try:
            target.check(data)
        except Exception as error:  # raised again, with its input
            error.add_note(f"with {data!r}")
            raise
