"""What a knowledge base has between two changes, and how a change of it comes about: as a whole, or not at all.

Whatever stops a change (what it says cannot be maintained, its budget, Ctrl-C, memory) leaves everything as it was,
but for the dictionary, where terms that are new keep the ids that they got.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from kgreason.datalog.model import Program
from kgreason.datalog.stratification import check_stratification
from kgreason.engine.adoption import Given, adopt
from kgreason.engine.budget import Budget
from kgreason.engine.engine import Engine
from kgreason.engine.facts import Changes
from kgreason.engine.meter import Meter
from kgreason.engine.modules.list_cells import Break
from kgreason.engine.states import RuleState, Undo
from kgreason.engine.strata.choice import Choice
from kgreason.engine.strategy import Strategy
from kgreason.errors import ListError
from kgreason.knowledge.defective_lists import Describer
from kgreason.knowledge.describing import Descriptions
from kgreason.knowledge.explaining import Explanations
from kgreason.knowledge.explicit import Explicit, Staged, Step
from kgreason.knowledge.feed import Feed
from kgreason.knowledge.indexes import Indexes
from kgreason.knowledge.journal import Journal
from kgreason.knowledge.operations import Operations
from kgreason.knowledge.specialiser import Specialiser, SpecialiserState
from kgreason.knowledge.states import KnowledgeState
from kgreason.knowledge.views import Views
from kgreason.loading.quads import Quads
from kgreason.schemes.catalogue import Catalogue
from kgreason.schemes.relations import property_code
from kgreason.schemes.scheme import Table
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.model import IRI
from kgreason.terms.vocabulary import RDF_TYPE

Tables: TypeAlias = Mapping[int, Table]


class Maintained:
    """Explicit triples, rules, and what follows from them. Whoever calls sees to it that no other thread does."""

    def __init__(self, dictionary: Dictionary, catalogue: Catalogue, strategy: Strategy) -> None:
        """Nothing yet, over the terms of a dictionary."""
        self.dictionary = dictionary
        self.type_id = dictionary.encode(IRI(RDF_TYPE))
        self.operations = Operations(dictionary)
        choice = Choice(catalogue, strategy)
        self.engine = Engine(self.operations, hidden=property_code(self.type_id), choice=choice)
        self.specialiser = Specialiser(self.engine, dictionary)
        choice.forced = self.specialiser.relations.by_name(catalogue.forced)
        self.explicit = Explicit(self.type_id)
        self.explanations = Explanations(self.engine, self.specialiser, dictionary)
        self.descriptions = Descriptions(self.specialiser, dictionary)
        self.views = Views(self.engine, self.explicit, self.type_id)
        self.feed = Feed(self.type_id)
        # What a durable store has yet to commit; None for a store in memory.
        self.journal: Journal | None = None
        self.rules_wait = False

    def begin(self, program: Program) -> None:
        """Have rules from now on, which the next change maintains; there must be none yet."""
        check_stratification(program)
        self.specialiser.add(program.rules)
        self.rules_wait = True

    @property
    def program(self) -> Program:
        """The rules in use."""
        return Program(tuple(self.specialiser.rules))

    def change(
        self,
        steps: Sequence[Step],
        budget: Budget,
        edit: Callable[[Specialiser], None] | None = None,
        strict: bool = False,
    ) -> list[Break]:
        """Follow steps of explicit triples, and an edit of the rules; the feed takes note of the net change.

        Returns:
            Where lists break that the change concerned.

        Raises:
            StratificationError, BudgetError: what was asked for cannot be maintained.
            ListError: such a list breaks, and this is to be `strict`.
            KeyboardInterrupt, MemoryError: it came to nothing. In all cases everything is as it was before.
        """
        before = _Before.of(self, edit is not None)
        try:
            return self._change(steps, budget, edit, before, strict)
        except BaseException:
            before.restore_whatever_comes(self)
            raise

    def _change(
        self,
        steps: Sequence[Step],
        budget: Budget,
        edit: Callable[[Specialiser], None] | None,
        before: _Before,
        strict: bool,
    ) -> list[Break]:
        if edit is not None:
            self.explanations.forget_rules()
            edit(self.specialiser)
            check_stratification(self.program)
        staged = before.staged = self.explicit.staged(steps, self.engine.explicit, self.dictionary.literal_mask())
        changes: Changes | None = None
        if staged.changes or self.rules_wait or edit is not None:
            meter = Meter(budget, self.descriptions.of)
            changes = self.engine.apply(staged.changes, self.specialiser, staged.asserted, meter, before.engine)
        return self._follow(steps, staged, changes, strict)

    def adopt(
        self, quads: Quads, given: Callable[[Tables], Tables], budget: Budget, strict: bool = False
    ) -> list[Break]:
        """Have explicit quads, where there are none yet, and take over what follows from them under the rules.

        `given` gives all facts, by relation, for the explicit ones.

        Returns:
            Where lists break.

        Raises:
            GivenFactsError: some of the facts do not follow.
            StratificationError, BudgetError, ListError: as `change`. In all cases everything is as it was before.
        """
        before = _Before.of(self, with_rules=True)
        steps: list[Step] = [(quads, Quads.empty())]
        try:
            staged = before.staged = self.explicit.staged(steps, self.engine.explicit, self.dictionary.literal_mask())
            facts = Given(staged.changes.added, given(staged.changes.added))
            meter = Meter(budget, self.descriptions.of)
            changes = adopt(self.engine, facts, self.specialiser, meter, before.engine)
            return self._follow(steps, staged, changes, strict)
        except BaseException:
            before.restore_whatever_comes(self)
            raise

    def _follow(
        self, steps: Sequence[Step], staged: Staged, changes: Changes | None, strict: bool
    ) -> list[Break]:
        """Let everything beside the engine follow it, which had nothing to do where there are no `changes`."""
        breaks: list[Break] = []
        if changes is not None:
            breaks = self._admitted(self.engine.breaks, strict)
            self.rules_wait = False
            self.views.changed()
        if self.journal is not None:
            self.journal.note(steps, self.explicit.graphs, staged.tables)
        self.explicit.commit(staged, self.engine.explicit)
        self.views.forget()
        if changes is not None:
            self.feed.note(changes)
        return breaks

    def breaks(self, lists: Collection[int], *, strict: bool) -> list[Break]:
        """Where some lists break as things are; ListError if they do and this is to be `strict`."""
        if not lists:
            return []
        found = self.specialiser.lists.breaks(self.engine.facts.get, np.fromiter(sorted(lists), dtype=np.uint32))
        return self._admitted(found, strict)

    def check_lists(self) -> None:
        """Raise ListError where a list that an axiom names breaks."""
        self._admitted(self.specialiser.lists.breaks(self.engine.facts.get), strict=True)

    def _admitted(self, breaks: list[Break], strict: bool) -> list[Break]:
        if breaks and strict:
            raise ListError(str(self.describer().describe(breaks[0])))
        return breaks

    def describer(self) -> Describer:
        """Puts into words where lists break."""
        return Describer(self.engine, self.specialiser, self.dictionary)

    # -- going on elsewhere -------------------------------------------------------------------------------------

    def state(self) -> KnowledgeState:
        """Everything, for `go_on_from`: O(relations + rules + terms that came one by one)."""
        return KnowledgeState(
            self.dictionary.state(),
            self.engine.state(),
            self.specialiser.state(),
            dict(self.specialiser.relations.auxiliaries),
            {graph: facts.copy() for graph, facts in self.explicit.graphs.items()},
        )

    def go_on_from(self, state: KnowledgeState) -> None:
        """Become what another one was, over a dictionary of the same state; nothing is evaluated."""
        self.specialiser.relations.auxiliaries.update(state.auxiliaries)
        self.specialiser.restore(state.specialiser)
        self.engine.restore(state.engine, self.specialiser.lists)
        self.explicit.graphs.update(state.graphs)
        self.rules_wait = False

    def _check(self) -> None:
        self.engine._check()
        self.explicit._check(self.engine.explicit)
        self.dictionary._check()
        self.views._check()


@dataclass(slots=True)
class _Before:
    """What there was before a change, as far as the change is going to touch it."""

    engine: Undo
    rules: tuple[RuleState, SpecialiserState] | None
    rules_wait: bool
    indexes: Indexes | None
    noted: int
    announced: int
    staged: Staged | None = None

    @classmethod
    def of(cls, now: Maintained, with_rules: bool) -> _Before:
        """Take note: O(1), and with rules O(rules)."""
        rules = (now.engine.rules(), now.specialiser.state()) if with_rules else None
        noted = len(now.journal.steps) if now.journal is not None else 0
        return cls(Undo(), rules, now.rules_wait, now.views.indexes, noted, now.feed.waiting)

    def restore_whatever_comes(self, now: Maintained) -> None:
        """Put everything back, and when Ctrl-C comes meanwhile, again."""
        while True:
            try:
                self._restore(now)
            except KeyboardInterrupt:
                continue
            return

    def _restore(self, now: Maintained) -> None:
        self.engine.revert(now.engine, now.specialiser)
        if self.rules is not None:
            rules, state = self.rules
            now.engine.restore_rules(rules)
            now.specialiser.restore(state)
        now.rules_wait = self.rules_wait
        if self.staged is not None:
            now.explicit.revert(self.staged)
        if now.journal is not None:
            del now.journal.steps[self.noted :]
        now.feed.forget(self.announced)
        now.views.indexes = self.indexes
        now.views.forget()
