"""Why something holds, why it does not, and what contradicts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kgreason.errors import KnownTripleError, UnknownTripleError
from kgreason_mcp.short_answers import AnswerError, checked_limit, joined
from kgreason_mcp.store_tools import StoreTools
from kgreason_mcp.term_texts import TermTexts

if TYPE_CHECKING:
    from kgreason_rdflib.reasoning import Inconsistency

_CELL: Final = re.compile(r"\) rdf:(first|rest) ")
_EVIDENT: Final = re.compile(r" != .*\[true\]$")
_QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)*(?:"|$)')


class ReasoningTools(StoreTools):
    """Answers about what follows and what does not, as texts."""

    def explain(self, subject: str, predicate: str, object: str) -> str:
        """The proof of a triple, down to what was asserted; AnswerError where it does not hold."""
        texts = self._texts()
        triple = texts.parsed(subject), texts.parsed(predicate), texts.parsed(object)
        try:
            proof = self._store.explain(triple)
        except UnknownTripleError:
            raise AnswerError(f"{texts.triple(triple)} does not hold; why_not says what is missing") from None
        return joined(_without_cells(str(replace(proof.with_prefixes(texts.prefixes), show=texts.unshortened))))

    def why_not(self, subject: str, predicate: str, object: str, limit: int) -> str:
        """The rules that could give a triple, and what they lack; AnswerError where one matches."""
        texts = self._texts()
        pattern = texts.parsed_pattern(subject, predicate, object)
        try:
            found = self._store.why_not(pattern, most=checked_limit(limit))
        except KnownTripleError:
            shown = " ".join("?" if part is None else texts.term(part) for part in pattern)
            raise AnswerError(f"{shown} holds; explain says why, or a query what it is") from None
        lines = _without_cells(str(replace(found.with_prefixes(texts.prefixes), show=texts.unshortened)))
        if not found.derivations:
            lines.append("  no rule gives such a triple: it has to be asserted")
        return joined(lines)

    def check(self, limit: int) -> str:
        """The inconsistencies, each with the triples that clash."""
        found, texts, limit = self._store.inconsistencies(), self._texts(), checked_limit(limit)
        if not found:
            return "consistent"
        shown = (line for each in found[:limit] for line in self._clash(each, texts))
        more = [f"... and {len(found) - limit:,} more"] if len(found) > limit else []
        return joined([f"inconsistencies: {len(found):,}", *shown, *more])

    def _clash(self, clash: Inconsistency, texts: TermTexts) -> Iterator[str]:
        yield f"{clash.rule or 'a rule without a name'}: {clash.reason}".rstrip()
        explicit = self._store.explicit
        for triple in clash.triples:
            yield f"  {texts.triple(triple)}  [{'asserted' if triple in explicit else 'inferred: explain says why'}]"


def _without_cells(text: str) -> list[str]:
    """The lines of a proof without those that say of cells what the text of a list shows, and that terms differ."""
    lines = ((line, _QUOTED.sub('""', line)) for line in text.split("\n"))
    return [line for line, unquoted in lines if not (_CELL.search(unquoted) or _EVIDENT.search(unquoted))]
