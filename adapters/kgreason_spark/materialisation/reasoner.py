"""The driver's part: schema and closures, reasoned over by the engine of every store, and the rules for the cluster.

Some relations *reside* on the driver: those that guards and lists are made of, and those that schemes keep as
closures. The engine holds all facts of them, and everything that follows from them alone. The cluster
evaluates the rules that join them with other relations; what it derives of resident relations comes back here.

Where all facts are on the driver, it evaluates the rules that it leaves to the cluster otherwise (`driver_rules`), too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from kgreason.checkpoints import heeding
from kgreason.dictionary.dictionary import Dictionary
from kgreason.engine.budget import Budget
from kgreason.engine.engine import apply, asserted
from kgreason.engine.engine_state import EngineState
from kgreason.engine.facts import Changes
from kgreason.engine.meter import Meter
from kgreason.engine.modules.list_cells import Break
from kgreason.engine.rules.grouping import Grouping
from kgreason.engine.rules.groups import RuleGroup as Specialised
from kgreason.engine.rules.guard_rows import as_keys
from kgreason.engine.rules.rule_draft import RuleDraft
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.strata.possible_relations import Guards, PossibleRelations
from kgreason.engine.strata.strata import Strata
from kgreason.engine.strategy import Strategy
from kgreason.io.quads import Quads
from kgreason.program.list_rules import list_variables
from kgreason.program.rules import Program, Rule
from kgreason.program.stratification import check_stratification
from kgreason.relations.catalogue import AUTO, EQUALITY, MUTUAL, MUTUAL_OTHERS, STEPS, Catalogue
from kgreason.relations.codes import AUXILIARY, CLASS, identifier_of, kind_of
from kgreason.relations.plain import table_of
from kgreason.relations.schemes import standard_catalogue
from kgreason.relations.table import Columns, Table
from kgreason.store.defective_lists import Describer
from kgreason.store.specialised_program import RuleEdit
from kgreason.store.specialiser import Specialisation
from kgreason.store.state import Configuration, State, begin, describer, state_of
from kgreason.store.state_changes import apply as apply_steps
from kgreason_spark.budgets import UNLIMITED
from kgreason_spark.materialisation.driver_limits import DRIVER_FACTS, closures_within
from kgreason_spark.materialisation.driver_rules import (
    ELSEWHERE,
    beside_cluster,
    cluster_group,
    deriving_rules,
    refuse_asserted,
    sources_of,
)
from kgreason_spark.materialisation.every_triple import WIDTH
from kgreason_spark.materialisation.parameter_frames import RuleGroup
from kgreason_spark.materialisation.unspecialised import ALONG, TRIPLE, unspecialised


@dataclass(slots=True)
class Reasoner:
    """An engine over the resident relations; `is_alone` where there are no others. `closures` are the relations of each
    closure that is to be kept on the driver. Of the rules, the parts of `deriving_rules`, some stay `unspecialised`, by
    their numbers. All changes together keep to the seconds of the `budget`."""

    program: Program
    dictionary: Dictionary = field(default_factory=Dictionary)
    schemes: str | Catalogue = AUTO
    is_alone: bool = False
    unspecialised: frozenset[int] = frozenset()
    budget: Budget = UNLIMITED
    state: State = field(init=False)
    closures: list[set[int]] = field(init=False, default_factory=list)
    triple: int | None = field(init=False)
    """The code of the relation of all triples, where rules have it."""
    _numbers: dict[Rule, list[int]] = field(init=False, default_factory=dict)
    _configuration: Configuration = field(init=False)
    _elsewhere: int = field(init=False)

    def __post_init__(self) -> None:
        check_stratification(self.program)
        if not self.is_alone:
            refuse_asserted(self.program)
        # The cluster knows no facts over representatives, and takes a round for each step along a hierarchy.
        schemes, not_there = standard_catalogue(self.schemes), {EQUALITY, STEPS, MUTUAL, MUTUAL_OTHERS}
        known = {name: scheme for name, scheme in schemes.schemes.items() if name not in not_there}
        catalogue, strategy = replace(schemes, schemes=known, representation=None), Strategy(skip_repeating=False)
        self._configuration, state = begin(self.dictionary, catalogue, strategy)
        relations = state.program.relations(self.dictionary)
        self._elsewhere = relations.auxiliary(ELSEWHERE.name, 1)
        # Relations have facts on the cluster, so that every guard fact brings its rule.
        engine = replace(state.engine, rules=replace(state.engine.rules, reached=None))
        state = replace(state, engine=engine, program=replace(state.program, auxiliaries=relations.auxiliaries))
        # Rules that are not specialised have one relation for what the levels of the cluster keep apart.
        edit, specialisation = RuleEdit(tuple(self._own_rules())), Specialisation(self.dictionary, state.program)
        own, rules = specialisation.edited(edit, engine.rules, engine.sequences)
        self.state = replace(state, engine=replace(engine, rules=rules, strata=None), program=own)
        self.triple = self.auxiliary(TRIPLE, WIDTH)

    def _own_rules(self) -> Iterator[Rule]:
        """The rules for the engine."""
        for number, rule in enumerate(deriving_rules(self.program)):
            for part in unspecialised(rule) if number in self.unspecialised else (rule,):
                own = part if self.is_alone else beside_cluster(part)
                self._numbers.setdefault(own, []).append(number)
                yield own

    @property
    def engine(self) -> EngineState:
        """The facts and rules of the driver."""
        return self.state.engine

    def begin(self) -> dict[int, Table]:
        """What follows from the rules alone, by the driver's codes: to be called once, before anything is added."""
        return dict(self._apply(Changes()).added)

    def _apply(self, changes: Changes) -> Changes:
        """Make a change; the net change of all facts."""
        self.state, net = self._after(self.state, changes)
        return net

    def _after(self, state: State, changes: Changes) -> tuple[State, Changes]:
        """A state after a change, and the net change of all facts."""
        specialise = Specialisation(self.dictionary, state.program)
        change = asserted(state.engine.explicit, changes)
        meter = Meter(self.budget.timed())
        with heeding(meter.check):
            outcome = apply(state.engine, state.program, change, self._configuration.engine, specialise, meter)
        return state_of(outcome.state, outcome.program, state.graphs, self._configuration.type_id), outcome.changes

    def add(self, facts: Mapping[int, Columns]) -> dict[int, Table]:
        """Take facts in, by the driver's codes and ids; what is new of any relation.

        A list of which only a part is known yet says nothing, and what it says when it is whole comes with the rest.
        """
        changes = Changes()
        for code, columns in facts.items():
            table = table_of(columns)
            known = self.engine.explicit.get(code)
            if known is not None:
                table = table.difference(known)
            if table:
                changes.replace(code, table, None)
        if not changes.added:
            return {}
        net = self._apply(changes)
        assert not any(net.removed.values()), "a rule without negation took a fact back"
        return {code: table for code, table in net.added.items() if table}

    def lost(self, before: State, removed: Mapping[int, Columns], added: Mapping[int, Columns]) -> dict[int, Table]:
        """The facts of any relation that an earlier state has, and would not have if some of the facts that it was
        given had gone and others had come."""
        changes = Changes()
        for code in removed.keys() | added.keys():
            came, went = (table_of(each[code]) if code in each else None for each in (added, removed))
            changes.replace(code, came, went)
        _, net = self._after(before, changes)
        return {code: table for code, table in net.removed.items() if table}

    def rules_of(self, facts: Mapping[int, Table]) -> list[RuleGroup]:
        """The rules that are there because of some facts that the reasoner was given, or what follows from them
        alone."""
        changes = Changes()
        for code, table in facts.items():
            changes.replace(code, None, table)
        after, _ = self._after(self.state, changes)
        left = after.engine.rules.groups
        found = []
        for number, group in enumerate(self._rule_groups()):
            if group.template.head is not None and len(group.rows):
                rows = left[group.number].parameters if group.number in left else group.parameters[:0]
                gone = ~np.isin(as_keys(group.parameters), as_keys(rows))
                found += [cluster_group(number, group.where(gone), self._elsewhere)] if gone.any() else []
        return found

    def derive(self, quads: Quads, budget: Budget) -> None:
        """Take in all explicit quads, with the driver's ids, of a dataset that is here alone, and all that follows.

        Raises:
            BudgetError: more follows than the budget allows; nothing was taken in.
            StratificationError: the rules make a relation depend on its own negation.
        """
        steps = [(quads, Quads.empty())]
        self.state = apply_steps(self.state, steps, None, self._configuration, budget).state

    def breaks(self) -> list[Break]:
        """Where lists are cut off or cyclic, as far as facts are known; `describer` puts that into words."""
        return self._configuration.lists.breaks(self.engine.facts.get)

    def describer(self) -> Describer:
        """Names lists by their terms, and those of their axioms that are known here."""
        return describer(self.state, self._configuration)

    def table(self, code: int) -> Table | None:
        """All facts of a resident relation, None when there are none."""
        return self.engine.facts.get(code)

    def derived(self, codes: Iterable[int]) -> int:
        """How many facts of some relations are written out here and were derived here: O(relations)."""
        facts, explicit = self.engine.facts, self.engine.explicit
        tables = ((facts.get(code), explicit.get(code)) for code in codes)
        return sum(len(table) - len(given or ()) for table, given in tables if table and not table.is_virtual)

    def grouped(self, template: RuleTemplate, source: Table) -> Table | None:
        """What a grouping rule derives from all facts of its body's relation, with the driver's ids."""
        return Grouping.of(template, source, self._configuration.engine.terms, Meter()).values(source)

    def name(self, code: int) -> str:
        """The IRI of a class or property, or what rules call an auxiliary relation."""
        if kind_of(code) != AUXILIARY:
            return self.dictionary.key(identifier_of(code))
        return next(name for (name, _), known in self.state.program.auxiliaries.items() if known == code)

    def auxiliary(self, name: str, arity: int) -> int | None:
        """The code of an auxiliary relation, None for one that no rule mentions."""
        return self.state.program.auxiliary(name, arity)

    def along_lists(self) -> frozenset[int]:
        """The relations that unspecialised rules derive along lists."""
        known = self.state.program.auxiliaries.items()
        return frozenset(code for (name, _), code in known if name.startswith(ALONG))

    def arity(self, code: int) -> int:
        """The arity of a relation."""
        if kind_of(code) != AUXILIARY:
            return 1 if kind_of(code) == CLASS else 2
        return next(arity for (_, arity), known in self.state.program.auxiliaries.items() if known == code)

    def rules_about(self, code: int) -> set[int]:
        """The numbers of the rules that are specialised for the facts of a relation, or for its lists."""
        program, engine = self.state.program, self.engine
        if code in self.list_relations():
            return {n for rule, numbers in self._numbers.items() if list_variables(rule) for n in numbers}
        owners = [program.owners[number][0] for number, group in engine.rules.groups.items() if group.guard == code]
        return {number for owner in owners for number in self._numbers[owner]}

    def list_relations(self) -> set[int]:
        """The relations that lists are made of, and those of what is derived along them."""
        lists = self._configuration.engine.list_module(self.engine.sequences)
        return {*lists.inputs, *lists.targets}

    def width(self) -> int:
        """The most arguments that a fact on the cluster can have: of the heads that there are now, which new
        lengths of lists do not add to."""
        heads = [group.template.head for group in self._rule_groups() if group.template.head is not None]
        least = 2 if self.triple is None else WIDTH
        return max([least, *(len(head.arguments) for head in heads)])

    # -- the plan of the work -----------------------------------------------------------------------------------

    def residents(
        self,
        possible: Iterable[int],
        movable: Mapping[int, int],
        limit: int,
        most: int = DRIVER_FACTS,
        moved: Collection[int] = (),
    ) -> set[int]:
        """The relations to be kept on the driver.

        Args:
            possible: the relations with facts, here or on the cluster.
            movable: how many facts the cluster has of a relation.
            limit: a relation with more facts stays on the cluster, if it only helps to derive schema facts.
            most: a closure with more facts stays there, too.
            moved: relations that are no closures of the driver, and none that only help, however few facts they have.
        """
        engine, setting = self.engine, self._configuration.engine
        lists = setting.list_module(engine.sequences)
        dependencies = list(lists.dependencies()) if engine.rules.has_lists else []
        draft = RuleDraft(engine.rules)
        guards = Guards(engine.facts.get, setting.terms)
        with_facts = {*possible, *engine.facts}
        # The cluster's rules, too, range over the relations that are possible.
        there = np.fromiter(with_facts | {self._elsewhere}, dtype=np.int64)
        PossibleRelations(draft, there, dependencies, setting.hidden, guards, Meter())
        strata = Strata(draft, with_facts, dependencies, setting.hidden, setting.policy, guards)
        # From now on with the rules for all relations that are possible.
        self.state = replace(self.state, engine=replace(engine, rules=draft.rules(), strata=None))
        found = {link.source for link in dependencies} | {link.target for link in dependencies}
        found |= {group.guard for group in self._rule_groups() if group.guard is not None}
        waiting = list(found)
        while waiting:
            for source in sources_of(waiting.pop(), self._rule_groups()):
                if source not in found and source not in moved and movable.get(source, 0) <= limit:
                    found.add(source)
                    if kind_of(source) == AUXILIARY:
                        waiting.append(source)
        self.closures = closures_within(strata.definitions(), movable, most, moved)
        return found.union(*self.closures)

    def groups(self) -> list[RuleGroup]:
        """All rules with heads, as they are now."""
        return [
            cluster_group(number, group, self._elsewhere)
            for number, group in enumerate(self._rule_groups())
            if group.template.head is not None and len(group.rows)
        ]

    def _rule_groups(self) -> list[Specialised]:
        return list(self.engine.rules.groups.values())
