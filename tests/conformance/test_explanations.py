"""Proofs over real data: a sample of what follows, relation by relation, each accepted by the checker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from kgreason.io.readers import read_files
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF
from kgreason.relations.catalogue import AUTO, PLAIN
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import Triple, triples
from tests.proof_checker import Checker
from tests.shared_data import shared, unpacked

pytestmark = pytest.mark.slow

SETS = {
    "lubm": ("owl-rl", lambda: [unpacked("lubm/lubm1.nt.bz2"), shared("lubm/univ-bench.owl")]),
    "lubm, every W3C rule": ("owl-rl-full", lambda: [unpacked("lubm/lubm1.nt.bz2"), shared("lubm/univ-bench.owl")]),
    "relations": ("owl-rl", lambda: [unpacked("onto-owl/ro.owl.xz")]),
    "ykl": ("skos", lambda: [unpacked("skos-ykl/ykl-skos-2021-12-01.ttl.xz")]),
}
OF_EACH_RELATION = 3


@pytest.mark.parametrize("schemes", [AUTO, pytest.param(PLAIN, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", SETS)
def test_what_follows_is_explained(name: str, schemes: str) -> None:
    rules, find = SETS[name]
    base = loaded(rules, find(), schemes)
    asserted = triples(base, base.explicit())
    checker = Checker(base.program, asserted, {("triple", *triple) for triple in triples(base, base.all())})
    found = list(sample(base, Random(1)))
    assert len(found) > 10
    for triple in found:
        proof = base.explain(*map(base.dictionary.encode, triple))
        checker.check(proof, triple)
        assert proof.steps[-1].rule is not None


def loaded(rules: str, paths: list[Path], schemes: str) -> KnowledgeBase:
    base = KnowledgeBase(rules, schemes)
    for path in paths:
        base.add_quads(read_files([path], base.dictionary, format="nt" if path.name.startswith("lubm") else None))
    return base


def sample(base: KnowledgeBase, random: Random) -> Iterator[Triple]:
    """A few inferred triples of each relation."""
    kind = base.dictionary.encode(IRI(RDF + "type"))
    chunks = base.inferred().match(None, None, None)
    by_relation: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for row in sorted(row for chunk in chunks for row in zip(*(column.tolist() for column in chunk), strict=True)):
        by_relation.setdefault(row[1:] if row[1] == kind else row[1:2], []).append(row)
    for members in by_relation.values():
        for row in random.sample(members, min(OF_EACH_RELATION, len(members))):
            subject, predicate, object_ = map(base.dictionary.decode, row)
            yield subject, predicate, object_
