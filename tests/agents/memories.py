"""A small memory of an agent, and calls of its tools by a client of the package `mcp`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import anyio
from mcp import Client, StdioServerParameters
from rdflib import Graph

from kgreason import ReasoningStore
from kgreason_mcp import AgentOptions, agent_server

MEMORY = """
@prefix ex: <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .

ex:Adult rdfs:subClassOf ex:Person . ex:Cat owl:disjointWith ex:Person ; rdfs:label "cat"@en .
ex:Parent owl:equivalentClass [ a owl:Class ; owl:intersectionOf ( ex:Adult
    [ a owl:Restriction ; owl:onProperty ex:child ; owl:someValuesFrom ex:Person ] ) ] .
ex:above a owl:TransitiveProperty .
ex:ada a ex:Person ; ex:child ex:bob ; ex:above ex:bob ; rdfs:label "Ada Lovelace"@en, "Ada von Lovelace"@de .
ex:bob a ex:Person ; ex:above ex:Q42 . ex:Q42 rdfs:label "Cem"@en .
"""

CHANGING = AgentOptions(allow_changes=True)

Call: TypeAlias = Callable[..., Awaitable[str]]


class RefusedError(Exception):
    """An answer that is an error."""


def memory_store(rules: str = "owl-rl") -> ReasoningStore:
    store = ReasoningStore(rules=rules)
    Graph(store=store).parse(data=MEMORY, format="turtle")
    return store


def with_client(
    server: ReasoningStore | StdioServerParameters,
    talk: Callable[[Call], Awaitable[None]],
    options: AgentOptions | None = None,
) -> list[str]:
    """Let a client talk to a server, in this process or in one of its own; the names of the tools."""

    async def talked() -> list[str]:
        asked = server if isinstance(server, StdioServerParameters) else agent_server(server, options)
        async with Client(asked) as client:

            async def call(name: str, **arguments: Any) -> str:
                result = await client.call_tool(name, arguments)
                (content,) = result.content
                assert content.type == "text"
                if result.is_error:
                    raise RefusedError(content.text)
                return content.text

            await talk(call)
            return [tool.name for tool in (await client.list_tools()).tools]

    return anyio.run(talked)


def answer(
    name: str, store: ReasoningStore | None = None, options: AgentOptions | None = None, **arguments: Any
) -> str:
    """The answer of one tool.

    Raises:
        RefusedError: it is an error.
    """
    found: list[str | RefusedError] = []

    async def talk(call: Call) -> None:
        try:
            found.append(await call(name, **arguments))
        except RefusedError as error:
            found.append(error)

    with_client(memory_store() if store is None else store, talk, options)
    if isinstance(found[0], RefusedError):
        raise found[0]
    return found[0]
