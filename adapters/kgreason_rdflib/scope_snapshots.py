"""What a scope shows in one state of a store, read by patterns of rdflib terms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kgreason import tuning
from kgreason.store.overlays import Overlay
from kgreason_rdflib.graph_scopes import Scope
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "_answers", None if isinstance(self.shown, Overlay) else {})

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
