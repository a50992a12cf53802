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
APART: Final = "tests/spark/test_materialisation_job.py"
"""Starts processes that use Spark, and does not use it itself."""


class Scheduling(LoadScopeScheduling):
    """Hands out groups of tests."""

    def __init__(self, config: pytest.Config, log: Any) -> None:
        super().__init__(config, log)
        self._groups: dict[str, str] = {}
        self._known: Counter[str] = Counter()

    def _split_scope(self, nodeid: str) -> str:
        if nodeid not in self._groups:
            self._groups[nodeid] = self._next_group(nodeid)
        return self._groups[nodeid]

    def _next_group(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        if file.startswith(SPARK) and file != APART:
            return SPARK
        self._known[file] += 1
        return f"{file} {self._known[file] // TOGETHER}"


def long_first(items: list[pytest.Item]) -> None:
    """Sort tests: those of Spark first, then those that are marked as slow."""
    items.sort(key=lambda item: (item.get_closest_marker("spark") is None, item.get_closest_marker("slow") is None))
