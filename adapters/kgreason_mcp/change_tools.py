"""What a change would do, tried on a branch of the store, and doing it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rdflib import BNode, Dataset, Graph

from kgreason.access import Access
from kgreason.rdf.prefixes import declarations
from kgreason_mcp.short_answers import AnswerError, checked_limit, first, joined
from kgreason_mcp.store_tools import StoreTools
from kgreason_mcp.term_texts import TermTexts

if TYPE_CHECKING:
    from kgreason_rdflib.reasoning import Inconsistency
    from kgreason_rdflib.store import ReasoningStore


@dataclass(frozen=True, slots=True)
class Change:
    """A change as an agent writes it: Turtle to remove, then Turtle to add, then a SPARQL update; any may be empty."""

    add: str = ""
    remove: str = ""
    update: str = ""


@dataclass(frozen=True, slots=True)
class Clashes:
    """The inconsistencies that a change brings, and those that it solves."""

    brought: list[Inconsistency]
    solved: list[Inconsistency]


class ChangeTools(StoreTools):
    """Tries changes, and makes those that bring no inconsistency."""

    def propose(self, change: Change, limit: int) -> str:
        """What a change would do. Nothing is changed."""
        branch = self._store.branch()
        self._change(branch, change)
        clashes = self._clashes(branch)
        end = "It would bring inconsistencies." if clashes.brought else "It would bring no inconsistency."
        return joined([*self._consequences(branch, change, clashes, limit), f"{end} Nothing was changed."])

    def apply_to(self, branch: ReasoningStore, change: Change, limit: int, despite_inconsistencies: bool) -> str:
        """Make a change in a branch that is to be adopted; one that brings inconsistencies is refused, unless these are
        accepted.

        Raises:
            AnswerError: it is refused.
        """
        self._change(branch, change)
        clashes = self._clashes(branch)
        consequences = joined(self._consequences(branch, change, clashes, limit))
        if clashes.brought and not despite_inconsistencies:
            raise AnswerError(f"refused, since it brings inconsistencies; nothing was changed.\n{consequences}")
        return f"{consequences}\nThe change was made."

    def _change(self, branch: ReasoningStore, change: Change) -> None:
        """Make a change in a branch, whose maintenance ends with the time that there is."""
        if not (change.add.strip() or change.remove.strip() or change.update.strip()):
            raise AnswerError("there is no change (expected add, remove or update)")
        texts = self._texts()
        branch.budget = branch.budget.within(self._options.timeout)
        dataset = Dataset(store=branch, default_union=True)
        if change.remove.strip():
            for subject, predicate, object in texts.parsed_triples(change.remove, "remove"):
                if isinstance(subject, BNode) or isinstance(object, BNode):
                    raise AnswerError("remove: a blank node has no name here (expected an update with WHERE)")
                dataset.remove((subject, predicate, object, None))
        if change.add.strip():
            texts.parsed_triples(change.add, "add")
            Graph(store=branch).parse(data=declarations(texts.prefixes) + change.add, format="kg-turtle")
        if change.update.strip():
            limits: dict[str, Any] = {"timeout": self._options.timeout, "max_rows": self._options.max_rows}
            dataset.update(change.update, initNs=texts.prefixes, access=Access(), **limits)

    # -- what it does ------------------------------------------------------------------------------------------------

    def _consequences(self, branch: ReasoningStore, change: Change, clashes: Clashes, limit: int) -> Iterator[str]:
        texts, limit = TermTexts(branch, self._options.language), checked_limit(limit)
        before = self._texts()
        difference = branch.difference()
        for title, graph, side in (
            ("asserted", difference.explicit.added, texts),
            ("no longer asserted", difference.explicit.removed, before),
            ("follows now", difference.inferred.added, texts),
            ("follows no longer", difference.inferred.removed, before),
        ):
            triples, has_more = first(graph, limit)
            if triples:
                yield f"{title} ({len(graph):,}):"
                yield from (f"  {side.triple(triple)}" for triple in triples)
            if has_more:
                yield "  ..."
        if not difference:
            yield "no triple comes or goes"
        yield from self._kept(branch, change, texts)
        for title, found in (("inconsistent", clashes.brought), ("no longer inconsistent", clashes.solved)):
            for clash in found[:limit]:
                shown = "; ".join(map(texts.triple, clash.triples))
                yield f"{title}: {clash.rule or 'a rule without a name'}: {clash.reason or shown}"

    def _kept(self, branch: ReasoningStore, change: Change, texts: TermTexts) -> Iterator[str]:
        """Triples that are to be removed and hold nevertheless: they follow from others, or are added again."""
        removed = texts.parsed_triples(change.remove, "remove") if change.remove.strip() else []
        kept, explicit = Graph(store=branch), branch.explicit
        for triple in removed:
            if triple in explicit:
                yield f"{texts.triple(triple)} is removed and added again"
            elif triple in kept:
                yield f"still holds, as it follows: {texts.triple(triple)}"

    def _clashes(self, branch: ReasoningStore) -> Clashes:
        before = {str(clash): clash for clash in self._store.inconsistencies()}
        after = {str(clash): clash for clash in branch.inconsistencies()}
        brought = [clash for key, clash in after.items() if key not in before]
        return Clashes(brought, [clash for key, clash in before.items() if key not in after])
