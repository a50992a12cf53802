"""W3C's suites of SPARQL-RL: a rule set that is read, refused or evaluated otherwise than the draft says.

Where the suites are looked for: `tests.conformance.rule_suites`.
"""

from __future__ import annotations

import pytest

from tests.conformance.rule_suites import suites
from tests.conformance.suite import parameters, skip_list

SUITES = suites()
LISTED = skip_list("rules-skip.txt")

needs_suites = pytest.mark.skipif(
    not SUITES, reason="no suites of SPARQL-RL: KGREASON_W3C_TESTS may name a folder with data-shapes"
)


@needs_suites
@pytest.mark.parametrize(("suite", "case"), parameters(SUITES))
def test_rule_sets(suite: str, case: str) -> None:
    SUITES[suite].check(case)


@needs_suites
def test_the_list_names_cases() -> None:
    names = {name for suite in SUITES.values() for name in suite.cases}
    folders = {name.partition("/")[0] for name in names}

    assert {name for name in LISTED if name.partition("/")[0] in folders} <= names
