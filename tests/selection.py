"""Which of the collected tests run.

A test is left out for its marker: `thorough` runs in the thorough profile alone, `slow` and `spark` not in the quick
one. The full profile has a share of the cases marked `again`, and the quick one of the cases of every test with
parameters: at least one. A share is chosen by names: it is the same in every run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import ceil
from pathlib import Path
from zlib import crc32

import pytest

from tests.profiles import PROFILE, Profile

_SPARK = str(Path(__file__).with_name("spark"))


def mark(items: Iterable[pytest.Item]) -> None:
    """Mark the tests of the Spark adapter."""
    for item in items:
        if str(item.path).startswith(_SPARK):
            item.add_marker("spark")


def selected(items: Sequence[pytest.Item], profile: Profile = PROFILE) -> list[pytest.Item]:
    """The tests that run in a profile, in the same order."""
    wanted = [item for item in items if not any(map(item.get_closest_marker, profile.without))]
    left_out: set[pytest.Item] = set()
    for cases in _by_test(wanted).values():
        share = profile.again if cases[0].get_closest_marker("again") else profile.share
        if share < 1:
            left_out.update(sorted(cases, key=_number)[ceil(share * len(cases)) :])
    return [item for item in wanted if item not in left_out]


def _by_test(items: Iterable[pytest.Item]) -> dict[str, list[pytest.Item]]:
    """The cases of each test function."""
    found: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        found[item.nodeid.partition("[")[0]].append(item)
    return found


def _number(item: pytest.Item) -> int:
    return crc32(item.nodeid.encode())
