"""Changes of the triples of a knowledge base: queued, and maintained in one batch when something next reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Unpack

from kgreason.checkpoints import heeding
from kgreason.dictionary.dictionary import Dictionary
from kgreason.engine.budget import Budget
from kgreason.io.quad_steps import Step
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.store.knowledge_reads import KnowledgeReads
from kgreason.store.overlays import Quad
from kgreason.store.state import State, Tables

# What a store does now and then is imported when it is first asked for, as in `knowledge_base`.
if TYPE_CHECKING:
    from kgreason.io.contents import Source
    from kgreason.io.load_report import ChangeReport, Loaded, LoadReport
    from kgreason.io.readers import FileOptions
    from kgreason.store.overlays import Overlay


class KnowledgeChanges(KnowledgeReads):
    """The changes of a knowledge base, and the state that they lead to."""

    @property
    def dictionary(self) -> Dictionary:
        """The terms that there are: another dictionary after a change that came to nothing."""
        return self._current.dictionary

    @property
    def state(self) -> State:
        """The state as of the last maintenance, which never changes; what is queued since is not in it."""
        return self._current.state

    @property
    def budget(self) -> Budget:
        """How much one change may derive; another one counts for the changes that are maintained from then on."""
        return self._current.budget

    @budget.setter
    def budget(self, budget: Budget | None) -> None:
        with self._current.lock:
            self._current.budget = Budget() if budget is None else budget
            self._current.overlay = None

    # -- what is queued -----------------------------------------------------------------------------------------

    def add(self, graph: int, subject: int, predicate: int, object: int) -> None:
        """Queue the addition of a triple, by ids, to a graph (DEFAULT_GRAPH or the id of its name)."""
        with self._current.lock:
            self._current.queue((graph, subject, predicate, object), True)

    def remove(self, graph: int, subject: int, predicate: int, object: int) -> None:
        """Queue the removal of an explicit triple from a graph; nothing happens if it is not there."""
        with self._current.lock:
            self._current.queue((graph, subject, predicate, object), False)

    def remove_few(self, quads: Sequence[Quad]) -> None:
        """Queue the removal of some triples, as `remove` does: of all or, when that is stopped, of none."""
        with self._current.lock:
            self._current.queue_few(quads, False)

    def change_quads(self, steps: Iterable[Step]) -> None:
        """Queue steps of many triples, all or, when that is stopped, none; in a step, removals come first."""
        with self._current.lock:
            self._current.queue_many(*steps)

    def add_quads(self, quads: Quads) -> None:
        """Queue the addition of many triples."""
        with self._current.lock:
            self._current.queue_many((quads, Quads.empty()))

    def bulk_load(
        self,
        *sources: Source,
        graph: int = DEFAULT_GRAPH,
        **options: Unpack[FileOptions],
    ) -> LoadReport:
        """Read files, directories and streams, and queue what is in them; the next read maintains it, once for all.

        A directory with what Spark derived is read together with the one that it follows from, and into an empty
        knowledge base with the same rules: see `take_in`.

        Args:
            sources: RDF files, compressed or not, Parquet with columns of terms, directories of these as other tools
                leave them, zip archives, and directories of encoded triples. All parts of one job are one document.
                Bytes and streams of any of these formats, too.
            graph: the id of the graph for triples without one.
            options: of `kgreason.io.readers.FileOptions`.

        Raises:
            LoadError: a file that cannot be read; nothing was queued, and the dictionary has no new terms.
            BudgetError: reading takes longer than the budget allows; the same.
        """
        from kgreason.io.readers import gather_files

        with heeding(self.budget.reading()):
            gathered = gather_files(sources, **({"knows": self.has_ontology} | options))
            with self.attempt():
                return self.take_in(gathered.into(self.dictionary), graph)

    def take_in(self, loaded: Loaded, graph: int = DEFAULT_GRAPH) -> LoadReport:
        """Queue quads that were read for this dictionary. Where all that follows from them is known and of use, it is
        taken over at once, instead of being derived by the next read; where it is of no use, the report says why.

        Raises:
            LoadError: what is said to follow does not, or is damaged; nothing has changed.
            BudgetError: it is more than the budget allows; nothing has changed.
        """
        from kgreason.store.loads import take_in

        return take_in(self._current, loaded, graph)

    def apply(self, added: Loaded, removed: Loaded, graph: int = DEFAULT_GRAPH) -> ChangeReport:
        """Queue the removal of quads that were read for this dictionary, and after it the addition of others; LoadError
        where one to remove has a blank node, and nothing has changed."""
        from kgreason.store.loads import apply

        return apply(self._current, added, removed, graph)

    def take_over(self, quads: Quads, given: Callable[[Tables], Tables]) -> None:
        """Have explicit quads, where there are none yet, and all facts that `given` gives for them by relation."""
        from kgreason.store.loads import take_over

        take_over(self._current, quads, given)

    def remove_quads(self, quads: Quads) -> None:
        """Queue the removal of many triples."""
        with self._current.lock:
            self._current.queue_many((Quads.empty(), quads))

    def remove_graph(self, graph: int) -> None:
        """Queue the removal of all explicit triples of a graph."""
        with self._current.lock:
            self.remove_quads(Quads.of_chunks(graph, self.graph(graph).match(None, None, None)))

    @property
    def is_empty(self) -> bool:
        """Whether no triple is asserted, nor queued to be; nothing is maintained to know that."""
        from kgreason.store.loads import is_empty

        return is_empty(self._current)

    def has_ontology(self, iri: str) -> bool:
        """Whether an ontology of this name, or of this version, is asserted, or queued to be; nothing is maintained to
        know that."""
        from kgreason.store.loads import has_ontology

        return has_ontology(self._current, iri)

    def flush(self, budget: Budget | None = None) -> None:
        """Maintain what is queued; every read does this first. With a `budget` this counts in the place of that of the
        knowledge base.

        Raises:
            StratificationError, BudgetError: what was queued is dropped, and all is as it was before.
            ListError: also, if this is `strict` and a list is cut off or cyclic.
            KeyboardInterrupt, MemoryError: all is as it was before, and what was queued is still queued.
        """
        self._current.flush(budget)

    def flushed(self) -> State:
        """The state after what is queued, which never changes."""
        with self._current.lock:
            return self._current.flushed()

    def shown(self) -> State | Overlay:
        """The state after what is queued, which never changes; or where that is little and no rule concerns it, the
        state before and this as an overlay, in which later changes of the kind are recorded."""
        current = self._current
        with current.lock:
            now = current.now
            # No name holds the buffer: what is queued is let go of once it is maintained.
            if now.is_settled and not (current.buffer.singles or current.buffer.steps):
                return now.state
            return current.overlaid()

    def making_terms(self) -> AbstractContextManager[None]:
        """Keep the terms of which the body makes ids until it has queued them; if it raises, those that are new are
        forgotten again."""
        return self._current.making_terms()

    def attempt(self) -> AbstractContextManager[None]:
        """The same, and let no other thread change anything while the body runs."""
        return self._current.attempt()
