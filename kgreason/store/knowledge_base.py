"""The knowledge base: explicit triples and rules go in, and every view shows what follows from them.

Changes are buffered and maintained in one batch when something next reads. A change that cannot be maintained
(a closure beyond its budget, rules that are not stratified) raises at that read, and is gone. A list that is cut off
or cyclic makes the axioms that name it say nothing, with a ListWarning, until it is whole again.

A knowledge base is one reference to a `State`, which a change replaces: see `current_state`, also for what becomes of
the terms of a change that failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from time import monotonic
from typing import TYPE_CHECKING

from kgreason.checkpoints import heeding
from kgreason.dictionary.dictionary import Dictionary
from kgreason.engine.budget import Budget
from kgreason.engine.strategy import MODULAR, Strategy
from kgreason.errors import BranchError
from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.program.rules import Program, Rule
from kgreason.relations.catalogue import AUTO, Catalogue
from kgreason.store.beginnings import beginning
from kgreason.store.change_feed import Listener
from kgreason.store.current_state import CurrentState
from kgreason.store.history import History
from kgreason.store.knowledge_changes import KnowledgeChanges
from kgreason.store.rule_sets import Rules, resolve_rules
from kgreason.store.specialised_program import RuleEdit
from kgreason.store.state import State
from kgreason.store.table_options import TableOptions
from kgreason.store.transactions import transaction

# What a store does now and then is imported when it is first asked for, such as the readers of files and the search for
# proofs: a process that begins a store may need none of it, and it is a third of what there is to import.
if TYPE_CHECKING:
    from kgreason.store.branches import Branch
    from kgreason.store.overlays import Overlay
    from kgreason.store.state_difference import StateDifference


class KnowledgeBase(KnowledgeChanges):
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
    def history(self) -> History:
        """The steps since the last commit, rollback and snapshots, for what puts this on disk."""
        return History(self._current)

    # -- rules --------------------------------------------------------------------------------------------------

    @property
    def program(self) -> Program:
        """The rules in use."""
        return self._current.state.program.rules

    @property
    def rules(self) -> dict[Rule, int]:
        """The rules in use, and how often each was added."""
        return dict(self._current.state.program.counts)

    @property
    def rule_additions(self) -> Program:
        """The rules in use, each as often as it was added: a store that begins with them takes as many removals."""
        return Program(tuple(rule for rule, count in self.rules.items() for _ in range(count)))

    def add_rules(self, rules: Rules, prefixes: Mapping[str, str] | None = None) -> tuple[Rule, ...]:
        """Add rules and maintain; those that are not stratifiable are refused. `prefixes` are for a text. Returns the
        rules as they were read."""
        return self._edit_rules(rules, prefixes, lambda added: RuleEdit(added=added))

    def remove_rules(self, rules: Rules, prefixes: Mapping[str, str] | None = None) -> None:
        """Remove rules by their text and maintain; rules that are not there are ignored."""
        self._edit_rules(rules, prefixes, lambda removed: RuleEdit(removed=removed))

    def _edit_rules(
        self, rules: Rules, prefixes: Mapping[str, str] | None, edit: Callable[[tuple[Rule, ...]], RuleEdit]
    ) -> tuple[Rule, ...]:
        """Read rules and maintain an edit of them, within one budget of time."""
        began = monotonic()
        with heeding(self.budget.reading()):
            read = resolve_rules(rules, prefixes).rules
        spent = monotonic() - began
        with self._current.lock:
            self._current.check_open()
            self.flush()
            self._current.maintain([], self._current.budget.begun(spent), edit(read))
        return read

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
