"""The tokens of the Manchester syntax, one ahead of the parser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from kgreason.errors import quoted
from kgreason.io.owl.expressions import Argument, OwlSyntaxError

DEEPEST: Final = 80
"""How deep descriptions may be nested: each level takes some calls of the parser."""
_TOKEN: Final = re.compile(
    r"""<[^<>"\s]*>
    |"(?:[^"\\]|\\["\\])*"
    |\^\^|<=|>=|[<>(){}\[\],]
    |@[A-Za-z0-9-]+
    |[^\s<>(){}\[\],"^@]+""",
    re.VERBOSE,
)
_BLANK: Final = re.compile(r"(?:\s+|\#[^\n]*)*")
_SECTIONS: Final = frozenset((
    "Prefix:", "Ontology:", "Import:", "Annotations:", "Datatype:", "Class:", "ObjectProperty:",
    "DataProperty:", "AnnotationProperty:", "Individual:", "EquivalentTo:", "SubClassOf:", "DisjointWith:",
    "DisjointUnionOf:", "HasKey:", "Domain:", "Range:", "Characteristics:", "SubPropertyOf:", "InverseOf:",
    "SubPropertyChain:", "Types:", "Facts:", "SameAs:", "DifferentFrom:", "EquivalentClasses:",
    "DisjointClasses:", "EquivalentProperties:", "DisjointProperties:", "SameIndividual:",
    "DifferentIndividuals:", "Rule:",
))
_PUNCTUATION: Final = frozenset(["^^", "<=", ">=", "<", ">", "(", ")", "{", "}", "[", "]", ","])


class Tokens:
    """The tokens of a text; `token` is the next one, empty at the end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._begin = self._last = self._end = 0
        self._depth = 0
        self.token = ""
        self._advance()

    def _advance(self) -> None:
        self._last = self._begin
        blank = _BLANK.match(self._text, self._end)
        self._begin = self._end if blank is None else blank.end()
        if self._begin == len(self._text):
            self.token = ""
            return
        found = _TOKEN.match(self._text, self._begin)
        if found is None:
            self._last = self._begin
            shown = quoted(self._text[self._begin : self._begin + 40].split("\n", 1)[0])
            raise self.wrong(f"{shown} is not of the syntax")
        self.token, self._end = found[0], found.end()

    @property
    def is_done(self) -> bool:
        """Whether all tokens have been read."""
        return not self.token

    @property
    def section(self) -> str | None:
        """The next token if it begins a section or frame."""
        return self.token if self.token in _SECTIONS else None

    @property
    def is_iri(self) -> bool:
        """Whether the next token is an IRI, in full or abbreviated."""
        return bool(self.token) and self.token not in _SECTIONS | _PUNCTUATION and self.token[0] not in '"@'

    def is_next(self, token: str) -> bool:
        """Whether a token is the next one."""
        return self.token == token

    def next(self, expected: str) -> str:
        """The next token, which there must be."""
        token = self.token
        if not token:
            self._last = self._begin
            raise self.wrong("the ontology breaks off", expected)
        self._advance()
        return token

    def skip(self, token: str) -> bool:
        """Go on behind a token, if it is the next one."""
        if self.token != token:
            return False
        self._advance()
        return True

    def expect(self, token: str) -> None:
        """Go on behind a token, which must be the next one."""
        found = self.next(token)
        if found != token:
            raise self.wrong(f"{found} is not expected here", token)

    def several(self, read: Callable[[], Argument]) -> list[Argument]:
        """What is read, and as often again as a comma follows."""
        found = [read()]
        while self.skip(","):
            found.append(read())
        return found

    def full_iri(self) -> str:
        """The text of an IRI in angle brackets."""
        token = self.next("<IRI>")
        if len(token) < 2 or token[0] != "<" or token[-1] != ">":
            raise self.wrong(f"{token} is not an IRI in full", "<IRI>")
        return token[1:-1]

    def following(self, word: str) -> list[str]:
        """The tokens behind all places where a word stands: a quick look ahead."""
        pattern = re.compile(rf"(?<!\S){re.escape(word)}\s+(<[^<>\"\s]*>|[^\s<>(){{}}\[\],\"]+)")
        return pattern.findall(self._text)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """One level deeper, in the body."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise self.wrong(f"expressions nested more than {DEEPEST} deep")
        yield
        self._depth -= 1

    @property
    def line(self) -> int:
        """The line of the token that was taken last."""
        return self._text.count("\n", 0, self._last) + 1

    def wrong(self, reason: str, expected: str | None = None) -> OwlSyntaxError:
        """An error at the token that was taken last."""
        return OwlSyntaxError(f"{reason} (expected {expected})" if expected else reason, self.line)
