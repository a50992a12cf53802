"""The feed of changes: would catch a change that is missed, told twice, or not net, also by one who comes back."""

from __future__ import annotations

import json
from threading import Thread

import anyio
import httpx2
from starlette.requests import Request
from starlette.testclient import TestClient

from kgreason_rdflib import ReasoningStore
from kgreason_server.change_events import ChangeEvents
from kgreason_server.server_parts import ServerParts
from tests.server.conftest import WRITES, started, wait_until_ready
from tests.server.processes import served

ANIMAL = "<http://e/Cat> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://e/Animal>"
A = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


def events(client: TestClient, count: int, since: str | None = None) -> list[tuple[str, str | None, dict]]:
    """The first events of a feed: kind, id and data of each."""
    parts: ServerParts = client.app.state.server_parts
    headers = [] if since is None else [(b"last-event-id", since.encode())]
    scope = {"type": "http", "method": "GET", "path": "/changes", "query_string": b"", "headers": headers}

    async def read() -> list[str]:
        response = await ChangeEvents(parts).changes(Request(scope))
        found: list[str] = []
        with anyio.fail_after(10):
            async for each in response.body_iterator:
                found.append(each)
                if len(found) == count:
                    break
        await response.body_iterator.aclose()
        return found

    return [*map(parsed, anyio.run(read))]


def parsed(text: str) -> tuple[str, str | None, dict]:
    fields = dict(line.split(": ", 1) for line in text.strip().splitlines())
    return fields["event"], fields.get("id"), json.loads(fields["data"])


def update(client: TestClient, text: str) -> str:
    """Change the store; the version that comes of it."""
    answer = client.post("/update", data={"update": text}, headers=WRITES)
    assert answer.status_code == 204
    return answer.headers["etag"].strip('"')


def test_feed_after_a_version_has_each_net_change_once(client: TestClient) -> None:
    ((_, begin, _),) = events(client, 1)
    first = update(client, f"INSERT DATA {{ {ANIMAL} . <http://e/tom> a <http://e/Cat> }}")
    both = "DELETE DATA { <http://e/tom> a <http://e/Cat> } ; INSERT DATA { <http://e/x> <http://e/p> 1 }"
    second = update(client, both)

    found = events(client, 2, begin)

    assert [(kind, version) for kind, version, _ in found] == [("change", first), ("change", second)]
    sides = [{side: {tuple(each) for each in data[side]} for side in ("added", "removed")} for *_, data in found]
    types = {("<http://e/tom>", A, f"<http://e/{name}>") for name in ("Cat", "Animal")}
    assert sides[0] == {"added": {tuple(ANIMAL.split()), *types}, "removed": set()}
    number = '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'
    assert sides[1] == {"added": {("<http://e/x>", "<http://e/p>", number)}, "removed": types}


def test_large_change_comes_in_parts_of_which_the_last_has_the_version(client: TestClient) -> None:
    ((_, begin, _),) = events(client, 1)
    triples = " . ".join(f"<http://e/{number}> <http://e/p> {number}" for number in range(1200))
    version = update(client, f"INSERT DATA {{ {triples} }}")

    found = events(client, 3, begin)

    assert [identifier for _, identifier, _ in found] == [None, None, version]
    assert [data["is_last"] for _, _, data in found] == [False, False, True]
    assert len({tuple(triple) for _, _, data in found for triple in data["added"]}) == 1200


def test_feed_from_a_version_that_is_forgotten_begins_with_a_reset() -> None:
    with started(ReasoningStore(rules="none"), changes_kept=2) as client:
        wait_until_ready(client)
        ((_, begin, _),) = events(client, 1)
        for number in range(4):
            last = update(client, f"INSERT DATA {{ <http://e/{number}> <http://e/p> 1 }}")

        assert [(kind, version) for kind, version, _ in events(client, 1, begin)] == [("reset", last)]


def test_feed_tells_of_a_change_while_it_is_open(client: TestClient) -> None:
    found: list[tuple[str, str | None, dict]] = []
    reader = Thread(target=lambda: found.extend(events(client, 2)))
    reader.start()
    parts: ServerParts = client.app.state.server_parts
    while not parts.served.changes.listeners:
        pass

    version = update(client, "INSERT DATA { <http://e/a> <http://e/p> 1 }")
    reader.join(10)

    assert [(kind, identifier) for kind, identifier, _ in found[1:]] == [("change", version)]
    assert not parts.served.changes.listeners


def test_update_that_changes_nothing_makes_no_version(client: TestClient) -> None:
    first = update(client, "INSERT DATA { <http://e/a> <http://e/p> 1 }")

    assert update(client, "INSERT DATA { <http://e/a> <http://e/p> 1 }") == first


def test_head_of_the_feed_ends_after_its_headers() -> None:
    with served(ReasoningStore(rules="none")) as address:
        head = httpx2.head(f"{address}/changes", timeout=20)

    assert head.status_code == 200
    assert head.headers["content-type"].startswith("text/event-stream")
    assert "content-length" not in head.headers
    assert head.content == b""
