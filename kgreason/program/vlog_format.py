"""VLog's line format: ``RP1(X) :- TE(X,rdf:type,<...>)``, one rule a line, without a dot at its end.

Names that begin with a letter are variables, TE is the triple, every other relation is auxiliary.
"""

from __future__ import annotations

import re
from typing import Final

from kgreason.algebra.expressions.tree import Variable
from kgreason.errors import Position, RuleSyntaxError, TermError
from kgreason.program.name_reader import is_absolute, unescape
from kgreason.program.rules import Argument, Atom, FactAtom, Program, Rule, TripleAtom
from kgreason.rdf.keys import iri_key, key_of
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import STANDARD_PREFIXES

_TRIPLE: Final = "TE"
_QUOTED: Final = r"<[^<>]*>|\"(?:[^\"\\]|\\.)*\""
_ATOM: Final = re.compile(rf"\s*([^\W\d]\w*)\(((?:{_QUOTED}|[^()<>\"])*)\)\s*(,|$)")
_ARGUMENT: Final = re.compile(
    r"\s*(?:<(?P<iri>[^<>]*)>|\"(?P<text>(?:[^\"\\]|\\.)*)\"(?:\^\^<(?P<datatype>[^<>]*)>|@(?P<language>[\w-]+))?"
    r"|(?P<prefix>\w*):(?P<local>[\w.\-]*)|(?P<variable>[^\W\d]\w*))\s*(?P<comma>,|$)"
)
_RULE_LINE: Final = re.compile(r"[^\W\d]\w*\([^?$]*\)\s*:-\s*[^\W\d]\w*\([^?$]*\)")
_IGNORED: Final = ("#", "%", "//")


def is_vlog(text: str) -> bool:
    """Whether the first line of a text that is not a comment is a rule of VLog's: no variable marks, no dot."""
    end = -1
    while end < len(text):
        start, end = end + 1, text.find("\n", end + 1)
        end = len(text) if end < 0 else end
        line = text[start:end].strip()
        if line and not line.startswith(_IGNORED):
            return _RULE_LINE.fullmatch(re.sub(_QUOTED, "", line)) is not None
    return False


def parse_vlog(text: str, source: str) -> Program:
    """Parse a program; RuleSyntaxError with line and column for a line that is not a rule: O(length of the text)."""
    rules = []
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if stripped and not stripped.startswith(_IGNORED):
            rules.append(_Line(line, number, source).rule())
    return Program(tuple(rules), {})


class _Line:
    def __init__(self, line: str, number: int, source: str) -> None:
        self._line = line
        self._number = number
        self._source = source

    def rule(self) -> Rule:
        """The rule of the line."""
        arrow = self._line.find(":-")
        if arrow < 0:
            raise self._error("a rule has the form head :- body", 0)
        heads = self._atoms(0, arrow)
        body = self._atoms(arrow + 2, len(self._line))
        return Rule(tuple(heads), tuple(body), position=Position(self._source, self._number, 1))

    def _atoms(self, at: int, end: int) -> list[Atom]:
        atoms: list[Atom] = []
        while True:
            found = _ATOM.match(self._line, at, end)
            if not found:
                raise self._error("expected an atom like RP1(X,Y) or TE(X,<property>,Y)", at)
            atoms.append(self._atom(found[1], found.start(2), found.end(2)))
            if not found[3]:
                return atoms
            at = found.end()

    def _atom(self, name: str, start: int, end: int) -> Atom:
        arguments = self._arguments(start, end)
        if name != _TRIPLE:
            return FactAtom(name, arguments)
        if len(arguments) != 3:
            raise self._error(f"TE has three arguments, not {len(arguments)}", start)
        subject, predicate, object_ = arguments
        if isinstance(subject, Literal):
            raise self._error(f"the literal {subject} cannot be a subject", start)
        if isinstance(predicate, Literal):
            raise self._error(f"{predicate} cannot be a predicate", start)
        return TripleAtom(subject, predicate, object_)

    def _arguments(self, at: int, end: int) -> tuple[Argument, ...]:
        arguments: list[Argument] = []
        while True:
            found = _ARGUMENT.match(self._line, at, end)
            if not found:
                raise self._error("expected a variable, an IRI or a literal", at)
            arguments.append(self._argument(found))
            if not found["comma"]:
                return tuple(arguments)
            at = found.end()

    def _argument(self, found: re.Match[str]) -> Argument:
        variable, iri, text = found["variable"], found["iri"], found["text"]
        if variable is not None:
            return Variable(variable)
        if iri is not None:
            return IRI(self._checked(iri, found.start("iri") - 1))
        if text is not None:
            start = found.start("text") - 1
            datatype = found["datatype"] and self._checked(found["datatype"], found.start("datatype") - 1)
            return self._literal(Literal(self._unescaped(text, start), datatype, found["language"]), start)
        if found["prefix"] not in STANDARD_PREFIXES:
            raise self._error(f"the prefix {found['prefix']}: is not known", found.start("prefix"))
        return IRI(STANDARD_PREFIXES[found["prefix"]] + found["local"])

    def _literal(self, literal: Literal, at: int) -> Literal:
        try:
            key_of(literal)
        except TermError as error:
            raise self._error(str(error), at) from None
        return literal

    def _unescaped(self, text: str, at: int) -> str:
        try:
            return unescape(text)
        except ValueError as error:
            raise self._error(str(error), at) from None

    def _checked(self, iri: str, at: int) -> str:
        if not is_absolute(iri):
            raise self._error(f"<{iri}> is a relative IRI", at)
        try:
            return iri_key(iri)
        except TermError as error:
            raise self._error(str(error), at) from None

    def _error(self, reason: str, at: int) -> RuleSyntaxError:
        while at < len(self._line) and self._line[at].isspace():
            at += 1
        return RuleSyntaxError(reason, Position(self._source, self._number, at + 1))
