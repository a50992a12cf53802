"""How many rows the filters of rules are asked for."""

from __future__ import annotations

import pytest

from kgreason.store.column_operations import Operations


def rows_tested(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that gets the number of rows of each look at a filter from now on."""
    tested: list[int] = []
    test = Operations.test

    def counted(self: Operations, operation: object, columns: object, length: int, *tick: object) -> object:
        tested.append(length)
        return test(self, operation, columns, length, *tick)

    monkeypatch.setattr(Operations, "test", counted)
    return tested
