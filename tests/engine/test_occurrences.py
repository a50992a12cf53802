"""Rules found by the relations that they use. Would catch a long rule that is held once for each of its atoms, with all
its parameters: of an intersection of 8,000 classes these would take half a gigabyte."""

from __future__ import annotations

from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import EX, add, ex, triples

CLASSES = [f"D{number}" for number in range(20)]


def test_a_long_rule_has_its_parameters_once_for_all_its_atoms() -> None:
    base = KnowledgeBase(f"@prefix e: <{EX}> . e:C(?x) :- {', '.join(f'e:{name}(?x)' for name in CLASSES)} .")
    add(base, *((ex("x"), IRI(RDF + "type"), ex(name)) for name in CLASSES))
    assert (ex("x"), IRI(RDF + "type"), ex("C")) in triples(base, base.all())
    strata = base.state.engine.strata
    assert strata is not None

    uses = [*strata.body.all()]

    assert sorted(use.position for use in uses) == [*range(len(CLASSES))]
    assert len({id(use.parameters) for use in uses}) == 1
