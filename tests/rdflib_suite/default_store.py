"""A plugin of pytest: rdflib's default store is a ReasoningStore without rules, and outcomes go to a file.

    python -m pytest -p tests.rdflib_suite.default_store --outcomes=FILE ...
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import rdflib.plugin
from rdflib.store import Store

from kgreason import Access, ReasoningStore

OWNERS = Access(hosts=("*",), folders=("/",), schemes=("http",))
"""What the owner of these stores allows: rdflib's tests have servers on this machine, and load its files."""


class DefaultStore(ReasoningStore):
    """A store without rules that keeps what rdflib's memory store keeps."""

    def __init__(self, configuration: Any = None, identifier: Any = None, **options: Any) -> None:
        options = {"rules": "none", "generalised": "keep", "access": OWNERS} | options
        super().__init__(configuration, identifier, **options)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--outcomes", type=Path, help="a file for the outcome of each test, in JSON")


def pytest_configure(config: pytest.Config) -> None:
    rdflib.plugin.plugins(None, Store)  # entry points are read first
    name = DefaultStore.__module__
    # `register` refuses a name that has a plugin.
    rdflib.plugin._plugins["default", Store] = rdflib.plugin.Plugin("default", Store, name, DefaultStore.__name__)
    config.stash[_OUTCOMES] = {}


_OUTCOMES: pytest.StashKey[dict[str, str]] = pytest.StashKey()


class _Recorder:
    def __init__(self, outcomes: dict[str, str]) -> None:
        self.outcomes = outcomes

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            worst = self.outcomes.get(report.nodeid)
            self.outcomes[report.nodeid] = "failed" if "failed" in (worst, report.outcome) else report.outcome


def pytest_sessionstart(session: pytest.Session) -> None:
    session.config.pluginmanager.register(_Recorder(session.config.stash[_OUTCOMES]))


def pytest_sessionfinish(session: pytest.Session) -> None:
    file = session.config.getoption("--outcomes")
    if file is not None:
        file.write_text(json.dumps(session.config.stash[_OUTCOMES]))
