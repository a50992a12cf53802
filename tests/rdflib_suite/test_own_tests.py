"""Would catch: something that rdflib promises of every graph, and that a graph over this store does not do.

``KGREASON_RDFLIB_TESTS`` names a folder with rdflib's ``test``, ``examples`` and ``pyproject.toml``: its unpacked
source distribution of the version that is installed: ``pip download --no-binary :all: --no-deps rdflib==7.6.0``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = os.environ.get("KGREASON_RDFLIB_TESTS")
LEFT_OUT = ["--ignore=test/test_graphdb", "--ignore=test/test_rdf4j", "-m", "not webtest and not testcontainer"]
"""Clients of servers, and what needs the web."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(FOLDER is None, reason="KGREASON_RDFLIB_TESTS names no folder with rdflib's tests"),
]


def patterns() -> Iterator[tuple[str, str]]:
    """Patterns of tests that cannot apply, with the reasons."""
    reason = ""
    for line in (Path(__file__).parent / "cannot-apply.txt").read_text().splitlines():
        if line.startswith(" "):
            yield line.strip(), reason
        elif line:
            reason = line


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The outcome of each of rdflib's tests."""
    file = tmp_path_factory.mktemp("rdflib") / "outcomes.json"
    command = [sys.executable, "-P", "-m", "pytest", "test", "-q", "--tb=no", "-p", "no:cacheprovider"]
    plugin = ["-p", "tests.rdflib_suite.default_store", f"--outcomes={file}"]
    paths = os.pathsep.join([str(ROOT), *sys.path])
    run = subprocess.run(
        [*command, *plugin, *LEFT_OUT], cwd=FOLDER, env=os.environ | {"PYTHONPATH": paths}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert file.exists(), run.stdout[-2000:] + run.stderr[-2000:]
    found: dict[str, str] = json.loads(file.read_text())
    return found


def test_all_of_rdflibs_tests_pass_but_for_those_that_cannot_apply(outcomes: dict[str, str]) -> None:
    known = [pattern for pattern, _ in patterns()]

    failed = [name for name, outcome in outcomes.items() if outcome == "failed"]

    assert sum(outcome == "passed" for outcome in outcomes.values()) > 8000
    assert [name for name in failed if not any(fnmatchcase(name, pattern) for pattern in known)] == []


def test_each_reason_has_a_test_that_fails(outcomes: dict[str, str]) -> None:
    failed = [name for name, outcome in outcomes.items() if outcome == "failed"]
    assert [pattern for pattern, _ in patterns() if not any(fnmatchcase(name, pattern) for name in failed)] == []
