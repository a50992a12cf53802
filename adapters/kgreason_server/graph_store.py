"""``/data``: the SPARQL 1.1 Graph Store HTTP Protocol, for graphs named in a parameter or by the address itself.

A graph is what was asserted in it, so what is read and put back is the same; ``?inferred=true`` adds what follows.
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from uuid import uuid4

from rdflib.term import IdentifiedNode, URIRef
from starlette.requests import Request
from starlette.responses import Response

from kgreason.sparql.limits import Limits
from kgreason_rdflib.graph_scopes import DEFAULT
from kgreason_rdflib.store import ReasoningStore
from kgreason_server.answers import TRIPLES, graph_reply
from kgreason_server.conditional_requests import check_preconditions, graph_tag, not_modified
from kgreason_server.content_negotiation import preferred
from kgreason_server.graph_documents import Body, Load, read_body
from kgreason_server.problems import RequestError
from kgreason_server.replies import Cancellation, Reply
from kgreason_server.request_reading import Parameters, address_of, media_type_of, spooled_body, text_of_body
from kgreason_server.server_parts import ServerParts
from kgreason_server.sparql_requests import UPDATE
from kgreason_server.term_parameters import iri_of

METHODS: Final = ("GET", "HEAD", "PUT", "POST", "DELETE", "PATCH")


@dataclass(frozen=True, slots=True)
class GraphStore:
    """Answers requests for graphs."""

    parts: ServerParts

    async def graph(self, request: Request) -> Response:
        """A request for one graph."""
        self.parts.authorization.reader(request)
        asked = Parameters.of(request.url.query)
        name = _name(request, asked)
        match request.method:
            case "GET" | "HEAD":
                return await self._read(request, asked, name)
            case "PUT" | "POST":
                return await self._load(request, name)
            case "DELETE":
                return await self._drop(request, name)
        return await self._patch(request, name)

    async def _read(self, request: Request, asked: Parameters, name: IdentifiedNode | None) -> Response:
        parts, version = self.parts, self.parts.served.version
        if name is None:
            raise RequestError(HTTPStatus.BAD_REQUEST, "which graph? (expected default or graph=IRI)")
        if not version.store.has_graph(name):
            raise RequestError(HTTPStatus.NOT_FOUND, "there is no such graph")
        media_type = preferred(request.headers.get("accept"), list(TRIPLES))
        headers = {"ETag": graph_tag(version, media_type), "Cache-Control": "no-cache"}
        if not_modified(request, headers["ETag"]):
            return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
        inferred = asked.flag("inferred", False)
        cancellation = Cancellation()
        limits = Limits(parts.options.timeout, is_cancelled=cancellation.is_set, work="the answer")

        def make() -> Reply:
            view = version.store.graph_view(name, inferred=inferred)
            return graph_reply(view, version.store, media_type, limits).with_headers(headers)

        return await parts.workers.respond(request, cancellation, make, parts.options.body_seconds)

    async def _load(self, request: Request, name: IdentifiedNode | None) -> Response:
        parts = self.parts
        permit = parts.authorization.writer(request)
        headers = {}
        if name is None:
            if request.method == "PUT":
                raise RequestError(HTTPStatus.BAD_REQUEST, "which graph? (expected default or graph=IRI)")
            name = URIRef(f"{address_of(request).rstrip('/')}/{uuid4()}")
            headers["Location"] = str(name)
        media_type = media_type_of(request)
        content_type = request.headers.get("content-type", "")
        limits = Limits(parts.options.timeout, work="the change")
        with await spooled_body(request, parts.options) as stream:
            body = Body(stream, media_type, address_of(request) if name == DEFAULT else str(name))
            most = parts.options.max_unpacked
            load = await parts.workers.finish(lambda: read_body(body, content_type, limits, most))

        def work(store: ReasoningStore) -> bool:
            return self._put(request, store, load, name)

        existed, version = await parts.workers.change(lambda: parts.served.change(permit, work, limits), limits)
        headers["ETag"] = f'"{version.name}"'
        return Response(status_code=HTTPStatus.NO_CONTENT if existed else HTTPStatus.CREATED, headers=headers)

    def _put(self, request: Request, store: ReasoningStore, load: Load, name: IdentifiedNode) -> bool:
        """Change a graph, unless the client took it for another one; whether there was such a graph."""
        existed = store.has_graph(name)
        check_preconditions(request, self.parts.served.version, existed)
        store.load_graph(load, name, replaced=request.method == "PUT")
        return existed

    async def _drop(self, request: Request, name: IdentifiedNode | None) -> Response:
        parts = self.parts
        permit = parts.authorization.writer(request)
        if name is None:
            raise RequestError(HTTPStatus.BAD_REQUEST, "which graph? (expected default or graph=IRI)")
        limits = Limits(parts.options.timeout, work="the change")

        def work(store: ReasoningStore) -> None:
            check_preconditions(request, parts.served.version, store.has_graph(name))
            if not store.has_graph(name):
                raise RequestError(HTTPStatus.NOT_FOUND, "there is no such graph")
            store.drop_graph(name)

        await parts.workers.change(lambda: parts.served.change(permit, work, limits), limits)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    async def _patch(self, request: Request, name: IdentifiedNode | None) -> Response:
        """A SPARQL update to which the graph is the default one."""
        parts = self.parts
        permit = parts.authorization.writer(request)
        if name is None:
            raise RequestError(HTTPStatus.BAD_REQUEST, "which graph? (expected default or graph=IRI)")
        if media_type_of(request) != UPDATE:
            expected = {"Accept-Patch": UPDATE}
            raise RequestError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"a patch is an update ({UPDATE})", expected)
        text, base = await text_of_body(request, parts), str(name)
        limits = Limits(parts.options.timeout, parts.options.max_rows, work="the update")

        def work(store: ReasoningStore) -> None:
            check_preconditions(request, parts.served.version, store.has_graph(name))
            store.carry_out(text, union=False, graph=name, base=base, limits=limits)

        await parts.workers.change(lambda: parts.served.change(permit, work, limits), limits)
        return Response(status_code=HTTPStatus.NO_CONTENT)


def _name(request: Request, asked: Parameters) -> IdentifiedNode | None:
    """The graph that a request is about; None where it names none."""
    if "graph" in request.path_params:
        return iri_of(address_of(request))
    named = asked.one("graph")
    if "default" in asked and named is not None:
        raise RequestError(HTTPStatus.BAD_REQUEST, "default and graph exclude each other")
    if "default" in asked:
        return DEFAULT
    return None if named is None else iri_of(named)
