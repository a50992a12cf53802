"""The state of a knowledge base as a value, and changes as functions from one state to the next.

A state is never written into. A change that fails, or that Ctrl-C or a lack of memory stops, is a state that nothing
keeps; readers, branches and rollback keep states that they may go back to. The dictionary is beside the states: it only
grows, so that an id means the same term in all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from kgreason.checkpoints import heeding
from kgreason.dictionary.dictionary import Dictionary
from kgreason.dictionary.dictionary_state import DictionaryState
from kgreason.engine.budget import Budget
from kgreason.engine.effort import DearerThanAnewError, Effort, UnsureError
from kgreason.engine.engine import ExplicitChange, asserted
from kgreason.engine.engine import apply as apply_to_engine
from kgreason.engine.engine_state import EngineState, Outcome, Setting
from kgreason.engine.facts import Changes, Facts
from kgreason.engine.meter import Meter, Producer
from kgreason.engine.modules.list_cells import Break
from kgreason.engine.modules.lists import ListModule, ListRelations
from kgreason.engine.persistent_map import PersistentMap
from kgreason.engine.replacement import as_change
from kgreason.engine.rules.rule_draft import RuleDraft
from kgreason.engine.strata.relation_order import CircularError
from kgreason.engine.strata.scheme_policy import SchemePolicy
from kgreason.engine.strategy import Strategy
from kgreason.io.quad_steps import Step
from kgreason.io.quads import Quads
from kgreason.program.list_rules import LIST_DEMAND, LIST_ITEM, SEQUENCE_DEMAND
from kgreason.program.stratification import check_stratification
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF_FIRST, RDF_NIL, RDF_REST, RDF_TYPE
from kgreason.relations.catalogue import Catalogue
from kgreason.relations.codes import AUXILIARY, identifier_of, kind_of, property_code
from kgreason.relations.table import Mask, Table
from kgreason.store.asserted_triples import with_asserted
from kgreason.store.column_operations import Operations
from kgreason.store.compiler import RelationCodes
from kgreason.store.defective_lists import Describer
from kgreason.store.explicit_triples import Graphs, Staged, check_graphs, staged
from kgreason.store.rule_descriptions import Descriptions
from kgreason.store.specialised_program import RuleEdit, SpecialisedProgram
from kgreason.store.specialiser import Specialisation
from kgreason.store.views import Views
from kgreason.store.warm_up import warm_up

Tables: TypeAlias = Mapping[int, Table]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class State:
    """Explicit triples by graph, rules, and what follows from them.

    Args:
        engine: all facts and rules, as the engine knows them.
        program: the rules in use, and what they became.
        graphs: the explicit triples of each graph.
        views: what the state shows; they are made when something first asks.
    """

    engine: EngineState
    program: SpecialisedProgram
    graphs: Graphs
    views: Views = field(compare=False)

    @property
    def has_waiting_rules(self) -> bool:
        """Whether there are rules that no change has maintained yet."""
        return self.engine.rules.wait or bool(self.engine.rules.retired)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KnowledgeState:
    """A state with its terms, to be written down and to go on from."""

    dictionary: DictionaryState
    engine: EngineState
    program: SpecialisedProgram
    graphs: Graphs


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Configuration:
    """The parts that all states of a knowledge base have in common; `type_id` is the id of rdf:type."""

    dictionary: Dictionary
    type_id: int
    engine: Setting

    def over(self, dictionary: Dictionary) -> Configuration:
        """The same over a dictionary that has the same terms under the same ids, and perhaps others."""
        return replace(self, dictionary=dictionary, engine=replace(self.engine, terms=Operations(dictionary)))

    @property
    def lists(self) -> ListModule:
        """The module for lists, to look at them as they are."""
        return self.engine.list_module()


def begin(dictionary: Dictionary, catalogue: Catalogue, strategy: Strategy) -> tuple[Configuration, State]:
    """A state without triples and rules, over the terms of a dictionary."""
    type_id = dictionary.encode(IRI(RDF_TYPE))
    relations = RelationCodes(dictionary)
    lists = ListRelations(
        first=relations.of_property(IRI(RDF_FIRST)),
        rest=relations.of_property(IRI(RDF_REST)),
        nil=dictionary.encode(IRI(RDF_NIL)),
        demand=relations.auxiliary(LIST_DEMAND, 1),
        sequence_demand=relations.auxiliary(SEQUENCE_DEMAND, 1),
        item=relations.auxiliary(LIST_ITEM, 3),
    )
    policy = SchemePolicy(catalogue, strategy, relations.schemes_by_code(catalogue.forced))
    setting = Setting(Operations(dictionary), property_code(type_id), policy, lists)
    program = SpecialisedProgram(auxiliaries=relations.auxiliaries)
    return Configuration(dictionary, type_id, setting), state_of(EngineState(), program, PersistentMap(), type_id)


def state_of(engine: EngineState, program: SpecialisedProgram, graphs: Graphs, type_id: int) -> State:
    """A state of its parts, with views that are yet to be made."""
    return State(engine, program, graphs, Views(engine, graphs, type_id))


def edited(state: State, edit: RuleEdit, configuration: Configuration) -> State:
    """The state with other rules, which wait until the next change maintains them.

    Raises:
        StratificationError: the rules are not stratified.
    """
    specialisation = Specialisation(configuration.dictionary, state.program)
    program, rules = specialisation.edited(edit, state.engine.rules, state.engine.sequences)
    check_stratification(program.rules)
    return replace(state, engine=replace(state.engine, rules=rules, strata=None), program=program)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Change:
    """The outcome of a change.

    Args:
        changes: the net change of all facts, None where nothing had to be maintained.
        breaks: where lists break that the change concerned.
    """

    state: State
    changes: Changes | None = None
    breaks: Sequence[Break] = ()


def apply(
    state: State, steps: Sequence[Step], edit: RuleEdit | None, configuration: Configuration, budget: Budget
) -> Change:
    """The state after steps of explicit triples and an edit of the rules.

    Raises:
        StratificationError: the rules are not stratified.
        BudgetError: the change derives more than the budget allows.
    """
    before, engine, budget = state, state.engine, budget.begun()
    if edit is not None:
        with heeding(Meter(budget).check):
            state = edited(state, edit, configuration)
    with heeding(Meter(budget).check):
        found = staged(steps, before.graphs, engine.explicit, configuration.type_id, _literals(configuration))
        if not (found.changes or edit is not None or state.has_waiting_rules):
            if not found.tables:
                return Change(before)
            graphs = found.graphs(engine.explicit)
            return Change(replace(before, graphs=graphs, views=before.views.after(engine, graphs, None)))
        change = asserted(engine.explicit, found.changes, found.asserted)
        change = with_asserted(engine.explicit, change, state.program.auxiliaries, configuration.type_id)
        return _change(before, found, _outcome(state, change, configuration, budget), configuration)


def _outcome(
    state: State, change: ExplicitChange, configuration: Configuration, budget: Budget
) -> Outcome[SpecialisedProgram]:
    """What a change of the explicit facts comes to: by maintenance, or by deriving everything anew, where maintenance
    cannot tell, or takes more work and there is the memory for it."""
    rules, effort = state.engine.rules, state.engine.effort
    if not (change.changes.removed or rules.leaving or rules.retired):
        if not (len(state.engine.facts) and rules.may_lose_facts):  # what only adds derives nothing twice
            return _maintained(state, change, configuration, budget)
        effort = Effort()
    try:
        return _maintained(state, change, configuration, budget, effort)
    except UnsureError:
        return _derived_anew(state, change.explicit, configuration, budget)
    except DearerThanAnewError:
        with suppress(MemoryError):
            return _derived_anew(state, change.explicit, configuration, budget)
        return _maintained(state, change, configuration, budget)


def _maintained(
    state: State, change: ExplicitChange, configuration: Configuration, budget: Budget, most: Effort | None = None
) -> Outcome[SpecialisedProgram]:
    """What a change comes to by maintenance; DearerThanAnewError where that takes more than an effort."""
    specialisation = Specialisation(configuration.dictionary, state.program)
    meter = _meter(specialisation, budget)
    if most is not None:
        meter.compare(most)
    with _named(specialisation):
        return apply_to_engine(state.engine, state.program, change, configuration.engine, specialisation, meter)


def _derived_anew(
    state: State, explicit: Facts, configuration: Configuration, budget: Budget
) -> Outcome[SpecialisedProgram]:
    """What a change of a state comes to, found by deriving everything from the explicit facts after it."""
    engine, draft = state.engine, RuleDraft(state.engine.rules)
    draft.begin_again()
    specialisation = Specialisation(configuration.dictionary, state.program)
    meter = _meter(specialisation, budget)
    meter.replaces(engine.facts, engine.explicit)
    everything = Changes()
    everything.added.update(explicit.items())
    begun = EngineState(rules=draft.rules(), sequences=engine.sequences, unsuited=engine.unsuited)
    change = ExplicitChange(everything, explicit)
    with _named(specialisation):
        outcome = apply_to_engine(begun, state.program, change, configuration.engine, specialisation, meter)
    return as_change(engine, outcome, configuration.engine)


def take_over(
    state: State,
    quads: Quads,
    given: Callable[[Tables], Tables],
    configuration: Configuration,
    budget: Budget,
) -> Change:
    """The state with explicit quads, where it has none, and what follows from them under its rules.

    `given` gives all facts, by relation, for the explicit ones.

    Raises:
        GivenFactsError: some of the facts do not follow.
        StratificationError, BudgetError: as `apply`.
    """
    from kgreason.engine.adoption import Given, adopt  # only where another engine has derived what follows

    steps: list[Step] = [(quads, Quads.empty())]
    engine = state.engine
    specialisation = Specialisation(configuration.dictionary, state.program)
    meter = _meter(specialisation, budget)
    with heeding(meter.check), _named(specialisation):
        found = staged(steps, state.graphs, engine.explicit, configuration.type_id, _literals(configuration))
        change = asserted(engine.explicit, found.changes, found.asserted)
        change = with_asserted(engine.explicit, change, state.program.auxiliaries, configuration.type_id)
        mirrored = {code: table for code, table in change.changes.added.items() if kind_of(code) == AUXILIARY}
        facts = Given(change.changes.added, {**given(found.changes.added), **mirrored})
        outcome = adopt(engine, state.program, facts, configuration.engine, specialisation, meter)
        return _change(state, found, outcome, configuration)


def _change(
    before: State, found: Staged, outcome: Outcome[SpecialisedProgram], configuration: Configuration
) -> Change:
    engine = outcome.state
    graphs = found.graphs(engine.explicit)
    views = before.views.after(engine, graphs, outcome.stored)
    warm_up(engine, outcome.stored, views, configuration.dictionary)
    return Change(State(engine, outcome.program, graphs, views), outcome.changes, outcome.breaks)


def _literals(configuration: Configuration) -> Mask:
    return configuration.dictionary.object_only_mask()


@contextmanager
def _named(specialisation: Specialisation) -> Iterator[None]:
    """Have an error about a circle of relations name them, and the rule as it was written."""
    try:
        yield
    except CircularError as error:
        raise Descriptions(specialisation.program, specialisation.dictionary).circular(error) from None


def _meter(specialisation: Specialisation, budget: Budget) -> Meter:
    """A meter of a change, which names the rules as they are while it is made."""
    known: list[Descriptions] = []

    def describe(producer: Producer, head: int) -> tuple[str, str]:
        if not known or known[0].program is not specialisation.program:
            known[:] = [Descriptions(specialisation.program, specialisation.dictionary)]
        return known[0].of(producer, head)

    return Meter(budget, describe)


def describer(state: State, configuration: Configuration) -> Describer:
    """Puts into words where lists break."""
    facts, dictionary = state.engine.facts, configuration.dictionary
    return Describer(facts, configuration.lists.cells(facts.get), state.program, dictionary)


def check(state: State, configuration: Configuration) -> None:
    """Raise AssertionError unless the invariants of everything inside hold."""
    terms, engine = len(configuration.dictionary), state.engine
    for facts in (engine.facts, engine.explicit, engine.external, *(facts for _, facts in state.graphs.items())):
        for code, table in facts.items():
            assert kind_of(code) == AUXILIARY or identifier_of(code) < terms, "a relation is not a term"
            assert all(column.max(initial=0) < terms for column in table.columns()), "an id is not a term"
    state.engine._check()
    check_graphs(state.graphs, state.engine.explicit)
    configuration.dictionary._check()
    state.views._check()
