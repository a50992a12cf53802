"""What a scope shows in one state of a store, read by patterns of rdflib terms."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kgreason.store.overlays import Overlay
from kgreason_rdflib import rdflib_tuning
from kgreason_rdflib.graph_scopes import Scope
from kgreason_rdflib.quad_rows import Holders, IdentifiedRows, Named, QuadRow, read_few, read_many, with_graphs
from kgreason_rdflib.rdflib_terms import Triple
from kgreason_rdflib.term_border import TermBorder
from kgreason_rdflib.triple_rows import read

if TYPE_CHECKING:
    from kgreason.store.state import State
    from kgreason.store.triple_view import View


class AnswerCache:
    """The answers that snapshots of one state remember: so many of them and their rows together, then all are
    forgotten."""

    __slots__ = ("_most", "_parts", "_size")

    def __init__(self, terms: int) -> None:
        """A cache for a state of so many terms."""
        self._parts: list[dict[Any, Any]] = []
        self._size = 0
        for_terms = min(rdflib_tuning.KEPT_FOR_A_TERM * terms, rdflib_tuning.KEPT_MOST)
        self._most = max(rdflib_tuning.KEPT_ANSWERS, for_terms)

    def part(self) -> dict[Any, Any]:
        """The answers of another snapshot."""
        part: dict[Any, Any] = {}
        self._parts.append(part)
        return part

    def keep(self, part: dict[Any, Any], pattern: Any, rows: Sized) -> None:
        """Remember an answer of few rows."""
        if len(rows) > rdflib_tuning.KEPT_ROWS:
            return
        self._size += len(rows) + 1
        if self._size > self._most:
            for each in self._parts:
                each.clear()
            self._size = len(rows) + 1
        part[pattern] = rows


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Snapshot:
    """What a scope shows in a state, and the terms of its ids.

    Programs ask for the same few triples over and over, so small answers are remembered by their patterns; but not
    where changes lie over the state.
    """

    shown: State | Overlay
    scope: Scope
    view: View
    border: TermBorder
    cache: AnswerCache
    _answers: dict[Any, list[Triple]] = field(init=False)
    _quads: dict[Any, IdentifiedRows] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_answers", self.cache.part())
        object.__setattr__(self, "_quads", self.cache.part())

    @property
    def holders(self) -> Holders:
        """What knows the graphs of triples."""
        return self.shown if isinstance(self.shown, Overlay) else self.shown.views.holdings

    def read(self, pattern: Any) -> Iterator[Triple]:
        """The triples that match a pattern, each once."""
        known = self._answers.get(pattern)
        if known is None:
            found = read(self.view, pattern, self.border)
            if not isinstance(found, list):
                return found
            known = found
            if not isinstance(self.shown, Overlay):
                self.cache.keep(self._answers, pattern, found)
        return iter(known)

    def read_quads(self, pattern: Any, named: Named) -> Iterator[QuadRow]:
        """The triples that match a pattern, each once, with the graphs that show it."""
        known = self._quads.get(pattern)
        if known is None:
            known = read_few(self.view, pattern, self.border)
            if known is None:
                return read_many(self.view, pattern, self.border, self.holders, named)
            if not isinstance(self.shown, Overlay):
                self.cache.keep(self._quads, pattern, known)
        return with_graphs(known, self.holders, named)
