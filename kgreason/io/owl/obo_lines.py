"""The lines of an OBO document as clauses in frames.

Source: OBO Flat File Format 1.4 syntax and semantics, sections 2 and 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from kgreason.io.owl.expressions import OwlSyntaxError

_LINE_END: Final = re.compile(r"\r\n|[\n\r\f]")
_FRAME: Final = re.compile(r"\[([^\]]*)\]\s*(?:!.*)?")
_CLAUSE: Final = re.compile(r"([^:\s\\]+)\s*:\s?(.*)", re.DOTALL)
_TEXT: Final = r'(?:[^"{}\\]|\\.|"(?:[^"\\]|\\.)*")*'
_QUALIFIERS: Final = re.compile(rf"\s*\{{({_TEXT})\}}\s*\Z")
_QUALIFIER: Final = re.compile(r'\s*([^=,\s]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^,]*)\s*(?:,|\Z)')
_QUOTED: Final = re.compile(r'\s*"((?:[^"\\]|\\.)*)"')
_WORD: Final = re.compile(r"\s*((?:[^\s\\\"]|\\.)+)")
_XREF: Final = re.compile(
    r'\s*((?:[^\\,\]"\s]|\\.|\s(?!\s*["{,\]]))+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*(?:\{[^}]*\})?\s*(?:,|\Z)'
)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_SPECIAL: Final = {"n": "\n", "t": "\t", "W": " "}


@dataclass(frozen=True, slots=True)
class Clause:
    """A tag and its value, with the qualifiers behind it; the comment is gone, escapes are still there."""

    tag: str
    value: str
    line: int
    qualifiers: tuple[tuple[str, str], ...] = ()

    def words(self) -> list[str]:
        """The words of the value, quoted texts whole."""
        return [unescaped(word) for word in _WORD.findall(self.value)]

    def quoted(self) -> tuple[str, str]:
        """The text in quotation marks with which the value begins, and what is behind it."""
        found = _QUOTED.match(self.value)
        if found is None:
            raise self.wrong("no text in quotation marks")
        return unescaped(found[1]), self.value[found.end() :].strip()

    def ids(self, count: int) -> list[str]:
        """The words of a value that has so many."""
        found = self.words()
        if len(found) != count:
            raise self.wrong(f"{len(found)} names (expected {count})")
        return found

    def wrong(self, reason: str) -> OwlSyntaxError:
        """An error at this line."""
        return OwlSyntaxError(f"{self.tag}: {reason}", self.line)


@dataclass(slots=True)
class Frame:
    """A stanza: its kind, empty for the header, and its clauses."""

    kind: str
    line: int
    clauses: list[Clause] = field(default_factory=list)

    def of(self, tag: str) -> Iterator[Clause]:
        """The clauses of a tag."""
        return (clause for clause in self.clauses if clause.tag == tag)

    def first(self, tag: str) -> str | None:
        """The value of the first clause of a tag."""
        return next((unescaped(clause.value.strip()) for clause in self.of(tag)), None)


def frames_of(text: str) -> list[Frame]:
    """The header, and the frames of a document.

    Raises:
        OwlSyntaxError: a line is neither a clause nor the beginning of a frame.
    """
    frames = [Frame("", 1)]
    for number, line in _joined(text):
        if not line.strip() or line.lstrip().startswith("!"):
            continue
        begin = _FRAME.fullmatch(line.strip())
        if begin is not None:
            frames.append(Frame(begin[1], number))
            continue
        found = _CLAUSE.match(line)
        if found is None:
            raise OwlSyntaxError(f"{line.strip()[:40]!r} is not a clause (expected tag: value)", number)
        value, qualifiers = _parted(_without_comment(found[2]))
        frames[-1].clauses.append(Clause(found[1], value, number, qualifiers))
    return frames


def xrefs_of(text: str) -> list[tuple[str, str | None]]:
    """The references in a list, ``a:b "what it is", c:d``, with what they say."""
    found = _XREF.findall(text.strip())
    return [(unescaped(name.strip()), unescaped(label) if label else None) for name, label in found]


def unescaped(text: str) -> str:
    """A text without escapes."""
    return _ESCAPE.sub(lambda found: _SPECIAL.get(found[1], found[1]), text) if "\\" in text else text


def _joined(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers; one that ends in a backslash goes on in the next one."""
    waiting, begin = "", 0
    for number, line in enumerate(_LINE_END.split(text), 1):
        begin = begin or number
        if line.endswith("\\") and not line.endswith("\\\\"):
            waiting += line[:-1]
            continue
        yield begin, waiting + line
        waiting, begin = "", 0
    if waiting:
        yield begin, waiting


def _without_comment(value: str) -> str:
    """A value up to the ``!`` that is neither escaped nor in quotation marks."""
    return value[: next(_bare(value, "!"), len(value))]


def _begin_of_qualifiers(value: str) -> int | None:
    """Where the last brace opens that is neither escaped nor in quotation marks, if the value ends in one."""
    return max(_bare(value, "{"), default=None) if value.rstrip().endswith("}") else None


def _bare(value: str, wanted: str) -> Iterator[int]:
    """The positions of a character where it is neither escaped nor in quotation marks."""
    if wanted not in value:
        return
    in_quotes = is_escaped = False
    for at, character in enumerate(value):
        if is_escaped:
            is_escaped = False
        elif character == "\\":
            is_escaped = True
        elif character == '"':
            in_quotes = not in_quotes
        elif character == wanted and not in_quotes:
            yield at


def _parted(value: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    at = _begin_of_qualifiers(value)
    found = None if at is None else _QUALIFIERS.match(value, at)
    if found is None or "=" not in found[1]:
        return value.strip(), ()
    pairs = _QUALIFIER.findall(found[1])
    return value[: found.start()].strip(), tuple((name, unescaped(text.strip().strip('"'))) for name, text in pairs)
