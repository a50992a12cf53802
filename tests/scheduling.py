"""Which tests stay together when several processes of pytest-xdist share them.

A process takes some consecutive tests of a file at a time, so that fixtures of a module are made once or twice. Tests
of Spark are one group: they share one Java, which starts and compiles Spark's code once (330 core-seconds in place of
400). Where there are more than two processes, so that this group would be the last to end, they are two: of what is
derived, and of all else. What takes long goes first.

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
_OF_DERIVATION: Final = (
    "cluster", "driver_limits", "end_to_end", "maintenance", "materialisation", "real_data", "sparql_rl",
    "unspecialised",
)  # fmt: skip
DERIVING: Final = tuple(f"{SPARK}test_{name}" for name in _OF_DERIVATION)
"""Where the names of files begin whose tests are about what is derived."""


class Groups:
    """The group of each test by its name, in the order of a collection, for some processes."""

    def __init__(self, processes: int) -> None:
        self._has_two = processes > 2
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
            return f"{SPARK}deriving" if self._has_two and file.startswith(DERIVING) else SPARK
        self._known[file] += 1
        return f"{file} {self._known[file] // TOGETHER}"


class Scheduling(LoadScopeScheduling):
    """Hands out groups of tests."""

    def __init__(self, config: pytest.Config, log: Any) -> None:
        super().__init__(config, log)
        self._split_scope = Groups(self.numnodes).of


def long_first(items: list[pytest.Item]) -> None:
    """Sort tests: the groups of Spark first, then those that are marked as slow."""
    items.sort(key=lambda item: (_spark_rank(item.nodeid), not item.get_closest_marker("slow")))


def _spark_rank(name: str) -> int:
    """Each group of Spark before what is not of Spark."""
    return 2 if not name.startswith(SPARK) else int(name.startswith(DERIVING))
