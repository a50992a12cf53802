"""The only border between rdflib's terms and kgreason's: terms to keys of the dictionary, and keys to terms.

A literal passes the border with its lexical form untouched, but for infinity and NaN (`text_literals`). rdflib itself
normalises a literal when a caller makes one (``"01"^^xsd:integer`` becomes ``"1"``), so what was parsed by rdflib
arrives normalised, and what a file or a bulk load brought in comes out as it was written.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Final

from rdflib.graph import QuotedGraph
from rdflib.term import BNode, Literal, Node, URIRef

from kgreason.errors import TermError, TermWarning, level_of_caller
from kgreason.rdf import model
from kgreason.rdf.keys import iri_key, key_of, term_of
from kgreason.rdf.triple_keys import is_triple_key
from kgreason_rdflib.rdf_1_2_terms import DirectedLiteral, TripleTerm, literal_of
from kgreason_rdflib.text_literals import lexical_form, text_literal, text_literals, typed_literal, typed_literals

Triple = tuple[Node, Node, Node]

MARKS: Final = ('"', "_", "<")
"""What the keys of other terms than IRIs begin with, and those of few IRIs."""
_OTHER_KINDS: Final = ('"', "_:", "<<")
"""How the keys of other terms than IRIs begin."""
_TAKEN_IRI: Final = re.compile(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff]*")


class MalformedTermError(TermError, SyntaxError):
    """An IRI that is not valid. A SyntaxError as well: when one of rdflib's parsers hands it to the store, the
    document is malformed, and that is how rdflib wants to be told."""


def term_key(node: Node) -> str | None:
    """The dictionary's key of an rdflib term, None for what no triple can hold (a variable, a formula)."""
    # Exact types first, because rdflib's classes are abstract ones, of which isinstance() asks a method.
    if type(node) is BNode:
        return f"_:{node!s}"
    if type(node) is Literal or isinstance(node, Literal):
        language, datatype = node.language, node.datatype
        if language:
            return f'"{node!s}"@{language}'
        return f'"{node!s}"' if datatype is None else f'"{lexical_form(node)}"^^{datatype!s}'
    if isinstance(node, URIRef):
        key = str(node)
        return None if key.startswith(_OTHER_KINDS) else key
    if isinstance(node, TripleTerm):
        return _triple_key(node)
    return f"_:{node!s}" if isinstance(node, BNode) else None


def _triple_key(node: TripleTerm) -> str | None:
    """The key of a triple term, None where one of its parts is not valid."""
    try:
        return key_of(to_model(node))
    except TermError:
        return None


def key_to_add(node: Node) -> str:
    """The dictionary's key of a term that is to be added.

    Raises:
        TermError: it is not an RDF term, or an IRI that is not valid.
    """
    # Most literals that come one by one are plain texts, of which nothing else has to be checked.
    if type(node) is Literal and node.datatype is None and not node.language and (text := str(node)).isascii():
        return f'"{text}"'
    try:
        return _iri_key(str(node)) if isinstance(node, URIRef) else key_of(to_model(node))
    except TermError as error:
        raise MalformedTermError.like(error) from None


def _iri_key(text: str) -> str:
    """The key of an IRI; of one that rdflib takes and no document can have its text, with a TermWarning.

    Raises:
        TermError: it has control characters or lone surrogates, or begins as keys of other terms do.
    """
    try:
        return iri_key(text)
    except TermError as error:
        if text.startswith(_OTHER_KINDS) or not _TAKEN_IRI.fullmatch(text):
            raise
        reason = f"{error}; it is taken as it is, but formats without such IRIs cannot be written"
        warnings.warn(reason, TermWarning, stacklevel=level_of_caller())
        return text


def to_model(node: Node) -> model.Term:
    """The same term as kgreason's own data; TermError for what is not an RDF term."""
    if type(node) is Literal or isinstance(node, Literal):
        return literal_of(node)
    if isinstance(node, URIRef):
        return model.IRI(str(node))
    if isinstance(node, BNode):
        return model.BlankNode(str(node))
    if isinstance(node, TripleTerm):
        subject, predicate = to_model(node.subject), to_model(node.predicate)
        if isinstance(subject, model.IRI | model.BlankNode) and isinstance(predicate, model.IRI):
            return model.TripleTerm(subject, predicate, to_model(node.object))
    raise TermError(f"{_shown(node)} is not a term", expected="an IRI, a blank node, a literal or a triple term")


def from_model(term: model.Term) -> Node:
    """The rdflib term of one of kgreason's own."""
    match term:
        case model.IRI(value):
            return str.__new__(URIRef, value)
        case model.BlankNode(label):
            return BNode(label)
        case model.Literal(lexical, _, str(language), str(direction)):
            return DirectedLiteral(lexical, language, direction)
        case model.Literal(lexical, datatype, language):
            return text_literal(lexical, language) if datatype is None else typed_literal(lexical, datatype)
        case model.TripleTerm(subject, predicate, object):
            return TripleTerm(from_model(subject), from_model(predicate), from_model(object))


def node_of(key: str) -> Node:
    """The rdflib term of a key of the dictionary."""
    # Most terms are IRIs, and URIRef() would only check again what was checked when they came in.
    if not key.startswith(MARKS) or (key[:1] != '"' and key[:2] != "_:" and not is_triple_key(key)):
        return str.__new__(URIRef, key)
    if key[:1] == '"':
        text, _, suffix = key[1:].rpartition('"')
        if not suffix or _is_plain(suffix):
            return text_literal(text, suffix[1:] or None)
        if suffix.startswith("^^"):
            return typed_literal(text, suffix[2:])
    return str.__new__(BNode, key[2:]) if key[:2] == "_:" else from_model(term_of(key))


def literals_of(texts: Sequence[str], suffixes: Sequence[str]) -> Sequence[Node]:
    """The same for the keys of many literals, taken apart: those without a datatype as a whole, others by datatypes."""
    known = {suffix: suffix[1:] or None for suffix in set(suffixes) if _is_plain(suffix)}
    if len(known) == len(set(suffixes)):
        return text_literals(texts, map(known.__getitem__, suffixes))
    rows_of: dict[str, list[int]] = {}
    for row, suffix in enumerate(suffixes):
        rows_of.setdefault(suffix, []).append(row)
    found: dict[int, Node] = {}
    for suffix, rows in rows_of.items():
        found.update(zip(rows, _literals_ending(suffix, [texts[row] for row in rows]), strict=True))
    return [*map(found.__getitem__, range(len(texts)))]


def _literals_ending(suffix: str, texts: Sequence[str]) -> Sequence[Node]:
    """The literals of keys that end with a suffix."""
    if suffix.startswith("^^"):
        return typed_literals(texts, suffix[2:])
    if _is_plain(suffix):
        return text_literals(texts, repeat(suffix[1:] or None))
    return [from_model(term_of(f'"{text}"{suffix}')) for text in texts]


def _is_plain(suffix: str) -> bool:
    """Whether a literal has no datatype and no base direction."""
    return not suffix or (suffix[0] == "@" and "--" not in suffix)


def iris_of(keys: Iterable[str]) -> Iterator[Node]:
    """The same for keys of IRIs alone: to call a function for each would take longer than to make it."""
    return map(str.__new__, repeat(URIRef), keys)


def blank_nodes_of(keys: Iterable[str]) -> Iterator[Node]:
    """The same for keys of blank nodes."""
    return map(str.__new__, repeat(BNode), (key[2:] for key in keys))


def misplaced(node: object, part: str, expected: str) -> TermError:
    """The error for a term that stands where RDF does not allow it."""
    return TermError(f"{_shown(node)} cannot be a {part}", str(node), part=part, expected=expected)


def _shown(node: object) -> str:
    if isinstance(node, URIRef):
        return f"<{node}>"
    if isinstance(node, QuotedGraph):
        return f"the formula {node.identifier}"
    return node.n3() if isinstance(node, (BNode, Literal, TripleTerm)) else repr(node)
