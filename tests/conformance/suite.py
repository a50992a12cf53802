"""A public test suite: its cases by name, and those that are listed as failing, each with its reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
COUNTS = FOLDER / "counts.txt"
"""What the report found last, a table in Markdown."""


@dataclass(frozen=True)
class Suite:
    """Cases that give whether they came out as they should; one that raises has failed."""

    name: str
    cases: Mapping[str, Callable[[], bool]]
    listed: Mapping[str, str] = field(default_factory=dict)

    def passes(self, case: str) -> bool:
        """Whether a case comes out as it should."""
        try:
            return self.cases[case]()
        except Exception:  # an error is a failure
            return False

    def check(self, case: str) -> None:
        """Fail for a case that fails, unless it is listed; and for a listed one that passes."""
        if case in self.listed:
            assert not self.passes(case), f"{case} passes now: take it off the list"
            pytest.skip(self.listed[case])
        assert self.cases[case](), case

    def counts(self) -> tuple[int, int, int]:
        """How many cases there are, pass, and are listed."""
        return len(self.cases), sum(map(self.passes, self.cases)), len(self.listed.keys() & self.cases.keys())


def parameters(suites: Mapping[str, Suite]) -> list[object]:
    """Of each case the name of its suite and its own, for ``pytest.mark.parametrize(("suite", "case"), ...)``."""
    return [
        pytest.param(name, case, id=f"{name}-{case}") for name, suite in suites.items() for case in suite.cases
    ]


def skip_list(name: str, folder: Path = FOLDER) -> dict[str, str]:
    """Cases that are known to fail, each with its reason: lines of ``id: reason``."""
    lines = (folder / name).read_text().splitlines()
    entries = [line.partition(": ") for line in lines if line.strip() and not line.startswith("#")]
    return {case.strip(): reason.strip() for case, _, reason in entries}
