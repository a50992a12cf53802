"""The functional-style syntax of OWL 2 (``.ofn``): tokens by one regular expression, and no recursion.

Source: OWL 2 Structural Specification and Functional-Style Syntax, section 3.7 and appendix 13.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kgreason.checkpoints import checkpoint
from kgreason.errors import TermError, quoted
from kgreason.io.owl.expressions import DEEPEST, Expression, Names, OwlSyntaxError, Take, literal_key

_TOKEN: Final = re.compile(
    r"""(?P<blank>(?:\s+|\#[^\n]*)+)
    |(?P<open>\()|(?P<close>\))|(?P<equals>=)|(?P<typed>\^\^)
    |<(?P<iri>[^<>"\s]*)>
    |"(?P<text>(?:[^"\\]|\\["\\])*)"
    |@(?P<tag>[A-Za-z0-9-]+)
    |(?P<node>_:[^\s()<>"=^@]+)
    |(?P<abbreviated>[^\s()<>"=^@#:]*:[^\s()<>"=^@]*)
    |(?P<word>[A-Za-z0-9]+)""",
    re.VERBOSE,
)
_ESCAPE: Final = re.compile(r'\\(["\\])')
_EVERY: Final = 1 << 14
_HEADER: Final = ("Import", "Annotation")


def read_functional(text: str, names: Names, take: Take) -> None:
    """Give what an ontology says, one expression after the other; `names` learns its prefixes.

    Raises:
        OwlSyntaxError: it is malformed.
    """
    _Parser(text, names, take).run()


class _Parser:
    """The expressions that are open, from the outermost one on."""

    def __init__(self, text: str, names: Names, take: Take) -> None:
        self._text = text
        self._names = names
        self._take = take
        self._open: list[Expression] = []
        self._began: int = 0
        self._at = 0
        self._has_header = False
        self._is_done = False

    def run(self) -> None:
        word: tuple[str, int] | None = None
        tokens = self._tokens()
        for number, (kind, value) in enumerate(tokens):
            if not number % _EVERY:
                checkpoint()
            if word is not None:
                if kind != "open":
                    raise self._wrong(f"{value!r} after {word[0]}", "'('")
                self._begin(word[0], tokens)
                word = None
            elif kind == "word" and not value.isdigit():
                word = value, self._at
            elif kind == "close":
                self._end()
            else:
                self._argument(kind, value, tokens)
        if not self._is_done or word is not None:
            raise self._wrong("the ontology breaks off", "')'" if self._open else "Ontology(...)")

    def _tokens(self) -> Iterator[tuple[str, str]]:
        position, text, match = 0, self._text, _TOKEN.match
        while position < len(text):
            found = match(text, position)
            if found is None:
                self._at = position
                raise self._wrong(f"{quoted(text[position : position + 40].splitlines()[0])} is not of the syntax")
            kind = found.lastgroup or ""
            self._at, position = position, found.end()
            if kind != "blank":
                yield kind, found[kind]

    def _begin(self, name: str, tokens: Iterator[tuple[str, str]]) -> None:
        if name == "Prefix" and not self._open:
            self._prefix(tokens)
            return
        if (name == "Ontology") == bool(self._open) or self._is_done:
            raise self._wrong(f"{name} is not expected here", "Ontology(...)" if not self._open else "an axiom")
        if len(self._open) == 1:
            self._header()
        if len(self._open) <= 1:
            self._began = self._at
        self._push(name)

    def _push(self, name: str) -> None:
        if len(self._open) > DEEPEST:
            raise self._wrong(f"expressions nested more than {DEEPEST} deep")
        self._open.append(Expression(name))

    def _end(self) -> None:
        if not self._open:
            raise self._wrong("')' closes nothing")
        done = self._open.pop()
        match len(self._open):
            case 0:
                self._header(done)
                self._is_done = True
            case 1:
                self._give(done)
            case _:
                self._open[-1].arguments.append(done)

    def _give(self, done: Expression) -> None:
        try:
            self._take(done)
        except OwlSyntaxError as error:
            # The line is counted when it is needed.
            raise OwlSyntaxError(error.reason, self._line(self._began)) from None

    def _header(self, ontology: Expression | None = None) -> None:
        """Hand on the names of the ontology, before anything else that it has."""
        if not self._has_header:
            self._has_header = True
            ontology = ontology or self._open[0]
            self._give(Expression("Ontology", ontology.arguments))

    def _argument(self, kind: str, value: str, tokens: Iterator[tuple[str, str]]) -> None:
        if not self._open or (len(self._open) == 1 and (self._has_header or kind not in ("iri", "abbreviated"))):
            raise self._wrong(f"{value!r} is not expected here", "Ontology(...)" if not self._open else "an axiom")
        arguments = self._open[-1].arguments
        try:
            match kind:
                case "iri":
                    arguments.append(self._names.iri(value))
                case "abbreviated":
                    arguments.append(self._names.abbreviated(value))
                case "text":
                    arguments.append(literal_key(_unescaped(value)))
                case "node" | "word":
                    arguments.append(value)
                case "open":
                    self._push("")
                case "tag":
                    arguments[-1] = literal_key(self._last_text(arguments), value)
                case "typed":
                    arguments[-1] = literal_key(self._last_text(arguments), None, self._datatype(tokens))
                case _:
                    raise self._wrong(f"{value!r} is not expected here")
        except TermError as error:
            raise self._wrong(error.reason) from None

    def _last_text(self, arguments: list[Expression | str]) -> str:
        last = arguments[-1] if arguments else None
        if not (isinstance(last, str) and last.startswith('"') and last.endswith('"')):
            raise self._wrong("a tag or datatype without a text")
        return last[1:-1]

    def _datatype(self, tokens: Iterator[tuple[str, str]]) -> str:
        kind, value = next(tokens, ("", ""))
        if kind not in ("iri", "abbreviated"):
            raise self._wrong("no datatype after ^^", "an IRI")
        return self._names.iri(value) if kind == "iri" else self._names.abbreviated(value)

    def _prefix(self, tokens: Iterator[tuple[str, str]]) -> None:
        found = [next(tokens, ("", "")) for _ in range(4)]
        kinds = [kind for kind, _ in found]
        prefix = found[0][1]
        if kinds != ["abbreviated", "equals", "iri", "close"] or not prefix.endswith(":"):
            raise self._wrong("a malformed prefix", "Prefix(name:=<IRI>)")
        self._names.prefixes[prefix[:-1]] = found[2][1]

    def _line(self, position: int) -> int:
        return self._text.count("\n", 0, position) + 1

    def _wrong(self, reason: str, expected: str | None = None) -> OwlSyntaxError:
        return OwlSyntaxError(f"{reason} (expected {expected})" if expected else reason, self._line(self._at))


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(r"\1", text) if "\\" in text else text
