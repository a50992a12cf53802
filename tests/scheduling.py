"""Which tests stay together when several processes of pytest-xdist share them.

A process takes some consecutive tests of a file at a time, so that fixtures of a module are made once or twice. Tests
of Spark are one group: they share one Java, which takes a second core at times, and compiles Spark's code once. What
takes long goes first.

The groups are made here from the names of tests: the marker `xdist_group` does not work with pytest 9.2 and
pytest-xdist 3.8.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import pytest
from xdist.scheduler import LoadScopeScheduling

TOGETHER: Final = 20
"""Tests of a file that a process takes at a time."""
SPARK: Final = "tests/spark/"


class Groups:
    """The group of each test by its name, in the order of a collection."""

    def __init__(self) -> None:
        self._groups: dict[str, str] = {}
        self._known: Counter[str] = Counter()

    def of(self, name: str) -> str:
        """The group of a test, the same each time."""
        if name not in self._groups:
            self._groups[name] = self._next(name)
        return self._groups[name]

    def _next(self, name: str) -> str:
        file = name.partition("::")[0]
        if file.startswith(SPARK):
            return SPARK
        self._known[file] += 1
        return f"{file} {self._known[file] // TOGETHER}"


class Scheduling(LoadScopeScheduling):
    """Hands out groups of tests."""

    def __init__(self, config: pytest.Config, log: Any) -> None:
        super().__init__(config, log)
        self._split_scope = Groups().of


def long_first(items: list[pytest.Item]) -> None:
    """Sort tests: the group of Spark first, then those that are marked as slow."""
    items.sort(key=lambda item: (not item.nodeid.startswith(SPARK), not item.get_closest_marker("slow")))
