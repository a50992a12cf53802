"""The table of attacks in the documentation: would catch a row whose test is gone."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "reference" / "http.md"


def test_each_attack_has_tests_that_exist() -> None:
    table = PAGE.read_text().split("\n## Attacks\n")[1].split("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ") and "---" not in line][1:]
    there = {name for file in HERE.glob("test_*.py") for name in re.findall(r"^def (test_\w+)", file.read_text(), re.M)}

    assert len(rows) > 15
    for row in rows:
        named = re.findall(r"`(test_\w+)`", row)
        assert named, row
        assert {*named} <= there, row
