"""Would catch a benchmark that takes ``--help`` for data."""

from __future__ import annotations

import runpy
import sys

import pytest


@pytest.mark.parametrize(
    "name",
    ["annotated", "formats", "gtfs", "server", "spark_faults", "spark_rounds", "spark_speculation", "stream_kills",
     "versions"],
)  # fmt: skip
def test_help_is_shown(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", [name, "--help"])

    with pytest.raises(SystemExit) as ended:
        runpy.run_module(f"tests.benchmarks.{name}", run_name="__main__")

    assert ended.value.code == 0
    assert f"python -m tests.benchmarks.{name}" in capsys.readouterr().out
