"""The syntax of XPath's regular expressions, rewritten for RE2 and for the `regex` module.

Both read what comes out here. ``\\i`` and ``\\c`` are characters of XML names, ``\\d``, ``\\w`` and ``\\s`` those of
XML Schema (2nd edition, part 2, appendix F), ``[a-z-[aeiou]]`` leaves characters out, white space falls away under the
flag ``x``. What RE2 has beyond XPath, such as ``\\b``, is left as it is.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Final, TypeAlias

from kgreason.errors import FunctionError

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Characters as ascending ranges of code points, both ends included, that do not touch."""
Item: TypeAlias = Ranges | str
"""What stands in a class: characters, or categories as RE2 and `regex` write them."""

_LAST: Final = sys.maxunicode
_SURROGATES: Final = (0xD800, 0xDFFF)
_SINGLE: Final = {"n": "\n", "r": "\r", "t": "\t"}
_SPECIAL: Final = frozenset("\\]^-[&|~")
_CATEGORY: Final = re.compile(r"\\([pP])\{([A-Z][a-z]?)\}")
_BACKTRACKING: Final = re.compile(r"\(\?(?:[=!]|<[=!])")
_BLANKS: Final = " \t\n\r"

_NAMES: Final = re.compile("L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|Z[slp]?|S[mcko]?|C[cfosn]?")
# RE2 counts no unassigned characters.
_UNASSIGNED: Final = ("C", "Cn")
# As categories, both in and outside of a class; XML Schema leaves punctuation, separators and others out of words.
_CATEGORIES: Final = {
    "d": r"\p{Nd}", "D": r"\P{Nd}", "w": r"\p{L}\p{M}\p{N}\p{S}", "W": r"\p{P}\p{Z}\p{C}",
}  # fmt: skip


def _united(ranges: Iterable[tuple[int, int]]) -> Ranges:
    found: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return tuple(found)


def _complement(ranges: Ranges) -> Ranges:
    borders = [0, *(border for first, last in ranges for border in (first, last + 1)), _LAST + 1]
    return tuple((begin, end - 1) for begin, end in zip(borders[::2], borders[1::2], strict=True) if begin < end)


def _ranges(text: str) -> Ranges:
    """The ranges of a text of single characters and pairs with a hyphen between them."""
    return _united((ord(pair[0]), ord(pair[-1])) for pair in re.findall(r".-.|.", text, re.DOTALL))


_NAME_START: Final = _ranges(
    "A-Za-z_:\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\U000effff"
)
_NAME: Final = _united((*_NAME_START, *_ranges("-.0-9\u00b7\u0300-\u036f\u203f\u2040")))
_CHARACTERS: Final = {
    "i": _NAME_START, "I": _complement(_NAME_START), "c": _NAME, "C": _complement(_NAME),
    "s": _ranges(_BLANKS), "S": _complement(_ranges(_BLANKS)),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A pattern for RE2 and for `regex`; `backtracks` if only the latter has what is in it, such as ``\\1``."""

    text: str
    backtracks: bool


def rewritten(pattern: str, flags: str) -> Rewritten:
    """Rewrite an XPath pattern; FunctionError for one that is wrong, or an unknown flag. Its flags ``i``, ``s`` and
    ``m`` go before it."""
    unknown = flags.strip("ismxq")
    if unknown:
        raise FunctionError(f"unknown regular expression flag {unknown[0]!r}")
    options = "".join(flag for flag in "ism" if flag in flags)
    prefix = f"(?{options})" if options else ""
    if "q" in flags:
        return Rewritten(prefix + re.escape(pattern), False)
    reader = _Reader(pattern, "x" in flags)
    return Rewritten(prefix + "".join(reader.pieces()), reader.backtracks)


class _Reader:
    """Goes through a pattern once."""

    def __init__(self, pattern: str, spaced: bool) -> None:
        self._pattern = pattern
        self._spaced = spaced
        self._at = 0
        self.backtracks = _BACKTRACKING.search(pattern) is not None

    def pieces(self) -> Iterator[str]:
        """The parts of the rewritten pattern."""
        while self._at < len(self._pattern):
            character = self._pattern[self._at]
            if character == "\\":
                yield self._escape()
            elif character == "[":
                self._at += 1
                yield self._class()
            else:
                self._at += 1
                if not (self._spaced and character in _BLANKS):
                    yield character

    def _escape(self) -> str:
        """What an escape outside of a class stands for."""
        if self._pattern.startswith("\\W", self._at):
            self._at += 2
            return f"[^{_CATEGORIES['w']}]"
        characters = self._many()
        if characters is not None:
            return f"[{_text_of(characters)}]"
        letter = self._single()
        self.backtracks |= letter.isdigit()
        return "\\" + letter

    def _many(self) -> Item | None:
        """What an escape of many characters stands for; None for another one."""
        category = _CATEGORY.match(self._pattern, self._at)
        if category is not None:
            self._at = category.end()
            if not _NAMES.fullmatch(category[2]):
                raise self._wrong(f"unknown Unicode category {category[2]}")
            if category[2] in _UNASSIGNED:
                members = _categories()[category[2]]
                return members if category[1] == "p" else _complement(members)
            return category[0]
        letter = self._pattern[self._at + 1 : self._at + 2]
        found = _CATEGORIES.get(letter) or _CHARACTERS.get(letter)
        self._at += 2 if found is not None else 0
        return found

    def _single(self) -> str:
        """The character after a backslash."""
        letter = self._pattern[self._at + 1 : self._at + 2]
        self._at += 2
        return letter

    def _class(self) -> str:
        """The class that begins after a bracket."""
        is_negated, items, without = self._members()
        if without is None:
            return f"[{'^' * is_negated}{''.join(map(_text_of, items))}]"
        members = _ranges_of(items)
        members = _complement(members) if is_negated else members
        left = _complement(_united((*_complement(members), *without)))
        return f"[{_text_of(left)}]" if left else f"[^{_text_of(((0, _LAST),))}]"

    def _members(self) -> tuple[bool, list[Item], Ranges | None]:
        """Whether a class is negated, what is in it, and what is taken from that."""
        is_negated = self._skip("^")
        items: list[Item] = []
        first = self._at
        while self._at < len(self._pattern):
            if self._at > first and self._skip("]"):
                return is_negated, items, None
            if self._skip("-["):
                negated, inner, less = self._members()
                without = _ranges_of(inner)
                without = _complement(without) if negated else without
                if less is not None:
                    without = _complement(_united((*_complement(without), *less)))
                if self._skip("]"):
                    return is_negated, items, without
                break
            items.append(self._item())
        raise self._wrong("'[' is not closed")

    def _item(self) -> Item:
        """A character, a range of them, or an escape of many, inside of a class."""
        many = self._many() if self._pattern[self._at] == "\\" else None
        if many is not None:
            return many
        first = last = self._member()
        following = self._pattern[self._at + 1 : self._at + 2]
        if self._pattern.startswith("-", self._at) and following not in ("", "]", "["):
            self._at += 1
            last = self._member()
            if last < first:
                raise self._wrong(f"the range {chr(first)}-{chr(last)} is empty")
        return ((first, last),)

    def _member(self) -> int:
        character = self._pattern[self._at]
        if character != "\\":
            self._at += 1
            return ord(character)
        letter = self._single()
        if not letter or (letter.isalnum() and letter not in _SINGLE):
            raise self._wrong(f"'\\{letter}' is not a character")
        return ord(_SINGLE.get(letter, letter))

    def _skip(self, text: str) -> bool:
        found = self._pattern.startswith(text, self._at)
        self._at += len(text) if found else 0
        return found

    def _wrong(self, reason: str) -> FunctionError:
        return FunctionError(f"{self._pattern!r} is not a regular expression: {reason}")


def _text_of(item: Item) -> str:
    """An item as written in a character class. Surrogates are left out, since UTF-8 has none."""
    if isinstance(item, str):
        return item
    return "".join(f"{_escaped(first)}-{_escaped(last)}" for first, last in _without_surrogates(item))


def _without_surrogates(ranges: Ranges) -> Iterator[tuple[int, int]]:
    begin, end = _SURROGATES
    for first, last in ranges:
        if first < begin:
            yield first, min(last, begin - 1)
        if last > end:
            yield max(first, end + 1), last


def _escaped(code: int) -> str:
    character = chr(code)
    return f"\\x{code:02x}" if code < 0x20 else "\\" + character if character in _SPECIAL else character


def _ranges_of(items: Iterable[Item]) -> Ranges:
    """The characters of items."""
    found: list[tuple[int, int]] = []
    for item in items:
        if isinstance(item, str):
            for sign, name in _CATEGORY.findall(item):
                members = _categories()[name]
                found += members if sign == "p" else _complement(members)
        else:
            found += item
    return _united(found)


@lru_cache(maxsize=1)
def _categories() -> Mapping[str, Ranges]:
    """The characters of each Unicode category: about 0.2 s, once."""
    found: dict[str, list[tuple[int, int]]] = {}
    end = 0
    for name, run in groupby(map(unicodedata.category, map(chr, range(_LAST + 1)))):
        begin, end = end, end + sum(1 for _ in run)
        for key in (name, name[0]):
            found.setdefault(key, []).append((begin, end - 1))
    return {name: _united(ranges) for name, ranges in found.items()}
