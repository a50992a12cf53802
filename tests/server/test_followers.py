"""Servers that read a store on disk which another process writes: would catch a commit that they do not show, or show
in part."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx2
import pytest
from rdflib import RDF, RDFS, Dataset, Graph, Namespace, URIRef
from starlette.testclient import TestClient

from kgreason.errors import KGReasonError
from kgreason_rdflib import ReasoningStore
from kgreason_server.served_store import ServedStore
from kgreason_server.server_parts import ServerParts
from tests.server.conftest import WRITER, WRITES, started, wait_until_ready
from tests.server.processes import command, free_port, stopped
from tests.server.test_changes import events

E = Namespace("http://example.org/")


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[ReasoningStore]:
    """A store on disk with a cat, open for writing."""
    with ReasoningStore(rules="rdfs") as store:
        store.open(str(tmp_path / "store"), create=True)
        Graph(store=store).add((E.tom, RDF.type, E.Cat))
        store.commit()
        yield store


def opened(tmp_path: Path) -> ReasoningStore:
    store = ReasoningStore()
    store.open(str(tmp_path / "store"), read_only=True)
    return store


def shown(client: TestClient) -> ServedStore:
    """The store behind a client, after it has looked what there is."""
    parts: ServerParts = client.app.state.server_parts
    parts.served.follow()
    return parts.served


def ask(client: TestClient, pattern: str) -> bool:
    return client.get("/sparql", params={"query": f"PREFIX e: <{E}> ASK {{ {pattern} }}"}).json()["boolean"]


def test_refreshed_store_is_that_of_the_writer_and_tells_subscribers(writer: ReasoningStore, tmp_path: Path) -> None:
    reader = opened(tmp_path)
    heard: list[tuple[set, set]] = []
    reader.subscribe(lambda added, removed: heard.append((set(added), set(removed))))
    dataset = Dataset(store=writer)

    dataset.default_graph.add((E.Cat, RDFS.subClassOf, E.Animal))
    dataset.graph(E.g).add((E.rex, RDF.type, E.Dog))
    dataset.bind("zoo", E)
    writer.commit()
    was_changed, again = reader.refresh(), reader.refresh()

    assert (was_changed, again) == (True, False)
    assert set(Graph(store=reader)) == set(Graph(store=writer))
    assert URIRef(E.g) in reader.graph_names()
    assert reader.namespace("zoo") == URIRef(E)
    assert reader.committed_version == writer.committed_version
    added = {(E.Cat, RDFS.subClassOf, E.Animal), (E.tom, RDF.type, E.Animal), (E.rex, RDF.type, E.Dog)}
    assert heard == [(added, set())]


def test_store_that_was_changed_is_not_refreshed(writer: ReasoningStore, tmp_path: Path) -> None:
    reader = opened(tmp_path)
    Graph(store=reader).add((E.a, E.p, E.b))

    with pytest.raises(KGReasonError):
        reader.refresh()
    with pytest.raises(KGReasonError):
        writer.refresh()


def test_servers_show_what_another_process_commits(writer: ReasoningStore, tmp_path: Path) -> None:
    graph = Graph(store=writer)
    with (
        started(opened(tmp_path), write_tokens=()) as one,
        started(opened(tmp_path), write_tokens=()) as other,
    ):
        for client in (one, other):
            wait_until_ready(client)
        assert not ask(one, "e:tom a e:Animal")

        graph.add((E.Cat, RDFS.subClassOf, E.Animal))
        writer.commit()
        names = {shown(client).version.name for client in (one, other)}

        assert ask(one, "e:tom a e:Animal")
        assert ask(other, "e:tom a e:Animal")
        assert names == {writer.committed_version}


def test_rules_and_removals_are_followed(writer: ReasoningStore, tmp_path: Path) -> None:
    with started(opened(tmp_path), write_tokens=()) as client:
        wait_until_ready(client)

        writer.add_rules(f"<{E.Pet}>(?x) :- <{E.Cat}>(?x) .")
        writer.commit()
        shown(client)
        has_rule = ask(client, "e:tom a e:Pet")
        Graph(store=writer).remove((E.tom, None, None))
        writer.commit()
        shown(client)

        assert has_rule
        assert not ask(client, "e:tom ?p ?o")


def test_compaction_is_followed_and_the_feed_says_that_something_is_missing(
    writer: ReasoningStore, tmp_path: Path
) -> None:
    with started(lambda: opened(tmp_path), write_tokens=()) as client:
        wait_until_ready(client)
        ((_, begin, _),) = events(client, 1)
        graph = Graph(store=writer)
        for number in range(20):
            graph.add((E.tom, E.number, URIRef(f"{E}{number}")))
            writer.commit()
        writer.compact()

        version = shown(client).version

        assert ask(client, "e:tom e:number <http://example.org/19>")
        assert [(kind, identifier) for kind, identifier, _ in events(client, 1, begin)] == [("reset", version.name)]


@pytest.mark.slow
def test_processes_that_read_show_what_the_one_that_writes_commits_and_outlive_it(tmp_path: Path) -> None:
    count = "SELECT (COUNT(*) AS ?n) { ?s a <http://example.org/Animal> }"
    with ExitStack() as stack:
        store = (tmp_path / "store", "--rules", "rdfs")
        line = (*store, "--create", "--token", WRITER)
        writing, process = stack.enter_context(command(*line, port=free_port()))
        readers = [stack.enter_context(command(store[0], port=free_port()))[0] for _ in range(2)]

        def change(update: str) -> None:
            sent = {"update": f"PREFIX e: <{E}> PREFIX rdfs: <{RDFS}> {update}"}
            assert httpx2.post(f"{writing}/update", data=sent, headers=WRITES).status_code == 204

        def shown(address: str) -> str:
            wanted = {"params": {"query": count}, "headers": {"Accept": "text/csv"}}
            return httpx2.get(f"{address}/sparql", **wanted).text.split()[1]

        def wait_for(expected: str) -> None:
            end = time.monotonic() + 30
            while [shown(reader) for reader in readers] != [expected] * 2:
                assert time.monotonic() < end, f"{expected} is not shown"
                time.sleep(0.1)

        change("INSERT DATA { e:tom a e:Cat }")
        change("INSERT DATA { e:Cat rdfs:subClassOf e:Animal . e:rex a e:Animal }")
        wait_for("2")
        change("DELETE DATA { e:Cat rdfs:subClassOf e:Animal }")
        wait_for("1")
        assert httpx2.post(f"{readers[0]}/update", data={"update": "DROP ALL"}, headers=WRITES).status_code == 403
        code, printed = stopped(process)
        assert code == 0, printed
        assert [shown(reader) for reader in readers] == ["1", "1"]
