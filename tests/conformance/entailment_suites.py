"""W3C's suites of entailment, as `Suite` each, for the report; their test modules run them."""

from __future__ import annotations

from functools import partial

from tests.conformance import test_owl2_rdfbased as owl2
from tests.conformance import test_rdf_mt as rdf_mt
from tests.conformance import test_sparql_entailment as regimes
from tests.conformance.suite import Suite


def suites() -> list[Suite]:
    """OWL 2 RL and RDFS of the OWL 2 RDF-based semantics, RDF 1.1 semantics, and SPARQL's entailment regimes."""
    return [
        Suite(
            "OWL 2 RDF-based semantics, the profile RL",
            {case.name: partial(owl2.passes, case, "owl-rl-full") for case in owl2.cases("owl2rl")},
            owl2.SKIPPED["owl2rl"],
        ),
        Suite(
            "OWL 2 RDF-based semantics, RDFS",
            {case.name: partial(owl2.passes, case, "rdfs") for case in owl2.cases("rdfs")},
            owl2.SKIPPED["rdfs"],
        ),
        *(
            Suite(name, {case.name: partial(rdf_mt.passes, case) for case in rdf_mt.cases(suite)}, rdf_mt.SKIPPED)
            for name, suite in (("RDF 1.1 semantics", rdf_mt.OF_1_1), ("RDF 1.2 semantics", rdf_mt.OF_1_2))
        ),
        Suite(
            "SPARQL 1.1 entailment regimes",
            {case.name: partial(regimes.passes, case) for case in regimes.cases()},
            regimes.SKIPPED,
        ),
    ]
