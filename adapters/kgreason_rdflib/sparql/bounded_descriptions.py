"""DESCRIBE: concise bounded descriptions, of the same triples as rdflib's `Graph.cbd` gives.

A description has all triples of a subject, those of the blank nodes among their objects, and so on; and for a triple
that is reified (rdf:subject, rdf:predicate, rdf:object) the description of the statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rdflib.graph import Graph

from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.checkpoints import checkpoint
from kgreason.columns import bitmaps
from kgreason.rdf.keys import BLANK_KIND
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF
from kgreason.sparql.solutions import Ids
from kgreason.sparql.source import Source
from kgreason_rdflib import rdflib_tuning
from kgreason_rdflib.term_border import TermBorder

Chunk = tuple[Ids, Ids, Ids]


class Descriptions:
    """Describes resources of one graph, each once."""

    def __init__(self, source: Source, terms: LocalTerms) -> None:
        self._source = source
        self._terms = terms
        self._seen: set[int] = set()
        self._reification = [terms.lookup(IRI(RDF + name)) for name in ("subject", "predicate", "object")]

    def of(self, resources: Iterable[int]) -> Iterator[Chunk]:
        """The triples of the descriptions."""
        for first in resources:
            waiting = [first]
            while waiting:
                resource = waiting.pop()
                if resource in self._seen or resource == UNBOUND:
                    continue
                self._seen.add(resource)
                checkpoint()
                for chunk in self._source.match(resource, None, None):
                    yield chunk
                    objects = bitmaps.distinct(chunk[2])
                    waiting += objects[self._terms.kinds(objects) == BLANK_KIND].tolist()
                waiting += self._statements(resource)

    def _statements(self, resource: int) -> list[int]:
        """The statements that reify a triple of a resource."""
        subject, predicate, object = self._reification
        if subject is None or predicate is None or object is None:
            return []
        found = []
        for statement in self._ends(None, subject, resource, 0):
            predicates, objects = (self._ends(statement, part, None, 2) for part in (predicate, object))
            if any(self._source.count(resource, p, o) for p in predicates for o in objects):
                found.append(statement)
        return found

    def _ends(self, subject: int | None, predicate: int, object: int | None, position: int) -> list[int]:
        return [end for chunk in self._source.match(subject, predicate, object) for end in chunk[position].tolist()]


def each_of(column: Ids) -> Iterator[int]:
    """The ids of a column one by one, without a list of all of them."""
    for begin in range(0, len(column), rdflib_tuning.DESCRIBED_TERMS):
        yield from column[begin : begin + rdflib_tuning.DESCRIBED_TERMS].tolist()


def described(chunks: Iterable[Chunk], border: TermBorder, graph: Graph) -> Graph:
    """A graph with the triples of descriptions."""
    for chunk in chunks:
        for triple in zip(*map(border.decode, chunk), strict=True):
            graph.add(triple)
    return graph
