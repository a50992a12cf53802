"""The state of the engine as a value, and what a change makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, TypeAlias, TypeVar

from kgreason.engine.effort import Effort
from kgreason.engine.facts import Changes, Facts, check_tables
from kgreason.engine.modules.list_cells import Break
from kgreason.engine.modules.lists import ListModule, ListRelations
from kgreason.engine.persistent_map import PersistentMap
from kgreason.engine.rules.rule_inputs import Terms
from kgreason.engine.rules.state_rules import Rules
from kgreason.engine.strata.relation_order import RelationOrder
from kgreason.engine.strata.scheme_plan import SchemePlan
from kgreason.engine.strata.scheme_policy import SchemePolicy
from kgreason.engine.strata.strata import Strata
from kgreason.relations.catalogue import Definition
from kgreason.relations.table import Table

P = TypeVar("P")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EngineState:
    """Facts and rules at their fixpoint, unless `rules.wait`; tables and arrays are shared with other states.

    Args:
        explicit: the asserted facts of all graphs together.
        external: of relations that schemes keep, the facts that are asserted or that other rules derive.
        definitions: how schemes keep relations, by code.
        sequences: the relations of the sequences of lists, by length.
        unsuited: relations that turned out not to suit their scheme.
        effort: how much work it takes to derive all of it anew.
        strata: of these rules and relations, as long as neither has changed since; they follow from the rest.
        plan, order: what schemes keep of the last strata, and the order of their relations.
    """

    facts: Facts = field(default_factory=PersistentMap)
    explicit: Facts = field(default_factory=PersistentMap)
    external: Facts = field(default_factory=PersistentMap)
    definitions: Mapping[int, Definition] = field(default_factory=dict)
    rules: Rules = field(default_factory=Rules)
    sequences: Mapping[int, int] = field(default_factory=dict)
    unsuited: frozenset[int] = frozenset()
    effort: Effort = field(default_factory=partial(Effort, 0), compare=False)
    strata: Strata | None = field(default=None, compare=False)
    plan: SchemePlan | None = field(default=None, compare=False)
    order: RelationOrder | None = field(default=None, compare=False)

    def with_facts(self, facts: Facts, explicit: Facts, external: Facts) -> EngineState:
        """The same rules and schemes with other facts. Each change makes one: so it is quicker than `replace`."""
        schemes = (self.definitions, self.rules, self.sequences, self.unsuited)
        return EngineState(facts, explicit, external, *schemes, self.effort, self.strata, self.plan, self.order)

    def _check(self) -> None:
        for facts in (self.facts, self.explicit, self.external):
            check_tables(facts)
        self.rules._check()
        assert {*self.external} <= {*self.definitions}, "external facts of a relation that no scheme keeps"
        for code, table in self.explicit.items():
            known = self.facts.get(code)
            assert known is not None, "a relation with explicit facts is missing"
            assert len(table.difference(known)) == 0, "an explicit fact is missing"
        assert not self.rules.wait, "a rule waits outside a change"
        for group in self.rules.groups.values():
            if group.guard is not None and not group.universals:
                assert not len(group.rows) or self.facts.get(group.guard), "rules without guard facts"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Setting:
    """The parts of an engine that do not change from one state to the next.

    Args:
        terms: what the engine asks of terms.
        hidden: a relation that no universal column ranges over: type triples whose object is a literal or triple term.
        policy: which relations schemes keep, beside those that a state says are unsuited.
        lists: the relations of RDF lists.
    """

    terms: Terms
    hidden: int
    policy: SchemePolicy
    lists: ListRelations

    def list_module(self, sequences: Mapping[int, int] | None = None) -> ListModule:
        """The module for lists, with the sequences of a state."""
        return ListModule(self.lists, self.terms.integers, dict(sequences or {}))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GuardDelta:
    """The results of a pass that may bring rules: guard facts by relation, and lengths of lists.

    `sequences` are the relations of all lengths that there are, `lengths` the new ones among them.
    """

    added: Mapping[int, Table]
    sequences: Mapping[int, int]
    lengths: tuple[int, ...]


Specialise: TypeAlias = Callable[[P, Rules, GuardDelta], tuple[P, Rules]]
"""From a program, the rules that it became, and what a pass brought, to the next version of both."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Outcome(Generic[P]):
    """The outcome of a change.

    Args:
        changes: the net change of all facts.
        stored: that of the facts that are written out.
        breaks: where lists break that the change concerned.
    """

    state: EngineState
    program: P
    changes: Changes
    stored: Changes
    breaks: list[Break]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StoredFacts:
    """The facts that are written out: those of plain relations, and the external facts of virtual ones."""

    state: EngineState

    def get(self, code: int) -> Table | None:
        """The facts of a relation that are written out, None when there are none."""
        return (self.state.external if code in self.state.definitions else self.state.facts).get(code)

    def items(self) -> Iterator[tuple[int, Table]]:
        """All relations that have such facts."""
        yield from ((code, table) for code, table in self.state.facts.items() if code not in self.state.definitions)
        yield from self.state.external.items()
