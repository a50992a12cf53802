"""Statements with the graphs that they are in, as N-Quads: what RDF4J's clients read repositories by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rdflib.term import IdentifiedNode

from kgreason.rdf.model import Term
from kgreason.sparql.limits import Limits
from kgreason.sparql.result_documents import triple_lines
from kgreason_rdflib.graph_scopes import DEFAULT
from kgreason_rdflib.rdflib_terms import to_model
from kgreason_rdflib.store import ReasoningStore
from kgreason_server.replies import Reply, paced

N_QUADS = "application/n-quads"


@dataclass(frozen=True, slots=True)
class StatementRequest:
    """A pattern, the graphs that are asked, none for all, and whether what only follows is shown, in no graph."""

    pattern: tuple[Term | None, Term | None, Term | None]
    contexts: Sequence[IdentifiedNode]
    inferred: bool

    def reply(self, store: ReasoningStore, limits: Limits) -> Reply:
        """The statements of a store."""
        return Reply(N_QUADS, paced(self._lines(store), limits))

    def _lines(self, store: ReasoningStore) -> Iterator[bytes]:
        knowledge = store.knowledge_base
        terms = knowledge.dictionary
        ids = [None if term is None else terms.lookup(term) for term in self.pattern]
        if any(known is None and term is not None for known, term in zip(ids, self.pattern, strict=True)):
            return
        for name in self.contexts or (DEFAULT, *store.graph_names()):
            lines = triple_lines(store.graph_view(name).match(*ids), terms)
            end = b"" if name == DEFAULT else f"{to_model(name)} ".encode()
            # A line break in a literal is escaped, so each that is there ends a statement.
            yield from (piece.replace(b" .\n", b" " + end + b".\n") for piece in lines)
        if self.inferred and (not self.contexts or DEFAULT in self.contexts):
            yield from triple_lines(knowledge.inferred().match(*ids), terms)
