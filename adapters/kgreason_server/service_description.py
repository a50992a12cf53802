"""What the service is, in the vocabulary of SPARQL 1.1 Service Description: no more than it does.

Source: SPARQL 1.1 Service Description; the IRIs of formats are those of https://www.w3.org/ns/formats/.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Final

import pyoxigraph
from pyoxigraph import BlankNode, Literal, NamedNode, Triple
from starlette.requests import Request
from starlette.responses import Response

from kgreason.algebra.expressions.function_table import functions_by_iri
from kgreason.io.formats import rdf_format_of
from kgreason.rdf.vocabulary import RDF_TYPE, XSD_INTEGER
from kgreason.store.rule_sets import resolve_rules
from kgreason_rdflib.store import ReasoningStore
from kgreason_server.conditional_requests import not_modified
from kgreason_server.content_negotiation import preferred
from kgreason_server.replies import Cancellation, Reply
from kgreason_server.request_reading import address_of
from kgreason_server.served_store import Version
from kgreason_server.server_parts import ServerParts

_SD: Final = "http://www.w3.org/ns/sparql-service-description#"
_VOID: Final = "http://rdfs.org/ns/void#"
_FORMATS: Final = "http://www.w3.org/ns/formats/"
_REGIMES: Final = "http://www.w3.org/ns/entailment/"
_RESULTS: Final = (
    "SPARQL_Results_JSON", "SPARQL_Results_XML", "SPARQL_Results_CSV", "SPARQL_Results_TSV",
    "Turtle", "N-Triples", "RDF_XML", "JSON-LD", "N3", "TriG", "N-Quads",
)  # fmt: skip
_INPUTS: Final = ("Turtle", "N-Triples", "RDF_XML", "JSON-LD", "N3")
_MEDIA: Final = {"text/turtle": "ttl", "application/n-triples": "nt", "application/rdf+xml": "rdf",
                 "application/ld+json": "jsonld"}  # fmt: skip
_ENTAILMENT: Final = {
    "none": ("Simple", None),
    "rdfs": ("RDFS", None),
    "rdfs-plus": ("RDFS", None),
    "owl-rl": ("OWL-RDF-Based", "http://www.w3.org/ns/owl-profile/RL"),
    "owl-rl-full": ("OWL-RDF-Based", "http://www.w3.org/ns/owl-profile/RL"),
}
"""The regime, and the profile, of each rule set that follows one."""
_MOST_GRAPHS: Final = 1000


async def description(parts: ServerParts, request: Request) -> Response:
    """The description as a response."""
    version = parts.served.version
    media_type = preferred(request.headers.get("accept", "").replace("text/html", "text/turtle"), list(_MEDIA))
    headers = {"ETag": f'W/"{version.name}"', "Cache-Control": "no-cache"}
    if not_modified(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)

    def make() -> Reply:
        triples = service_triples(version, address_of(request), parts)
        out = io.BytesIO()
        pyoxigraph.serialize(triples, out, rdf_format_of(_MEDIA[media_type]), prefixes={"sd": _SD, "void": _VOID})
        return Reply(media_type, (piece for piece in [out.getvalue()]), headers)

    return await parts.workers.respond(request, Cancellation(), make, parts.options.body_seconds)


def service_triples(version: Version, address: str, parts: ServerParts) -> Iterator[Triple]:
    """The description of the service at an address, as of a version of its store."""
    service, dataset = BlankNode("service"), BlankNode("dataset")
    can_write = bool(parts.options.write_tokens) and not parts.options.read_only
    yield from _typed(service, "Service")
    yield _said(service, "endpoint", NamedNode(address))
    for language in ("SPARQL11Query", *(["SPARQL11Update"] if can_write else [])):
        yield _said(service, "supportedLanguage", NamedNode(_SD + language))
    if parts.options.union_default_graph:
        yield _said(service, "feature", NamedNode(_SD + "UnionDefaultGraph"))
    yield _said(service, "feature", NamedNode(_SD + "EmptyGraphs"))
    yield from (_said(service, "resultFormat", NamedNode(_FORMATS + name)) for name in _RESULTS)
    if can_write:
        yield from (_said(service, "inputFormat", NamedNode(_FORMATS + name)) for name in _INPUTS)
    yield from _functions(service)
    regime, profile = _entailment(version.store)
    if regime is not None:
        yield _said(service, "defaultEntailmentRegime", NamedNode(_REGIMES + regime))
    if profile is not None:
        yield _said(service, "defaultSupportedEntailmentProfile", NamedNode(profile))
    yield _said(service, "defaultDataset", dataset)
    yield from _dataset(dataset, version.store, parts.options.union_default_graph)


def _functions(service: BlankNode) -> Iterator[Triple]:
    for iri in sorted(functions_by_iri()):
        yield _said(service, "extensionFunction", NamedNode(iri))
        yield from _typed(NamedNode(iri), "Function")


def _entailment(store: ReasoningStore) -> tuple[str | None, str | None]:
    """The regime that the rules follow, and its profile; nothing for rules of one's own, which have no name."""
    rules = frozenset(store.knowledge_base.program.rules)
    for name, known in _ENTAILMENT.items():
        if frozenset(resolve_rules(name).rules) == rules:
            return known
    return None, None


def _dataset(dataset: BlankNode, store: ReasoningStore, union: bool) -> Iterator[Triple]:
    default = BlankNode("default")
    yield from _typed(dataset, "Dataset")
    yield _said(dataset, "defaultGraph", default)
    knowledge = store.knowledge_base
    yield from _graph(default, knowledge.all().count() if union else None)
    for number, name in enumerate(store.graph_names()[:_MOST_GRAPHS]):
        named, graph = BlankNode(f"n{number}"), BlankNode(f"g{number}")
        yield _said(dataset, "namedGraph", named)
        yield from _typed(named, "NamedGraph")
        yield _said(named, "name", NamedNode(str(name)))
        yield _said(named, "graph", graph)
        yield from _graph(graph, store.graph_view(name).count())


def _graph(graph: BlankNode, triples: int | None) -> Iterable[Triple]:
    yield from _typed(graph, "Graph")
    if triples is not None:
        count = Literal(str(triples), datatype=NamedNode(XSD_INTEGER))
        yield Triple(graph, NamedNode(_VOID + "triples"), count)


def _typed(subject: BlankNode | NamedNode, name: str) -> Iterator[Triple]:
    yield Triple(subject, NamedNode(RDF_TYPE), NamedNode(_SD + name))


def _said(subject: BlankNode, name: str, object: BlankNode | NamedNode) -> Triple:
    return Triple(subject, NamedNode(_SD + name), object)
