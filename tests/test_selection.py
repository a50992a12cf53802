"""Catches a profile that leaves a suite out altogether, or runs what it should not."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import pytest

from tests.profiles import PROFILES
from tests.selection import selected


@dataclass(frozen=True)
class Item:
    """As much of a test as the selection asks for."""

    nodeid: str
    markers: Collection[str] = ()

    def get_closest_marker(self, name: str) -> bool:
        return name in self.markers


def cases(name: str, count: int, *markers: str) -> list[Item]:
    return [Item(f"{name}[{number}]", markers) for number in range(count)]


EVERYTHING = [
    Item("a.py::test_one"),
    *cases("a.py::test_few", 3),
    *cases("a.py::test_many", 200),
    *cases("b.py::test_many", 200, "again"),
    Item("b.py::test_slow", ("slow",)),
    Item("c.py::test_spark", ("spark",)),
    Item("c.py::test_thorough", ("thorough", "slow")),
]


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ("quick", {"a.py::test_one": 1, "a.py::test_few": 1, "a.py::test_many": 10, "b.py::test_many": 2}),
        (
            "full",
            {
                **{"a.py::test_one": 1, "a.py::test_few": 3, "a.py::test_many": 200, "b.py::test_many": 50},
                **{"b.py::test_slow": 1, "c.py::test_spark": 1},
            },
        ),
    ],
)
def test_a_profile_has_a_share_of_each_suite(profile: str, expected: dict[str, int]) -> None:
    found = selected(EVERYTHING, PROFILES[profile])

    names = [item.nodeid.partition("[")[0] for item in found]
    assert {name: names.count(name) for name in names} == expected
    assert found == [item for item in EVERYTHING if item in found]
    assert found == selected(EVERYTHING, PROFILES[profile])


def test_the_thorough_profile_has_everything() -> None:
    assert selected(EVERYTHING, PROFILES["thorough"]) == EVERYTHING
