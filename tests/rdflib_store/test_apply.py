"""`store.apply`: a removal and an addition from files as one change.

Would catch a removal that stays when the addition fails, two changes in the place of one, a triple that goes although
it is added again, and what followed from removed triples.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import RDF, RDFS, Dataset, Graph, Namespace, URIRef

from kgreason import LoadError, ReasoningStore

E = Namespace("http://example.org/")
BEGIN = """
    @prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :Cat rdfs:subClassOf :Animal . :tom a :Cat . :kit a :Cat .
"""


def lines(*triples: tuple[URIRef, ...]) -> bytes:
    return "".join(" ".join(term.n3() for term in triple) + " .\n" for triple in triples).encode()


@pytest.fixture
def store() -> ReasoningStore:
    store = ReasoningStore(rules="rdfs")
    Graph(store=store).parse(data=BEGIN)
    return store


def test_removed_triples_go_and_added_ones_come_as_one_change(store: ReasoningStore) -> None:
    graph, changes = Graph(store=store), []
    assert (E.tom, RDF.type, E.Animal) in graph
    store.subscribe(lambda added, removed: changes.append(({*added}, {*removed})))
    before = {*graph}

    report = store.apply(
        added=lines((E.leo, RDF.type, E.Cat)), removed=lines((E.tom, RDF.type, E.Cat), (E.tim, RDF.type, E.Cat))
    )

    after = {*graph}
    assert after == {
        *Graph(store=ReasoningStore(rules="rdfs")).parse(data=BEGIN.replace(":tom", ":leo")),
    }
    assert changes == [(after - before, before - after)]
    assert (report.added.triples, report.removed.triples) == (1, 2)
    assert str(report) == "added: 1 triple from 1 file\nremoved: 2 triples from 1 file"


def test_what_is_removed_and_added_stays(store: ReasoningStore) -> None:
    graph = Graph(store=store)
    before = {*graph}

    store.apply(added=lines((E.tom, RDF.type, E.Cat)), removed=lines((E.tom, RDF.type, E.Cat)))

    assert {*graph} == before


def test_an_axiom_and_its_consequences_go(store: ReasoningStore) -> None:
    store.apply(removed=[lines((E.Cat, RDFS.subClassOf, E.Animal))])

    assert not [*store.inferred.triples((None, RDF.type, E.Animal))]


@pytest.mark.parametrize(
    ("added", "removed", "reason"),
    [
        (b"<http://example.org/leo> nonsense .", lines((E.tom, RDF.type, E.Cat)), "1"),
        (lines((E.leo, RDF.type, E.Cat)), b"<http://example.org/tom>", "1"),
        (lines((E.leo, RDF.type, E.Cat)), b"_:b <http://example.org/p> _:b .", "a blank node of a file is none of"),
        (["missing.nt"], lines((E.tom, RDF.type, E.Cat)), "missing.nt"),
    ],
)
def test_a_change_that_cannot_be_read_changes_nothing(
    store: ReasoningStore, added: bytes, removed: bytes, reason: str
) -> None:
    graph = Graph(store=store)
    before = {*graph}

    with pytest.raises(LoadError, match=reason):
        store.apply(added, removed, format=None if added == ["missing.nt"] else "nt")

    assert {*graph} == before


def test_quads_go_from_their_graphs_and_triples_from_the_one_that_is_named() -> None:
    store = ReasoningStore(rules="none")
    dataset = Dataset(store=store)
    for name in (E.g, E.h):
        dataset.graph(name).add((E.s, E.p, E.o))

    store.apply(added=lines((E.s, E.p, E.new, E.k)), removed=lines((E.s, E.p, E.o, E.g)))
    assert {(*quad[:3], quad[3]) for quad in dataset.quads()} == {(E.s, E.p, E.o, E.h), (E.s, E.p, E.new, E.k)}

    store.apply(removed=lines((E.s, E.p, E.o)), added=lines((E.s, E.p, E.other)), graph=E.h)
    assert {(*quad[:3], quad[3]) for quad in dataset.quads()} == {(E.s, E.p, E.other, E.h), (E.s, E.p, E.new, E.k)}


def test_a_change_of_a_store_on_disk_is_committed_or_rolled_back(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    (tmp_path / "gone" / "1.nt").write_bytes(lines((E.tom, RDF.type, E.Cat)))
    graph = Graph(store=ReasoningStore(rules="rdfs"))
    graph.open(str(tmp_path / "store"), create=True)
    graph.parse(data=BEGIN)
    graph.commit()

    graph.store.apply(removed=tmp_path / "gone")
    assert (E.tom, RDF.type, E.Animal) not in graph
    graph.rollback()
    assert (E.tom, RDF.type, E.Animal) in graph
    graph.store.apply(removed=str(tmp_path / "gone"))
    graph.commit()
    graph.close()

    again = Graph(store=ReasoningStore())
    again.open(str(tmp_path / "store"))
    assert {*again.subjects(RDF.type, E.Animal)} == {E.kit}
    again.close()
