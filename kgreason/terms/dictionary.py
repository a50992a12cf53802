"""The dictionary: from RDF terms to dense uint32 ids and back.

A term is kept once, as its *key*: an IRI as it is, a blank node as ``_:label``, a literal as ``"lexical"``,
``"lexical"@language`` or ``"lexical"^^datatype`` with the lexical form unescaped. Keys of different terms
differ: no IRI begins with a quotation mark or ``_:``, and neither a language nor a datatype contains one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kgreason.errors import TermError
from kgreason.terms.model import IRI, BlankNode, Literal, Term

IRI_KIND: Final = 0
BLANK_KIND: Final = 1
LITERAL_KIND: Final = 2

_FORBIDDEN = re.compile(r"[\x00-\x20<>\"{}|^`\\]")
_DECODED_TERMS = 1 << 16


def key_of(term: Term) -> str:
    """The key of a term; TermError for an IRI or a tag that RDF does not allow."""
    match term:
        case IRI(value):
            return iri_key(value)
        case BlankNode(label):
            return f"_:{label}"
        case Literal(lexical, None, None):
            return f'"{lexical}"'
        case Literal(lexical, datatype, None):
            return f'"{lexical}"^^{iri_key(datatype or "")}'
        case Literal(lexical, _, language):
            return f'"{lexical}"@{language}'


def iri_key(value: str) -> str:
    """The IRI itself, checked for the characters that no IRI has."""
    bad = _FORBIDDEN.search(value)
    if bad is not None or not value or value.startswith("_:"):
        reason = f"has the character {bad.group()!r} in it" if bad else "is empty or a blank node"
        raise TermError(f"{value!r} is not a valid IRI: it {reason}")
    return value


def term_of(key: str) -> Term:
    """The term of a key."""
    if key.startswith("_:"):
        return BlankNode(key[2:])
    if not key.startswith('"'):
        return IRI(key)
    end = key.rindex('"')
    lexical, suffix = key[1:end], key[end + 1 :]
    if not suffix:
        return Literal(lexical)
    return Literal(lexical, None, suffix[1:]) if suffix[0] == "@" else Literal(lexical, suffix[2:])


class Dictionary:
    """Interns terms; ids are given in the order of first sight and never taken back."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._keys: list[str] = []
        self._kinds = np.empty(1024, dtype=np.uint8)
        self._kinds_known = 0
        self._literals = np.empty(1024, dtype=np.bool_)
        self._decode = lru_cache(_DECODED_TERMS)(self._decode_now)

    def __len__(self) -> int:
        return len(self._keys)

    def encode(self, term: Term) -> int:
        """The id of a term, a new one when it was never seen."""
        return self.encode_key(key_of(term))

    def lookup(self, term: Term) -> int | None:
        """The id of a term, None when it was never seen."""
        return self.lookup_key(key_of(term))

    def decode(self, identifier: int) -> Term:
        """The term of an id; the terms decoded last are cached."""
        return self._decode(identifier)

    def encode_key(self, key: str) -> int:
        """The id of a key, a new one when it was never seen."""
        known = self._ids.get(key)
        if known is None:
            known = self._ids.setdefault(_lower_language(key), len(self._keys))
            if known == len(self._keys):
                self._keys.append(key)
        return known

    def lookup_key(self, key: str) -> int | None:
        """The id of a key, None when it was never seen."""
        known = self._ids.get(key)
        return known if known is not None else self._ids.get(_lower_language(key))

    def key(self, identifier: int) -> str:
        """The key of an id."""
        return self._keys[identifier]

    def encode_keys(self, keys: Iterable[str]) -> NDArray[np.uint32]:
        """The ids of many keys."""
        encode = self.encode_key
        return np.fromiter((encode(key) for key in keys), dtype=np.uint32)

    def kinds(self, identifiers: NDArray[np.uint32]) -> NDArray[np.uint8]:
        """For each id IRI_KIND, BLANK_KIND or LITERAL_KIND: O(n) once the terms have been looked at."""
        return self._all_kinds()[identifiers]

    def literal_mask(self) -> NDArray[np.bool_]:
        """For every id whether it is a literal."""
        count = len(self._all_kinds())
        return self._literals[:count]

    def memory(self) -> int:
        """Bytes held by the keys, by a sample of a thousand, and by the table of ids."""
        count = len(self._keys)
        sample = self._keys[:: max(1, count // 1000)]
        mean = sum(map(len, sample)) / len(sample) + 49 if sample else 0
        return int(count * (mean + 8 + 60)) + self._kinds.nbytes

    def _all_kinds(self) -> NDArray[np.uint8]:
        count = len(self._keys)
        if count > self._kinds_known:
            if count > len(self._kinds):
                more = max(count, 2 * len(self._kinds)) - len(self._kinds)
                self._kinds = np.append(self._kinds, np.empty(more, dtype=np.uint8))
                self._literals = np.append(self._literals, np.empty(more, dtype=np.bool_))
            fresh = slice(self._kinds_known, count)
            self._kinds[fresh] = np.fromiter(map(kind_of_key, self._keys[fresh]), np.uint8, count - self._kinds_known)
            self._literals[fresh] = self._kinds[fresh] == LITERAL_KIND
            self._kinds_known = count
        return self._kinds[:count]

    def _decode_now(self, identifier: int) -> Term:
        return term_of(self._keys[identifier])

    def __getstate__(self) -> list[str]:
        return self._keys

    def __setstate__(self, keys: list[str]) -> None:
        Dictionary.__init__(self)
        for key in keys:
            self.encode_key(key)

    def _check(self) -> None:
        assert len(self._ids) == len(self._keys), "ids and keys differ in number"
        assert all(self.lookup_key(key) == i for i, key in enumerate(self._keys)), "a key has another id"


def kind_of_key(key: str) -> int:
    first = key[:1]
    return LITERAL_KIND if first == '"' else BLANK_KIND if first == "_" and key[1:2] == ":" else IRI_KIND


def _lower_language(key: str) -> str:
    """Language tags are the same in any case; the spelling first seen is kept."""
    if key[:1] != '"' or key[-1:] == '"':
        return key
    end = key.rindex('"') + 1
    return key[:end] + key[end:].lower() if key[end] == "@" else key
