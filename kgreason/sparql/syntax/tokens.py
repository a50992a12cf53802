"""The tokens of a request: one regular expression (SPARQL 1.1, section 19.8), and where each of them stands.

A token has a kind, its text and its place. The kind of a mark is the mark itself (``{``, ``&&``), that of a word the
word in upper case (``SELECT``; only ``a`` is as it is), and all others have a name in lower case: ``variable``,
``iri``, ``name`` (with a prefix), ``label`` (of a blank node), ``integer``, ``decimal``, ``double``, ``text`` (in
quotation marks), ``long_text``, ``tag`` (of a language), ``end``. A ``bad`` one is the last: nothing after it is read.

Signs are marks, also those of numerals: whether ``-1`` is one term depends on what is before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from kgreason.checkpoints import checkpoint
from kgreason.errors import QuerySyntaxError
from kgreason.repetitions import REPEATED

_LETTERS: Final = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_MARKS: Final = "\u00b7\u0300-\u036f\u203f-\u2040"
_ESCAPED: Final = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]"
_EXPONENT: Final = r"[eE][+-]?[0-9]+"
_IRI: Final = r"<[^<>\"{}|^`\\\x00-\x20]*>"


def _quoted(mark: str) -> tuple[str, str]:
    """A long and a short text in a kind of quotation marks."""
    return (
        rf"{mark * 3}(?:[^{mark}\\]++|\\.|{mark}{{1,2}}(?!{mark})){REPEATED}{mark * 3}",
        rf"{mark}(?!{mark * 2})(?:[^{mark}\\\n\r]++|\\.){REPEATED}{mark}",
    )


_LONG, _SHORT = zip(_quoted('"'), _quoted("'"), strict=True)


@cache
def _expression(is_ascii: bool) -> re.Pattern[str]:
    """The expression for a token, after space and comments. That of texts with other characters than those of ASCII has
    the ranges of all letters, and takes 20 ms to compile."""
    letters, marks = ("A-Za-z", "") if is_ascii else (_LETTERS, _MARKS)
    first, rest = f"{letters}_", rf"{letters}_0-9{marks}\-"
    inner = rf"(?:[{rest}:]|{_ESCAPED})"
    prefix = rf"[{letters}][{rest}]*+(?:\.++[{rest}]++){REPEATED}"
    local = rf"(?:[{first}:0-9]|{_ESCAPED}){inner}{REPEATED}(?:\.++{inner}{inner}{REPEATED}){REPEATED}"
    return re.compile(
        rf"""(?:[\ \t\r\n]++|\#[^\r\n]*+){REPEATED}(?:
          (?P<variable>[?$][{first}0-9][{first}0-9{marks}]*+)
        | (?P<name>(?:{prefix})?:(?:{local})?)
        | (?P<iri>{_IRI})
        | (?P<label>_:[{first}0-9][{rest}]*+(?:\.++[{rest}]++){REPEATED})
        | (?P<word>[^\W\d]\w*+)
        | (?P<double>(?:[0-9]+\.[0-9]*|\.?[0-9]+){_EXPONENT})
        | (?P<decimal>[0-9]*\.[0-9]+)
        | (?P<integer>[0-9]+)
        | (?P<mark>\^\^|&&|\|\||!=|<=|>=|\)>>|<<\(|<(?!{_IRI})<|>>|\{{\||\|\}}|[{{}}()\[\].;,=<>+\-*/|^!?~])
        | (?P<long_text>{"|".join(_LONG)})
        | (?P<text>{"|".join(_SHORT)})
        | (?P<tag>@[a-zA-Z]+(?:-[a-zA-Z0-9]+)*(?:--[a-zA-Z]+)?)
        | (?P<end>\Z)
        | (?P<bad>.)
        )""",
        re.VERBOSE | re.DOTALL,
    )


_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))")
_HIGHEST: Final = 0x10FFFF
_SURROGATES: Final = range(0xD800, 0xE000)
_EACH: Final = 64


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text, whose last one is an ``end`` or ``bad``: about half a microsecond each."""

    original: str
    text: str
    """Without escapes of code points."""
    kinds: list[str]
    texts: list[str]
    ends: list[int]
    """Where each ends."""

    def start(self, number: int) -> int:
        """Where a token begins."""
        return self.ends[number] - len(self.texts[number])

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, from 1, of a place in the text, in the text as it was given."""
        if self.text is not self.original:
            offset += _longer_by(self.original, offset)
        before = self.original[:offset].replace("\r\n", " \n").replace("\r", "\n")
        return before.count("\n") + 1, offset - before.rfind("\n")


def tokens_of(original: str) -> Tokens:
    """The tokens of a request.

    Raises:
        QuerySyntaxError: an escape stands for no code point.
    """
    text = _unescaped(original) if "\\" in original else original
    kinds: list[str] = []
    texts: list[str] = []
    ends: list[int] = []
    for number, found in enumerate(_expression(text.isascii()).finditer(text)):
        if not number % _EACH:
            checkpoint()
        kind = found.lastgroup or "bad"
        token = found[kind]
        texts.append(token)
        ends.append(found.end())
        if kind == "mark":
            kinds.append(token)
        elif kind == "word":
            kinds.append("a" if token == "a" else token.upper())
        else:
            kinds.append(kind)
            if kind in ("end", "bad"):
                break
    return Tokens(original, text, kinds, texts, ends)


def place_of_iri(text: str, iri: str) -> tuple[int, int] | None:
    """Line and column of the first token of a request that has an IRI as it is; None where none has."""
    tokens, token = tokens_of(text), f"<{iri}>"
    return tokens.place(tokens.start(tokens.texts.index(token))) if token in tokens.texts else None


def _unescaped(text: str) -> str:
    """SPARQL 1.1, 19.2: the code points that are escaped anywhere in a text."""

    def character(found: re.Match[str]) -> str:
        point = int(found[1] or found[2], 16)
        if point > _HIGHEST or point in _SURROGATES:
            line, column = Tokens(text, text, [], [], []).place(found.start())
            expected = "a code point of Unicode"
            raise QuerySyntaxError(f"{found[0]} is not a character", line=line, column=column, expected=expected)
        return chr(point)

    return _ESCAPE.sub(character, text)


def _longer_by(original: str, offset: int) -> int:
    """How many characters the escapes before a place of the unescaped text are longer than what they stand for."""
    more = 0
    for found in _ESCAPE.finditer(original):
        if found.start() - more >= offset:
            break
        more += len(found[0]) - 1
    return more
