"""Lists of axioms that are written, cut and mended through rdflib: triple by triple, on disk, and by updates."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from rdflib import OWL, RDF, BNode, Dataset, Graph, Namespace
from rdflib.collection import Collection

import kgreason
from kgreason import ListError, ListWarning, ReasoningStore

EX = Namespace("http://example.org/")
MEMBER = (EX.x, RDF.type, EX.C)


def union(graph: Graph) -> BNode:
    """C as the union of A and B, with x as an instance of B; its list."""
    head = BNode()
    Collection(graph, head, [EX.A, EX.B])
    graph.add((EX.C, OWL.unionOf, head))
    graph.add((EX.x, RDF.type, EX.B))
    return head


def test_a_collection_that_is_edited_with_reads_in_between() -> None:
    store = ReasoningStore()
    graph = Graph(store=store)
    head = union(graph)
    assert MEMBER in graph
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ListWarning)
        collection = Collection(graph, head)
        del collection[0]  # which leaves the first cell without a member
        assert MEMBER not in graph
        collection.append(EX.E)
        collection[0] = EX.D
    assert list(Collection(graph, head)) == [EX.D, EX.B, EX.E]
    assert MEMBER in graph
    assert store.inconsistencies() == []


def test_how_a_list_that_is_cut_off_is_named() -> None:
    store = ReasoningStore()
    graph = Graph(store=store)
    head = union(graph)
    assert MEMBER in graph
    graph.remove((head, RDF.first, None))
    with pytest.warns(kgreason.ListWarning) as told:
        assert MEMBER not in graph
    assert len(told) == 1
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(graph) > 0, "once for a change, not for each read"
    [clash] = store.inconsistencies()
    rest = graph.value(head, RDF.rest)
    assert clash.rule == "list"
    assert clash.triples[0] == (EX.C, OWL.unionOf, head)
    assert set(clash.triples[1:]) == {(head, RDF.rest, rest), (rest, RDF.first, EX.B), (rest, RDF.rest, RDF.nil)}
    assert f"its cell {head.n3()} has no rdf:first" in clash.reason
    assert clash.reason in str(clash)
    graph.add((head, RDF.first, EX.D))
    assert MEMBER in graph
    assert store.inconsistencies() == []


@pytest.mark.slow
def test_a_list_that_is_cut_off_on_disk(tmp_path: Path) -> None:
    with ReasoningStore() as store:
        store.open(str(tmp_path / "store"), create=True)
        graph = Graph(store=store)
        head = union(graph)
        expected = set(graph)
        graph.remove((head, RDF.first, EX.A))
        with pytest.warns(ListWarning):
            store.commit()
    for strict in (False, True):
        for from_log in (False, True):
            if from_log:
                for snapshot in (tmp_path / "store").glob("*snapshot*"):
                    snapshot.unlink()
            with ReasoningStore(strict=strict) as store:
                store.open(str(tmp_path / "store"))
                graph = Graph(store=store)
                assert MEMBER not in graph, "what was committed is shown, also to who is strict"
                [clash] = store.inconsistencies()
                assert clash.triples[0] == (EX.C, OWL.unionOf, head)
                graph.add((EX.y, RDF.type, EX.A))
                assert (EX.y, RDF.type, EX.C) not in graph
                store.rollback()
                assert MEMBER not in graph
    with ReasoningStore(strict=True) as store:
        store.open(str(tmp_path / "store"))
        graph = Graph(store=store)
        graph.add((head, RDF.first, EX.A))
        assert set(graph) == expected
    with ReasoningStore(strict=True) as store:
        store.open(str(tmp_path / "store"))
        graph = Graph(store=store)
        assert set(graph) == expected
        graph.remove((head, RDF.first, EX.A))
        with pytest.raises(ListError, match="cut off"):
            store.commit()
        assert set(graph) == expected


@pytest.mark.parametrize("strict", [False, True])
def test_an_update_may_cut_a_list_that_it_mends(strict: bool) -> None:
    dataset = Dataset(store=ReasoningStore(strict=strict), default_union=True)
    head = union(dataset.default_graph)
    dataset.default_graph.add((EX.y, RDF.type, EX.D))
    assert MEMBER in dataset
    dataset.update(
        """
        PREFIX owl: <http://www.w3.org/2002/07/owl#> PREFIX : <http://example.org/>
        PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
        DELETE { ?l rdf:first :A } WHERE { :C owl:unionOf ?l } ;
        INSERT { ?l rdf:first :D } WHERE { :C owl:unionOf ?l }
        """
    )
    assert (EX.y, RDF.type, EX.C) in dataset
    assert dataset.default_graph.value(head, RDF.first) == EX.D


def test_a_list_over_two_named_graphs() -> None:
    dataset = Dataset(store=ReasoningStore(), default_union=True)
    head = union(dataset.graph(EX.g))
    dataset.graph(EX.h).add((head, RDF.first, EX.A))
    assert MEMBER in dataset
    dataset.graph(EX.g).remove((head, RDF.first, EX.A))
    assert MEMBER in dataset
    dataset.graph(EX.h).remove((head, RDF.first, EX.A))
    with pytest.warns(ListWarning):
        assert MEMBER not in dataset.default_graph
