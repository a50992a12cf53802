"""Would catch: memory that grows with the number of clients that send large bodies, and room that is never left."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import AsyncExitStack
from threading import Thread

import anyio
import pytest
from starlette.testclient import TestClient

from kgreason_server import ServerOptions
from kgreason_server import request_reading as reading
from kgreason_server.large_bodies import LargeBodies
from kgreason_server.problems import RequestError
from tests.server.conftest import started, wait_until_ready

PACKED = {"Content-Type": "application/sparql-query", "Content-Encoding": "gzip"}
PLAIN = {"Content-Type": "application/sparql-query"}


def question(size: int) -> bytes:
    return b"ASK {} #" + b"x" * size


@pytest.fixture
def client() -> Iterator[TestClient]:
    with started(threads=2, timeout=20) as found:
        yield wait_until_ready(found)


def test_as_many_hold_a_body_as_are_worked_on_and_others_wait_for_them() -> None:
    held: list[int] = []

    async def request(bodies: LargeBodies, number: int, seconds: float) -> None:
        scope: dict[str, object] = {}
        async with bodies.answering(scope):
            await bodies.hold(scope)
            await bodies.hold(scope)
            held.append(number)
            assert len(bodies._holders) <= 2
            await anyio.sleep(seconds)

    async def run() -> None:
        bodies = LargeBodies(ServerOptions(threads=2))
        async with anyio.create_task_group() as tasks:
            for number in range(7):
                tasks.start_soon(request, bodies, number, 0.01)
        assert sorted(held) == [*range(7)]
        assert not bodies._holders

    anyio.run(run)


def test_who_waits_for_too_long_is_told_to_come_later_and_leaves_no_trace() -> None:
    async def run() -> None:
        bodies = LargeBodies(ServerOptions(threads=1, timeout=0.05))
        first: dict[str, object] = {}
        second: dict[str, object] = {}
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(bodies.answering(first))
            await bodies.hold(first)
            with pytest.raises(RequestError) as refused:
                async with bodies.answering(second):
                    await bodies.hold(second)
            assert refused.value.status == 503
            assert refused.value.headers["Retry-After"]
        async with bodies.answering(second):
            await bodies.hold(second)

    anyio.run(run)


@pytest.mark.parametrize(("content", "headers"), [
    (question(5_000_000), PLAIN),
    (gzip.compress(question(5_000_000)), PACKED),
])  # fmt: skip
def test_many_large_queries_at_once_are_all_answered(
    content: bytes, headers: dict[str, str], client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts, most = client.app.state.server_parts, []  # type: ignore[attr-defined]  # the application
    text_of = reading.text_of_body
    statuses: list[int] = []

    def ask() -> None:
        statuses.append(client.post("/sparql", content=content, headers=headers).status_code)

    async def watched(*arguments: object) -> str:
        text = await text_of(*arguments)  # type: ignore[arg-type]  # as it was called
        most.append(len(parts.bodies._holders))
        return text

    monkeypatch.setattr("kgreason_server.sparql_requests.text_of_body", watched)
    clients = [Thread(target=ask) for _ in range(9)]
    for each in clients:
        each.start()
    for each in clients:
        each.join()
    assert statuses == [200] * 9
    assert 1 <= max(most) <= 2
    assert not parts.bodies._holders


def test_small_and_broken_bodies_hold_nothing(client: TestClient) -> None:
    bodies = client.app.state.server_parts.bodies  # type: ignore[attr-defined]  # the application
    for content, headers, status in (
        (b"ASK {}", PLAIN, 200),
        (gzip.compress(b"ASK {}"), PACKED, 200),
        (b"x" * 5_000_000, PACKED, 400),
        (b"\xff" * 5_000_000, PLAIN, 400),
    ):
        assert client.post("/sparql", content=content, headers=headers).status_code == status
        assert not bodies._holders
        assert bodies._room.available_tokens == 2
