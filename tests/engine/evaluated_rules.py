"""How many rules are evaluated."""

from __future__ import annotations

import pytest

from kgreason.engine.meter import Meter
from kgreason.engine.rules.occurrences import Occurrence


def rules_evaluated(monkeypatch: pytest.MonkeyPatch) -> list[Occurrence]:
    """A list that gets each rule that is evaluated from now on."""
    evaluated: list[Occurrence] = []
    begin = Meter.begin

    def counted(self: Meter, use: Occurrence) -> None:
        evaluated.append(use)
        begin(self, use)

    monkeypatch.setattr(Meter, "begin", counted)
    return evaluated
