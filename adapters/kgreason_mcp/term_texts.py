"""Terms as agents write and read them: Turtle with the prefixes of the store."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from rdflib import RDF, BNode, Graph, URIRef
from rdflib.term import Node

from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import LoadError, TermError
from kgreason.html_fragments import printable
from kgreason.io.readers import read_stream
from kgreason.lookup.label_index import LABELS
from kgreason.lookup.readable_terms import ReadableTerms
from kgreason.proofs.proof_texts import Names
from kgreason.rdf.model import Literal as ModelLiteral
from kgreason.rdf.prefixes import declarable, declarations
from kgreason.rdf.vocabulary import STANDARD_PREFIXES
from kgreason_mcp.short_answers import AnswerError, cut
from kgreason_rdflib.rdflib_terms import Triple, from_model, to_model

if TYPE_CHECKING:
    from kgreason_rdflib.store import ReasoningStore

_BARE_IRI: Final = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*://|urn:|mailto:|tag:)[^\s<>\"]+")
_ANY: Final = ("", "?", "_", "*")


class TermTexts:
    """Texts of the terms of a store as it is now."""

    def __init__(self, store: ReasoningStore, language: str = "en") -> None:
        """`language` is that of labels, where there is a choice."""
        bound = Graph(store=store, bind_namespaces="none").namespaces()
        self.prefixes = STANDARD_PREFIXES | declarable(bound)
        self._knowledge = store.knowledge_base
        self._readable = ReadableTerms(self._knowledge, self.prefixes, deepest=2, most=3)
        self._language = language

    # -- from terms to texts -----------------------------------------------------------------------------------------

    def term(self, node: Node) -> str:
        """A term with a prefix; a blank node by what is said of it; of a long one the beginning."""
        return cut(self._readable.term(to_model(node)))

    def triple(self, triple: Iterable[Node]) -> str:
        """A triple on one line."""
        subject, predicate, object = triple
        return f"{self.term(subject)} {cut(self._readable.predicate(to_model(predicate)))} {self.term(object)}"

    def prefixed(self, iri: str) -> str:
        """An IRI, or the name of a relation, with a prefix where one fits."""
        return Names(self.prefixes).shorten(f"<{iri}>")

    def unshortened(self, node: Node) -> str:
        """A term for what shortens IRIs itself; a blank node by what is said of it."""
        return self.term(node) if isinstance(node, BNode) else cut(str(to_model(node)))

    def label(self, node: Node) -> str | None:
        """The preferred label of a term, one of the language where there is a choice; None without any."""
        dictionary = self._knowledge.dictionary
        subject, view = dictionary.lookup(to_model(node)), self._knowledge.all()
        for property in LABELS if subject is not None else ():
            predicate = dictionary.lookup_key(property)
            chunks = () if predicate is None else view.match(subject, predicate, None)
            found = [dictionary.decode(object) for _, _, objects in chunks for object in objects.tolist()]
            labels = [label for label in found if isinstance(label, ModelLiteral)]
            if labels:
                return min(labels, key=self._order).lexical
        return None

    def named(self, node: Node) -> str:
        """A term, and its label where the term does not say as much."""
        text = self.term(node)
        label = self.label(node) if isinstance(node, URIRef) else None
        return text if label is None or _says(text, label) else f"{text} {self.quoted(label)}"

    @staticmethod
    def quoted(label: str) -> str:
        """A label as a literal, of a long one the beginning."""
        return cut(str(ModelLiteral(label)))

    def _order(self, label: ModelLiteral) -> tuple[bool, bool, str]:
        tag = (label.language or "").lower()
        return not tag.startswith(self._language.lower()), bool(tag), label.lexical

    # -- from texts to terms -----------------------------------------------------------------------------------------

    def parsed(self, text: str) -> Node:
        """A term: a prefixed name, an IRI with or without angle brackets, `a`, or a literal as in Turtle.

        Raises:
            AnswerError: it is none.
        """
        text = text.strip()
        if text == "a":
            return RDF.type
        if _BARE_IRI.fullmatch(text):
            text = f"<{text}>"
        try:
            found = self._read(f"<urn:x:s> <urn:x:p> {text} .", "term")
        except (LoadError, TermError) as error:
            raise AnswerError(f"the term {_shown(text)}: {printable(self._reason(error))}") from None
        if len(found) != 1 or isinstance(found[0][2], BNode):
            expected = "ex:name, <http://...>, or a literal as in Turtle"
            raise AnswerError(f"{_shown(text)} is not one term (expected {expected})")
        return found[0][2]

    def parsed_pattern(self, *texts: str) -> tuple[Node | None, Node | None, Node | None]:
        """A triple in which "?" stands for any term."""
        subject, predicate, object = (None if text.strip() in _ANY else self.parsed(text) for text in texts)
        return subject, predicate, object

    def parsed_triples(self, turtle: str, source: str) -> list[Triple]:
        """Triples in Turtle, which may use the prefixes of the store.

        Raises:
            AnswerError: it is not Turtle; the message says where.
        """
        try:
            return self._read(turtle, source)
        except (LoadError, TermError) as error:
            place = [source]
            if error.line is not None:
                place.append(str(error.line - declarations(self.prefixes).count("\n")))
                place += [] if error.column is None else [str(error.column)]
            raise AnswerError(f"{':'.join(place)}: {printable(self._reason(error))}") from None

    def _reason(self, error: LoadError | TermError) -> str:
        """What is wrong with Turtle, and what helps."""
        if error.reason == "Unexpected end":
            return f"{error.reason} (expected '.' after a whole triple)"
        if error.reason.startswith("The prefix"):
            return f"{error.reason} (known are {', '.join(self.prefixes)})"
        return cut(error.reason)

    def _read(self, turtle: str, source: str) -> list[Triple]:
        """Triples in Turtle; LoadError or TermError, whose lines count those of the declarations."""
        terms = Dictionary()
        quads = read_stream((declarations(self.prefixes) + turtle).encode(), terms, format="ttl", source=source)
        nodes = {each: from_model(terms.decode(each)) for each in range(len(terms))}
        columns = (column.tolist() for column in (quads.subject, quads.predicate, quads.object))
        return [(nodes[s], nodes[p], nodes[o]) for s, p, o in zip(*columns, strict=True)]


def _shown(text: str) -> str:
    """What an agent wrote, on one line; of a long text the beginning."""
    return printable(cut(text))


def _says(text: str, label: str) -> bool:
    """Whether the local name of a term says what its label does."""
    return re.sub(r"[\W_]+", "", re.split(r"[:/#]", text)[-1]).lower() == re.sub(r"[\W_]+", "", label).lower()
