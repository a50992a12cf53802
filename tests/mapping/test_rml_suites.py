"""The public suites of mappings (`suites`): would catch a mapping that means another thing than to its authors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.conformance.suite import Suite
from tests.mapping.engines import Engine
from tests.mapping.servers import postgresql
from tests.mapping.suites import LISTS, SOURCES, cases, file_database, listed, passes, postgresql_database

CASES = [
    pytest.param(suite, name, id=f"{suite}/{name}") for suite in SOURCES for name in cases(suite)
]
FILES = [one for one in CASES if SOURCES[str(one.values[0])].database is None]
QUERIES = [one for one in CASES if SOURCES[str(one.values[0])].database is not None]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A PostgreSQL."""
    with postgresql() as url:
        yield url


@pytest.mark.parametrize("suite", SOURCES)
def test_suite_is_there(suite: str) -> None:
    if not cases(suite):
        pytest.skip(f"no {SOURCES[suite].repository} (see the beginning of suites.py)")
    assert len(cases(suite)) >= 20


@pytest.mark.parametrize("suite", SOURCES)
def test_counts_on_the_page_are_current(suite: str) -> None:
    found = cases(suite)
    if not found:
        pytest.skip(f"no {SOURCES[suite].repository} (see the beginning of suites.py)")
    failing = len(listed(suite).keys() & found.keys())
    row = f"| {SOURCES[suite].title} | {len(found)} | {len(found) - failing} | {failing} | "
    assert row in (LISTS / "suite-counts.txt").read_text()


@pytest.mark.slow
@pytest.mark.parametrize(("suite", "name"), FILES)
def test_case(suite: str, name: str, engine: Engine) -> None:
    Suite(suite, {name: partial(passes, suite, name, engine, None)}, listed(suite)).check(name)


@pytest.mark.slow
@pytest.mark.parametrize(("suite", "name"), QUERIES)
def test_case_of_a_database(
    suite: str, name: str, engine: Engine, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    kind = str(SOURCES[suite].database)
    make: Callable[[Path], str] = partial(file_database, kind, tmp_path)
    if kind == "PostgreSQL":
        make = partial(postgresql_database, request.getfixturevalue("server"))
    Suite(suite, {name: partial(passes, suite, name, engine, make)}, listed(suite)).check(name)
