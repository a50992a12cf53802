"""Property paths (SPARQL 1.1, section 9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason.sparql.algebra import Alternative, Inverse, NegatedSet, Path, Repeat, Sequence
from kgreason.sparql.syntax.term_syntax import TermReader

_TYPE: Final = IRI(RDF_TYPE)
_MARKS: Final = {"*": (True, False), "+": (False, False), "?": (True, True)}
"""Whether a path with a mark is optional, and whether it is taken once."""


class PathReader(TermReader):
    """Reads paths."""

    def path(self) -> Path:
        """A path; a single predicate is one."""
        return self._separated("|", self._sequence, Alternative)

    def _sequence(self) -> Path:
        return self._separated("/", self._step, Sequence)

    def _separated(self, mark: str, part: Callable[[], Path], whole: Callable[[tuple[Path, ...]], Path]) -> Path:
        """Parts with a mark between them; a single part is itself."""
        parts = [part()]
        while self.take(mark):
            parts.append(part())
        return parts[0] if len(parts) == 1 else whole(tuple(parts))

    def _step(self) -> Path:
        if self.take("^"):
            return Inverse(self._repeated())
        return self._repeated()

    def _repeated(self) -> Path:
        path = self._primary()
        mark = _MARKS.get(self.kind)
        if mark is None or (self.kind == "+" and self.is_signed_numeral()):
            return path
        self.next()
        optional, once = mark
        return Repeat(path, optional, once)

    def _primary(self) -> Path:
        if self.take("a"):
            return _TYPE
        if self.take("!"):
            return self._negated()
        if self.kind != "(":
            return self.iri("a variable", "'a'", "a path")
        self.enter()
        self.next()
        path = self.path()
        self.expect(")", "'|'", "'/'")
        self.leave()
        return path

    def _negated(self) -> Path:
        forward: set[IRI] = set()
        inverse: set[IRI] = set()
        if self.take("("):
            if not self.take(")"):
                self._negated_step(forward, inverse)
                while self.take("|"):
                    self._negated_step(forward, inverse)
                self.expect(")", "'|'")
        else:
            self._negated_step(forward, inverse)
        return NegatedSet(
            frozenset(forward) if forward or not inverse else None, frozenset(inverse) if inverse else None
        )

    def _negated_step(self, forward: set[IRI], inverse: set[IRI]) -> None:
        steps = inverse if self.take("^") else forward
        steps.add(_TYPE if self.take("a") else self.iri("'a'", "'^'"))
