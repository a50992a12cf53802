"""Statements as RDF4J's clients name them: by subject, predicate, object and contexts.

They are read as N-Quads with the graphs that they are in, and otherwise as the answer of a SPARQL query.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rdflib.term import IdentifiedNode, URIRef
from starlette.requests import Request
from starlette.responses import Response

from kgreason.rdf.model import IRI, Term
from kgreason.sparql.limits import Limits
from kgreason.sparql.result_documents import triple_lines
from kgreason_rdflib.graph_scopes import DEFAULT
from kgreason_rdflib.rdflib_terms import to_model
from kgreason_rdflib.sparql.questions import Clauses
from kgreason_rdflib.store import ReasoningStore
from kgreason_server.answers import GRAPHLESS, prefixes_of
from kgreason_server.content_negotiation import preferred
from kgreason_server.graph_documents import Body, Load, read_body
from kgreason_server.problems import RequestError
from kgreason_server.replies import Cancellation, Reply, paced
from kgreason_server.request_reading import Parameters, address_of, media_type_of, spooled_body
from kgreason_server.server_parts import ServerParts
from kgreason_server.sparql_endpoints import SparqlEndpoints
from kgreason_server.sparql_requests import SparqlRequest
from kgreason_server.term_parameters import term_of_text

N_QUADS: Final = "application/n-quads"
Pattern = tuple[Term | None, Term | None, Term | None]


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
        """What relative IRIs start from."""
        text = self.asked.one("baseURI")
        return text[1:-1] if text else None

    def terms(self, prefixes: dict[str, str]) -> Pattern:
        """The terms of the pattern."""
        subject, predicate, object = (
            None if (text := self.asked.one(name)) is None else term_of_text(text, name, prefixes)
            for name in ("subj", "pred", "obj")
        )
        return subject, predicate, object

    def pattern(self, prefixes: dict[str, str]) -> str:
        """The pattern in SPARQL."""
        return pattern_text(self.terms(prefixes))


async def read_statements(
    sparql: SparqlEndpoints, request: Request, asked: StatementParameters, branch: ReasoningStore | None = None
) -> Response:
    """The statements of the last version, or of a branch."""
    parts, store = sparql.parts, branch or sparql.parts.served.version.store
    terms = asked.terms(prefixes_of(store))
    if preferred(request.headers.get("accept"), [*GRAPHLESS, N_QUADS]) != N_QUADS:
        query = f"CONSTRUCT WHERE {{ {pattern_text(terms)} }}"
        wanted = statement_query(parts, query, asked.contexts, asked.inferred)
        return await sparql.query(request, wanted, GRAPHLESS, branch)
    cancellation = Cancellation()
    limits = Limits(parts.options.timeout, is_cancelled=cancellation.is_set)
    reply = Reply(N_QUADS, paced(_quads(store, terms, asked.contexts, asked.inferred), limits))
    return await parts.workers.respond(request, cancellation, lambda: reply, parts.options.body_seconds)


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


def removal(pattern: str, contexts: Sequence[IdentifiedNode]) -> str:
    """The update that removes a pattern from some graphs, or from all."""
    named = [f"DELETE WHERE {{ GRAPH <{name}> {{ {pattern} }} }}" for name in contexts if name != DEFAULT]
    if not contexts:
        named = [f"DELETE {{ GRAPH ?g {{ {pattern} }} }} WHERE {{ GRAPH ?g {{ {pattern} }} }}"]
    own = [f"DELETE WHERE {{ {pattern} }}"] if not contexts or DEFAULT in contexts else []
    return " ; ".join([*named, *own])


def pattern_text(terms: Pattern) -> str:
    """A pattern in SPARQL, with a variable for each term that is left open."""
    pairs = zip(terms, ("?s", "?p", "?o"), strict=True)
    return " ".join(variable if term is None else str(term) for term, variable in pairs)


def _quads(
    store: ReasoningStore, pattern: Pattern, contexts: Sequence[IdentifiedNode], inferred: bool
) -> Iterator[bytes]:
    """Statements as lines with the graphs that they are in; what only follows is in none."""
    knowledge = store.knowledge_base
    terms = knowledge.dictionary
    ids = [None if term is None else terms.lookup(term) for term in pattern]
    if any(known is None and term is not None for known, term in zip(ids, pattern, strict=True)):
        return
    for name in contexts or (DEFAULT, *store.graph_names()):
        lines = triple_lines(store.graph_view(name).match(*ids), terms)
        end = b"" if name == DEFAULT else f"{to_model(name)} ".encode()
        # A line break in a literal is escaped, so each that is there ends a statement.
        yield from (piece.replace(b" .\n", b" " + end + b".\n") for piece in lines)
    if inferred and (not contexts or DEFAULT in contexts):
        yield from triple_lines(knowledge.inferred().match(*ids), terms)


def _context(text: str) -> IdentifiedNode:
    """The graph of a context: `null`, or an IRI in angle brackets."""
    if text == "null":
        return DEFAULT
    term = term_of_text(text, "context", {})
    if not isinstance(term, IRI):
        raise RequestError(400, "context is no graph (expected <IRI> or null)")
    return URIRef(term.value)
