"""VLog's line format: ``RP1(X) :- TE(X,rdf:type,<...>)``, one rule a line.

Names that begin with a letter are variables, TE is the triple, every other relation is auxiliary.
"""

from __future__ import annotations

import re
from typing import Final

from kgreason.datalog.model import Argument, Atom, FactAtom, Program, Rule, TripleAtom, Variable
from kgreason.errors import Position, RuleSyntaxError
from kgreason.terms.model import IRI, Literal
from kgreason.terms.vocabulary import STANDARD_PREFIXES

_TRIPLE: Final = "TE"
_ATOM = re.compile(r"\s*([A-Za-z_]\w*)\(((?:<[^<>]*>|\"(?:[^\"\\]|\\.)*\"(?:\^\^<[^<>]*>|@[\w-]+)?|[^()<>\"])*)\)\s*")
_ARGUMENT = re.compile(
    r"\s*(?:<(?P<iri>[^<>]*)>|\"(?P<text>(?:[^\"\\]|\\.)*)\"(?:\^\^<(?P<datatype>[^<>]*)>|@(?P<language>[\w-]+))?"
    r"|(?P<prefix>\w*):(?P<local>[\w.\-]*)|(?P<variable>[A-Za-z_]\w*))\s*(?:,|$)"
)
_RULE_LINE = re.compile(r"[A-Za-z_]\w*\(.*\)\s*:-.*[^.\s]\s*$")


def is_vlog(text: str) -> bool:
    """Whether the first rule of a text is a line of VLog's: no variable mark, no dot at its end."""
    for line in text.splitlines():
        stripped = line.strip()
        if stripped and not stripped.startswith(("#", "%", "//")):
            return bool(_RULE_LINE.match(stripped)) and "?" not in stripped.partition("<")[0]
    return False


def parse_vlog(text: str, source: str) -> Program:
    """Parse a program; RuleSyntaxError with line and column for a line that is no rule."""
    rules = []
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped and not stripped.startswith(("#", "%", "//")):
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
        if len(heads) != 1 or not body:
            raise self._error("a rule has one head, and a body", 0)
        return Rule(tuple(heads), tuple(body), position=Position(self._source, self._number, 1))

    def _atoms(self, at: int, end: int) -> list[Atom]:
        atoms: list[Atom] = []
        end = len(self._line[:end].rstrip())
        while at < end:
            found = _ATOM.match(self._line, at, end)
            if not found:
                raise self._error("expected an atom like RP1(X,Y) or TE(X,<property>,Y)", at)
            atoms.append(self._atom(found.group(1), found.start(2), found.end(2)))
            at = found.end()
            if at < end:
                if self._line[at] != ",":
                    raise self._error(f"unexpected {self._line[at]!r}, expected ','", at)
                at += 1
        return atoms

    def _atom(self, name: str, at: int, end: int) -> Atom:
        arguments: list[Argument] = []
        start = at
        while at < end:
            found = _ARGUMENT.match(self._line, at, end)
            if not found or found.end() == at:
                raise self._error("expected a variable, an IRI or a literal", at)
            arguments.append(self._argument(found))
            at = found.end()
        if name != _TRIPLE:
            if not arguments:
                raise self._error(f"{name} has no arguments", start)
            return FactAtom(name, tuple(arguments))
        if len(arguments) != 3:
            raise self._error(f"TE has three arguments, not {len(arguments)}", start)
        if isinstance(arguments[0], Literal) or not isinstance(arguments[1], IRI | Variable):
            raise self._error("a triple has a resource as subject and an IRI as predicate", start)
        return TripleAtom(arguments[0], arguments[1], arguments[2])

    def _argument(self, found: re.Match[str]) -> Argument:
        if found["iri"] is not None:
            return IRI(found["iri"])
        if found["variable"] is not None:
            return Variable(found["variable"])
        if found["text"] is not None:
            return Literal(found["text"], found["datatype"], found["language"])
        if found["prefix"] not in STANDARD_PREFIXES:
            raise self._error(f"the prefix {found['prefix']}: is not known", found.start())
        return IRI(STANDARD_PREFIXES[found["prefix"]] + found["local"])

    def _error(self, reason: str, at: int) -> RuleSyntaxError:
        return RuleSyntaxError(reason, Position(self._source, self._number, at + 1))
