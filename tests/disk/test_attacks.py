"""The table of attacks runs, and nothing in it is accepted."""

from __future__ import annotations

import pytest

from tests.disk import attacks


def test_table_says_what_came_of_each_attack(capsys: pytest.CaptureFixture[str]) -> None:
    assert attacks.main("in an absolute path") == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[1].strip() for line in lines if "|" in line] == ["refused", "refused", "log read"]
    assert lines[-1] == "3 attacks: 2 refused, 1 log read"


def test_table_has_attacks_of_every_kind() -> None:
    names = [name for _, name, _ in attacks.attacks()]
    assert len(names) > 200
