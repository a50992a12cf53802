"""What a scope shows in one state of a store, read by patterns of rdflib terms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kgreason import tuning
from kgreason.store.overlays import Overlay
from kgreason_rdflib.graph_scopes import Scope
from kgreason_rdflib.quad_rows import Holders, IdentifiedRows, Named, QuadRow, read_few, read_many, with_graphs
from kgreason_rdflib.rdflib_terms import TermBorder, Triple
from kgreason_rdflib.triple_rows import read

if TYPE_CHECKING:
    from kgreason.store.state import State
    from kgreason.store.triple_view import View


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Snapshot:
    """What a scope shows in a state, and the terms of its ids.

    Programs ask for the same few triples over and over, so small answers are remembered by their patterns. Past
    `tuning.KEPT_ANSWERS` of them, all are forgotten. Where changes lie over the state, no answer is remembered.
    """

    shown: State | Overlay
    scope: Scope
    view: View
    border: TermBorder
    _answers: dict[Any, list[Triple]] | None = field(init=False)
    _quads: dict[Any, IdentifiedRows] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_answers", None if isinstance(self.shown, Overlay) else {})

    @property
    def holders(self) -> Holders:
        """What knows the graphs of triples."""
        return self.shown if isinstance(self.shown, Overlay) else self.shown.views.holdings

    def read_quads(self, pattern: Any, named: Named) -> Iterator[QuadRow]:
        """The triples that match a pattern, each once, with the graphs that show it."""
        known = self._quads.get(pattern)
        if known is None:
            known = read_few(self.view, pattern, self.border)
            if known is None:
                return read_many(self.view, pattern, self.border, self.holders, named)
            if len(known) <= tuning.KEPT_ROWS and self._answers is not None:
                if len(self._quads) >= tuning.KEPT_ANSWERS:
                    self._quads.clear()
                self._quads[pattern] = known
        return with_graphs(known, self.holders, named)

    def read(self, pattern: Any) -> Iterator[Triple]:
        """The triples that match a pattern, each once."""
        answers = self._answers
        if answers is None:
            return iter(read(self.view, pattern, self.border))
        known = answers.get(pattern)
        if known is None:
            found = read(self.view, pattern, self.border)
            if not isinstance(found, list) or len(found) > tuning.KEPT_ROWS:
                return iter(found)
            if len(answers) >= tuning.KEPT_ANSWERS:
                answers.clear()
            known = answers[pattern] = found
        return iter(known)
