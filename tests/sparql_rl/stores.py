"""Knowledge bases with rules and triples, and what they show, as pyoxigraph's terms and sets that know blank nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import pyoxigraph as ox

from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.program.rules import Program
from kgreason.rdf.model import IRI, BlankNode, Literal, Term, TripleTerm
from kgreason.store.knowledge_base import KnowledgeBase

OxTriple: TypeAlias = ox.Triple


def triples_of(text: str | bytes, base: str | None = None) -> list[ox.Triple]:
    """The triples of a document in Turtle, each once, in its order."""
    return list(dict.fromkeys(quad.triple for quad in ox.parse(text, ox.RdfFormat.TURTLE, base_iri=base)))


def canonical(triples: Iterable[ox.Triple]) -> set[str]:
    """Triples under labels of blank nodes that isomorphic graphs share."""
    dataset = ox.Dataset(ox.Quad(triple.subject, triple.predicate, triple.object) for triple in triples)
    dataset.canonicalize(ox.CanonicalizationAlgorithm.UNSTABLE)
    return {str(quad) for quad in dataset}


def store_with(rules: Program, triples: Sequence[ox.Triple] = ()) -> KnowledgeBase:
    """A knowledge base with rules and triples."""
    knowledge = KnowledgeBase(rules)
    for triple in triples:
        knowledge.add(DEFAULT_GRAPH, *ids_of(triple, knowledge))
    return knowledge


def ids_of(triple: ox.Triple, knowledge: KnowledgeBase) -> tuple[int, int, int]:
    """The ids of the terms of a triple."""
    encode = knowledge.dictionary.encode
    return encode(_term(triple.subject)), encode(_term(triple.predicate)), encode(_term(triple.object))


def inferred_of(knowledge: KnowledgeBase) -> set[str]:
    """What only follows, canonically."""
    decode = knowledge.dictionary.decode
    lines = []
    for chunk in knowledge.inferred().match(None, None, None):
        columns = [column.tolist() for column in chunk]
        lines += [" ".join(str(decode(term)) for term in row) + " ." for row in zip(*columns, strict=True)]
    quads = ox.parse("\n".join(lines), ox.RdfFormat.N_TRIPLES)
    return canonical(quad.triple for quad in quads)


def _term(term: object) -> Term:
    match term:
        case ox.NamedNode():
            return IRI(term.value)
        case ox.BlankNode():
            return BlankNode(term.value)
        case ox.Literal():
            if term.language is not None:
                return Literal(term.value, None, term.language, term.direction and str(term.direction.value))
            return Literal(term.value, term.datatype.value)
        case ox.Triple():
            parts = map(_term, (term.subject, term.predicate, term.object))
            return TripleTerm(*parts)  # type: ignore[arg-type]  # as RDF has them
    raise AssertionError(f"no term: {term}")
