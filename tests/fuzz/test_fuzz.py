"""Each target with its seeds, and with some hundred inputs that are the same in every run.

KGREASON_EXAMPLES says how many, KGREASON_THOROUGH has it look for new ones.
"""

from __future__ import annotations

import os
import random

import pytest

from tests.conftest import SEARCHING
from tests.fuzz.target import Target
from tests.fuzz.targets import TARGETS

EXAMPLES = int(os.environ.get("KGREASON_EXAMPLES", "150"))


@pytest.mark.parametrize("target", TARGETS.values(), ids=[*TARGETS])
def test_hostile_inputs(target: Target) -> None:
    for seed in target.seeds:
        target.check(seed)
    chance = random.Random() if SEARCHING else random.Random(target.name)
    for _ in range(EXAMPLES):
        data = target.mutated(chance)
        try:
            target.check(data)
        except Exception as error:
            error.add_note(f"with {data!r}")
            raise
