"""A knowledge base in terms, for tests: triples of terms in and out."""

from __future__ import annotations

from collections.abc import Iterable

from kgreason.knowledge.base import DEFAULT_GRAPH, KnowledgeBase
from kgreason.knowledge.view import TripleView
from kgreason.terms.model import IRI, Literal, Term

Triple = tuple[Term, Term, Term]
EX = "http://example.org/"


def ex(name: str) -> IRI:
    """An IRI of the tests' own namespace."""
    return IRI(EX + name)


def add(base: KnowledgeBase, *triples: Triple, graph: int = DEFAULT_GRAPH) -> None:
    """Queue triples of terms."""
    for triple in triples:
        base.add(graph, *map(base.dictionary.encode, triple))


def remove(base: KnowledgeBase, *triples: Triple, graph: int = DEFAULT_GRAPH) -> None:
    """Queue the removal of triples of terms."""
    for triple in triples:
        base.remove(graph, *map(base.dictionary.encode, triple))


def triples(base: KnowledgeBase, view: TripleView) -> set[Triple]:
    """The triples of a view, checked to come once each."""
    decode = base.dictionary.decode
    found = [
        (decode(s), decode(p), decode(o))
        for chunk in view.match(None, None, None)
        for s, p, o in zip(*(column.tolist() for column in chunk), strict=True)
    ]
    assert len(found) == len(set(found)), "a triple comes twice"
    assert len(view) == len(found)
    return set(found)


def show(found: Iterable[Triple]) -> str:
    """Triples as text, for messages."""
    return "\n".join(sorted(" ".join(map(str, triple)) for triple in found))


__all__ = ["EX", "Literal", "add", "ex", "remove", "show", "triples"]
