"""Terms as people read them: with the prefixes of the files, and blank nodes by what is said of them.

The name of a blank node in a file says nothing outside of it. What is asserted of it does: a list is shown as
`( :Lent :Lost )`, another one as `[ a owl:Restriction ; owl:onProperty :shelf ]`, to some depth.

A text is one line: characters of literals and IRIs that do not print, such as U+2028 or ESC, are escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from kgreason.html_fragments import printable
from kgreason.proofs.proof_texts import Names
from kgreason.rdf.model import IRI, BlankNode, Term, TripleTerm
from kgreason.rdf.vocabulary import RDF_FIRST, RDF_NIL, RDF_REST, RDF_TYPE

if TYPE_CHECKING:
    from kgreason.store.knowledge_base import KnowledgeBase

_TYPE, _FIRST, _REST, _NIL = IRI(RDF_TYPE), IRI(RDF_FIRST), IRI(RDF_REST), IRI(RDF_NIL)
DEEPEST: Final = 3
MOST: Final = 4


class ReadableTerms:
    """Texts of the terms of a knowledge base as it is now."""

    def __init__(
        self, knowledge: KnowledgeBase, prefixes: Mapping[str, str], *, deepest: int = DEEPEST, most: int = MOST
    ) -> None:
        """`deepest` is how deep descriptions are nested, `most` how many statements or members each shows."""
        self._deepest, self._most = deepest, most
        self._explicit = knowledge.explicit()
        self._dictionary = knowledge.dictionary
        self._names = Names(prefixes)

    def triple(self, triple: Iterable[Term]) -> str:
        """A triple on one line, `a` for `rdf:type`."""
        subject, predicate, object = triple
        return f"{self.term(subject)} {self.predicate(predicate)} {self.term(object)}"

    def term(self, term: Term) -> str:
        """A term as in Turtle. Cost: that of reading what is said of a blank node."""
        return printable(self._text(term, 0))

    def _text(self, term: Term, depth: int) -> str:
        if isinstance(term, TripleTerm):
            ends = self._text(term.subject, depth), self._text(term.object, depth)
            return f"<<( {ends[0]} {self.predicate(term.predicate)} {ends[1]} )>>"
        if not isinstance(term, BlankNode):
            return self._names.shorten(str(term))
        if depth == self._deepest:
            return "[...]"
        said = self._said_of(term)
        if any(predicate == _FIRST for predicate, _ in said):
            return f"( {' '.join(self._members(term, depth))} )"
        statements = sorted(said, key=lambda statement: (statement[0] != _TYPE, *map(str, statement)))
        texts = [f"{self.predicate(p)} {self._text(o, depth + 1)}" for p, o in statements[:self._most]]
        if not texts:
            return str(term)
        return f"[ {' ; '.join(texts)}{' ; ...' if len(said) > self._most else ''} ]"

    def predicate(self, predicate: Term) -> str:
        """A property, `a` for `rdf:type`."""
        return "a" if predicate == _TYPE else self.term(predicate)

    def _members(self, cell: Term, depth: int) -> list[str]:
        found: list[str] = []
        while len(found) <= self._most:
            said = dict(self._said_of(cell))
            if _FIRST not in said:
                break
            found.append(self._text(said[_FIRST], depth + 1))
            cell = said.get(_REST, _NIL)
        return [*found[:self._most], "..."] if len(found) > self._most else found

    def _said_of(self, term: Term) -> list[tuple[Term, Term]]:
        identifier = self._dictionary.lookup(term)
        if identifier is None:
            return []
        decode = self._dictionary.decode
        return [
            (decode(predicate), decode(object))
            for _, predicates, objects in self._explicit.match(identifier, None, None)
            for predicate, object in zip(predicates.tolist(), objects.tolist(), strict=True)
        ]
