"""Files that suites of commands share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command_runs import DATA, SCHEMA


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A schema and data, in two files."""
    (tmp_path / "schema.ttl").write_text(SCHEMA)
    (tmp_path / "data.ttl").write_text(DATA)
    return [str(tmp_path / "schema.ttl"), str(tmp_path / "data.ttl")]
