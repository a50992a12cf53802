"""A knowledge base in terms, for tests: triples of terms in and out."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from kgreason.dictionary.dictionary import Dictionary
from kgreason.rdf.model import IRI, Literal, Term
from kgreason.store.knowledge_base import DEFAULT_GRAPH, KnowledgeBase
from kgreason.store.triple_view import TripleView

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


def toggle(base: KnowledgeBase, explicit: set[Triple], *changed: Triple) -> None:
    """Queue the removal of those of some triples that are asserted, and the others; `explicit` follows."""
    for triple in changed:
        (remove if triple in explicit else add)(base, triple)
        explicit ^= {triple}


def triples(base: KnowledgeBase, view: TripleView, dictionary: Dictionary | None = None) -> set[Triple]:
    """The triples of a view, checked to come once each; `dictionary` is that of the base when it gave the view."""
    decode = cache((dictionary or base.dictionary).decode)
    found = [
        (decode(s), decode(p), decode(o))
        for chunk in view.match(None, None, None)
        for s, p, o in zip(*(column.tolist() for column in chunk), strict=True)
    ]
    distinct = set(found)
    assert len(found) == len(distinct), "a triple comes twice"
    assert len(view) == len(found)
    return distinct


def few_rows(view: TripleView, s: int | None, p: int | None, o: int | None) -> list[tuple[int, int, int]]:
    """What `TripleView.few` gives for a pattern with an end, as rows; checked to give them all or none where it
    may give fewer."""
    found = view.few(s, p, o, 1 << 20)
    assert found is not None
    assert view.few(s, p, o, max((len(ends) for _, ends in found), default=0)) in (found, None)
    assert view.few(s, p, o, 0) is None or not found or (s is not None and o is not None)
    pairs = [(each, end) for each, ends in found for end in ends]
    return [(end if s is None else s, each, end if o is None else o) for each, end in pairs]


class Follower:
    """The triples of a knowledge base as its change feed tells them, each change checked to be a net one."""

    def __init__(self, base: KnowledgeBase) -> None:
        self.triples = triples(base, base.all())
        self.changes = 0
        self._base = base
        base.subscribe(self._take)

    def _take(self, added: TripleView, removed: TripleView) -> None:
        come, gone = triples(self._base, added), triples(self._base, removed)
        assert come or gone, "a change without a triple is announced"
        assert gone <= self.triples, "a triple goes that was not there"
        assert not come & self.triples, "a triple comes that was there"
        self.triples = self.triples - gone | come
        self.changes += 1


def show(found: Iterable[Triple]) -> str:
    """Triples as text, for messages."""
    return "\n".join(sorted(" ".join(map(str, triple)) for triple in found))


__all__ = ["EX", "Follower", "Literal", "add", "ex", "remove", "show", "triples"]
