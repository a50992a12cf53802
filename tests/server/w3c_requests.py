"""The manifests of W3C's protocol suites as requests with what is expected of their answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rdflib import Graph, Namespace, URIRef
from rdflib.collection import Collection
from rdflib.namespace import RDF, RDFS
from rdflib.term import Node

HT = Namespace("http://www.w3.org/2011/http#")
CNT = Namespace("http://www.w3.org/2011/content#")
MF = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
UT = Namespace("http://www.w3.org/2009/sparql/tests/test-update#")
_STATUS = {"OK": "200", "Created": "201", "NoContent": "204", "NotFound": "404"}


@dataclass(frozen=True)
class Expected:
    """What is expected of an answer; `statuses` are numbers or classes such as 2xx."""

    statuses: frozenset[str]
    boolean: bool | None
    format: str | None
    content_type: str | None
    turtle: str | None


@dataclass(frozen=True)
class Sent:
    """A request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes | None
    expected: Expected


@dataclass(frozen=True)
class Case:
    """Requests that are sent in turn to a server with some graphs, by their names the files."""

    name: str
    graphs: dict[str, Path]
    requests: tuple[Sent, ...]


def cases(manifest: Path, kind: str) -> Iterator[Case]:
    """The cases of a manifest."""
    graph = Graph().parse(manifest, format="turtle", publicID=manifest.as_uri())
    for test in graph.subjects(RDF.type, MF[kind]):
        action = graph.value(test, MF.action)
        if action is None:
            continue
        data = {
            str(graph.value(each, RDFS.label)): Path(str(graph.value(each, UT.graph)).removeprefix("file://"))
            for each in graph.objects(test, UT.graphData)
        }
        requests = Collection(graph, graph.value(action, HT.requests))
        name = f"{manifest.parent.name}-{str(test).rpartition('#')[2]}"
        yield Case(name, data, tuple(_sent(graph, each) for each in requests))


def _sent(graph: Graph, request: Node) -> Sent:
    response = graph.value(request, HT.resp)
    body, encoding = _body(graph, request)
    expected = Expected(
        statuses=frozenset(map(_status, graph.objects(response, MF.expectedStatus))),
        boolean=_python(graph.value(response, MF.expectedBoolean)),
        format=_python(graph.value(response, MF.expectedFormat)),
        content_type=_headers(graph, response).get("content-type"),
        turtle=_body(graph, response)[0],
    )
    return Sent(
        str(graph.value(request, HT.methodName)),
        str(graph.value(request, HT.absolutePath)),
        _headers(graph, request),
        None if body is None else body.encode(encoding),
        expected,
    )


def _body(graph: Graph, message: Node) -> tuple[str | None, str]:
    body = graph.value(message, HT.body)
    if body is None:
        return None, ""
    return str(graph.value(body, CNT.chars)), str(graph.value(body, CNT.characterEncoding))


def _headers(graph: Graph, message: Node) -> dict[str, str]:
    head = graph.value(message, HT.headers)
    listed = Collection(graph, head) if head is not None else ()
    return {str(graph.value(each, HT.fieldName)): str(graph.value(each, HT.fieldValue)) for each in listed}


def _status(node: Node) -> str:
    name = str(URIRef(node)).rpartition("#")[2].removeprefix("StatusCode")
    return _STATUS.get(name, name)


def _python(node: Node | None):
    return None if node is None else node.toPython()
