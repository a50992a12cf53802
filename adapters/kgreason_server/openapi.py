"""The OpenAPI description of the server, served at ``/openapi.json``: what each address takes and gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from kgreason import __version__
from kgreason_server.answers import ROWS, TRIPLES, TRUTHS
from kgreason_server.sparql_requests import FORM, QUERY, UPDATE

Json = dict[str, Any]

_TEXT: Final[Json] = {"type": "string"}
_COUNT: Final[Json] = {"type": "integer", "minimum": 0}
_FLAG: Final[Json] = {"type": "boolean"}
_TRIPLE: Final[Json] = {
    "type": "array", "items": _TEXT, "minItems": 3, "maxItems": 3,
    "description": "Subject, predicate and object as N-Triples writes them.",
}  # fmt: skip
_TRIPLE_LIST: Final[Json] = {"type": "array", "items": {"$ref": "#/components/schemas/Triple"}}
_RULE_TEXTS: Final = {"text/plain": {"schema": _TEXT}}


def _object(required: Sequence[str], **properties: Json) -> Json:
    return {"type": "object", "required": [*required], "properties": properties}


_SCHEMAS: Final[Json] = {
    "Triple": _TRIPLE,
    "Problem": _object(("status", "title", "detail"), status={"type": "integer"}, title=_TEXT, detail=_TEXT),
    "Fact": {
        "type": "object",
        "description": "A triple, or a fact of a relation that is none; null and ?x stand for any term.",
        "properties": {"triple": {"type": "array"}, "relation": _TEXT, "arguments": {"type": "array"}},
    },
    "Step": _object(
        ("number",), number=_COUNT, asserted=_FLAG, rule={"type": ["string", "null"]}, text=_TEXT,
        premises={"type": "array", "items": _COUNT, "description": "The numbers of the steps that it rests on."},
        triple={"type": "array"}, relation=_TEXT, arguments={"type": "array"},
    ),
    "Proof": _object(
        ("version", "triple", "text", "conclusion", "steps"), version=_TEXT,
        triple={"$ref": "#/components/schemas/Triple"}, text=_TEXT,
        conclusion={"$ref": "#/components/schemas/Fact"},
        steps={"type": "array", "items": {"$ref": "#/components/schemas/Step"}},
    ),
    "WhyNot": _object(
        ("version", "text", "derivations"), version=_TEXT, text=_TEXT,
        derivations={"type": "array", "items": {"type": "object"}},
    ),
    "Inconsistency": _object(
        ("rule", "reason", "triples"), rule=_TEXT, reason=_TEXT, triples=_TRIPLE_LIST,
        causes={**_TRIPLE_LIST, "description": "The asserted triples from which it follows."},
    ),
    "Inconsistencies": _object(
        ("version", "count", "inconsistencies", "truncated"), version=_TEXT, count=_COUNT, truncated=_FLAG,
        inconsistencies={"type": "array", "items": {"$ref": "#/components/schemas/Inconsistency"}},
    ),
    "Side": _object(("count", "triples", "truncated"), count=_COUNT, triples=_TRIPLE_LIST, truncated=_FLAG),
    "WhatIf": {
        **_object((), update=_TEXT, add=_TEXT, remove=_TEXT, add_rules=_TEXT, remove_rules=_TEXT),
        "additionalProperties": False,
        "description": "A SPARQL update; triples in Turtle; rules as Datalog. They are made together.",
    },
    "Consequences": _object(
        ("version", "added", "removed", "added_explicit", "removed_explicit", "inconsistencies"), version=_TEXT,
        added={"$ref": "#/components/schemas/Side"}, removed={"$ref": "#/components/schemas/Side"},
        added_explicit=_COUNT, removed_explicit=_COUNT,
        inconsistencies=_object(
            ("appeared", "vanished", "count"), count=_COUNT,
            appeared={"type": "array", "items": {"$ref": "#/components/schemas/Inconsistency"}},
            vanished={"type": "array", "items": {"$ref": "#/components/schemas/Inconsistency"}},
        ),
    ),
    "Rules": _object(
        ("version", "rules"), version=_TEXT,
        rules={"type": "array", "items": _object(
            ("name", "text", "is_condition", "count"), name={"type": ["string", "null"]}, text=_TEXT,
            is_condition=_FLAG, count=_COUNT,
        )},
    ),
    "Statistics": _object(
        ("version", "triples", "explicit_triples", "inferred_triples", "terms", "rules", "bytes", "relations"),
        version=_TEXT, triples=_COUNT, explicit_triples=_COUNT, inferred_triples=_COUNT, terms=_COUNT, rules=_COUNT,
        specialised_rules=_COUNT, bytes=_COUNT, truncated=_FLAG,
        relations={"type": "array", "items": _object(
            ("name", "kind", "scheme", "facts", "bytes"), name=_TEXT, kind=_TEXT, scheme=_TEXT, facts=_COUNT,
            bytes=_COUNT,
        )},
    ),
    "Prefixes": _object(
        ("version", "prefixes"), version=_TEXT, prefixes={"type": "object", "additionalProperties": _TEXT}
    ),
}  # fmt: skip


@cache
def openapi_document() -> Json:
    """The description as JSON has it."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "kgreason", "version": __version__, "description": "A reasoning RDF store over HTTP."},
        "paths": {**_sparql_paths(), **_graph_paths(), **_reasoning_paths(), **_agent_paths(), **_service_paths()},
        "components": {
            "schemas": _SCHEMAS,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "responses": {
                "Problem": {
                    "description": "Refused; the detail says why.",
                    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
                }
            },
        },
    }


def _sparql_paths() -> Json:
    documents = dict.fromkeys([*ROWS, *TRUTHS, *TRIPLES])
    answer = {"200": {"description": "The answer.", "content": {name: {} for name in documents}}}
    graphs = [_many("default-graph-uri"), _many("named-graph-uri")]
    common = [_parameter("inferred", _FLAG), _limit("timeout", "number"), _limit("max_rows", "integer")]
    using = [_many("using-graph-uri"), _many("using-named-graph-uri")]
    form = {"type": "object", "properties": {"query": _TEXT, "update": _TEXT}}
    bodies = {QUERY: {"schema": _TEXT}, UPDATE: {"schema": _TEXT}, FORM: {"schema": form}}
    changed = {"204": {"description": "Changed and committed."}}
    return {
        "/sparql": {
            "get": _operation(
                "A query; without one, what the service is.", answer | _unchanged(),
                [_parameter("query"), *graphs, *common],
            ),
            "post": _operation("A query or an update.", answer | changed, [*graphs, *using, *common], bodies),
        },
        "/update": {
            "post": _operation(
                "An update: all of its operations, or none.", changed, [*using, *common],
                {name: body for name, body in bodies.items() if name != QUERY}, writes=True,
            )
        },
    }  # fmt: skip


def _graph_paths() -> Json:
    inside = [_parameter("path", place="path", required=True), _parameter("inferred", _FLAG)]
    named = [_parameter("graph"), {"name": "default", "in": "query", "allowEmptyValue": True, "schema": _TEXT}]
    return {
        "/data": _graph_operations([*named, _parameter("inferred", _FLAG)]),
        "/data/{path}": _graph_operations(inside),
    }


def _graph_operations(parameters: Sequence[Json]) -> Json:
    bodies = {name: {"schema": _TEXT} for name in ("text/turtle", "application/n-triples", "application/rdf+xml",
                                                   "application/ld+json", "text/n3")}  # fmt: skip
    done = {"201": {"description": "There is a new graph."}, "204": {"description": "Changed and committed."}}
    documents = {"200": {"description": "The graph.", "content": {name: {} for name in TRIPLES}}}
    return {
        "get": _operation("The triples of a graph.", documents | _unchanged(), parameters),
        "put": _operation("Replace a graph.", done, parameters, bodies, writes=True),
        "post": _operation("Add to a graph, or make a new one.", done, parameters, bodies, writes=True),
        "delete": _operation("Drop a graph.", {"204": {"description": "It is gone."}}, parameters, writes=True),
        "patch": _operation(
            "An update to which the graph is the default one.", {"204": {"description": "Changed and committed."}},
            parameters, {UPDATE: {"schema": _TEXT}}, writes=True,
        ),
    }  # fmt: skip


def _reasoning_paths() -> Json:
    triple = [_parameter(name, required=True) for name in ("subject", "predicate", "object")]
    pattern = [_parameter(name) for name in ("subject", "predicate", "object")]
    limit = _limit("limit", "integer")
    change = {
        "application/json": {"schema": {"$ref": "#/components/schemas/WhatIf"}},
        **{name: {"schema": _TEXT} for name in (UPDATE, "text/turtle", "application/n-triples")},
    }
    changed = {"204": {"description": "Changed and committed."}}
    events = {"200": {"description": "Events version, change and reset.", "content": {"text/event-stream": {}}}}
    causes = _parameter("causes", _FLAG)
    return {
        "/explain": {"get": _operation("Why a triple holds.", _json("Proof"), triple)},
        "/why-not": {"get": _operation("Why nothing matches a pattern.", _json("WhyNot"), [*pattern, limit])},
        "/inconsistencies": {"get": _operation("What contradicts itself.", _json("Inconsistencies"), [limit, causes])},
        "/whatif": {"post": _operation("What a change would do.", _json("Consequences"), [limit], change)},
        "/rules": {
            "get": _operation("The rules in use.", _json("Rules")),
            "post": _operation("Add rules.", changed, (), _RULE_TEXTS, writes=True),
            "delete": _operation("Remove rules.", changed, (), _RULE_TEXTS, writes=True),
        },
        "/statistics": {"get": _operation("Sizes.", _json("Statistics"), [limit])},
        "/prefixes": {"get": _operation("Prefixes that queries may use.", _json("Prefixes"))},
        "/changes": {"get": _operation("Net changes as they happen.", events, [_parameter("since")])},
    }


def _agent_paths() -> Json:
    """The Model Context Protocol, which describes itself; its answers have errors of its own."""
    body = {"application/json": {"schema": {"type": "object"}}}
    answer = {"200": {"description": "The answer of a tool.", "content": {"application/json": {}}}}
    return {"/mcp": {"post": _operation("Tools of agents (MCP, streamable HTTP).", answer, (), body)}}


def _service_paths() -> Json:
    def plain(summary: str) -> Json:
        found = {"200": {"description": "Yes.", "content": {"text/plain": {}}}}
        return {"get": {"summary": summary, "responses": {**found, "503": {"description": "No."}}}}

    counts = {"200": {"description": "Counts.", "content": {"text/plain": {}}}}
    document = {"200": {"description": "This.", "content": {"application/json": {}}}}
    return {
        "/livez": plain("Whether the process runs."),
        "/readyz": plain("Whether the store is open."),
        "/metrics": {"get": _operation("Counts for Prometheus.", counts)},
        "/openapi.json": {"get": _operation("This description.", document)},
    }  # fmt: skip


def _operation(
    summary: str,
    responses: Mapping[str, Json],
    parameters: Sequence[Json] = (),
    bodies: Mapping[str, Json] | None = None,
    *,
    writes: bool = False,
) -> Json:
    refused = {"$ref": "#/components/responses/Problem"}
    found: Json = {"summary": summary, "responses": {**responses, "4XX": refused, "5XX": refused}}
    found["security"] = [{"token": []}] if writes else [{}, {"token": []}]
    if parameters:
        found["parameters"] = [*parameters]
    if bodies:
        found["requestBody"] = {"required": True, "content": dict(bodies)}
    return found


def _json(schema: str) -> Json:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    return {"200": {"description": "Found.", "content": content}, **_unchanged()}


def _unchanged() -> Json:
    return {"304": {"description": "The same as the client has."}}


def _parameter(name: str, schema: Json = _TEXT, *, place: str = "query", required: bool = False) -> Json:
    return {"name": name, "in": place, "required": required, "schema": schema}


def _many(name: str) -> Json:
    return _parameter(name, {"type": "array", "items": {"type": "string", "format": "iri"}})


def _limit(name: str, kind: str) -> Json:
    return _parameter(name, {"type": kind, "exclusiveMinimum": 0})
