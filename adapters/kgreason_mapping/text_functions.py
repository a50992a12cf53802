"""What functions of mappings make of the texts of one row, where an engine has no function for whole columns."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import Final
from urllib.parse import quote

HTML: Final = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;"))
XML: Final = (*HTML[:-1], ("'", "&apos;"))
"""What is written for a character, the ampersand first."""
ESCAPES: Final = ("html", "xml", "url", "csv")
CONTROLS: Final = "".join(map(chr, range(33)))
"""What ``trim`` takes off: spaces and all before them, as Java has it."""

_DIRECTIVES: Final = {
    "yyyy": "%Y", "uuuu": "%Y", "yy": "%y", "MMMM": "%B", "MMM": "%b", "MM": "%m", "M": "%m", "dd": "%d", "d": "%d",
    "EEEE": "%A", "EEE": "%a", "HH": "%H", "H": "%H", "hh": "%I", "h": "%I", "mm": "%M", "m": "%M", "ss": "%S",
    "s": "%S", "SSS": "%f", "SSSSSS": "%f", "a": "%p", "XXX": "%z", "Z": "%z",
}  # fmt: skip


def substring(text: str, begin: str, end: str) -> str | None:
    """The characters from one position up to another, which counts from the end where it is negative; none where the
    text ends before. ValueError for a text that is not a number."""
    first = int(begin)
    last = int(end) if end else len(text)
    return None if first > len(text) else text[first:last]


def escaped(text: str, mode: str) -> str:
    """A text as it is written in HTML, XML, a URL or a field of CSV; ValueError for another mode."""
    match mode.lower():
        case "html" | "xml" as kind:
            for character, written in HTML if kind == "html" else XML:
                text = text.replace(character, written)
            return text
        case "url":
            return quote(text, safe="-._~")
        case "csv":
            return '"' + text.replace('"', '""') + '"' if any(one in text for one in '",\r\n') else text
        case _:
            raise ValueError(mode)


def title(text: str) -> str:
    """Each word with a capital letter first and small ones then."""
    return " ".join(word[:1].upper() + word[1:].lower() for word in text.split(" "))


def upper_url(text: str) -> str:
    """A URL in capital letters, behind ``http://`` where it has no scheme."""
    return text.upper() if "://" in text else f"http://{text.upper()}"


def chomp(text: str, end: str) -> str:
    """A text without an end."""
    return text.removesuffix(end)


def replaced(text: str, find: str, replacement: str) -> str:
    """A text with each occurrence of another one replaced."""
    return text.replace(find, replacement) if find else text


def digest(name: str) -> Callable[[str], str]:
    """A hash of UTF-8, in hexadecimal digits."""
    return lambda text: hashlib.new(name, text.encode(), usedforsecurity=False).hexdigest()


def date(text: str, pattern: str) -> str:
    """A date that is written by a pattern, as xsd:date; ValueError where it is not."""
    return datetime.strptime(text, directives(pattern)).date().isoformat()


def date_time(text: str, pattern: str) -> str:
    """A time that is written by a pattern, as xsd:dateTime; ValueError where it is not."""
    return datetime.strptime(text, directives(pattern)).isoformat().replace("+00:00", "Z")


@cache
def directives(pattern: str) -> str:
    """A pattern of Java (``dd.MM.yyyy``), or of C, as one of C; ValueError for letters that are not known."""
    if "%" in pattern:
        return pattern
    made, position = "", 0
    while position < len(pattern):
        letter = pattern[position]
        end = position + 1
        if letter == "'":
            end = pattern.index("'", end) + 1
            made += pattern[position + 1 : end - 1] or "'"
        elif letter.isalpha() and letter.isascii():
            while pattern[end : end + 1] == letter:
                end += 1
            if pattern[position:end] not in _DIRECTIVES:
                raise ValueError(pattern)
            made += _DIRECTIVES[pattern[position:end]]
        else:
            made += letter
        position = end
    return made
