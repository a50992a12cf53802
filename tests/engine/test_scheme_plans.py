"""What schemes keep is found anew only for strata that have changed: it is what would be found for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.dictionary.dictionary import Dictionary
from kgreason.engine.budget import Budget
from kgreason.engine.engine import Driver
from kgreason.engine.facts import Changes
from kgreason.engine.meter import Meter
from kgreason.engine.rules.rule_draft import RuleDraft
from kgreason.engine.strata.strata import Strata
from kgreason.engine.strategy import Strategy
from kgreason.errors import StratificationError
from kgreason.io.quads import Quads
from kgreason.program.parser import parse_program
from kgreason.program.rules import Rule
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.relations.schemes import standard_catalogue
from kgreason.store.knowledge_base import DEFAULT_GRAPH, KnowledgeBase
from kgreason.store.specialised_program import RuleEdit
from kgreason.store.specialiser import Specialisation
from kgreason.store.state import Configuration, State, begin
from kgreason.store.state_changes import apply
from tests.engine.history_programs import PROGRAMS
from tests.facade import EX, Triple, ex
from tests.profiles import examples

TYPE, SAME, INVERSE = IRI(RDF + "type"), IRI(OWL + "sameAs"), IRI(OWL + "inverseOf")
SUBCLASS, SUBPROPERTY = IRI(RDFS + "subClassOf"), IRI(RDFS + "subPropertyOf")
THINGS = st.sampled_from([ex(name) for name in ("n0", "n1", "n2")])
CLASSES = st.sampled_from([ex(f"C{number}") for number in range(4)])
PROPERTIES = st.sampled_from([ex(f"p{number}") for number in range(4)])
KINDS = st.sampled_from([IRI(OWL + f"{kind}Property") for kind in ("Functional", "Symmetric", "Transitive")])


def links(ends: st.SearchStrategy[IRI], *predicates: IRI) -> st.SearchStrategy[Triple]:
    """Triples between ends of one kind."""
    return st.tuples(ends, st.sampled_from(predicates), ends)


TRIPLES = st.one_of(
    links(CLASSES, SUBCLASS, SAME, IRI(OWL + "equivalentClass")),
    links(PROPERTIES, SUBPROPERTY, SAME, INVERSE, ex("under")),
    links(THINGS, SAME, *(ex(f"p{number}") for number in range(4))),
    st.tuples(PROPERTIES, st.sampled_from([IRI(RDFS + "domain"), IRI(RDFS + "range")]), CLASSES),
    st.tuples(PROPERTIES, st.just(TYPE), KINDS),
    st.tuples(THINGS, st.just(TYPE), CLASSES),
)
Step = tuple[list[tuple[bool, Triple]], set[Rule]]
"""Triples, each of which comes or goes, and rules that are there after the step."""

OWL_RL = (*KnowledgeBase("owl-rl").program.rules,)
FEW = [rule for program in PROGRAMS[:30] for rule in program.rules]


def quads(triples: list[Triple], dictionary: Dictionary) -> Quads:
    """Triples of the default graph."""
    return Quads.of_rows([(DEFAULT_GRAPH, *map(dictionary.encode, triple)) for triple in triples])


def strata_of(state: State, configuration: Configuration, *, is_anew: bool) -> Strata:
    """The strata of a state, with nothing that is known from others if it is anew."""
    engine = replace(state.engine, plan=None) if is_anew else state.engine
    specialise = Specialisation(configuration.dictionary, state.program)
    driver = Driver(engine, state.program, configuration.engine, specialise, Meter())
    return driver.strata(RuleDraft(engine.rules), Changes())


def about(strata: Strata, code: int) -> tuple[object, ...]:
    """All that a pass may ask about a possible relation: its stratum, what schemes keep there, and its rules."""
    number = strata.component(code)
    above = sorted(strata.members(reader) for reader in strata.readers(code))
    rules = [
        {(use.group.number, use.row, use.position) for use in index.of(code)}
        for index in (strata.body, strata.negated, strata.heads)
    ]
    absorbed = {(rule.template, rule.parameters) for rule in strata.inner_rules(code)}
    kept = strata.definition(number), strata.parts(number), absorbed
    return strata.members(number), kept, above, rules, strata.is_inert(code), strata.may_hold_itself_up(code)


def run(steps: Sequence[Step], always: Sequence[Rule]) -> None:
    """Make changes of triples and of rules; after each, strata are the same with and without the plan before."""
    dictionary = Dictionary()
    configuration, state = begin(dictionary, standard_catalogue(), Strategy())
    rules: dict[Rule, int] = {}
    for changes, few in steps:
        now = dict.fromkeys([*always, *sorted(few, key=str)], 1)
        come, gone = ([triple for is_added, triple in changes if is_added is each] for each in (True, False))
        step = quads(come, dictionary), quads(gone, dictionary)
        try:
            state = apply(state, [step], RuleEdit.between(rules, now), configuration, Budget()).state
        except StratificationError:
            continue
        rules = now

        found, anew = (strata_of(state, configuration, is_anew=each) for each in (False, True))

        assert found.definitions() == anew.definitions()
        assert np.array_equal(np.sort(found.plan.absorbed), np.sort(anew.plan.absorbed))
        for code in {*state.engine.facts, *anew.definitions()}:
            assert about(found, code) == about(anew, code)


@settings(max_examples=examples(100))
@given(
    st.booleans(),
    st.lists(
        st.tuples(st.lists(st.tuples(st.booleans(), TRIPLES), max_size=9), st.sets(st.sampled_from(FEW), max_size=3)),
        min_size=2,
        max_size=8,
    ),
)
def test_a_plan_that_takes_over_from_the_one_before_is_that_of_the_rules_alone(
    has_owl: bool, steps: list[Step]
) -> None:
    run(steps, OWL_RL if has_owl else ())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((ex("C1"), SUBCLASS, ex("C0")), (ex("C2"), SUBCLASS, ex("C0"))),
        ((ex("p1"), SUBPROPERTY, ex("p0")), (ex("p2"), SUBPROPERTY, ex("p0"))),
        ((ex("p1"), SUBPROPERTY, ex("p0")), (ex("p1"), INVERSE, ex("p0"))),
        ((ex("p1"), TYPE, IRI(OWL + "TransitiveProperty")), (ex("p1"), TYPE, IRI(OWL + "SymmetricProperty"))),
    ],
)
def test_an_axiom_in_the_place_of_another_has_the_plan_of_its_own(before: Triple, after: Triple) -> None:
    facts = [(ex("n0"), ex(f"p{number}"), ex("n1")) for number in range(3)]
    facts += [(ex("n0"), TYPE, ex(f"C{number}")) for number in range(3)]
    begun = [(True, triple) for triple in (*facts, before)]
    run([(begun, set()), ([(True, after), (False, before)], set()), ([(True, before), (False, after)], set())], OWL_RL)


EQUAL = (
    "e:like(?y, ?x) :- e:like(?x, ?y) .",
    "e:p0(?y, ?z) :- e:like(?x, ?y), e:p0(?x, ?z), ?x != ?y .",
    "e:p0(?z, ?y) :- e:like(?x, ?y), e:p0(?z, ?x), ?x != ?y .",
    "e:like(?x, ?z) :- e:like(?x, ?y), e:like(?y, ?z), ?x != ?z .",
)
UNDER = (
    "[?c, e:under, ?e] :- [?c, e:under, ?d], [?d, e:under, ?e] .",
    "[?x, a, ?d] :- [?c, e:under, ?d], [?x, a, ?c] .",
    "[?x, e:p3, ?d] :- [?c, e:under, ?d], [?x, a, ?c] .",
)


@pytest.mark.parametrize("texts", [EQUAL, UNDER])
def test_a_rule_that_changes_what_others_mean_for_a_scheme_changes_the_plan(texts: tuple[str, ...]) -> None:
    """The last rule makes a relation an equality, or has more follow from a guard than copies along its pairs."""
    rules = [rule for text in texts for rule in parse_program(f"@prefix e: <{EX}> .\n{text}").rules]
    begun = [(True, (ex("n0"), ex("p0"), ex("n1"))), (True, (ex("n1"), ex("like"), ex("n2")))]
    begun += [(True, (ex(f"C{number}"), ex("under"), ex(f"C{number + 1}"))) for number in range(3)]
    begun += [(True, (ex("n0"), TYPE, ex("C0")))]

    run([(begun, {*rules}), ([], {*rules[:-1]}), ([], {*rules}), ([], {*rules[:-1]})], ())
