"""W3C's suites of RDF parsers: a document that loads otherwise than its specification says.

Where the suites are looked for: `tests.conformance.parser_suites`.
"""

from __future__ import annotations

import pytest

from tests.conformance.parser_suites import suites
from tests.conformance.suite import parameters, skip_list

SUITES = suites()
LISTED = skip_list("parsers-skip.txt")

needs_suites = pytest.mark.skipif(
    not SUITES, reason="no suites of parsers: KGREASON_W3C_TESTS may name a folder with rdf-tests and json-ld-api"
)


@needs_suites
@pytest.mark.parametrize(("suite", "case"), parameters(SUITES))
def test_parsers(suite: str, case: str) -> None:
    SUITES[suite].check(case)


@needs_suites
def test_the_list_names_cases() -> None:
    names = {name for suite in SUITES.values() for name in suite.cases}
    kinds = {name.partition("/")[0] for name in names}

    assert {name for name in LISTED if name.partition("/")[0] in kinds} <= names
