"""Agents over HTTP, by the client of the package `mcp`: would catch a tool that answers for an older version, a change
without leave, and one that others do not see."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from rdflib import Graph, Namespace

from kgreason_rdflib import ReasoningStore
from tests.agents.memories import MEMORY
from tests.server.conftest import READER, READS, WRITES
from tests.server.processes import served

EX = Namespace("http://example.org/")
INITIALISE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
}  # fmt: skip
AS_CLIENTS = {"Accept": "application/json, text/event-stream"}
READING = ["overview", "query", "find", "describe", "explain", "why_not", "check", "propose_change"]
Call = Callable[..., Awaitable[tuple[bool, str]]]


@pytest.fixture
def address() -> Iterator[str]:
    store = ReasoningStore(rules="owl-rl")
    Graph(store=store).parse(data=MEMORY, format="turtle")
    with served(store, read_tokens=(READER,), timeout=5) as found:
        yield found


def talk(address: str, headers: dict[str, str], talked: Callable[[Call], Awaitable[None]]) -> list[str]:
    """Let a client talk to a server; the names of the tools that it is shown."""

    async def run() -> list[str]:
        async with (
            httpx2.AsyncClient(headers=headers, timeout=30) as http,
            Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
        ):

            async def call(name: str, **arguments: Any) -> tuple[bool, str]:
                result = await client.call_tool(name, arguments)
                return not result.is_error, "".join(content.text for content in result.content)

            await talked(call)
            return [tool.name for tool in (await client.list_tools()).tools]

    return anyio.run(run)


def test_reader_asks_and_proposes_and_cannot_change(address: str) -> None:
    async def talked(call: Call) -> None:
        assert await call("query", sparql="ASK { ex:ada ex:above ex:Q42 }") == (True, "yes")
        assert "prp-trp" in (await call("explain", subject="ex:ada", predicate="ex:above", object="ex:Q42"))[1]
        assert "Nothing was changed" in (await call("propose_change", add="ex:bob a ex:Cat ."))[1]
        was_done, _ = await call("apply_change", add="ex:bob a ex:Cat .")
        assert not was_done

    assert talk(address, READS, talked) == READING


def test_change_of_an_agent_is_seen_by_all_and_the_other_way_round(address: str) -> None:
    async def talked(call: Call) -> None:
        assert (await call("apply_change", add="ex:eve ex:above ex:ada ."))[0]
        assert (await call("query", sparql="ASK { ex:eve ex:above ex:Q42 }")) == (True, "yes")
        refused, why = await call("apply_change", add="ex:bob a ex:Cat .")
        assert (refused, "refused, since it brings inconsistencies" in why) == (False, True)
        async with httpx2.AsyncClient(headers=WRITES) as http:
            await http.post(f"{address}/update", data={"update": "INSERT DATA { ex:zoe ex:above ex:eve }"})
        assert (await call("query", sparql="ASK { ex:zoe ex:above ex:Q42 }")) == (True, "yes")

    assert talk(address, WRITES, talked) == [*READING, "apply_change"]
    query = {"query": "ASK { <http://example.org/eve> <http://example.org/above> <http://example.org/Q42> }"}
    assert httpx2.get(f"{address}/sparql", params=query, headers=READS).json()["boolean"] is True


def test_tool_that_takes_too_long_says_so(address: str) -> None:
    async def talked(call: Call) -> None:
        rows = " ".join(f"{number}" for number in range(3000))
        blocks = " ".join(f"VALUES ?{name} {{ {rows} }}" for name in "abcd")
        sparql = f"SELECT (COUNT(*) AS ?n) {{ {blocks} FILTER(?a + ?b + ?c + ?d < 0) }}"
        was_done, why = await call("query", sparql=sparql)
        assert (was_done, "longer than 5 s" in why or "rows" in why) == (False, True), why

    talk(address, READS, talked)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        (READS | {"Origin": "https://evil.example"}, 403),
        (READS | {"Content-Type": "text/plain"}, 400),
        (READS, 200),
    ],
)
def test_requests_without_leave_are_refused(address: str, headers: dict[str, str], status: int) -> None:
    answer = httpx2.post(f"{address}/mcp", json=INITIALISE, headers=AS_CLIENTS | headers)

    assert answer.status_code == status
    assert httpx2.get(f"{address}/mcp", headers=AS_CLIENTS | READS).status_code == 405
