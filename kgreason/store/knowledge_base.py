"""The knowledge base: explicit triples and rules go in, and every view shows what follows from them.

Changes are buffered and maintained in one batch when something next reads. A change that cannot be maintained
(a closure beyond its budget, rules that are not stratified) raises at that read, and is gone. A list that is cut off
or cyclic makes the axioms that name it say nothing, with a ListWarning, until it is whole again.

A knowledge base is one reference to a `State`, which a change replaces: see `current_state`, also for what becomes of
the terms of a change that failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from time import monotonic
from typing import TYPE_CHECKING, Unpack

from kgreason.checkpoints import heeding
from kgreason.dictionary.dictionary import Dictionary
from kgreason.engine.budget import Budget
from kgreason.engine.strategy import MODULAR, Strategy
from kgreason.errors import BranchError
from kgreason.io.quad_steps import Step
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.program.rules import Program, Rule
from kgreason.relations.catalogue import AUTO, Catalogue
from kgreason.store.beginnings import beginning
from kgreason.store.change_feed import Listener
from kgreason.store.current_state import CurrentState
from kgreason.store.history import History
from kgreason.store.knowledge_reads import KnowledgeReads
from kgreason.store.overlays import Quad
from kgreason.store.rule_sets import Rules, resolve_rules
from kgreason.store.specialised_program import RuleEdit
from kgreason.store.state import State, Tables
from kgreason.store.table_options import TableOptions
from kgreason.store.transactions import transaction

# What a store does now and then is imported when it is first asked for, such as the readers of files and the search for
# proofs: a process that begins a store may need none of it, and it is a third of what there is to import.
if TYPE_CHECKING:
    from kgreason.io.contents import Source
    from kgreason.io.load_report import ChangeReport, Loaded, LoadReport
    from kgreason.io.readers import FileOptions
    from kgreason.store.branches import Branch
    from kgreason.store.overlays import Overlay
    from kgreason.store.state_difference import StateDifference


class KnowledgeBase(KnowledgeReads):
    """Graphs of explicit triples under a program of rules. All methods may be called from several threads."""

    def __init__(
        self,
        rules: Rules = "owl-rl",
        schemes: str | Catalogue = AUTO,
        strategy: str | Strategy = MODULAR,
        *,
        dictionary: Dictionary | None = None,
        budget: Budget | None = None,
        strict: bool = False,
    ) -> None:
        """An empty one.

        Args:
            rules: the name of a rule set, a text of rules, a path, a Program, or a sequence of these.
            schemes: "auto" to choose storage schemes from the program, "plain" to write every relation out, or
                a catalogue, which may force a scheme or bring one.
            strategy: "modular", "plain" for the baseline without modules and schemes, or a Strategy.
            dictionary: of terms that have their ids already, and of no other knowledge base.
            budget: how much one change may derive, and how long rules that do not ship may take to read; without one,
                without a limit.
            strict: refuse a change, with ListError, that leaves a list cut off or cyclic which it concerns.

        Raises:
            RuleError: rules that cannot be used.
            BudgetError: reading them takes longer than the budget allows.
        """
        self.options = TableOptions.of(schemes, strategy)
        configuration, state = beginning(rules, self.options, dictionary, budget or Budget())
        super().__init__(CurrentState(state, configuration, budget, strict))
        self._branch: Branch | None = None

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

    @property
    def history(self) -> History:
        """The steps since the last commit, rollback and snapshots, for what puts this on disk."""
        return History(self._current)

    # -- changes ------------------------------------------------------------------------------------------------

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

    @property
    def program(self) -> Program:
        """The rules in use."""
        return self._current.state.program.rules

    @property
    def rules(self) -> dict[Rule, int]:
        """The rules in use, and how often each was added."""
        return dict(self._current.state.program.counts)

    def add_rules(self, rules: Rules, prefixes: Mapping[str, str] | None = None) -> None:
        """Add rules and maintain; those that are not stratifiable are refused. `prefixes` are for a text."""
        self._edit_rules(rules, prefixes, lambda added: RuleEdit(added=added))

    def remove_rules(self, rules: Rules, prefixes: Mapping[str, str] | None = None) -> None:
        """Remove rules by their text and maintain; rules that are not there are ignored."""
        self._edit_rules(rules, prefixes, lambda removed: RuleEdit(removed=removed))

    def _edit_rules(
        self, rules: Rules, prefixes: Mapping[str, str] | None, edit: Callable[[tuple[Rule, ...]], RuleEdit]
    ) -> None:
        """Read rules and maintain an edit of them, within one budget of time."""
        began = monotonic()
        with heeding(self.budget.reading()):
            read = resolve_rules(rules, prefixes).rules
        spent = monotonic() - began
        with self._current.lock:
            self._current.check_open()
            self.flush()
            self._current.maintain([], self._current.budget.begun(spent), edit(read))

    # -- going back and forth -----------------------------------------------------------------------------------

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Maintain what is queued, and let no other thread change anything meanwhile."""
        with self._current.lock:
            self.flush()
            yield

    @contextmanager
    def reading(self) -> Iterator[State | Overlay]:
        """What is shown now, and let no other thread change anything meanwhile."""
        with self._current.lock:
            yield self.shown()

    def transaction(self, budget: Budget | None = None) -> AbstractContextManager[None]:
        """Make one change of all that the body changes: listeners hear of the net change. What is queued at its end is
        maintained under a `budget`, without one under that of the knowledge base.

        If the body raises, or what it changed cannot be maintained, the triples are as they were before it. Rules are
        not to change meanwhile, and lists may be defective until the end. What was queued before is maintained first.
        Other threads wait until the end.
        """
        return transaction(self._current, budget)

    def making_terms(self) -> AbstractContextManager[None]:
        """Keep the terms of which the body makes ids until it has queued them; if it raises, those that are new are
        forgotten again."""
        return self._current.making_terms()

    def attempt(self) -> AbstractContextManager[None]:
        """The same, and let no other thread change anything while the body runs."""
        return self._current.attempt()

    # -- branches -----------------------------------------------------------------------------------------------

    def branch(self) -> KnowledgeBase:
        """A knowledge base that begins as this one, after what is queued here, and may be changed without touching it:
        O(1). It shares everything with this one, lives in memory, and has the same options; see
        `kgreason.store.branches`."""
        from kgreason.store.branches import Branch

        branch, found = Branch(self._current), copy(self)
        found._current, found._branch, found._explanations = branch.current, branch, None
        return found

    def difference(self) -> StateDifference:
        """The difference of this branch from the state that it began with.

        Raises:
            BranchError: this is not a branch.
        """
        return self._as_branch().difference()

    def adopt(self, branch: KnowledgeBase) -> None:
        """Become what a branch of this one is, which begins anew then: O(changed relations). Listeners hear of the net
        change, and the log has the steps of the branch. Nothing is derived again, unless this one has learned terms
        since the branch began.

        Raises:
            BranchError: it is not a branch of this one, or this one has changed since; nothing has changed.
        """
        from kgreason.store.branches import adopt

        adopt(self._current, branch._as_branch())

    def _as_branch(self) -> Branch:
        if self._branch is None:
            raise BranchError("this store is not a branch")
        return self._branch

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Tell a listener of every change from now on; what is given back ends that.

        It is called with the triples that the change added and those that it removed, explicit or inferred, each
        once, and none that was there before and after; once for each batch, by the thread whose read or flush had
        it maintained. It may read the knowledge base, and change it: that is a change of its own, later. While it
        runs, other threads wait, so it must not wait for them. A view costs nothing until it is read.
        """
        with self._current.lock:
            self.flush()
            return self._current.feed.subscribe(listener)


__all__ = ["DEFAULT_GRAPH", "KnowledgeBase"]
