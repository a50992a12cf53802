"""The border between rdflib's nodes and the ids of a dictionary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from rdflib.term import BNode, Literal, Node, URIRef

from kgreason.errors import TermError
from kgreason.knowledge.view import Chunk
from kgreason.terms.dictionary import Dictionary, iri_key
from kgreason.terms.model import IRI, BlankNode, Term
from kgreason.terms.model import Literal as LiteralTerm

NodeTriple: TypeAlias = tuple[Node, Node, Node]
_FIRST_ROWS = 64
_MOST_ROWS = 16384


class NodeTable:
    """Nodes by id, made when first read and kept, and ids by node."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._nodes: list[Node | None] = []

    def encode(self, node: Node) -> int:
        """The id of a node, a new one when it was never seen. TermError for what is no RDF term."""
        key = _key(node)
        known = self._dictionary.lookup_key(key)
        if known is None:
            _validate(node)
            known = self._dictionary.encode_key(key)
        return known

    def lookup(self, node: Node) -> int | None:
        """The id of a node, None when it was never seen."""
        return self._dictionary.lookup_key(_key(node))

    def decode(self, identifier: int) -> Node:
        """The node of an id."""
        if identifier >= len(self._nodes):
            self._nodes.extend([None] * (len(self._dictionary) - len(self._nodes)))
        node = self._nodes[identifier]
        if node is None:
            node = self._nodes[identifier] = _node(self._dictionary.key(identifier))
        return node

    def triples(self, chunks: Iterable[Chunk]) -> Iterator[NodeTriple]:
        """Columns of ids as triples of nodes, decoded in pieces that grow, so that a first row is cheap."""
        decode = self.decode
        size = _FIRST_ROWS
        for columns in chunks:
            start, length = 0, len(columns[0])
            while start < length:
                subjects, predicates, objects = (column[start : start + size].tolist() for column in columns)
                for subject, predicate, object_ in zip(subjects, predicates, objects, strict=True):
                    yield decode(subject), decode(predicate), decode(object_)
                start += size
                size = min(_MOST_ROWS, size * 4)


def node_of(term: Term) -> Node:
    """The rdflib node of a term."""
    match term:
        case IRI(value):
            return URIRef(value)
        case BlankNode(label):
            return BNode(label)
        case LiteralTerm(lexical, datatype, language):
            return _literal(lexical, datatype, language)


def _key(node: Node) -> str:
    kind = type(node)
    if kind is URIRef:
        return str(node)
    if isinstance(node, Literal):
        return _literal_key(node)
    if isinstance(node, BNode):
        return f"_:{node}"
    if isinstance(node, URIRef):
        return str(node)
    raise TermError(f"{node!r} is no RDF term: an IRI, a blank node or a literal is needed")


def _literal_key(node: Literal) -> str:
    if node.language:
        return f'"{node!s}"@{node.language}'
    return f'"{node!s}"' if node.datatype is None else f'"{node!s}"^^{node.datatype!s}'


def _validate(node: Node) -> None:
    if isinstance(node, URIRef):
        iri_key(str(node))
    elif isinstance(node, Literal) and node.datatype is not None:
        iri_key(str(node.datatype))


def _node(key: str) -> Node:
    if key.startswith('"'):
        end = key.rindex('"')
        suffix = key[end + 1 :]
        datatype = suffix[2:] if suffix[:1] == "^" else None
        return _literal(key[1:end], datatype, suffix[1:] if suffix[:1] == "@" else None)
    return BNode(key[2:]) if key.startswith("_:") else URIRef(key)


def _literal(lexical: str, datatype: str | None, language: str | None) -> Literal:
    """Exactly this literal: rdflib would otherwise write numbers its own way."""
    return Literal(lexical, lang=language, datatype=URIRef(datatype) if datatype else None, normalize=False)
