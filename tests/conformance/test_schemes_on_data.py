"""Real thesauri and an archival ontology with schemes and without: the same triples, before and after changes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.io.readers import read_files
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF_FIRST, RDF_REST, SKOS
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.triple_view import TripleView
from tests.shared_data import unpacked

pytestmark = pytest.mark.slow

MALFORMED = "Matterhorn-Switzerland/IP-RiC-O/metadata.ttl"  # uses the prefix owl: without declaring it


def rico() -> list[Path]:
    folder = unpacked("rico/rico.tar.xz")
    files = (path for path in folder.rglob("*") if path.suffix in {".rdf", ".ttl", ".nt", ".owl"})
    return sorted(path for path in files if not path.match(MALFORMED))


def vocabularies() -> list[Path]:
    return sorted(path for path in unpacked("skos-gsq/gsq-vocabularies.tar.xz").rglob("*") if path.suffix == ".ttl")


SETS = {
    "gsq": (vocabularies, ("skos",)),
    "physh": (lambda: [unpacked("skos-physh/physh_skos_compat.ttl.xz")], ("skos",)),
    "ykl": (lambda: [unpacked("skos-ykl/ykl-skos-2021-12-01.ttl.xz")], ("skos",)),
    "rico": (rico, ("owl-rl", "skos")),
}


def rows(view: TripleView) -> np.ndarray:
    """All triples, sorted; none may come twice."""
    chunks = [np.stack(chunk, axis=1) for chunk in view.match(None, None, None)]
    found = np.concatenate(chunks)
    unique = np.unique(found, axis=0)
    assert len(unique) == len(found) == len(view)
    return unique


@pytest.fixture(scope="module", params=SETS)
def pair(request: pytest.FixtureRequest) -> tuple[KnowledgeBase, KnowledgeBase]:
    """The same data with schemes and without; both dictionaries give the same ids."""
    files, rules = SETS[request.param]
    both = (KnowledgeBase(rules), KnowledgeBase(rules, schemes="plain"))
    for knowledge in both:
        knowledge.add_quads(read_files(files(), knowledge.dictionary))
    return both


def test_the_triples_are_the_same(pair: tuple[KnowledgeBase, KnowledgeBase]) -> None:
    virtual, plain = pair
    assert np.array_equal(rows(virtual.all()), rows(plain.all()))
    assert np.array_equal(rows(virtual.inferred()), rows(plain.inferred()))
    assert "union" in {relation.scheme for relation in virtual.statistics().relations}
    assert "union" not in {relation.scheme for relation in plain.statistics().relations}


def test_they_stay_the_same_when_triples_and_axioms_come_and_go(pair: tuple[KnowledgeBase, KnowledgeBase]) -> None:
    cells = [pair[0].dictionary.encode(IRI(name)) for name in (RDF_FIRST, RDF_REST)]
    explicit = rows(pair[0].explicit())
    explicit = explicit[~np.isin(explicit[:, 1], cells)]  # a list that is cut off is refused
    chosen = np.random.default_rng(3).choice(len(explicit), size=min(200, len(explicit) // 4), replace=False)
    broader = pair[0].dictionary.encode(IRI(SKOS + "broader"))
    assert pair[1].dictionary.encode(IRI(SKOS + "broader")) == broader
    moved = explicit[explicit[:, 1] == broader][:50]
    crossed = np.stack((moved[:, 2], moved[:, 1], moved[:, 0]), axis=1)
    for added, removed in ((crossed, explicit[chosen]), (explicit[chosen], crossed)):
        for knowledge in pair:
            knowledge.remove_quads(quads(removed))
            knowledge.add_quads(quads(added))
        assert np.array_equal(rows(pair[0].all()), rows(pair[1].all()))


def quads(triples: Sequence[Sequence[int]] | np.ndarray) -> Quads:
    columns = np.ascontiguousarray(np.asarray(triples, dtype=np.uint32).reshape(-1, 3).T)
    return Quads(np.full(columns.shape[1], DEFAULT_GRAPH, dtype=np.uint32), *columns)
