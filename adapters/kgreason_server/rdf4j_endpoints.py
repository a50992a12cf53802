"""``/rdf4j``: the part of RDF4J's REST protocol by which its clients read, load and change one repository.

The repository is called `kgreason`. A statement of no context is one of the default graph, which `null` names. Most
requests are put as SPARQL, so they are answered in the same formats and within the same limits.

Source: RDF4J REST API, https://rdf4j.org/documentation/reference/rest-api/.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from rdflib.term import IdentifiedNode, URIRef
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from kgreason.rdf.model import IRI, Literal, Term
from kgreason.sparql.limits import Limits
from kgreason_rdflib.graph_scopes import DEFAULT
from kgreason_rdflib.sparql.questions import Clauses
from kgreason_rdflib.store import ReasoningStore
from kgreason_server.answers import GRAPHLESS, prefixes_of
from kgreason_server.content_negotiation import preferred
from kgreason_server.graph_documents import Body, Load, read_body
from kgreason_server.graph_store import METHODS, GraphStore
from kgreason_server.problems import RequestError
from kgreason_server.rdf4j_statements import N_QUADS, StatementRequest
from kgreason_server.replies import Cancellation
from kgreason_server.request_reading import Parameters, address_of, media_type_of, spooled_body, text_of_body
from kgreason_server.server_parts import ServerParts
from kgreason_server.sparql_endpoints import SparqlEndpoints
from kgreason_server.sparql_requests import FORM, UPDATE, SparqlRequest, sparql_request
from kgreason_server.term_parameters import iri_of, term_of_text

NAME: Final = "kgreason"
PROTOCOL: Final = "12"
"""The version of the protocol that RDF4J 4 and 5 have."""
_ROOT: Final = f"/rdf4j/repositories/{NAME}"


@dataclass(frozen=True, slots=True)
class Rdf4jEndpoints:
    """Answers clients of RDF4J."""

    parts: ServerParts
    sparql: SparqlEndpoints

    def routes(self) -> list[Route]:
        """The addresses."""
        graphs = GraphStore(self.parts)
        return [
            Route("/rdf4j/protocol", self.protocol),
            Route("/rdf4j/repositories", self.repositories),
            Route(_ROOT, self.repository, methods=["GET", "POST"]),
            Route(f"{_ROOT}/statements", self.statements, methods=["GET", "POST", "PUT", "DELETE"]),
            Route(f"{_ROOT}/contexts", self.contexts),
            Route(f"{_ROOT}/size", self.size),
            Route(f"{_ROOT}/namespaces", self.namespaces, methods=["GET", "DELETE"]),
            Route(f"{_ROOT}/namespaces/{{prefix}}", self.namespace, methods=["GET", "PUT", "DELETE"]),
            Route(f"{_ROOT}/rdf-graphs/service", graphs.graph, methods=[*METHODS]),
            Route(f"{_ROOT}/transactions", self.transactions, methods=["POST"]),
        ]

    async def protocol(self, request: Request) -> Response:
        """The version of the protocol."""
        return PlainTextResponse(PROTOCOL)

    async def repositories(self, request: Request) -> Response:
        """The one repository."""
        options = self.parts.options
        address = address_of(request).removesuffix("/")
        is_writable = bool(options.write_tokens) and not options.read_only
        row = f"(<{address}/{NAME}> '{NAME}' '{NAME}' true {str(is_writable).lower()})"
        return await self._rows(request, "?uri ?id ?title ?readable ?writable", [row])

    async def repository(self, request: Request) -> Response:
        """A query."""
        self.parts.authorization.reader(request)
        asked = await sparql_request(request, self.parts.options, only="query")
        if asked is None:
            raise RequestError(HTTPStatus.BAD_REQUEST, "there is no query")
        if any(name.startswith("$") for name in Parameters.of(request.url.query).values):
            raise RequestError(HTTPStatus.BAD_REQUEST, "values of variables are written as VALUES in the query")
        return await self.sparql.query(request, asked)

    # -- statements --------------------------------------------------------------------------------------------------

    async def statements(self, request: Request) -> Response:
        """The statements of a pattern, to be read, added, replaced or removed; or an update."""
        self.parts.authorization.reader(request)
        if request.method == "POST" and media_type_of(request) in (FORM, UPDATE):
            return await self.sparql.update(request)
        asked = Parameters.of(request.url.query)
        contexts = [_context(text) for text in asked.all("context")]
        if request.method in ("GET", "HEAD"):
            offers = [*GRAPHLESS, N_QUADS]
            if preferred(request.headers.get("accept"), offers) == N_QUADS:
                return await self._quads(request, asked, contexts)
            query = self._asked(f"CONSTRUCT WHERE {{ {self._pattern(asked)} }}", contexts, asked.flag("infer", True))
            return await self.sparql.query(request, query, GRAPHLESS)
        if request.method == "DELETE":
            return await self._changed(request, None, _removal(self._pattern(asked), contexts), contexts)
        limits, most = Limits(self.parts.options.timeout), self.parts.options.max_unpacked
        self.parts.authorization.writer(request)
        with await spooled_body(request, self.parts.options) as stream:
            base = asked.one("baseURI")
            body = Body(stream, media_type_of(request), base[1:-1] if base else address_of(request))
            kind = request.headers.get("content-type", "")
            load = await self.parts.workers.finish(lambda: read_body(body, kind, limits, most))
        removed = _removal("?s ?p ?o", contexts) if request.method == "PUT" else ""
        return await self._changed(request, load, removed, contexts)

    async def _quads(self, request: Request, asked: Parameters, contexts: Sequence[IdentifiedNode]) -> Response:
        """Statements with their graphs."""
        parts, store, cancellation = self.parts, self.parts.served.version.store, Cancellation()
        wanted = StatementRequest(self._terms(asked), contexts, asked.flag("infer", True))
        limits = Limits(parts.options.timeout, is_cancelled=cancellation.is_set)
        reply = wanted.reply(store, limits)
        return await parts.workers.respond(request, cancellation, lambda: reply, parts.options.body_seconds)

    async def _changed(
        self, request: Request, load: Load | None, removal: str, contexts: Sequence[IdentifiedNode]
    ) -> Response:
        """Remove, and then add."""
        parts, limits = self.parts, Limits(self.parts.options.timeout)
        permit = parts.authorization.writer(request)

        def work(store: ReasoningStore) -> None:
            if removal:
                store.carry_out(removal, union=False, limits=limits)
            if load is not None:
                for name in contexts:
                    store.load_graph(load, name)
                if not contexts:
                    store.add_loaded(load)

        await parts.workers.change(lambda: parts.served.change(permit, work, limits), limits)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    async def contexts(self, request: Request) -> Response:
        """The named graphs."""
        self.parts.authorization.reader(request)
        query = "SELECT DISTINCT ?contextID { GRAPH ?contextID { ?s ?p ?o } }"
        return await self.sparql.query(request, self._asked(query, (), False))

    async def size(self, request: Request) -> Response:
        """How many statements were asserted, in all graphs or in some."""
        self.parts.authorization.reader(request)
        store = self.parts.served.version.store
        names = [_context(text) for text in Parameters.of(request.url.query).all("context")]
        counts = [store.graph_view(name).count() for name in names or [DEFAULT, *store.graph_names()]]
        return PlainTextResponse(str(sum(counts)))

    async def transactions(self, request: Request) -> Response:
        """There are none over several requests: an update, or a document, is one."""
        raise RequestError(HTTPStatus.NOT_IMPLEMENTED, "transactions have one request each (expected an update)")

    # -- prefixes ----------------------------------------------------------------------------------------------------

    async def namespaces(self, request: Request) -> Response:
        """The prefixes; removes them by DELETE."""
        self.parts.authorization.reader(request)
        store = self.parts.served.version.store
        if request.method == "DELETE":
            return await self._rebound(request, {prefix: None for prefix, _ in store.namespaces()})
        rows = [f"({Literal(prefix)} {Literal(space)})" for prefix, space in sorted(prefixes_of(store).items())]
        return await self._rows(request, "?prefix ?namespace", rows)

    async def namespace(self, request: Request) -> Response:
        """The namespace of a prefix, to be read, set or removed."""
        self.parts.authorization.reader(request)
        prefix = request.path_params["prefix"]
        if request.method == "PUT":
            self.parts.authorization.writer(request)
            text = await text_of_body(request, self.parts.options)
            return await self._rebound(request, {prefix: iri_of(text.strip())})
        if request.method == "DELETE":
            return await self._rebound(request, {prefix: None})
        found = prefixes_of(self.parts.served.version.store).get(prefix)
        if found is None:
            raise RequestError(HTTPStatus.NOT_FOUND, "there is no such prefix")
        return PlainTextResponse(found)

    async def _rebound(self, request: Request, spaces: dict[str, URIRef | None]) -> Response:
        parts, limits = self.parts, Limits(self.parts.options.timeout)
        permit = parts.authorization.writer(request)

        def work(store: ReasoningStore) -> None:
            for prefix, space in spaces.items():
                if space is None:
                    store.unbind(prefix)
                else:
                    store.bind(prefix, space)

        await parts.workers.change(lambda: parts.served.change(permit, work, limits), limits)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    # -- as SPARQL ---------------------------------------------------------------------------------------------------

    async def _rows(self, request: Request, variables: str, rows: Sequence[str]) -> Response:
        self.parts.authorization.reader(request)
        query = f"SELECT {variables} {{ VALUES ({variables}) {{ {' '.join(rows)} }} }}"
        return await self.sparql.query(request, self._asked(query, (), False))

    def _asked(self, query: str, contexts: Sequence[IdentifiedNode], inferred: bool) -> SparqlRequest:
        dataset = Clauses(tuple(URIRef(name) for name in contexts), ()) if contexts else None
        return SparqlRequest("query", query, dataset, inferred, self.parts.options.timeout, self.parts.options.max_rows)

    def _pattern(self, asked: Parameters) -> str:
        """The pattern of `subj`, `pred` and `obj` in SPARQL."""
        pairs = zip(self._terms(asked), ("?s", "?p", "?o"), strict=True)
        return " ".join(variable if term is None else str(term) for term, variable in pairs)

    def _terms(self, asked: Parameters) -> tuple[Term | None, Term | None, Term | None]:
        """The pattern of `subj`, `pred` and `obj`."""
        prefixes = prefixes_of(self.parts.served.version.store)
        subject, predicate, object = (
            None if (text := asked.one(name)) is None else term_of_text(text, name, prefixes)
            for name in ("subj", "pred", "obj")
        )
        return subject, predicate, object


def _removal(pattern: str, contexts: Sequence[IdentifiedNode]) -> str:
    """The update that removes a pattern from some graphs, or from all."""
    named = [f"DELETE WHERE {{ GRAPH <{name}> {{ {pattern} }} }}" for name in contexts if name != DEFAULT]
    if not contexts:
        named = [f"DELETE {{ GRAPH ?g {{ {pattern} }} }} WHERE {{ GRAPH ?g {{ {pattern} }} }}"]
    own = [f"DELETE WHERE {{ {pattern} }}"] if not contexts or DEFAULT in contexts else []
    return " ; ".join([*named, *own])


def _context(text: str) -> IdentifiedNode:
    """The graph of a context: `null`, or an IRI in angle brackets."""
    if text == "null":
        return DEFAULT
    term = term_of_text(text, "context", {})
    if not isinstance(term, IRI):
        raise RequestError(HTTPStatus.BAD_REQUEST, "context is not a graph (expected <IRI> or null)")
    return URIRef(term.value)
