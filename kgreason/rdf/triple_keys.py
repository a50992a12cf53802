"""Keys of triple terms: ``<<( <http://e/s> <http://e/p> "x"@en )>>``, made of the keys of their parts and taken apart.

The parts are written as N-Triples has them, with the fewest escapes. Tags within are in lower case, and strings without
their datatype, so that one triple term has one key.
"""

from __future__ import annotations

import re
from typing import Final

from kgreason.errors import TermError, quoted
from kgreason.rdf.vocabulary import XSD_STRING

OPENING: Final = "<<( "
CLOSING: Final = " )>>"
MOST_NESTED: Final = 100
"""So many triple terms at most are inside of each other."""

_LITERAL: Final = r'"(?P<text>(?:[^"\\]|\\[\\"nrt])*)"(?P<suffix>@[A-Za-z0-9-]+|\^\^<[^<>"]+>)?'
_TOKEN: Final = re.compile(rf'(?P<open><<\()|(?P<close>\)>>)|<(?P<iri>[^<>"\s]+)>|(?P<blank>_:[^\s<>"]+)|{_LITERAL}')
_TO_BE_FOLDED: Final = re.compile(rf'"(?:@[^ ]*[A-Z]|\^\^<{re.escape(XSD_STRING)}>)')
_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_ESCAPED: Final = re.compile(r"\\(.)")
_MEANT: Final = {"n": "\n", "r": "\r", "t": "\t"}


def is_triple_key(key: str) -> bool:
    """Whether a key is of a triple term: no IRI begins so."""
    return key[:2] == "<<"


def triple_key(subject: str, predicate: str, object: str) -> str:
    """The key of a triple term, by the keys of its parts.

    Raises:
        TermError: more than `MOST_NESTED` triple terms would be inside of each other.
    """
    if object.count(OPENING) >= MOST_NESTED and _depth(object) >= MOST_NESTED:
        raise TermError(f"more than {MOST_NESTED} triple terms are inside of each other")
    return f"{OPENING}{_token(subject)} {_token(predicate)} {_token(object)}{CLOSING}"


def triple_parts(key: str) -> tuple[str, str, str]:
    """The keys of the subject, the predicate and the object of a triple term.

    Raises:
        TermError: the key is not of a triple term.
    """
    inside = key[len(OPENING) : -len(CLOSING)]
    tokens: list[str] = []
    end = depth = begin = 0
    goes_on = key.startswith(OPENING) and key.endswith(CLOSING)
    while goes_on and depth >= 0 and end <= len(inside) and (found := _TOKEN.match(inside, end)):
        if found["open"] and not depth:
            begin = end
        depth += (found["open"] is not None) - (found["close"] is not None)
        end = found.end()
        if not depth:
            tokens.append(inside[begin:end] if found["close"] else _key(found))
        goes_on = inside[end : end + 1] == " "
        end += goes_on
    is_whole = end == len(inside) and not depth and not goes_on
    match tokens:
        case [subject, predicate, object] if is_whole and _may_begin(subject, predicate):
            return subject, predicate, object
    raise TermError(f"{quoted(key)} is not the key of a triple term", key)


def normal_triple(key: str) -> str:
    """The one key of a triple term of which a key may have tags in capitals, or strings with their datatype."""
    if '"' not in key or _TO_BE_FOLDED.search(key) is None:
        return key
    subject, predicate, object = triple_parts(key)
    return triple_key(subject, predicate, normal_triple(object) if is_triple_key(object) else object)


def _may_begin(subject: str, predicate: str) -> bool:
    """Whether keys are of an IRI or a blank node, and of an IRI."""
    return not subject.startswith(('"', "<<")) and not predicate.startswith(('"', "<<", "_:"))


def _depth(key: str) -> int:
    """How many triple terms are inside of each other in a key."""
    deepest = depth = 0
    for found in _TOKEN.finditer(key):
        depth += (found["open"] is not None) - (found["close"] is not None)
        deepest = max(deepest, depth)
    return deepest


def _token(key: str) -> str:
    """A key as it is written inside of a triple term."""
    if key[:1] != '"':
        return key if is_triple_key(key) or key[:2] == "_:" else f"<{key}>"
    end = key.rindex('"')
    text, suffix = key[1:end].translate(_ESCAPES), key[end + 1 :]
    if suffix[:1] == "@":
        return f'"{text}"{suffix.lower()}'
    return f'"{text}"' if suffix in ("", f"^^{XSD_STRING}") else f'"{text}"^^<{suffix[2:]}>'


def _key(found: re.Match[str]) -> str:
    """The key of what is written inside of a triple term, but for another triple term."""
    if found["iri"] is not None:
        return found["iri"]
    if found["blank"] is not None:
        return found["blank"]
    text, suffix = found["text"], found["suffix"] or ""
    if "\\" in text:
        text = _ESCAPED.sub(lambda escape: _MEANT.get(escape[1], escape[1]), text)
    return f'"{text}"{suffix}' if suffix[:1] == "@" or not suffix else f'"{text}"^^{suffix[3:-1]}'
