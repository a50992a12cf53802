"""A server over a small store, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from starlette.testclient import TestClient

from kgreason_rdflib import ReasoningStore
from kgreason_server import ServerOptions, application

WRITER = "the-token-of-the-writer"
READER = "the-token-of-the-reader"
WRITES = {"Authorization": f"Bearer {WRITER}"}
READS = {"Authorization": f"Bearer {READER}"}


def store_of(turtle: bytes, rules: str = "rdfs") -> ReasoningStore:
    """A store with the triples of a document in Turtle."""
    store = ReasoningStore(rules=rules)
    store.bulk_load(turtle, format="turtle")
    return store


def started(
    store: ReasoningStore | Callable[[], ReasoningStore] | None = None,
    base: str = "http://testserver",
    **options: object,
) -> TestClient:
    """A client of a server; to be used as a context manager, which waits until the store is open."""
    given = {"write_tokens": (WRITER,)} | options
    store = ReasoningStore(rules="rdfs") if store is None else store
    app = application(store, ServerOptions(**given))  # type: ignore[arg-type]  # checked at run time
    return TestClient(app, base_url=base, raise_server_exceptions=True)


def wait_until_ready(client: TestClient) -> TestClient:
    """The client, once the store is open."""
    while client.get("/readyz").status_code != 200:
        pass
    return client


@pytest.fixture
def client() -> Iterator[TestClient]:
    """A client of a server that everyone may read and the writer may write."""
    with started() as found:
        yield wait_until_ready(found)
