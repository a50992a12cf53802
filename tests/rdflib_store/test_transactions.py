"""Transactions through rdflib: commit and rollback of triples, rules, graphs and prefixes, and the end of a block."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from rdflib import OWL, RDF, RDFS, Dataset, Graph, Namespace, URIRef

from kgreason import KGReasonError, ListError, ReasoningStore

EX = Namespace("http://example.org/")
SCHEMA = (EX.Cat, RDFS.subClassOf, EX.Animal)
FACT = (EX.tom, RDF.type, EX.Cat)
FOLLOWS = (EX.tom, RDF.type, EX.Animal)
OTHER = (EX.kitty, RDF.type, EX.Cat)
RULE = "@prefix e: <http://example.org/> . e:Pet(?x) :- e:Cat(?x) ."


def opened(path: Path) -> Dataset:
    dataset = Dataset(store=ReasoningStore())
    dataset.open(str(path), create=True)
    return dataset


def test_rollback_before_the_first_commit_undoes_everything_since_the_opening(tmp_path: Path) -> None:
    store = ReasoningStore()
    store.bind("known", EX)
    dataset = Dataset(store=store)
    dataset.open(str(tmp_path), create=True)
    prefixes = dict(store.namespaces())
    dataset.bind("other", URIRef("urn:other"))
    dataset.bind("stolen", EX)
    dataset.graph(EX.named)
    dataset.add(FACT)
    dataset.rollback()
    assert dict(store.namespaces()) == prefixes
    assert not list(store.contexts())
    assert not set(dataset.quads())
    dataset.close()
    again = opened(tmp_path).store
    assert {prefix for prefix, _ in again.namespaces()}.isdisjoint({"other", "stolen"})
    assert again.namespace("known") == URIRef(EX)


def test_rollback_undoes_everything_since_the_commit(tmp_path: Path) -> None:
    dataset = opened(tmp_path)
    store = dataset.store
    dataset.add(SCHEMA)
    dataset.add((*FACT, EX.named))
    dataset.bind("first", EX)
    dataset.commit()
    before, graphs = set(dataset.quads()), {graph.identifier for graph in dataset.graphs()}
    prefixes = dict(store.namespaces())

    dataset.remove(SCHEMA)
    dataset.remove((*FACT, EX.named))
    dataset.add((*OTHER, EX.another))
    assert FOLLOWS not in dataset
    dataset.add((*OTHER, EX.another))
    store.add_rules(RULE)
    dataset.remove_graph(EX.named)
    dataset.bind("second", EX)
    dataset.graph(EX.third)
    assert (EX.kitty, RDF.type, EX.Pet) in Graph(store=store)
    dataset.rollback()
    assert set(dataset.quads()) == before
    assert {graph.identifier for graph in dataset.graphs()} == graphs
    assert dict(store.namespaces()) == prefixes
    store.knowledge_base._check()
    dataset.add(FACT)
    assert FOLLOWS in dataset
    assert (EX.tom, RDF.type, EX.Pet) not in dataset
    dataset.close()


def test_what_is_queued_is_rolled_back_unseen(tmp_path: Path) -> None:
    dataset = opened(tmp_path)
    told: list[int] = []
    dataset.store.subscribe(lambda added, removed: told.append(len(added)))
    dataset.add(FACT)
    dataset.rollback()
    assert len(dataset) == 0
    assert not told
    dataset.close()


def test_a_store_in_memory_has_no_transactions(tmp_path: Path) -> None:
    graph = Graph(store=ReasoningStore())
    graph.add(FACT)
    with pytest.raises(KGReasonError, match="memory"):
        graph.rollback()
    assert FACT in graph
    assert not graph.store.transaction_aware
    graph.open(str(tmp_path), create=True)
    assert graph.store.transaction_aware
    graph.close()
    assert not graph.store.transaction_aware


def test_a_block_commits_at_its_end_unless_it_fails(tmp_path: Path) -> None:
    with ReasoningStore() as store:
        store.open(str(tmp_path), create=True)
        Graph(store=store).add(FACT)
    with pytest.raises(ZeroDivisionError), ReasoningStore() as store:  # noqa: PT012 - the block is what is tested
        store.open(str(tmp_path))
        graph = Graph(store=store)
        graph.add(SCHEMA)
        store.commit()
        graph.add(OTHER)
        raise ZeroDivisionError
    with ReasoningStore(str(tmp_path)) as store:
        assert set(Graph(store=store)) == {FACT, SCHEMA, FOLLOWS}


def test_what_is_in_memory_is_added_when_a_directory_is_opened(tmp_path: Path) -> None:
    first = opened(tmp_path)
    first.add(SCHEMA)
    first.close()
    store = ReasoningStore()
    told: list[set] = []
    store.subscribe(lambda added, removed: told.append(set(added)))
    graph = Graph(store=store)
    graph.add(FACT)
    graph.open(str(tmp_path))
    assert set(graph) == {SCHEMA, FACT, FOLLOWS}
    assert told[-1] == {FACT, FOLLOWS}, "who subscribed before is told of what comes after"
    graph.rollback()
    assert set(graph) == {SCHEMA}
    graph.close()


def test_a_directory_that_was_not_opened_can_be_opened(tmp_path: Path) -> None:
    opened(tmp_path).close()
    graph = Graph(store=ReasoningStore(strict=True))
    graph.add((EX.Both, OWL.intersectionOf, EX.cell))
    graph.add((EX.cell, RDF.first, EX.Cat))
    with pytest.raises(ListError):
        graph.open(str(tmp_path))
    graph.open(str(tmp_path))
    graph.add(SCHEMA)
    assert set(graph) == {SCHEMA}
    graph.close()


def test_rules_of_the_directory_and_of_the_store(tmp_path: Path) -> None:
    store = ReasoningStore(rules="none")
    store.open(str(tmp_path), create=True)
    graph = Graph(store=store)
    graph.add(FACT)
    graph.add(SCHEMA)
    store.add_rules(RULE)
    store.close()
    pet = (EX.tom, RDF.type, EX.Pet)
    with ReasoningStore(str(tmp_path)) as again:
        assert set(Graph(store=again)) == {FACT, SCHEMA, pet}
    with ReasoningStore(str(tmp_path), rules="owl-rl") as other:
        assert FOLLOWS in Graph(store=other)
        assert pet not in Graph(store=other)
    with ReasoningStore(str(tmp_path)) as again:
        assert FOLLOWS in Graph(store=again)


def test_a_reader_keeps_its_changes_to_itself(tmp_path: Path) -> None:
    writer = opened(tmp_path)
    writer.add(SCHEMA)
    writer.commit()
    store = ReasoningStore()
    store.open(str(tmp_path), read_only=True)
    graph = Graph(store=store)
    graph.bind("e", EX)
    graph.commit()  # nothing to complain of
    graph.add(FACT)
    assert FOLLOWS in graph
    with pytest.raises(KGReasonError, match="reading only"):
        graph.commit()
    graph.close()
    writer.add(OTHER)
    writer.close()
    assert set(Graph(store=ReasoningStore(str(tmp_path)))) == {SCHEMA, OTHER, (EX.kitty, RDF.type, EX.Animal)}


def test_threads_read_while_another_one_commits(tmp_path: Path) -> None:
    store = ReasoningStore()
    store.open(str(tmp_path), create=True)
    graph = Graph(store=store)
    graph.add(SCHEMA)
    wrong: list[object] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            found = set(graph.triples((None, RDF.type, None)))
            cats = {s for s, _, o in found if o == EX.Cat}
            animals = {s for s, _, o in found if o == EX.Animal}
            if cats != animals or len(cats) % 2:
                wrong.append((cats, animals))

    readers = [threading.Thread(target=read) for _ in range(2)]
    for thread in readers:
        thread.start()
    for number in range(40):
        graph.addN([(EX[f"{number}{which}"], RDF.type, EX.Cat, graph) for which in "ab"])
        graph.commit()
    done.set()
    for thread in readers:
        thread.join()
    store.close()
    assert not wrong


@pytest.mark.slow
def test_a_process_that_ends_without_closing_loses_only_what_was_not_committed(tmp_path: Path) -> None:
    program = (
        "import sys; from rdflib import Graph, URIRef as u; from kgreason import ReasoningStore\n"
        "g = Graph(store=ReasoningStore()); g.open(sys.argv[1], create=True)\n"
        "g.add((u('a:a'), u('a:p'), u('a:b'))); g.commit(); g.add((u('a:a'), u('a:p'), u('a:c')))\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True, timeout=60)
    with ReasoningStore(str(tmp_path)) as store:
        assert set(Graph(store=store).objects()) == {URIRef("a:b")}
