"""The knowledge base: explicit triples and rules go in, and every view shows what follows from them.

Changes are buffered and maintained in one batch when something next reads. A change that cannot be maintained
(a closure beyond its budget, rules that are not stratified) raises at that read, and is gone. A list that is cut off
or cyclic makes the axioms that name it say nothing, with a ListWarning, until it is whole again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import RLock
from typing import TypeAlias

import numpy as np

from kgreason.datalog.model import Program, Rule
from kgreason.engine.adoption import GivenFactsError
from kgreason.engine.budget import Budget
from kgreason.engine.engine import Engine
from kgreason.engine.modules.list_cells import Break
from kgreason.engine.strategy import MODULAR, SEMINAIVE, Strategy, strategy_of
from kgreason.errors import KGReasonError, LoadError
from kgreason.explanation.proof import Proof
from kgreason.knowledge.consistency import Inconsistency, find_inconsistencies
from kgreason.knowledge.defective_lists import warn_of
from kgreason.knowledge.explicit import Buffer, Step
from kgreason.knowledge.feed import Listener
from kgreason.knowledge.journal import Journal
from kgreason.knowledge.maintained import Maintained
from kgreason.knowledge.materialised import Materialised, unfit_reason
from kgreason.knowledge.rulesets import RuleSource, resolve_rules
from kgreason.knowledge.specialiser import Specialiser
from kgreason.knowledge.states import KnowledgeState, options_of
from kgreason.knowledge.statistics import Statistics, collect_statistics
from kgreason.knowledge.view import TripleView
from kgreason.loading.inferred import Inferred
from kgreason.loading.parsed import Progress
from kgreason.loading.quads import DEFAULT_GRAPH, Quads
from kgreason.loading.reading import gather_files
from kgreason.loading.report import Loaded, LoadReport
from kgreason.schemes.catalogue import AUTO, PLAIN, Catalogue
from kgreason.schemes.closures import standard_catalogue
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.model import Term

Rules: TypeAlias = RuleSource | Sequence[RuleSource]


class KnowledgeBase:
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
        """Make an empty one.

        Args:
            rules: the name of a rule set, Datalog text, a path, a Program, or a sequence of these.
            schemes: "auto" to choose storage schemes from the program, "plain" to write every relation out, or
                a catalogue, which may force a scheme or bring one.
            strategy: "modular", "plain" for the baseline without modules and schemes, or a Strategy.
            dictionary: of terms that have their ids already, and of no other knowledge base.
            budget: how much one change may derive; without one, whatever follows.
            strict: refuse a change, with ListError, that leaves a list cut off or cyclic which it concerns.
        """
        self.dictionary = Dictionary() if dictionary is None else dictionary
        catalogue = standard_catalogue(PLAIN if strategy == SEMINAIVE else schemes)
        self.options = options_of(catalogue, strategy_of(strategy))
        self._maintained = Maintained(self.dictionary, catalogue, strategy_of(strategy))
        self._budget = Budget() if budget is None else budget
        self.strict = strict
        # The lists that the changes of a transaction left defective so far; None outside of one.
        self._defective: set[int] | None = None
        self._buffer = Buffer()
        self._feed = self._maintained.feed
        self._lock = RLock()
        self._maintained.begin(resolve_rules(rules))

    @property
    def budget(self) -> Budget:
        """How much one change may derive; another one counts for the changes that are maintained from then on."""
        return self._budget

    @budget.setter
    def budget(self, budget: Budget | None) -> None:
        with self._lock:
            self._budget = Budget() if budget is None else budget

    @property
    def journal(self) -> Journal | None:
        """What a durable store has yet to commit; None for a store in memory."""
        return self._maintained.journal

    @journal.setter
    def journal(self, journal: Journal | None) -> None:
        self._maintained.journal = journal

    # -- changes ------------------------------------------------------------------------------------------------

    def add(self, graph: int, subject: int, predicate: int, object: int) -> None:
        """Queue the addition of a triple, by ids, to a graph (DEFAULT_GRAPH or the id of its name)."""
        with self._lock:
            self._buffer.singles[graph, subject, predicate, object] = True

    def remove(self, graph: int, subject: int, predicate: int, object: int) -> None:
        """Queue the removal of an explicit triple from a graph; nothing happens if it is not there."""
        with self._lock:
            self._buffer.singles[graph, subject, predicate, object] = False

    def add_quads(self, quads: Quads) -> None:
        """Queue the addition of many triples."""
        with self._lock:
            self._buffer.bulk(quads, Quads.empty())

    def bulk_load(
        self,
        *paths: str | Path,
        format: str | None = None,
        graph: int = DEFAULT_GRAPH,
        lenient: bool = False,
        progress: Progress | None = None,
        unfinished: bool = False,
        columns: Sequence[str] | None = None,
        terms: str | None = None,
    ) -> LoadReport:
        """Read files and directories, and queue what is in them; the next read maintains it, once for all.

        A directory with what Spark derived is read together with the one that it follows from, and into an empty
        knowledge base with the same rules: see `take_in`.

        Args:
            paths: RDF files, compressed or not, Parquet with columns of terms, directories of these as other tools
                leave them, and directories of encoded triples. All parts of one job are one document.
            format: of the files, told by each file's name, or by what it begins with, unless given.
            graph: the id of the graph for triples without one.
            lenient: skip malformed lines of N-Triples and N-Quads, rows of tables, and whole documents in other
                formats, and count them.
            progress: told of each source how many triples were read from it so far.
            unfinished: read a directory although something in it says that a job has not finished.
            columns: of Parquet, for subjects, predicates, objects and perhaps graphs, where they are not called so.
            terms: of Parquet, "ntriples" or "plain"; told by the first predicate unless given.

        Raises:
            LoadError: a file that cannot be read; nothing was queued, and the dictionary has no new terms.
        """
        gathered = gather_files(
            paths,
            format=format,
            unfinished=unfinished,
            lenient=lenient,
            progress=progress,
            columns=columns,
            terms=terms,
        )
        with self._lock:
            return self.take_in(gathered.into(self.dictionary), graph)

    def take_in(self, loaded: Loaded, graph: int = DEFAULT_GRAPH) -> LoadReport:
        """Queue quads that were read for this dictionary. Where all that follows from them is known and of use, it is
        taken over at once, instead of being derived by the next read; where it is of no use, the report says why.

        Raises:
            LoadError: what is said to follow does not, or is damaged; nothing has changed.
            BudgetError: it is more than the budget allows; nothing has changed.
        """
        quads, report = loaded.quads.without_default(graph), loaded.report
        with self._lock:
            digest, notes = self.program.digest if loaded.inferred else "", []
            for inferred in loaded.inferred:
                reason = unfit_reason(inferred, digest, self.is_empty)
                if reason is None:
                    self._adopt(quads, inferred)
                    return report
                notes.append(f"{inferred.directory}: not used, because {reason}; what follows is derived again")
            self.add_quads(quads)
        return replace(report, notes=(*report.notes, *notes))

    def _adopt(self, quads: Quads, inferred: Inferred) -> None:
        now = self._maintained
        materialised = Materialised(inferred, self.dictionary, now.specialiser.relations, now.type_id)
        try:
            self._change(lambda strict: now.adopt(quads, materialised.tables, self._budget, strict))
        except GivenFactsError as error:
            name = now.descriptions.relation(error.code)
            raise LoadError(f"{inferred.directory}: what is there of {name} is not what follows") from None

    def remove_quads(self, quads: Quads) -> None:
        """Queue the removal of many triples."""
        with self._lock:
            self._buffer.bulk(Quads.empty(), quads)

    def remove_graph(self, graph: int) -> None:
        """Queue the removal of all explicit triples of a graph."""
        with self._lock:
            for subjects, predicates, objects in self.graph(graph).match(None, None, None):
                graphs = np.full(len(subjects), graph, dtype=np.uint32)
                self.remove_quads(Quads(graphs, subjects, predicates, objects))

    @property
    def is_empty(self) -> bool:
        """Whether no triple is asserted, nor queued to be; nothing is maintained to know that."""
        return not (self._buffer or self._maintained.explicit.graphs)

    def flush(self) -> None:
        """Maintain what is queued; every read does this first.

        Raises:
            StratificationError, BudgetError: what was queued is dropped, and all is as it was before.
            ListError: also, if this is `strict` and a list is cut off or cyclic.
            KeyboardInterrupt, MemoryError: all is as it was before, and what was queued is still queued.
        """
        if not self._buffer and not self._maintained.rules_wait:
            if self._feed.waiting:  # something stopped an announcement
                self._announce()
            return
        with self._lock:
            self._maintain(self._buffer.waiting(), self._budget)

    def _announce(self) -> None:
        with self._lock:
            self._feed.announce()

    def _maintain(
        self,
        steps: Sequence[Step],
        budget: Budget,
        edit: Callable[[Specialiser], None] | None = None,
        *,
        quiet: bool = False,
    ) -> None:
        """Make a change, after which nothing is queued, and tell of it; `quiet` says nothing of defective lists."""
        self._change(lambda strict: self._maintained.change(steps, budget, edit, strict), quiet=quiet)

    def _change(self, change: Callable[[bool], list[Break]], *, quiet: bool = False) -> None:
        """The same with a function that makes the change, strict or not, and gives where lists break."""
        is_whole = self._defective is None
        try:
            breaks = change(self.strict and is_whole and not quiet)
        except KGReasonError:
            self._buffer.clear()
            raise
        self._buffer.clear()
        if self._defective is not None and not quiet:
            self._defective.update(each.list for each in breaks)
        self._tell(breaks if is_whole and not quiet else [])

    def _tell(self, breaks: Sequence[Break]) -> None:
        """Warn of lists, and tell the listeners of the changes that wait."""
        try:
            if breaks:
                warn_of(breaks, self._maintained.describer())
        finally:  # also where a filter makes errors of warnings
            self._feed.announce()

    # -- rules --------------------------------------------------------------------------------------------------

    @property
    def program(self) -> Program:
        """The rules in use."""
        return self._maintained.program

    @property
    def rules(self) -> dict[Rule, int]:
        """The rules in use, and how often each was added."""
        return self._maintained.specialiser.counts

    def add_rules(self, rules: Rules) -> None:
        """Add rules and maintain; a program that is not stratifiable is refused with nothing changed."""
        added = resolve_rules(rules).rules
        with self._lock:
            self.flush()
            self._maintain([], self._budget, lambda specialiser: specialiser.add(added))

    def remove_rules(self, rules: Rules) -> None:
        """Remove rules by their text and maintain; rules that are not there are ignored."""
        removed = resolve_rules(rules).rules
        with self._lock:
            self.flush()
            self._maintain([], self._budget, lambda specialiser: specialiser.remove(removed))

    # -- going back and forth -----------------------------------------------------------------------------------

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Maintain what is queued, and let no other thread change anything meanwhile."""
        with self._lock:
            self.flush()
            yield

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make one change of all that the body changes: listeners hear of the net change.

        If the body raises, or what it changed cannot be maintained, the triples are as they were before it. Rules are
        not to change meanwhile, and lists may be defective until the end. What was queued before is maintained first.
        Other threads wait until the end.
        """
        with self._lock:
            self.flush()
            outer, self.journal = self.journal, Journal()
            defective, self._defective = self._defective, set()
            breaks: list[Break] = []
            try:
                with self._feed.transaction():
                    try:
                        yield
                        self.flush()
                        breaks = self._maintained.breaks(self._defective, strict=self.strict and defective is None)
                    except BaseException:
                        self._reverse(self.journal)
                        raise
                if outer is not None:
                    outer.follow(self.journal)
            finally:
                self.journal, self._defective = outer, defective
            if defective is not None:
                defective.update(each.list for each in breaks)
                breaks = []
            self._tell(breaks)

    def _reverse(self, journal: Journal) -> None:
        """Drop what is queued and undo what a journal has; when Ctrl-C comes meanwhile, again."""
        while True:
            try:
                step = journal.reverse(self._maintained.explicit.graphs, self._maintained.type_id)
                self.advance([step], budget=Budget())
            except KeyboardInterrupt:
                continue
            return

    def advance(
        self, steps: Sequence[Step], rules: Mapping[Rule, int] | None = None, budget: Budget | None = None
    ) -> None:
        """Drop what is queued, and maintain steps and the change to other rules as one change; without a `budget`
        of its own it has that of every change. Where this leads was accepted before, so nothing is said of lists."""
        with self._lock:
            edit = None
            if rules is not None and rules != self.rules:
                edit = partial(Specialiser.replace, rules=rules)
            self._maintain(steps, self._budget if budget is None else budget, edit, quiet=True)

    def roll_back(self, rules: Mapping[Rule, int]) -> None:
        """Undo what the journal has, and what is queued, whatever that takes; go back to the rules of then."""
        with self._lock:
            if self.journal is not None:
                step = self.journal.reverse(self._maintained.explicit.graphs, self._maintained.type_id)
                self.advance([step], rules, Budget())
                self.journal = Journal()

    def state(self) -> KnowledgeState:
        """Everything, between two changes, for `go_on_from`: O(relations + rules + terms that came one by one)."""
        with self.paused():
            return self._maintained.state()

    def go_on_from(self, state: KnowledgeState) -> None:
        """Become what another one with the same `options` was, over a dictionary of the same state; nothing is
        evaluated. This one must be empty and without rules."""
        with self._lock:
            self._maintained.go_on_from(state)

    def follow(self, before: KnowledgeBase) -> None:
        """Tell the listeners of another knowledge base from now on, in whose place this one steps."""
        with self._lock:
            self._feed.follow(before._feed)

    # -- the change feed ----------------------------------------------------------------------------------------

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Tell a listener of every change from now on; what is given back ends that.

        It is called with the triples that the change added and those that it removed, explicit or inferred, each
        once, and none that was there before and after; once for each batch, by the thread whose read or flush had
        it maintained. It may read the knowledge base, and change it: that is a change of its own, later. While it
        runs, other threads wait, so it must not wait for them. A view costs nothing until it is read.
        """
        with self._lock:
            self.flush()
            return self._feed.subscribe(listener)

    # -- reading ------------------------------------------------------------------------------------------------

    def all(self) -> TripleView:
        """Explicit and inferred triples, each once."""
        with self._lock:
            self.flush()
            return self._maintained.views.all()

    def explicit(self) -> TripleView:
        """The explicit triples of all graphs, each once."""
        with self._lock:
            self.flush()
            return self._maintained.views.explicit()

    def inferred(self) -> TripleView:
        """The triples that only follow."""
        with self._lock:
            self.flush()
            return self._maintained.views.inferred()

    def graph(self, graph: int) -> TripleView:
        """The explicit triples of one graph."""
        with self._lock:
            self.flush()
            return self._maintained.views.graph(graph)

    def together(self, graphs: Iterable[int], *, inferred: bool) -> TripleView:
        """What is explicit in some graphs, and with `inferred` also what is explicit in none; each triple once.

        A relation is put together when something first reads it, and for free where no other graph has facts of it."""
        with self._lock:
            self.flush()
            return self._maintained.views.together(graphs, inferred=inferred)

    def graphs(self) -> list[int]:
        """The graphs that have explicit triples, DEFAULT_GRAPH among them when it has some."""
        with self._lock:
            self.flush()
            return list(self._maintained.explicit.graphs)

    def graphs_of(self, subject: int, predicate: int, object: int) -> list[int]:
        """The graphs in which a triple is explicit."""
        with self._lock:
            self.flush()
            return self._maintained.views.graphs_of(subject, predicate, object)

    def inconsistencies(self) -> list[Inconsistency]:
        """What violates an integrity condition: its name, and the triples that clash; and which lists are defective."""
        with self._lock:
            self.flush()
            now = self._maintained
            return find_inconsistencies(now.engine, now.specialiser, self.dictionary, now.operations)

    def check_lists(self) -> None:
        """Raise ListError where a list that an axiom names is cut off or cyclic: O(cells of all such lists)."""
        with self._lock:
            self.flush()
            self._maintained.check_lists()

    def explain(self, subject: int, predicate: int, object: int) -> Proof[Term]:
        """A proof of a triple, by ids, down to asserted triples: some milliseconds for each step, as a rule.

        Raises:
            UnknownTripleError: the triple neither is asserted nor follows.
        """
        with self._lock:
            return self._maintained.explanations.proof((subject, predicate, object), self.all())

    def statistics(self) -> Statistics:
        """Sizes: triples, rules, and for each relation its scheme, facts and bytes."""
        with self._lock:
            self.flush()
            now = self._maintained
            indexes = now.views.indexes.nbytes if now.views.indexes is not None else 0
            return collect_statistics(now.engine, now.specialiser, self.dictionary, indexes)

    @property
    def _engine(self) -> Engine:
        return self._maintained.engine

    def _check(self) -> None:
        """Raise AssertionError unless the invariants of everything inside hold."""
        self.flush()
        self._maintained._check()


__all__ = ["DEFAULT_GRAPH", "KnowledgeBase"]
