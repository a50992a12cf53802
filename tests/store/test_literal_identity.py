"""Two values of a functional property: inconsistent where the literals stand for different values, by OWL 2.

It would catch a comparison by `=`, to which zero is minus zero, and one instant in two zones is one. Sources: OWL 2
Structural Specification, sections 4.2 (floats) and 4.7 (time instants), and the W3C's test case
Plus-minus-0-plus-disjointness.
"""

from __future__ import annotations

import pytest
from rdflib import Graph

from kgreason import ReasoningStore

PREFIXES = """@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . """
FUNCTIONAL = "a owl:FunctionalProperty . :meg :number"
AT_MOST_ONE = """:meg a [ owl:onProperty :number ; owl:maxCardinality 1 ] ; :number"""

SAME = [
    ('"+0.0"^^xsd:float', '"0"^^xsd:float'),
    ('"-0.0"^^xsd:double', '"-0"^^xsd:double'),
    ('"NaN"^^xsd:float', '"NaN"^^xsd:float'),
    ('"0.0"^^xsd:decimal', '"-0"^^xsd:integer'),
    ('"1.0"^^xsd:decimal', '"1"^^xsd:byte'),
    ('"1.0E0"^^xsd:double', '"1"^^xsd:double'),
    ('"2020-01-01T00:00:00Z"^^xsd:dateTime', '"2020-01-01T00:00:00+00:00"^^xsd:dateTimeStamp'),
    ('"2019-12-31T24:00:00Z"^^xsd:dateTime', '"2020-01-01T00:00:00Z"^^xsd:dateTime'),
    ('"a"^^xsd:token', '"a"'),
    ('"a"@en', '"a"@EN'),
]
DIFFERENT = [
    ('"+0.0"^^xsd:float', '"-0.0"^^xsd:float'),
    ('"+0.0"^^xsd:double', '"-0.0"^^xsd:double'),
    ('"1"^^xsd:float', '"1"^^xsd:double'),
    ('"1"^^xsd:float', '"1"^^xsd:integer'),
    ('"1956-06-25T04:00:00-05:00"^^xsd:dateTime', '"1956-06-25T10:00:00+01:00"^^xsd:dateTime'),
    ('"2020-01-01T00:00:00"^^xsd:dateTime', '"2020-01-01T00:00:00Z"^^xsd:dateTime'),
    ('"a"', '"a"^^xsd:anyURI'),
    ('"a"', '"a"@en'),
]


@pytest.mark.parametrize("rules", ["owl-rl", "owl-rl-full"])
@pytest.mark.parametrize("axiom", [f":number {FUNCTIONAL}", AT_MOST_ONE], ids=["functional", "at most one"])
@pytest.mark.parametrize(
    ("left", "right", "clashes"), [(*pair, False) for pair in SAME] + [(*pair, True) for pair in DIFFERENT]
)
def test_two_values_clash_where_they_are_not_identical(
    rules: str, axiom: str, left: str, right: str, clashes: bool
) -> None:
    store = ReasoningStore(rules=rules)
    Graph(store=store).parse(data=f"{PREFIXES}{axiom} {left}, {right} .", format="kg-turtle")

    assert bool(store.inconsistencies()) == clashes
