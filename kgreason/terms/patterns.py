"""Regular expressions as XPath has them (Functions and Operators 1.0, section 7.6), on Python's `re`.

What differs is rewritten: ``$`` is the very end, ``\\i`` and ``\\c`` are characters of XML names, ``\\p{L}`` those of
a Unicode category, and ``[a-z-[aeiou]]`` leaves characters out. What Python has beyond XPath, such as ``\\b``, works,
too.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import Final

from kgreason.errors import FunctionError

_FLAGS: Final = {"i": re.IGNORECASE, "s": re.DOTALL, "m": re.MULTILINE}
_NAME_START: Final = (
    "A-Za-z_:\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\U000effff"
)
_NAMES: Final = {"i": _NAME_START, "c": _NAME_START + "\\-.0-9\u00b7\u0300-\u036f\u203f\u2040"}


@lru_cache(maxsize=256)
def compiled(pattern: str, flags: str = "") -> re.Pattern[str]:
    """The pattern for Python; FunctionError for one that is wrong, or an unknown flag."""
    unknown = flags.strip("ismxq")
    if unknown:
        raise FunctionError(f"there is no regular expression flag {unknown[0]!r}")
    total = re.RegexFlag(0)
    for flag in flags:
        total |= _FLAGS.get(flag, re.RegexFlag(0))
    text = re.escape(pattern) if "q" in flags else "".join(_translated(pattern, "m" in flags, "x" in flags))
    try:
        return re.compile(text, total)
    except (re.error, OverflowError, RecursionError) as error:
        raise FunctionError(f"{pattern!r} is no regular expression: {error}") from error


def replaced(text: str, pattern: str, new: str, flags: str = "") -> str:
    """The text with all matches replaced; ``$1`` stands for a group, ``\\$`` and ``\\\\`` for themselves."""
    found = compiled(pattern, flags)
    if found.search("") is not None:
        raise FunctionError(f"{pattern!r} matches the empty text and cannot be replaced")
    pieces = [new] if "q" in flags else [*_replacement(new, found.groups)]
    return found.sub(
        lambda match: "".join(p if isinstance(p, str) else match.group(p) or "" for p in pieces), text
    )


def _replacement(new: str, groups: int) -> Iterator[str | int]:
    """The texts of a replacement, and the numbers of groups in it."""
    for piece in re.findall(r"\\.|\$\d+|[^\\$]+|[\\$]", new, re.DOTALL):
        if piece in ("\\\\", "\\$"):
            yield piece[1]
        elif piece[0] == "$" and len(piece) > 1:
            # As many digits as there are groups for; the others are text.
            digits = piece[1:]
            used = next((n for n in range(len(digits), 1, -1) if int(digits[:n]) <= groups), 1)
            if int(digits[:used]) <= groups:
                yield int(digits[:used])
            yield digits[used:]
        elif piece[0] in "\\$":
            raise FunctionError(f"{new!r} is no replacement: {piece!r}")
        else:
            yield piece


def _translated(pattern: str, lines: bool, spaced: bool) -> Iterator[str]:
    at = 0
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            escape, at = _escape(pattern, at, inside=False)
            yield escape
            continue
        if character == "[":
            group, at = _group(pattern, at)
            yield group
            continue
        at += 1
        if character == "$" and not lines:
            yield r"\Z"
        elif not (spaced and character in " \t\n\r"):
            yield character


def _group(pattern: str, at: int) -> tuple[str, int]:
    """The class of characters that begins at a place, and where it ends."""
    parts, start = ["["], at + 1
    at = start
    if pattern[at : at + 1] == "^":
        parts.append("^")
        at += 1
        start += 1
    while at < len(pattern):
        character = pattern[at]
        if character == "]" and at > start:
            return "".join(parts) + "]", at + 1
        if pattern[at : at + 2] == "-[":
            without, end = _group(pattern, at + 1)
            if pattern[end : end + 1] != "]":
                break
            return f"(?:(?!{without}){''.join(parts)}])", end + 1
        if character == "\\":
            escape, at = _escape(pattern, at, inside=True)
            parts.append(escape)
            continue
        parts.append("\\" + character if character in "[&|~" else character)
        at += 1
    raise FunctionError(f"{pattern!r} is no regular expression: '[' is not closed")


def _escape(pattern: str, at: int, *, inside: bool) -> tuple[str, int]:
    """What a backslash and what follows it stand for, and where that ends."""
    letter = pattern[at + 1 : at + 2]
    category = re.compile(r"\\[pP]\{([A-Z][a-z]?)\}").match(pattern, at)
    if category is not None:
        ranges, end = _category(category.group(1)), category.end()
    elif letter in ("i", "c", "I", "C"):
        ranges, end = _NAMES[letter.lower()], at + 2
    else:
        return pattern[at : at + 2], at + 2
    if not letter.isupper():
        return (ranges if inside else f"[{ranges}]"), end
    if inside:
        raise FunctionError(f"{pattern!r}: \\{letter} cannot stand inside of [...]")
    return f"[^{ranges}]", end


@lru_cache(maxsize=64)
def _category(name: str) -> str:
    """The characters of a Unicode category, as ranges."""
    members = (code for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)).startswith(name))
    runs = [[code for _, code in run] for _, run in groupby(enumerate(members), lambda pair: pair[1] - pair[0])]
    if not runs:
        raise FunctionError(f"there is no Unicode category {name}")
    return "".join(f"\\U{run[0]:08x}-\\U{run[-1]:08x}" for run in runs)
