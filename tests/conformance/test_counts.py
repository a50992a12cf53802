"""Would catch counts in the documentation that are not those of the suites."""

from __future__ import annotations

from tests.conformance import entailment_suites, parser_suites, sparql_suite
from tests.conformance.suite import COUNTS


def test_counts_are_current() -> None:
    """Each case that is not listed passes, and each that is listed fails: the tests of the suites see to it."""
    written = COUNTS.read_text(encoding="utf-8").splitlines()

    suites = [*entailment_suites.suites(), *sparql_suite.suites().values(), *parser_suites.suites().values()]
    for suite in suites:
        cases, listed = len(suite.cases), len(suite.listed.keys() & suite.cases.keys())
        assert f"| {suite.name} | {cases} | {cases - listed} | {listed} |" in written
