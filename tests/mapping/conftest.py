"""The engine of the tests in this folder; those of Spark run the same tests with another."""

from __future__ import annotations

import pytest

from tests.mapping.engines import ArrowEngine, Engine


@pytest.fixture(scope="session")
def engine() -> Engine:
    """What runs mappings."""
    return ArrowEngine()
