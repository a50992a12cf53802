"""Distinct tokens of N-Triples to dictionary keys: whole columns for what is plain, pyoxigraph's word for the rest.

A token is ODD unless it surely is a term as pyoxigraph reads it; the lines of odd tokens are left to pyoxigraph. So
nothing here decides that something is malformed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pyoxigraph import NamedNode, RdfFormat, parse

from kgreason.arrow import pa, pc
from kgreason.dictionary.arrow_columns import mask_of, numbers_of, row_column, text_column, text_scalar
from kgreason.dictionary.folded_keys import AS_FOLDED, FoldedKeys, Spellings
from kgreason.io.parsed_documents import key_of_parsed
from kgreason.rdf.hashing import text_buffers
from kgreason.rdf.keys import folded_suffix
from kgreason.rdf.vocabulary import RDF, XSD_STRING

Bytes: TypeAlias = NDArray[np.uint8]
Mask: TypeAlias = NDArray[np.bool_]
Places: TypeAlias = NDArray[np.int64]
Piece: TypeAlias = "tuple[Places, pa.Array]"
"""Some rows, and the folded key of each."""

IRI, BLANK, LITERAL, TRIPLE, DOT, NAMED_GRAPH, BLANK_GRAPH, ODD = range(8)

_ANGLE, _CLOSING, _QUOTE, _BACKSLASH, _RETURN, _UNDERSCORE, _DOT, _NEWLINE, _TAB, _SPACE = b'<>"\\\r_.\n\t '

# What is an IRI by the looks of its ASCII characters alone: no brackets, no user before the host.
_IN_PATH: Final = r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})"
_NO_SLASH: Final = _IN_PATH.replace("/", "", 1)
_BETWEEN_BRACKETS: Final = (
    r"<[A-Za-z][A-Za-z0-9+.\-]*:"
    rf"(?://[A-Za-z0-9\-._~]*(?::[0-9]*)?(?:[/?]{_IN_PATH}*)?|/(?:{_NO_SLASH}{_IN_PATH}*)?|(?:{_NO_SLASH}{_IN_PATH}*)?)"
    rf"(?:#{_IN_PATH}*)?>"
)
_IRI: Final = rf"^{_BETWEEN_BRACKETS}(?:[ \t]| \.\n)$"
# Triple terms that are their own keys: of IRIs, and for objects literals without escapes, with plain tags if any.
_TRIPLE: Final = (
    rf"^<<\( {_BETWEEN_BRACKETS} {_BETWEEN_BRACKETS} "
    rf'(?:{_BETWEEN_BRACKETS}|"[^"\\\n\r\t]*"(?:@[a-z]{{2,3}}|\^\^{_BETWEEN_BRACKETS})?) \)>>[ \t]$'
)
# A string is written without its datatype, and no text has one of these of RDF.
_OF_NO_KEY: Final = rf"\^\^<(?:{re.escape(XSD_STRING)}|{re.escape(RDF)})"
_BLANK_NODE: Final = r"^_:[A-Za-z0-9_](?:[A-Za-z0-9_.\-]*[A-Za-z0-9_\-])?(?:[ \t]| \.\n)$"
_BRACKETED: Final = re.compile(r"<([^<>\\]*)>(?:[ \t]| \.\n)")
_ESCAPED: Final = re.compile(r'"((?:[^"\\\n\r]|\\.)*)"([^"\\\n\r]*)[ \t]')
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
# The dot and a comment, in which words may look like a graph, are outside of literals.
_SUFFIX: Final = re.compile(r"[^<#]*(?:<[^<>]*>)?[^<>#]*")
_SHORT: Final = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}


@dataclass(frozen=True, slots=True)
class Terms:
    """For each token its kind, and its key, which is empty for a dot and for what is odd."""

    kinds: NDArray[np.uint8]
    keys: FoldedKeys


def terms_of(tokens: pa.Array, scope: str) -> Terms:
    """The terms of a binary column of distinct tokens; `scope` is put before the labels of blank nodes."""
    rows = _Rows.of(_as_text(tokens))
    kinds = np.full(len(tokens), ODD, dtype=np.uint8)
    kinds[(rows.first == _DOT) & (rows.last == _NEWLINE) & (rows.ends - rows.starts == 2)] = DOT
    suffixed, spellings = _literals(rows, kinds)
    pieces = [_triples(rows, kinds), _iris(rows, kinds), _blank_nodes(rows, kinds, scope), *suffixed]
    return Terms(kinds, FoldedKeys(_assembled(rows, pieces), spellings))


@dataclass(frozen=True, slots=True)
class _Rows:
    """Tokens by their bytes: where each begins and ends, its first and last one, 0 where it has none."""

    texts: pa.Array
    data: Bytes
    starts: Places
    ends: Places
    first: Bytes
    last: Bytes

    @staticmethod
    def of(texts: pa.Array) -> _Rows:
        offsets, data = text_buffers(texts)
        starts, ends = offsets[:-1].astype(np.int64), offsets[1:].astype(np.int64)
        padded = np.append(data[: int(offsets[-1])], np.uint8(0))
        full = ends > starts
        return _Rows(texts, data, starts, ends, np.where(full, padded[starts], 0), np.where(full, padded[ends - 1], 0))

    @property
    def graphs(self) -> Mask:
        """Whether a token ends the line; then it can only be a graph."""
        return np.asarray(self.last == _NEWLINE)

    def two_angles(self, rows: Places) -> Mask:
        """Whether tokens of some rows, which begin with an angle, begin with two, as triple terms do."""
        return np.asarray(self.data[np.minimum(self.starts[rows] + 1, self.ends[rows] - 1)] == _ANGLE)

    def with_byte(self, character: int) -> Mask:
        """Whether a token has a character."""
        found = np.zeros(len(self.texts), dtype=np.bool_)
        found[np.searchsorted(self.ends, np.flatnonzero(self.data == character), side="right")] = True
        return found

    def slices(self, rows: Places, begin: Places, end: Places) -> pa.Array:
        """Parts of the tokens of some rows, in ascending order."""
        offsets = np.stack((begin, end), axis=1).astype(np.int32).ravel()
        if not len(offsets):
            return pa.nulls(0, pa.string())
        buffers = [None, pa.py_buffer(offsets), self.texts.buffers()[2]]
        pieces = pa.Array.from_buffers(pa.string(), len(offsets) - 1, buffers)
        return pieces.take(row_column(np.arange(0, len(pieces), 2)))


def _as_text(tokens: pa.Array) -> pa.Array:
    """The tokens as a string column; one that is not UTF-8 becomes empty, which is odd."""
    try:
        return tokens.cast(pa.string())
    except pa.ArrowInvalid:
        return text_column([_decoded(token) for token in tokens.to_pylist()])


def _decoded(token: bytes) -> str:
    try:
        return token.decode()
    except UnicodeDecodeError:
        return ""


def _matches(texts: pa.Array, pattern: str) -> Mask:
    return mask_of(pc.match_substring_regex(texts, pattern))


def _nothing() -> Piece:
    return np.empty(0, dtype=np.int64), pa.nulls(0, pa.string())


def _triples(rows: _Rows, kinds: NDArray[np.uint8]) -> Piece:
    begun = np.flatnonzero(rows.first == _ANGLE)
    begun = begun[rows.two_angles(begun)]
    if not len(begun):
        return _nothing()
    texts = rows.texts.take(row_column(begun))
    at = begun[_matches(texts, _TRIPLE) & ~_matches(texts, _OF_NO_KEY)]
    kinds[at] = TRIPLE
    return at, rows.slices(at, rows.starts[at], rows.ends[at] - 1)


def _iris(rows: _Rows, kinds: NDArray[np.uint8]) -> Piece:
    found = _matches(rows.texts, _IRI)
    after = np.where(rows.graphs, 4, 2)
    others = np.flatnonzero((rows.first == _ANGLE) & ~found)
    for row in others[~rows.two_angles(others)].tolist():
        found[row] = _is_iri(rows.texts[row].as_py())
    kinds[found] = np.where(rows.graphs, NAMED_GRAPH, IRI)[found]
    at = np.flatnonzero(found)
    return at, rows.slices(at, rows.starts[at] + 1, (rows.ends - after)[at])


def _is_iri(token: str) -> bool:
    """Whether an IRI with its brackets and what follows them is one for pyoxigraph; if it has escapes, never mind."""
    match = _BRACKETED.fullmatch(token)
    if match is None:
        return False
    try:
        NamedNode(match[1])
    except ValueError:
        return False
    return True


def _blank_nodes(rows: _Rows, kinds: NDArray[np.uint8], scope: str) -> Piece:
    if not (rows.first == _UNDERSCORE).any():
        return _nothing()
    found = _matches(rows.texts, _BLANK_NODE)
    kinds[found] = np.where(rows.graphs, BLANK_GRAPH, BLANK)[found]
    at = np.flatnonzero(found)
    labels = rows.slices(at, rows.starts[at] + 2, (rows.ends - np.where(rows.graphs, 3, 1))[at])
    return at, pc.binary_join_element_wise(text_scalar(f"_:{scope}"), labels, text_scalar(""))


def _literals(rows: _Rows, kinds: NDArray[np.uint8]) -> tuple[list[Piece], Spellings]:
    quoted = (rows.first == _QUOTE) & ((rows.last == _SPACE) | (rows.last == _TAB)) & ~rows.with_byte(_RETURN)
    escaped = quoted & rows.with_byte(_BACKSLASH)
    at = np.flatnonzero(quoted & ~escaped)
    quotes = np.flatnonzero(rows.data == _QUOTE)
    opening = np.searchsorted(quotes, rows.starts[at])
    closed = np.searchsorted(quotes, rows.ends[at]) - opening == 2
    at, closing = at[closed], quotes[opening[closed] + 1]
    bare = closing + 2 == rows.ends[at]
    plain = (at[bare], rows.slices(at[bare], rows.starts[at[bare]], closing[bare] + 1))
    kinds[at[bare]] = LITERAL
    suffixed, spelled = _suffixed(rows, kinds, at[~bare], closing[~bare] + 1)
    unescaped, others = _escaped(rows, kinds, np.flatnonzero(escaped))
    return [plain, suffixed, unescaped], _in_order([spelled, others])


def _suffixed(rows: _Rows, kinds: NDArray[np.uint8], at: Places, middle: Places) -> tuple[Piece, Spellings]:
    """Literals with a language or a datatype, from `middle` on; of these there are few different ones."""
    if not len(at):
        return _nothing(), AS_FOLDED
    suffixes = rows.slices(at, middle, rows.ends[at] - 1).dictionary_encode()
    known = [suffix_key(suffix) for suffix in suffixes.dictionary.to_pylist()]
    places = numbers_of(suffixes.indices)
    good = np.array([key is not None for key in known], dtype=np.bool_)[places]
    at, middle, places = at[good], middle[good], places[good]
    kinds[at] = LITERAL
    folded = [folded_suffix(key or "") for key in known]
    ends = text_column(folded).take(row_column(places.astype(np.int64)))
    keys = pc.binary_join_element_wise(rows.slices(at, rows.starts[at], middle), ends, text_scalar(""))
    differs = np.array([key is not None and key != one for key, one in zip(known, folded, strict=True)], dtype=np.bool_)
    spelled = differs[places]
    return (at, keys), Spellings.of_used(at[spelled], places[spelled], [key or "" for key in known])


def _escaped(rows: _Rows, kinds: NDArray[np.uint8], at: Places) -> tuple[Piece, Spellings]:
    if not len(at):
        return _nothing(), AS_FOLDED
    found: dict[int, str] = {}
    for row in at.tolist():
        match = _ESCAPED.fullmatch(rows.texts[row].as_py())
        if match is not None:
            lexical, suffix = _unescaped(match[1]), suffix_key(match[2])
            if lexical is not None and suffix is not None:
                found[row] = f'"{lexical}"{suffix}'
    good = np.array([*found], dtype=np.int64)
    kinds[good] = LITERAL
    keys = FoldedKeys.of(text_column([*found.values()]))
    spelled = keys.spellings
    return (good, keys.texts), Spellings(good[spelled.rows], spelled.codes, spelled.suffixes)


def _in_order(parts: list[Spellings]) -> Spellings:
    """Spellings of different rows of one column, in the order of the rows."""
    joined = Spellings.joined(parts, [0] * len(parts))
    order = np.argsort(joined.rows, kind="stable")
    return Spellings(joined.rows[order], joined.codes[order], joined.suffixes)


@lru_cache(4096)
def suffix_key(suffix: str) -> str | None:
    """What a language or datatype adds to the normal key of a literal, None when pyoxigraph does not read it."""
    if _SUFFIX.fullmatch(suffix) is None:
        return None
    try:
        (quad,) = parse(input=f'<a:> <a:> ""{suffix} .\n'.encode(), format=RdfFormat.N_TRIPLES)
        key = key_of_parsed(quad.object).removeprefix('""')
    except (SyntaxError, ValueError, MemoryError):  # the last for one that fills the buffer of the parser
        return None
    # Pyoxigraph gives a tag in lower case.
    return suffix.strip(" \t") if key[:1] == "@" else key


def _unescaped(text: str) -> str | None:
    """The text with its escapes resolved, None when one of them means nothing."""
    try:
        return _ESCAPE.sub(_character, text)
    except (KeyError, ValueError, OverflowError):
        return None


def _character(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    if code is None:
        return _SHORT[match[3]]
    character = chr(int(code, 16))
    if "\ud800" <= character <= "\udfff":
        raise ValueError("a surrogate is not a character")
    return character


def _assembled(rows: _Rows, pieces: list[Piece]) -> pa.Array:
    """The keys of all rows, from those of some at a time."""
    at = np.concatenate([rows for rows, _ in pieces])
    keys = pa.concat_arrays([keys for _, keys in pieces] + [text_column([""])])
    places = np.full(len(rows.texts), len(at), dtype=np.int64)
    places[at] = np.arange(len(at))
    return keys.take(row_column(places))
