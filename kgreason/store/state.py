"""The state of a knowledge base as a value.

A state is never written into: a change is a function from one state to the next (`state_changes`). One that fails, or
that Ctrl-C or a lack of memory stops, is a state that nothing keeps; readers, branches and rollback keep states that
they may go back to. The dictionary is beside the states: it only grows, so that an id means the same term in all of
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from kgreason.dictionary.dictionary import Dictionary
from kgreason.dictionary.dictionary_state import DictionaryState
from kgreason.engine.engine_state import EngineState, Setting
from kgreason.engine.modules.lists import ListModule, ListRelations
from kgreason.engine.persistent_map import PersistentMap
from kgreason.engine.strata.scheme_policy import SchemePolicy
from kgreason.engine.strategy import Strategy
from kgreason.program.list_rules import LIST_DEMAND, LIST_ITEM, SEQUENCE_DEMAND
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF_FIRST, RDF_NIL, RDF_REST, RDF_TYPE
from kgreason.relations.catalogue import Catalogue
from kgreason.relations.codes import AUXILIARY, identifier_of, kind_of, property_code
from kgreason.relations.table import Table
from kgreason.store.column_operations import Operations
from kgreason.store.compiler import RelationCodes
from kgreason.store.defective_lists import Describer
from kgreason.store.explicit_triples import Graphs, check_graphs
from kgreason.store.specialised_program import SpecialisedProgram
from kgreason.store.views import Views

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
