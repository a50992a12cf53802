"""The knowledge base: explicit triples and rules go in, and every view shows what follows from them.

Changes are buffered and maintained in one batch when something next reads. A change that cannot be maintained
(a list that is cut off, a program that is not stratifiable) raises at that read, and is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import TypeAlias

import numpy as np

from kgreason.datalog.model import Program, Rule
from kgreason.datalog.stratification import check_stratification
from kgreason.engine.engine import Engine
from kgreason.engine.facts import Changes, Facts
from kgreason.engine.strata.choice import Choice
from kgreason.engine.strategy import MODULAR, SEMINAIVE, Strategy, strategy_of
from kgreason.errors import KGReasonError
from kgreason.explanation.proof import Proof
from kgreason.knowledge.consistency import Inconsistency, find_inconsistencies
from kgreason.knowledge.explaining import Explanations
from kgreason.knowledge.explicit import Buffer, Explicit, Step
from kgreason.knowledge.feed import Feed, Listener
from kgreason.knowledge.indexes import Indexes
from kgreason.knowledge.journal import Journal
from kgreason.knowledge.keeping import KnowledgeState, options_of
from kgreason.knowledge.operations import Operations
from kgreason.knowledge.rulesets import RuleSource, resolve_rules
from kgreason.knowledge.specialiser import Specialiser
from kgreason.knowledge.statistics import Statistics, collect_statistics
from kgreason.knowledge.view import Difference, Relations, TripleView, United
from kgreason.loading.parsed import Progress
from kgreason.loading.quads import DEFAULT_GRAPH, Quads
from kgreason.loading.reading import gather_files
from kgreason.loading.report import LoadReport
from kgreason.schemes.catalogue import AUTO, PLAIN, Catalogue
from kgreason.schemes.closures import standard_catalogue
from kgreason.schemes.relations import class_code, property_code
from kgreason.schemes.scheme import Table
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.model import IRI, Term
from kgreason.terms.vocabulary import RDF_TYPE

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
    ) -> None:
        """Make an empty one.

        Args:
            rules: the name of a rule set, Datalog text, a path, a Program, or a sequence of these.
            schemes: "auto" to choose storage schemes from the program, "plain" to write every relation out, or
                a catalogue, which may force a scheme or bring one.
            strategy: "modular", "plain" for the baseline without modules and schemes, or a Strategy.
            dictionary: of terms that have their ids already, and of no other knowledge base.
        """
        self.dictionary = Dictionary() if dictionary is None else dictionary
        self._type = self.dictionary.encode(IRI(RDF_TYPE))
        self._operations = Operations(self.dictionary)
        catalogue = standard_catalogue(PLAIN if strategy == SEMINAIVE else schemes)
        choice = Choice(catalogue, strategy_of(strategy))
        self.options = options_of(catalogue, strategy_of(strategy))
        self._engine = Engine(self._operations, hidden=property_code(self._type), choice=choice)
        self._specialiser = Specialiser(self._engine, self.dictionary)
        self._engine.choice.forced = self._specialiser.relations.by_name(catalogue.forced)
        self._explanations = Explanations(self._engine, self._specialiser, self.dictionary)
        self._explicit = Explicit(self._type)
        self._buffer = Buffer()
        # What a durable store has yet to commit; None for a store in memory.
        self.journal: Journal | None = None
        self._feed = Feed(self._type)
        self._lock = RLock()
        self._indexes: Indexes | None = None
        self._views: dict[object, TripleView] = {}
        program = resolve_rules(rules)
        check_stratification(program)
        self._specialiser.add(program.rules)
        self._rules_wait = True

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
    ) -> LoadReport:
        """Read files and directories, and queue what is in them; the next read maintains it, once for all.

        Args:
            paths: RDF files, compressed or not, directories of them, and directories of encoded triples.
            format: of the files, told by each file's name unless given.
            graph: the id of the graph for triples without one.
            lenient: skip malformed lines of N-Triples and N-Quads, and count them.
            progress: told of each source how many triples were read from it so far.

        Raises:
            LoadError: a file that cannot be read; nothing was queued, and the dictionary has no new terms.
        """
        gathered = gather_files(paths, format=format, lenient=lenient, progress=progress)
        with self._lock:
            loaded = gathered.into(self.dictionary)
            self.add_quads(loaded.quads.without_default(graph))
        return loaded.report

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

    def flush(self) -> None:
        """Maintain what is queued; every read does this first.

        Raises:
            ListError, StratificationError: what was queued is dropped, and all is as it was before.
            KeyboardInterrupt, MemoryError: all is as it was before, and what was queued is still queued.
        """
        if not self._buffer and not self._rules_wait:
            return
        with self._lock:
            steps = self._buffer.take()
            try:
                changes = self._maintain(steps)
            except KGReasonError:
                raise
            except BaseException:
                self._buffer.put_back(steps)
                raise
            self._feed.announce(changes)

    def _maintain(self, steps: list[Step]) -> Changes:
        staged = self._explicit.staged(steps, self._engine.explicit, self.dictionary.literal_mask())
        changes = Changes()
        if staged.changes or self._rules_wait:
            changes = self._apply(staged.changes, staged.asserted)
        if self.journal is not None:
            self.journal.note(steps, self._explicit.graphs, staged.tables)
        self._explicit.commit(staged, self._engine.explicit)
        if staged.tables:
            self._forget_views()
        return changes

    def _apply(self, changes: Changes, asserted: Mapping[int, Table | None] | None = None) -> Changes:
        net = self._engine.apply(changes, self._specialiser, asserted)
        self._rules_wait = False
        if self._indexes is not None:
            self._indexes = self._indexes.updated(self._engine.stored())
        self._forget_views()
        return net

    def _forget_views(self) -> None:
        self._views = {}

    # -- rules --------------------------------------------------------------------------------------------------

    @property
    def program(self) -> Program:
        """The rules in use."""
        return Program(tuple(self._specialiser.rules))

    def add_rules(self, rules: Rules) -> None:
        """Add rules and maintain; a program that is not stratifiable is refused with nothing changed."""
        self._change_rules(resolve_rules(rules), self._specialiser.add)

    def remove_rules(self, rules: Rules) -> None:
        """Remove rules by their text and maintain; rules that are not there are ignored."""
        self._change_rules(resolve_rules(rules), self._specialiser.remove)

    def _change_rules(self, program: Program, change: Callable[..., None]) -> None:
        with self._lock:
            self.flush()
            self._explanations.forget_rules()
            rules, state = self._engine.rules(), self._specialiser.state()
            try:
                change(program.rules)
                check_stratification(self.program)
                changes = self._apply(Changes())
            except BaseException:
                self._engine.restore_rules(rules)
                self._specialiser.restore(state)
                raise
            self._feed.announce(changes)

    # -- going back and forth -----------------------------------------------------------------------------------

    @property
    def rules(self) -> dict[Rule, int]:
        """The rules in use, and how often each was added."""
        return self._specialiser.counts

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Maintain what is queued, and let no other thread change anything meanwhile."""
        with self._lock:
            self.flush()
            yield

    def advance(self, steps: list[Step], rules: Mapping[Rule, int] | None = None) -> None:
        """Drop what is queued, and maintain steps and the change to other rules as one change."""
        with self._lock:
            self._buffer.take()
            waits, state, before = self._rules_wait, self._engine.rules(), self._specialiser.state()
            try:
                if rules is not None and rules != self.rules:
                    self._explanations.forget_rules()
                    self._specialiser.replace(rules)
                    check_stratification(self.program)
                    self._rules_wait = True
                changes = self._maintain(steps)
            except BaseException:
                self._engine.restore_rules(state)
                self._specialiser.restore(before)
                self._rules_wait = waits
                raise
            self._feed.announce(changes)

    def roll_back(self, rules: Mapping[Rule, int]) -> None:
        """Undo what the journal has, and what is queued; go back to the rules that there were then."""
        with self._lock:
            if self.journal is not None:
                step = self.journal.reverse(self._explicit.graphs, self._type)
                self.advance([step], rules)
                self.journal = Journal()

    def state(self) -> KnowledgeState:
        """Everything, between two changes, for `go_on_from`: O(relations + rules + terms that came one by one)."""
        with self.paused():
            return KnowledgeState(
                self.dictionary.state(),
                self._engine.state(),
                self._specialiser.state(),
                dict(self._specialiser.relations.auxiliaries),
                {graph: facts.copy() for graph, facts in self._explicit.graphs.items()},
            )

    def go_on_from(self, state: KnowledgeState) -> None:
        """Become what another one with the same `options` was, over a dictionary of the same state; nothing is
        evaluated. This one must be empty and without rules."""
        with self._lock:
            self._specialiser.relations.auxiliaries.update(state.auxiliaries)
            self._specialiser.restore(state.specialiser)
            self._engine.restore(state.engine, self._specialiser.lists)
            self._explicit.graphs.update(state.graphs)
            self._rules_wait = False

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
            if "all" not in self._views:
                facts = self._engine.facts.copy()
                if self._indexes is None:
                    self._indexes = Indexes(self._engine.stored())
                self._views["all"] = TripleView(facts, self._type, self._indexes)
            return self._views["all"]

    def explicit(self) -> TripleView:
        """The explicit triples of all graphs, each once."""
        with self._lock:
            self.flush()
            if "explicit" not in self._views:
                self._views["explicit"] = TripleView(self._engine.explicit.copy(), self._type)
            return self._views["explicit"]

    def inferred(self) -> TripleView:
        """The triples that only follow."""
        with self._lock:
            self.flush()
            if "inferred" not in self._views:
                difference = Difference(self._engine.facts.copy(), self._engine.explicit.copy())
                self._views["inferred"] = TripleView(difference, self._type)
            return self._views["inferred"]

    def graph(self, graph: int) -> TripleView:
        """The explicit triples of one graph."""
        with self._lock:
            self.flush()
            if graph not in self._views:
                facts = self._explicit.graphs.get(graph, Facts())
                self._views[graph] = TripleView(facts.copy(), self._type)
            return self._views[graph]

    def together(self, graphs: Iterable[int], *, inferred: bool) -> TripleView:
        """What is explicit in some graphs, and with `inferred` also what is explicit in none; each triple once.

        A relation is put together when something first reads it, and for free where no other graph has facts of it."""
        wanted = frozenset(graphs)
        with self._lock:
            self.flush()
            if wanted >= self._explicit.graphs.keys():
                return self.all() if inferred else self.explicit()
            if not wanted:
                return self.inferred() if inferred else TripleView(Facts(), self._type)
            if len(wanted) == 1 and not inferred:
                return self.graph(*wanted)
            if (wanted, inferred) not in self._views:
                parts = [facts.copy() for graph, facts in self._explicit.graphs.items() if graph in wanted]
                found: Relations = United(parts)
                if inferred:
                    elsewhere = Difference(self._engine.explicit.copy(), found)
                    found = Difference(self._engine.facts.copy(), elsewhere)
                self._views[wanted, inferred] = TripleView(found, self._type)
            return self._views[wanted, inferred]

    def graphs(self) -> list[int]:
        """The graphs that have explicit triples, DEFAULT_GRAPH among them when it has some."""
        with self._lock:
            self.flush()
            return list(self._explicit.graphs)

    def graphs_of(self, subject: int, predicate: int, object: int) -> list[int]:
        """The graphs in which a triple is explicit."""
        with self._lock:
            self.flush()
            found = list(self._explicit.graphs_of(property_code(predicate), subject, object))
            if predicate == self._type:
                found += self._explicit.graphs_of(class_code(object), subject, None)
            return found

    def inconsistencies(self) -> list[Inconsistency]:
        """What violates an integrity condition: its name, and the triples that clash."""
        with self._lock:
            self.flush()
            return find_inconsistencies(self._engine, self._specialiser, self.dictionary, self._operations)

    def explain(self, subject: int, predicate: int, object: int) -> Proof[Term]:
        """A proof of a triple, by ids, down to asserted triples: some milliseconds for each step, as a rule.

        Raises:
            UnknownTripleError: the triple neither is asserted nor follows.
        """
        with self._lock:
            return self._explanations.proof((subject, predicate, object), self.all())

    def statistics(self) -> Statistics:
        """Sizes: triples, rules, and for each relation its scheme, facts and bytes."""
        with self._lock:
            self.flush()
            indexes = self._indexes.nbytes if self._indexes is not None else 0
            return collect_statistics(self._engine, self._specialiser, self.dictionary, indexes)

    def _check(self) -> None:
        """Raise AssertionError unless the invariants of everything inside hold."""
        self.flush()
        self._engine._check()
        self._explicit._check(self._engine.explicit)
        self.dictionary._check()
        if self._indexes is not None:
            self._indexes._check()


__all__ = ["DEFAULT_GRAPH", "KnowledgeBase"]
