"""What all tools over a store share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgreason_mcp.short_answers import AgentOptions
from kgreason_mcp.term_texts import TermTexts

if TYPE_CHECKING:
    from kgreason_rdflib.store import ReasoningStore


class StoreTools:
    """Tools over one version of a store."""

    def __init__(self, store: ReasoningStore, options: AgentOptions) -> None:
        self._store = store
        self._options = options

    def _texts(self) -> TermTexts:
        """Terms as agents read and write them."""
        return TermTexts(self._store, self._options.language)
