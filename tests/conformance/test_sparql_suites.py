"""W3C's SPARQL 1.0, 1.1 and 1.2 suites, queries and updates, through the rdflib store and by its own evaluation alone.

Would catch a term that is not the one of its data or its query: results are compared by lexical forms.
"""

from __future__ import annotations

import pytest

from tests.conformance.sparql_suite import BY_VALUE, suites
from tests.conformance.suite import parameters

SUITES = suites()


@pytest.mark.parametrize(("suite", "case"), parameters(SUITES))
def test_sparql(suite: str, case: str) -> None:
    SUITES[suite].check(case)


def test_the_cases_are_all_there() -> None:
    assert {name: len(suite.cases) for name, suite in SUITES.items()} == {
        "sparql10-evaluation": 283,
        "sparql10-syntax": 199,
        "sparql11-evaluation": 336,
        "sparql11-syntax": 169,
        "sparql12-evaluation": 66,
        "sparql12-syntax": 203,
    }


def test_the_lists_name_cases() -> None:
    names = {name for suite in SUITES.values() for name in suite.cases}

    assert BY_VALUE.keys() <= names
    assert set().union(*(suite.listed for suite in SUITES.values())) <= names
