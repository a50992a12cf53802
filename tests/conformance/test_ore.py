"""91 small real ontologies of the ORE corpus: the closures that mobibench's authors computed under OWL 2 RL.

Compared as the data's note says: ground triples, without those about the vocabularies' own terms.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kgreason.io.readers import read_files
from kgreason.rdf.model import IRI, BlankNode
from kgreason.rdf.vocabulary import OWL, RDF, RDFS, XSD
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import show, triples
from tests.shared_data import shared_root, unpacked

ARCHIVE = "ore-small-closures/ore-give-even.tar.xz"
BOILERPLATE = (XSD, RDF, RDFS, OWL)
UNUSABLE = {0, 62, 78, 124}
CASES = [number for number in range(0, 190, 2) if number not in UNUSABLE]


def folder() -> Path:
    return unpacked(ARCHIVE)


def comparable(found: set) -> set:
    return {
        triple
        for triple in found
        if not any(isinstance(term, BlankNode) for term in triple)
        and not (isinstance(triple[0], IRI) and triple[0].value.startswith(BOILERPLATE))
    }


def closure(path: Path, rules: str) -> set:
    base = KnowledgeBase(rules)
    base.add_quads(read_files([path], base.dictionary, format="nt"))
    return comparable(triples(base, base.all()))


def test_there_are_91_pairs() -> None:
    assert len(list(folder().rglob("full.nt"))) == 91


@pytest.mark.skipif(shared_root() is None, reason="no shared data")
@pytest.mark.parametrize("number", CASES)
def test_closure_of_a_real_ontology_is_that_of_its_authors(number: int) -> None:
    (data,) = folder().rglob(f"data/**/{number}.nt")
    (full,) = folder().rglob(f"{number}/full.nt")
    found, expected = closure(data, "owl-rl-full"), closure(full, "none")
    assert found == expected, f"missing:\n{show(expected - found)[:2000]}\nwrong:\n{show(found - expected)[:2000]}"
