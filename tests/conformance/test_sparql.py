"""W3C's SPARQL 1.0 and 1.1 suites, queries and updates, through the rdflib store and by its own evaluation alone."""

from __future__ import annotations

import pytest
from rdflib import Dataset

from kgreason import ReasoningStore
from tests.conformance.entailment import skip_list
from tests.conformance.sparql_suite import Case, cases, passes

SKIPPED = skip_list("sparql-skip.txt")
ALL = {version: cases(version) for version in ("sparql10", "sparql11")}


class NativeStore(ReasoningStore):
    """A store whose graphs are never handed to rdflib's evaluator."""

    def query(self, *args, **kwargs):
        try:
            return super().query(*args, **kwargs)
        except NotImplementedError as error:
            raise AssertionError(f"rdflib's evaluator was to answer: {error}") from error

    def update(self, *args, **kwargs):
        try:
            return super().update(*args, **kwargs)
        except NotImplementedError as error:
            raise AssertionError(f"rdflib's evaluator was to do the update: {error}") from error


def make() -> Dataset:
    return Dataset(store=NativeStore(rules="none"))


def as_expected(case: Case) -> bool:
    return passes(case, make, prefix="kg-")


@pytest.mark.parametrize("case", [*ALL["sparql10"], *ALL["sparql11"]], ids=lambda case: case.name)
def test_sparql(case: Case) -> None:
    if case.name in SKIPPED:
        try:
            passed = as_expected(case)
        except Exception:
            passed = False
        assert not passed, f"{case.name} passes now: take it off the skip list"
        pytest.skip(SKIPPED[case.name])
    assert as_expected(case)


def test_the_cases_are_all_there() -> None:
    names = [case.name for version in ALL.values() for case in version]
    assert len(names) == len(set(names))
    assert {version: len(found) for version, found in ALL.items()} == {"sparql10": 482, "sparql11": 505}
    assert SKIPPED.keys() <= set(names)
