"""Text inside IRIs, labels of blank nodes and N-Triples: what may not stand there as it is.

A look at the bytes of a whole column tells in a nanosecond each whether anything is to be escaped; nearly always
nothing is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Final
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc

from kgreason_mapping.arrow.columns import content
from kgreason_mapping.plan.tree import Escape

_UNRESERVED: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_ALPHANUMERIC: Final = _UNRESERVED[:62]
_BEYOND_ASCII: Final = bytes(range(128, 256))
_PLANES: Final = "".join(f"{chr(plane << 16)}-{chr((plane << 16) + 0xFFFD)}" for plane in range(1, 14))
_NOT_IN_IRI: Final = re.compile(
    rf"[^A-Za-z0-9\-._~\xA0-\uD7FF\uF900-\uFDCF\uFDF0-\uFFEF{_PLANES}\U000E1000-\U000EFFFD]+"
)
_TOKEN_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_SPECIAL: Final = "".join(_TOKEN_ESCAPES).encode()
_NOTHING_SPECIAL: Final = bytes(set(range(256)) - set(_SPECIAL))


def escaped_for_iri(texts: pa.Array, escape: Escape) -> pa.Array:
    """Percent-encode what is not unreserved in an IRI (RFC 3987), or in a URI (RFC 3986)."""
    special = content(texts).translate(None, _UNRESERVED)
    if not special:
        return texts
    if special.isascii():
        found = set(special.decode())
        # The percent sign first, as it is what the others become.
        for character in sorted(found, key=lambda one: one != "%"):
            texts = pc.replace_substring(texts, character, f"%{ord(character):02X}")
        return texts
    if escape is Escape.IRI and not special.translate(None, _BEYOND_ASCII) and not _some_not_in_iri(texts):
        return texts
    return each_distinct(texts, _iri_text if escape is Escape.IRI else _uri_text)


def blank_labels(texts: pa.Array) -> pa.Array:
    """Labels of letters, digits and ``_XX`` for each other byte: different texts have different labels."""
    if not content(texts).translate(None, _ALPHANUMERIC):
        return texts
    return each_distinct(texts, _label)


def escaped_for_token(texts: pa.Array) -> pa.Array:
    """Lexical forms as N-Triples writes them between quotation marks."""
    special = content(texts).translate(None, _NOTHING_SPECIAL)
    if special:
        for character, escape in _TOKEN_ESCAPES.items():
            if character.encode() in special:
                texts = pc.replace_substring(texts, character, escape)
    return texts


@cache
def token_text(lexical: str) -> str:
    """One lexical form as N-Triples writes it."""
    return "".join(_TOKEN_ESCAPES.get(character, character) for character in lexical)


def each_distinct(texts: pa.Array, make: Callable[[str], str | None]) -> pa.Array:
    """A function of Python on each distinct text: a microsecond for each."""
    encoded = pc.dictionary_encode(texts)
    made = pa.array(list(map(make, encoded.dictionary.to_pylist())), pa.string())
    return made.take(encoded.indices)


def _some_not_in_iri(texts: pa.Array) -> bool:
    return _NOT_IN_IRI.search(content(texts).decode("utf-8", "replace")) is not None


def _iri_text(text: str) -> str:
    return _NOT_IN_IRI.sub(lambda found: quote(found.group(), safe=""), text)


def _uri_text(text: str) -> str:
    return quote(text, safe="-._~")


def _label(text: str) -> str:
    if text.isascii() and text.isalnum():
        return text
    return "".join(
        character if character.isascii() and character.isalnum() else
        "".join(f"_{byte:02X}" for byte in character.encode())
        for character in text
    )


def mask_of_empty(texts: pa.Array) -> pa.Array:
    """Whether each text is empty; null for null."""
    return pc.equal(pc.binary_length(texts), 0)


