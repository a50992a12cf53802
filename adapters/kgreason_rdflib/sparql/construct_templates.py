"""CONSTRUCT: the triples of a template, filled in with solutions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from typing import Any

from rdflib.graph import Graph
from rdflib.term import BNode, IdentifiedNode, URIRef, Variable

from kgreason.checkpoints import checkpoint, passes
from kgreason.sparql.put_query import Answer
from kgreason.sparql.solutions import Solutions
from kgreason_rdflib import rdflib_tuning
from kgreason_rdflib.sparql.questions import Triples
from kgreason_rdflib.sparql.solution_terms import Decoder


def has_blank_nodes(template: Triples) -> bool:
    """Whether each solution makes blank nodes of its own, so that it matters how often it is there."""
    return any(isinstance(term, BNode) for triple in template for term in triple)


def filled(template: Triples, answer: Answer, decoder: Decoder) -> Iterator[tuple[Any, Any, Any]]:
    """The triples of a template for each solution; what RDF does not allow is left out."""
    for batch in answer.batches:
        for rows in batch.spread_out(rdflib_tuning.FILLED_TERM_ROWS):
            for begin in range(0, rows.length, rdflib_tuning.FILLED_TERM_ROWS):
                checkpoint()
                yield from filled_once(template, rows.slice(begin, begin + rdflib_tuning.FILLED_TERM_ROWS), decoder)


def filled_once(template: Triples, batch: Solutions, decoder: Decoder) -> Iterator[tuple[Any, Any, Any]]:
    """The triples for the solutions of one batch."""
    columns = _columns(template, batch, decoder)
    for triple in passes(template, 1):
        places = (columns[term] if term in columns else repeat(term, batch.length) for term in triple)
        for subject, predicate, object in zip(*places, strict=True):
            if isinstance(subject, IdentifiedNode) and isinstance(predicate, URIRef) and object is not None:
                yield subject, predicate, object


def _columns(template: Triples, batch: Solutions, decoder: Decoder) -> dict[Any, Sequence[Any]]:
    """For each variable its terms, and for each blank node a fresh one for each solution."""
    columns: dict[Any, Sequence[Any]] = {}
    for term in dict.fromkeys(chain.from_iterable(template)):
        if isinstance(term, Variable):
            columns[term] = decoder.column(batch.column(str(term)))
        elif isinstance(term, BNode):
            columns[term] = [BNode() for _ in range(batch.length)]
    return columns


def construct(template: Triples, answer: Answer, decoder: Decoder, graph: Graph) -> Graph:
    """A graph with the triples of a template."""
    for triple in filled(template, answer, decoder):
        graph.add(triple)
    return graph
