"""Statements as RDF4J's clients name them: by subject, predicate, object and contexts.

They are read as N-Quads with the graphs that they are in, and otherwise as the answer of a SPARQL query. A blank node
would be a variable in such a query, so patterns with one are looked up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from rdflib.graph import Graph
from rdflib.term import IdentifiedNode, URIRef
from starlette.requests import Request
from starlette.responses import Response

from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import quoted
from kgreason.rdf.model import IRI, BlankNode, Term
from kgreason.sparql.limits import Limits
from kgreason.sparql.result_documents import triple_lines
from kgreason.store.triple_view import View
from kgreason_rdflib.graph_scopes import DEFAULT
from kgreason_rdflib.rdflib_terms import from_model, to_model
from kgreason_rdflib.sparql.questions import Clauses
from kgreason_rdflib.store import ReasoningStore
from kgreason_rdflib.triple_rows import Pattern as IdPattern
from kgreason_rdflib.triple_rows import Union
from kgreason_server.answers import GRAPHLESS, graph_reply, prefixes_of
from kgreason_server.content_negotiation import preferred
from kgreason_server.graph_documents import Body, Load, read_body
from kgreason_server.problems import RequestError
from kgreason_server.replies import Cancellation, Reply, paced
from kgreason_server.request_reading import Parameters, address_of, media_type_of, spooled_body
from kgreason_server.server_parts import ServerParts
from kgreason_server.sparql_endpoints import SparqlEndpoints
from kgreason_server.sparql_requests import SparqlRequest
from kgreason_server.term_parameters import iri_of, term_of_text

N_QUADS: Final = "application/n-quads"
Pattern = tuple[Term | None, Term | None, Term | None]
EVERY_STATEMENT: Final[Pattern] = (None, None, None)


@dataclass(frozen=True, slots=True)
class StatementParameters:
    """The parameters `subj`, `pred`, `obj`, `infer` and `baseURI`, and the graphs of `context`, none for all."""

    asked: Parameters
    contexts: Sequence[IdentifiedNode]

    @classmethod
    def of(cls, request: Request) -> StatementParameters:
        """Those of an address."""
        asked = Parameters.of(request.url.query)
        return cls(asked, [_context(text) for text in asked.all("context")])

    @property
    def inferred(self) -> bool:
        """Whether what only follows is shown."""
        return self.asked.flag("infer", True)

    @property
    def base(self) -> str | None:
        """The IRI that relative ones start from, which some clients send in angle brackets.

        Raises:
            RequestError: 400, the text is not an absolute IRI.
        """
        text = self.asked.one("baseURI")
        return str(iri_of(text.removeprefix("<").removesuffix(">"))) if text else None

    def terms(self, prefixes: dict[str, str]) -> Pattern:
        """The terms of the pattern."""
        subject, predicate, object = (
            None if (text := self.asked.one(name)) is None else term_of_text(text, name, prefixes)
            for name in ("subj", "pred", "obj")
        )
        return subject, predicate, object


async def read_statements(
    sparql: SparqlEndpoints, request: Request, asked: StatementParameters, branch: ReasoningStore | None = None
) -> Response:
    """The statements of the last version, or of a branch."""
    parts, store = sparql.parts, branch or sparql.parts.served.version.store
    terms = asked.terms(prefixes_of(store))
    media_type = preferred(request.headers.get("accept"), [*GRAPHLESS, N_QUADS])
    if media_type != N_QUADS and not any(isinstance(term, BlankNode) for term in terms):
        query = f"CONSTRUCT WHERE {{ {_pattern_text(terms)} }}"
        wanted = statement_query(parts, query, asked.contexts, asked.inferred)
        return await sparql.query(request, wanted, GRAPHLESS, branch)
    cancellation = Cancellation()
    limits = Limits(parts.options.timeout, is_cancelled=cancellation.is_set, work="the answer")

    def made() -> Reply:
        ids = _ids(store, terms)
        graphs = [] if ids is None else _graphs(store, asked.contexts, asked.inferred)
        pattern = ids or (None, None, None)
        if media_type == N_QUADS:
            return Reply(N_QUADS, paced(_quads(graphs, pattern, store.knowledge_base.dictionary), limits))
        views = Union([view for _, view in graphs], overlapping=True)
        return graph_reply(views, store, media_type, limits, pattern)

    return await parts.workers.respond(request, cancellation, made, parts.options.body_seconds)


def statement_query(
    parts: ServerParts, query: str, contexts: Sequence[IdentifiedNode], inferred: bool
) -> SparqlRequest:
    """A query of some graphs, all where there are none."""
    dataset = Clauses(tuple(URIRef(name) for name in contexts), ()) if contexts else None
    return SparqlRequest("query", query, dataset, inferred, parts.options.timeout, parts.options.max_rows)


async def load_of(parts: ServerParts, request: Request, asked: StatementParameters, limits: Limits) -> Load:
    """The statements of a body, read within limits."""
    with await spooled_body(request, parts.options) as stream:
        body = Body(stream, media_type_of(request), asked.base or address_of(request))
        kind, most = request.headers.get("content-type", ""), parts.options.max_unpacked
        return await parts.workers.finish(lambda: read_body(body, kind, limits, most))


def add_statements(store: ReasoningStore, load: Load, contexts: Sequence[IdentifiedNode]) -> None:
    """Add statements to the graphs that they name, or all to each of some."""
    for name in contexts:
        store.load_graph(load, name)
    if not contexts:
        store.add_loaded(load)


def size_of(store: ReasoningStore, asked: StatementParameters) -> int:
    """How many statements were asserted, in all graphs or in some."""
    names = asked.contexts or [DEFAULT, *store.graph_names()]
    return sum(store.graph_view(name).count() for name in names)


def remove_statements(store: ReasoningStore, pattern: Pattern, contexts: Sequence[IdentifiedNode]) -> None:
    """Remove the asserted statements of a pattern from some graphs, or from all."""
    terms = tuple(None if term is None else from_model(term) for term in pattern)
    if not contexts:
        store.remove(terms)
    for name in contexts:
        store.remove(terms, Graph(store=store, identifier=name))


def _pattern_text(terms: Pattern) -> str:
    """A pattern in SPARQL, with a variable for each term that is left open."""
    pairs = zip(terms, ("?s", "?p", "?o"), strict=True)
    return " ".join(variable if term is None else str(term) for term, variable in pairs)


def _graphs(store: ReasoningStore, contexts: Sequence[IdentifiedNode], inferred: bool) -> list[tuple[str, View]]:
    """Graphs, each with its name in N-Quads, which is empty for the default graph and for what only follows."""
    names = contexts or (DEFAULT, *store.graph_names())
    found = [("" if name == DEFAULT else str(to_model(name)), store.graph_view(name)) for name in names]
    return [*found, ("", store.knowledge_base.inferred())] if inferred and DEFAULT in names else found


def _ids(store: ReasoningStore, pattern: Pattern) -> IdPattern | None:
    """The ids of a pattern; None where the store does not have one of the terms."""
    ids = [None if term is None else store.knowledge_base.dictionary.lookup(term) for term in pattern]
    if any(known is None and term is not None for known, term in zip(ids, pattern, strict=True)):
        return None
    subject, predicate, object = ids
    return subject, predicate, object


def _quads(graphs: Iterable[tuple[str, View]], pattern: IdPattern, terms: Dictionary) -> Iterator[bytes]:
    """The triples of graphs that match a pattern, as lines with the names of the graphs."""
    for name, view in graphs:
        end = f" {name} .\n".encode() if name else b" .\n"
        # A line break in a literal is escaped, so each that is there ends a statement.
        yield from (piece.replace(b" .\n", end) for piece in triple_lines(view.match(*pattern), terms))


def _context(text: str) -> IdentifiedNode:
    """The graph of a context: `null`, or an IRI in angle brackets."""
    if text == "null":
        return DEFAULT
    term = term_of_text(text, "context", {})
    if not isinstance(term, IRI):
        raise RequestError(HTTPStatus.BAD_REQUEST, f"context is {quoted(text)} (expected <IRI> or null)")
    return URIRef(term.value)
