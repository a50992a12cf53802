"""Keys: what the dictionary keeps of a term.

An IRI is its own key, a blank node has ``_:label``, a literal ``"lexical"``, ``"lexical"@language`` or
``"lexical"^^datatype`` with the lexical form unescaped; a base direction belongs to the language (``@ar--rtl``), and a
triple term is written ``<<( s p o )>>`` (`triple_keys`). Keys of different terms differ: no IRI begins with a quotation
mark, two angle brackets or ``_:``, and neither a language nor a datatype contains a quotation mark.

A term may be written with several keys (RDF 1.1 Concepts, section 3.3): a string with and without ``xsd:string``, and a
language tag in any case. Two normal forms say so, and both are those of the suffix alone:

* `normal_key` is what is kept and shown: a string without its datatype, a tag as it is written.
* `folded_key` is what is compared: the normal key with the tag in lower case. Two keys are of the same term if and only
  if they have the same folded key.

A triple term has one key alone: in it, tags are always in lower case.

`folded_keys` has both forms of whole columns.
"""

from __future__ import annotations

from collections.abc import Callable
from string import ascii_uppercase
from typing import Final

import numpy as np
import pyoxigraph
from numpy.typing import NDArray

from kgreason.arrow import pa
from kgreason.errors import TermError, quoted
from kgreason.rdf.hashing import text_buffers
from kgreason.rdf.model import DIRECTIONS, IRI, BlankNode, Literal, Term, TripleTerm
from kgreason.rdf.triple_keys import is_triple_key, normal_triple, triple_key, triple_parts
from kgreason.rdf.vocabulary import RDF_DIR_LANG_STRING, RDF_LANG_STRING, XSD_STRING

IRI_KIND: Final = 0
BLANK_KIND: Final = 1
LITERAL_KIND: Final = 2
TRIPLE_KIND: Final = 3
"""Kinds, in the order of terms; what comes before literals may be a subject."""

STRING_SUFFIX: Final = f"^^{XSD_STRING}"

_OTHER_MARKS: Final = ('"', "<<", "_:")
"""What the keys of all other kinds begin with."""
_TYPED_STRING: Final = f'"{STRING_SUFFIX}'
_LOWER: Final = {ord(letter): letter.lower() for letter in ascii_uppercase}
_ROWS: Final = 1 << 15

_NEED_TAGS: Final = frozenset((RDF_LANG_STRING, RDF_DIR_LANG_STRING))
_QUOTE, _UNDERSCORE, _COLON, _ANGLE = b'"_:<'


def key_of(term: Term) -> str:
    """The key of a term: less than a microsecond. The same is refused as in files, which pyoxigraph reads.

    Raises:
        TermError: an IRI that is relative or has what no IRI has (RFC 3987), a label of a blank node that cannot be
            written, an invalid tag (BCP 47), a datatype that asks for a tag, or text that is not Unicode.
    """
    match term:
        case IRI(value):
            return iri_key(value)
        case BlankNode(label):
            return f"_:{_checked(pyoxigraph.BlankNode, label, 'label of a blank node')}"
        case Literal(_, _, None, str(direction)):
            raise TermError(f"a literal with the base direction {quoted(direction)} needs a language tag", direction)
        case Literal(lexical, None, None):
            return f'"{_text(lexical)}"'
        case Literal(lexical, datatype, None):
            return f'"{_text(lexical)}"^^{_datatype(datatype or "")}'
        case Literal(lexical, _, language, direction):
            check_tag(language or "")
            return f'"{_text(lexical)}"@{language}{_ending(direction)}'
        case TripleTerm(subject, predicate, object):
            if not isinstance(subject, IRI | BlankNode) or not isinstance(predicate, IRI):
                raise TermError(f"{quoted(str(term))} is not a valid triple term: a part is misplaced")
            return triple_key(key_of(subject), key_of(predicate), key_of(object))


def held_key(term: Term) -> str:
    """The key of a term that a dictionary may hold: as `key_of`, but of any IRI that is no key of another kind of term.
    rdflib's graphs take IRIs that documents cannot have.

    Raises:
        TermError: no dictionary holds it.
    """
    if isinstance(term, IRI):
        if term.value.startswith(_OTHER_MARKS):
            raise TermError(f"{quoted(term.value)} is not a valid IRI", term.value)
        return term.value
    return key_of(term)


def iri_key(value: str) -> str:
    """An IRI itself; TermError for one that is relative or has what no IRI has."""
    return _checked(pyoxigraph.NamedNode, value, "IRI")


def _checked(make: Callable[[str], object], text: str, what: str) -> str:
    """A text of which pyoxigraph makes a term."""
    try:
        make(text)
    except ValueError as error:
        reason = "it has a lone surrogate" if isinstance(error, UnicodeError) else error
        raise TermError(f"{quoted(text)} is not a valid {what}: {reason}", text) from None
    return text


def _ending(direction: str | None) -> str:
    """What a base direction adds to a language tag."""
    if direction is None:
        return ""
    if direction not in DIRECTIONS:
        raise TermError(f"{quoted(direction)} is not a base direction", direction, expected="ltr or rtl")
    return f"--{direction}"


def _tagged(language: str) -> object:
    return pyoxigraph.Literal("", language=language)


def _datatype(datatype: str) -> str:
    check_datatype(datatype)
    return datatype


def check_datatype(datatype: str) -> None:
    """Raise TermError for what is not the datatype of a literal without a language tag."""
    check_untagged(datatype)
    iri_key(datatype)


def check_tag(language: str) -> None:
    """Raise TermError for a language tag that is malformed by BCP 47."""
    _checked(_tagged, language, "language tag")


def check_untagged(datatype: str) -> None:
    """Raise TermError for the datatypes that only literals with a language tag have."""
    if datatype in _NEED_TAGS:
        raise TermError(f"a literal of {datatype} needs a language tag", datatype)


def is_unicode(text: str) -> bool:
    """Whether a text has no lone surrogate, which strings of Python and of JSON may have."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def check_unicode(text: str) -> None:
    """Raise TermError for a text with a lone surrogate."""
    if not is_unicode(text):
        raise TermError(f"{quoted(text)} is not valid text: it has a lone surrogate", text)


def _text(lexical: str) -> str:
    check_unicode(lexical)
    return lexical


def term_of(key: str) -> Term:
    """The term of a key."""
    if key.startswith("_:"):
        return BlankNode(key[2:])
    if is_triple_key(key):
        subject, predicate, object = triple_parts(key)
        return TripleTerm(_resource(subject), IRI(predicate), term_of(object))
    if not key.startswith('"'):
        return IRI(key)
    end = key.rindex('"')
    lexical, suffix = key[1:end], key[end + 1 :]
    if not suffix:
        return Literal(lexical)
    if suffix[0] != "@":
        return Literal(lexical, suffix[2:])
    language, _, direction = suffix[1:].partition("--")
    return Literal(lexical, None, language, direction or None)


def _resource(key: str) -> IRI | BlankNode:
    return BlankNode(key[2:]) if key.startswith("_:") else IRI(key)


def normal_suffix(suffix: str) -> str:
    """What is kept of the suffix of a literal's key, which is a tag as ``@en``, a datatype as ``^^IRI``, or empty."""
    return "" if suffix == STRING_SUFFIX else suffix


def folded_suffix(suffix: str) -> str:
    """What is compared of the suffix of a literal's key."""
    return suffix.translate(_LOWER) if suffix[:1] == "@" else normal_suffix(suffix)


def normal_key(key: str) -> str:
    """The form of a key that is kept and shown."""
    if key[:1] != '"':
        return normal_triple(key) if key[:1] == "<" and is_triple_key(key) else key
    return key.removesuffix(STRING_SUFFIX) if key.endswith(_TYPED_STRING) else key


def folded_key(key: str) -> str:
    """The form of a key that is compared: the same for all keys of one term."""
    if key[:1] != '"':
        return normal_triple(key) if key[:1] == "<" and is_triple_key(key) else key
    if key[-1] == '"':
        return key
    end = key.rindex('"') + 1
    return key[:end] + folded_suffix(key[end:])


def kind_of(key: str) -> int:
    """IRI_KIND, BLANK_KIND, LITERAL_KIND or TRIPLE_KIND."""
    first = key[:1]
    if first == '"':
        return LITERAL_KIND
    if is_triple_key(key):
        return TRIPLE_KIND
    return BLANK_KIND if first == "_" and key[1:2] == ":" else IRI_KIND


def kinds_of(keys: pa.Array) -> NDArray[np.uint8]:
    """For each key of a column IRI_KIND, BLANK_KIND, LITERAL_KIND or TRIPLE_KIND: O(n), so many rows at a time that all
    stays in the cache."""
    offsets, data = text_buffers(keys)
    padded = data if len(data) >= 2 else np.zeros(2, dtype=np.uint8)
    kinds = np.empty(len(keys), dtype=np.uint8)
    for start in range(0, len(keys), _ROWS):
        kinds[start : start + _ROWS] = _kinds(offsets[start : start + _ROWS + 1], padded)
    return kinds


def _kinds(offsets: NDArray[np.signedinteger], data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    starts, lengths = offsets[:-1], np.diff(offsets)
    first = data[np.minimum(starts, len(data) - 1)]
    kinds = np.full(len(starts), IRI_KIND, dtype=np.uint8)
    kinds[(first == _QUOTE) & (lengths > 0)] = LITERAL_KIND
    rare = np.flatnonzero(((first == _UNDERSCORE) | (first == _ANGLE)) & (lengths > 1))
    second = data[starts[rare] + 1]
    kinds[rare[(first[rare] == _UNDERSCORE) & (second == _COLON)]] = BLANK_KIND
    kinds[rare[(first[rare] == _ANGLE) & (second == _ANGLE)]] = TRIPLE_KIND
    return kinds
