"""The grammar of blank nodes of N-Triples (https://www.w3.org/TR/n-triples/), of IRIs (RFC 3987) and of language tags
(BCP 47) as regular expressions of Java.

Repetitions are possessive or atomic wherever a text can be long: then a line costs time in proportion to its length,
and Java's matcher needs no stack for it. It is fastest where the innermost one is greedy (`[a]+` in `(?:[a]+|b)*+`).
"""

from __future__ import annotations

from string import ascii_letters, digits
from typing import Final

_HEX: Final = "[0-9A-Fa-f]"
_LETTERS: Final = (
    r"A-Za-z\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{2FF}\x{370}-\x{37D}\x{37F}-\x{1FFF}\x{200C}-\x{200D}\x{2070}-\x{218F}"
    r"\x{2C00}-\x{2FEF}\x{3001}-\x{D7FF}\x{F900}-\x{FDCF}\x{FDF0}-\x{FFFD}\x{10000}-\x{EFFFF}_"
)
_LABEL: Final = rf"{_LETTERS}0-9\-\x{{B7}}\x{{300}}-\x{{36F}}\x{{203F}}-\x{{2040}}"

# Not those of halves of a surrogate pair, nor what is beyond Unicode.
UNICODE_ESCAPE: Final = (
    rf"\\(?:u(?:[0-9A-CEFa-cef]{_HEX}|[Dd][0-7]){_HEX}{{2}}"
    rf"|U00(?:(?:0[1-9A-Fa-f]|10){_HEX}|00(?:[0-9A-CEFa-cef]|[Dd](?=[0-7]))){_HEX}{{3}})"
)

_UCS: Final = r"\x{A0}-\x{D7FF}\x{F900}-\x{FDCF}\x{FDF0}-\x{FFEF}" + "".join(
    rf"\x{{{plane:X}{'1000' if plane == 0xE else '0000'}}}-\x{{{plane:X}FFFD}}" for plane in range(0x1, 0xF)
)
_PRIVATE: Final = r"\x{E000}-\x{F8FF}\x{F0000}-\x{FFFFD}\x{100000}-\x{10FFFD}"


def _characters(more: str = "", beyond: str = _UCS) -> str:
    """Any number of the characters that an IRI may have everywhere, and of more; `beyond` are those beyond ASCII."""
    # Java looks a character up in a table where a class names single ones of Latin-1 and nothing else, not even ranges.
    return rf"(?:[{ascii_letters}{digits}._~!$&'()*+,;=\-{more}]+|%{_HEX}{{2}}|[{beyond}]+)*+"


_GROUP: Final = f"{_HEX}{{1,4}}"
_OCTET: Final = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_LAST_GROUPS: Final = rf"(?:{_GROUP}:{_GROUP}|{_OCTET}(?:\.{_OCTET}){{3}})"
_IPV6: Final = "|".join(
    (
        f"(?:{_GROUP}:){{6}}{_LAST_GROUPS}",
        *(f"(?:(?:{_GROUP}:){{0,{most}}}{_GROUP})?::(?:{_GROUP}:){{{4 - most}}}{_LAST_GROUPS}" for most in range(5)),
        f"::(?:{_GROUP}:){{5}}{_LAST_GROUPS}",
        f"(?:(?:{_GROUP}:){{0,5}}{_GROUP})?::{_GROUP}",
        f"(?:(?:{_GROUP}:){{0,6}}{_GROUP})?::",
    )
)
_AUTHORITY: Final = (
    rf"(?:{_characters(':')}@)?+"
    rf"(?:\[(?:{_IPV6}|[vV]{_HEX}++\.[A-Za-z0-9._~!$&'()*+,;=:\-]++)\]|{_characters()})(?::[0-9]*+)?+"
)
IRI: Final = (
    rf"[A-Za-z][A-Za-z0-9+.\-]*+:(?://{_AUTHORITY}(?:/{_characters(':@/')})?+(?=[?#>]|\z)|(?!//){_characters(':@/')})"
    rf"(?:\?{_characters(':@/?', _UCS + _PRIVATE)})?+(?:#{_characters(':@/?')})?+"
)
BLANK_NODE: Final = rf"_:[{_LETTERS}0-9][{_LABEL}]*+(?:\.++[{_LABEL}]++)*+"

_IRREGULAR_TAGS: Final = (
    "art-lojban|cel-gaulish|en-gb-oed|i-(?:ami|bnn|default|enochian|hak|klingon|lux|mingo|navajo|pwn|tao|tay|tsu)"
    "|no-(?:bok|nyn)|sgn-(?:be-fr|be-nl|ch-de)|zh-(?:guoyu|hakka|min-nan|min|xiang)"
)
_PRIVATE_TAG: Final = "x(?:-[a-z0-9]{1,8}+)++"
LANGUAGE_TAG: Final = (
    rf"(?i:(?:{_IRREGULAR_TAGS}|{_PRIVATE_TAG}|(?:[a-z]{{2,3}}(?:-[a-z]{{3}}(?![a-z0-9])){{0,3}}|[a-z]{{4,8}})"
    r"(?:-[a-z]{4}(?![a-z0-9]))?(?:-(?:[a-z]{2}|[0-9]{3})(?![a-z0-9]))?(?:-(?:[a-z][a-z0-9]{4,7}|[0-9][a-z0-9]{3,7}))*"
    rf"(?:-[a-wyz0-9](?:-[a-z0-9]{{2,8}})+)*(?:-{_PRIVATE_TAG})?)(?![a-z0-9]|-(?!-)))"
)
"""A tag; two hyphens behind it begin a base direction."""
