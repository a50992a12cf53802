"""Transactions over several requests: would catch one that others see before its commit, that leaves something behind
when it is rolled back, that overwrites what came meanwhile, that loses one of two actions at the same time, that ends
while it works, or that is kept for a client who is gone.

The client of RDF4J's protocol is rdflib's own, unmodified.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest
from rdflib import RDF, RDFS, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.contrib.rdf4j import RDF4JClient
from rdflib.contrib.rdf4j.client import Repository, Transaction
from rdflib.contrib.rdf4j.exceptions import TransactionCommitError
from starlette.testclient import TestClient

from kgreason_rdflib import ReasoningStore
from kgreason_server.transactions import Transactions
from tests.server.conftest import READER, READS, WRITER, WRITES, started, store_of, wait_until_ready
from tests.server.processes import served

E = Namespace("http://example.org/")
DATA = b"""@prefix e: <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
e:Cat rdfs:subClassOf e:Animal . e:tom a e:Cat ."""
ROOT = "/rdf4j/repositories/kgreason"
COUNT = "SELECT (COUNT(*) AS ?n) { ?x a <http://example.org/Animal> }"
TURTLE = {"Content-Type": "text/turtle"}
KITTY = Graph().add((E.kitty, RDF.type, E.Cat))


def filled() -> ReasoningStore:
    return store_of(DATA)


@pytest.fixture(scope="module")
def repository() -> Iterator[Repository]:
    """The repository of a server, by rdflib's client of RDF4J."""
    with served(filled()) as address, RDF4JClient(f"{address}/rdf4j/", auth=f"Bearer {WRITER}") as client:
        yield client.repositories.get("kgreason")


@pytest.fixture
def client() -> Iterator[TestClient]:
    with started(filled(), transactions=2, read_tokens=(READER,)) as found:
        yield wait_until_ready(found)


def animals(of: object) -> int:
    (row,) = of.query(COUNT)  # type: ignore[attr-defined]  # a repository or a transaction
    return int(row[0])


def begun(client: TestClient) -> str:
    """The address of a new transaction."""
    answer = client.post(f"{ROOT}/transactions", headers=WRITES)
    assert answer.status_code == 201
    return answer.headers["location"]


def test_changes_are_seen_inside_with_what_follows_and_outside_after_the_commit(repository: Repository) -> None:
    before = repository.size()
    with repository.transaction() as transaction:
        transaction.ping()
        transaction.upload(KITTY)
        transaction.update("INSERT DATA { <http://example.org/Dog> rdfs:subClassOf <http://example.org/Animal> }")
        transaction.upload("<http://example.org/rex> a <http://example.org/Dog> .", content_type="text/turtle")

        assert (animals(transaction), animals(repository)) == (3, 1)
        assert (transaction.size(), repository.size()) == (before + 3, before)
        assert (E.rex, RDF.type, E.Animal) in transaction.get(subj=E.rex, content_type="text/turtle")

        transaction.delete(KITTY)

    assert animals(repository) == 2
    assert repository.size() == before + 2


def test_rolled_back_changes_leave_nothing(repository: Repository) -> None:
    before = repository.size()
    transaction = Transaction.create(repository)
    data = Dataset()
    data.add((E.a, RDFS.label, Literal("a"), URIRef("http://example.org/g")))
    transaction.upload(data)
    assert transaction.size("http://example.org/g") == 1

    transaction.rollback()

    assert repository.size() == before
    assert repository.graph_names() == []


def test_commit_is_refused_where_something_has_come_meanwhile(repository: Repository) -> None:
    transaction = Transaction.create(repository)
    transaction.upload(Graph().add((E.late, RDF.type, E.Cat)))
    repository.upload(Graph().add((E.early, RDF.type, E.Cat)))
    before = animals(repository)

    with pytest.raises(TransactionCommitError, match="409"):
        transaction.commit()
    transaction.rollback()

    assert animals(repository) == before


def test_transaction_that_only_reads_is_committed_where_something_has_come_meanwhile(repository: Repository) -> None:
    transaction = Transaction.create(repository)
    before = animals(transaction)
    repository.upload(Graph().add((E.meanwhile, RDF.type, E.Cat)))

    assert (animals(transaction), animals(repository)) == (before, before + 1)
    transaction.commit()

    assert animals(repository) == before + 1


def test_action_that_fails_changes_nothing_and_the_transaction_goes_on(client: TestClient) -> None:
    address = begun(client)

    def act(action: str, content: str = "", kind: str = "text/turtle") -> int:
        headers = WRITES | {"Content-Type": kind}
        return client.put(address, params={"action": action}, content=content, headers=headers).status_code

    assert act("ADD", "<http://e/a> <http://e/p> ") == 400
    update = "INSERT DATA { <http://e/a> <http://e/p> 1 } ; LOAD <file:///x>"
    assert act("UPDATE", update, "application/sparql-update") == 403
    assert act("DELETE", "<http://e/a> <http://e/p> _:b .") == 400
    assert act("NONE") == 400
    assert client.put(address, params={"action": "SIZE"}, headers=WRITES).text == "2"
    assert act("ADD", "<http://e/a> <http://e/p> 1 .") == 204
    assert act("COMMIT") == 200
    assert act("COMMIT") == 404
    assert client.get(f"{ROOT}/size", headers=READS).text == "3"


def test_only_those_may_who_may_write_and_only_so_many(client: TestClient) -> None:
    assert client.post(f"{ROOT}/transactions", headers=READS).status_code == 403
    assert client.post(f"{ROOT}/transactions").status_code == 401
    first = begun(client)
    assert client.put(first, params={"action": "QUERY", "query": "ASK {}"}, headers=READS).status_code == 403

    begun(client)

    assert client.post(f"{ROOT}/transactions", headers=WRITES).status_code == 503
    assert client.delete(first, headers=WRITES).status_code == 204
    begun(client)


def test_transaction_of_a_client_who_pauses_for_too_long_is_closed() -> None:
    with started(filled(), transaction_seconds=0.05, transactions=1) as client:
        address = begun(wait_until_ready(client))
        time.sleep(0.2)

        assert client.put(address, params={"action": "COMMIT"}, headers=WRITES).status_code == 404
        begun(client)


def test_actions_at_the_same_time_all_take_effect(client: TestClient) -> None:
    address = begun(client)

    def add(part: int) -> int:
        data = "".join(f"<http://e/{part}> <http://e/p> {number} .\n" for number in range(2000))
        return client.put(address, params={"action": "ADD"}, content=data, headers=WRITES | TURTLE).status_code

    with ThreadPoolExecutor(4) as threads:
        assert [*threads.map(add, range(4))] == [204] * 4

    assert client.put(address, params={"action": "SIZE"}, headers=WRITES).text == str(2 + 4 * 2000)


def test_transaction_stays_open_during_an_action_that_takes_longer_than_a_pause_may() -> None:
    def slow() -> Iterator[bytes]:
        for number in range(4):
            yield f"<http://e/a> <http://e/p> {number} .\n".encode()
            time.sleep(0.6)

    # So long a pause may come before COMMIT on a machine with much else to do.
    with served(filled(), transaction_seconds=2) as place:
        address = httpx2.post(f"{place}{ROOT}/transactions", headers=WRITES).headers["location"]
        added = httpx2.put(address, params={"action": "ADD"}, content=slow(), headers=WRITES | TURTLE)
        committed = httpx2.put(address, params={"action": "COMMIT"}, headers=WRITES)

        assert (added.status_code, committed.status_code) == (204, 200)
        assert httpx2.get(f"{place}{ROOT}/size").text == "6"


def test_idle_transactions_are_looked_for_by_one_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    timers: list[object] = []

    async def run() -> None:
        monkeypatch.setattr(asyncio.get_running_loop(), "call_later", lambda *timer: timers.append(timer))
        transactions = Transactions(2, 60.0)
        for _ in range(3):
            transactions.end(transactions.add(ReasoningStore()))

    asyncio.run(run())

    assert len(timers) == 1
