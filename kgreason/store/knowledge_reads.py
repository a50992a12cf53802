"""What a knowledge base is asked: its triples by view, its inconsistencies, proofs, sizes.

Each read maintains what is queued first (`KnowledgeBase.flush`), and is of the state after that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from kgreason.rdf.model import Term
from kgreason.store.condition_rows import ConditionRows
from kgreason.store.current_state import CurrentState
from kgreason.store.state import check
from kgreason.store.triple_view import TripleView
from kgreason.store.views import Views

# What a store does now and then is imported when it is first asked for, as in `knowledge_base`.
if TYPE_CHECKING:
    from kgreason.proofs.proof import Proof
    from kgreason.proofs.why_not import WhyNot
    from kgreason.store.consistency import Inconsistency
    from kgreason.store.explanations import Explanations
    from kgreason.store.statistics import Statistics


class KnowledgeReads:
    """The reads of a knowledge base."""

    def __init__(self, current: CurrentState) -> None:
        self._current = current
        self._explanations: Explanations | None = None
        self._condition_rows = ConditionRows()  # branches have the same

    def all(self) -> TripleView:
        """Explicit and inferred triples, each once."""
        with self._current.lock:
            return self._current.flushed().views.all()

    def explicit(self) -> TripleView:
        """The explicit triples of all graphs, each once."""
        with self._current.lock:
            return self._current.flushed().views.explicit()

    def inferred(self) -> TripleView:
        """The triples that only follow."""
        with self._current.lock:
            return self._current.flushed().views.inferred()

    def graph(self, graph: int) -> TripleView:
        """The explicit triples of one graph."""
        with self._current.lock:
            return self._current.flushed().views.graph(graph)

    def together(self, graphs: Iterable[int], *, inferred: bool) -> TripleView:
        """The explicit triples of some graphs, and with `inferred` also those that are explicit in no graph; each once.

        A relation is put together when something first reads it, and for free where no other graph has facts of it."""
        with self._current.lock:
            return self._current.flushed().views.together(graphs, inferred=inferred)

    def views(self) -> Views:
        """The views of what there is now, all of one moment."""
        with self._current.lock:
            return self._current.flushed().views

    def graphs(self) -> list[int]:
        """The graphs that have explicit triples, DEFAULT_GRAPH among them when it has some."""
        with self._current.lock:
            return list(self._current.flushed().graphs)

    def graphs_of(self, subject: int, predicate: int, object: int) -> list[int]:
        """The graphs in which a triple is explicit."""
        with self._current.lock:
            return self._current.flushed().views.holdings.graphs_of(subject, predicate, object)

    def inconsistencies(self) -> list[Inconsistency]:
        """The violated integrity conditions, by name, with the triples that clash; and the defective lists."""
        from kgreason.store.consistency import find_inconsistencies

        with self._current.lock:
            return find_inconsistencies(self._current.flushed(), self._current.configuration, self._condition_rows)

    def check_lists(self) -> None:
        """Raise ListError where a list that an axiom names is cut off or cyclic: O(cells of all such lists)."""
        with self._current.lock:
            state = self._current.flushed()
            self._current.refuse(self._current.configuration.lists.breaks(state.engine.facts.get), state)

    def explain(self, subject: int, predicate: int, object: int) -> Proof[Term]:
        """A proof of a triple, by ids, down to asserted triples: some milliseconds for each step, as a rule.

        Raises:
            UnknownTripleError: the triple neither is asserted nor follows.
        """
        with self._current.lock:
            state, configuration = self._current.flushed(), self._current.configuration
            return self._explained().proof((subject, predicate, object), state, configuration)

    def proof_lines(
        self, triples: Iterable[tuple[int, int, int]] | None = None, reification: str = "triple-terms"
    ) -> Iterator[str]:
        """Proofs of triples, by ids, or of all inferred ones, as they are now: lines of N-Triples (`proofs.provenance`)
        that are made as they are read.

        Raises: when they are read,
            UnknownTripleError: a triple that neither is asserted nor follows.
        """
        from kgreason.store.proof_lines import proof_lines, rows_of

        with self._current.lock:
            state = self._current.flushed()
            searches = self._explained().searches(state, self._current.configuration)
            chosen = rows_of(state.views.inferred()) if triples is None else triples
        return proof_lines(searches, chosen, self._current.lock, reification)

    def _explained(self) -> Explanations:
        from kgreason.store.explanations import Explanations

        if self._explanations is None:
            self._explanations = Explanations()
        return self._explanations

    def why_not(
        self, subject: Term | None, predicate: Term | None, object: Term | None, *, most: int = 10
    ) -> WhyNot[Term]:
        """Why no triple matches a pattern, by the rules that came nearest to giving one: milliseconds, as a rule.

        Raises:
            KnownTripleError: a triple matches it.
        """
        from kgreason.store.explanations import Explanations

        with self._current.lock:
            state, configuration = self._current.flushed(), self._current.configuration
            return Explanations.why_not((subject, predicate, object), state, configuration, most)

    def statistics(self) -> Statistics:
        """Sizes: triples, rules, and for each relation its scheme, facts and bytes."""
        from kgreason.store.statistics import collect_statistics

        with self._current.lock:
            return collect_statistics(self._current.flushed(), self._current.dictionary)

    def _check(self) -> None:
        """Raise AssertionError unless the invariants of everything inside hold."""
        check(self._current.flushed(), self._current.configuration)
