"""Would catch a rule that is said to lack more than it does, an atom called missing that holds, or a rule left out.

The oracle takes every subset of every body. A second one needs no definition: what is missing is added, and the triple
holds.
"""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.errors import KnownTripleError, StratificationError
from kgreason.io.readers import read_stream
from kgreason.program.parser import parse_program
from kgreason.program.rules import FactAtom, Program, TripleAtom
from kgreason.proofs.body_search import PER_RULE
from kgreason.proofs.steps import TRIPLE
from kgreason.proofs.why_not import FailedDerivation, OpenFact, WhyNot
from kgreason.rdf.model import IRI, Literal, Term
from kgreason.rdf.vocabulary import RDF, STANDARD_PREFIXES
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.rule_sets import Rules
from tests import oracle
from tests.engine.history_programs import PROGRAMS
from tests.engine.test_histories import CLASSES, FACTS, LITERALS, NODES, PROPERTIES
from tests.facade import EX, Triple, add, ex
from tests.profiles import examples
from tests.proofs.near_miss_reference import Key, nearest
from tests.thresholds import Tuned

TYPE = IRI(RDF + "type")
PREFIX = f"@prefix e: <{EX}> .\n"
PREFIXES = {**STANDARD_PREFIXES, "e": EX}
RULES = [
    rule
    for program in PROGRAMS
    for rule in program.rules
    if rule.heads and not rule.aggregates and all(isinstance(atom, TripleAtom | FactAtom) for atom in rule.body)
]
GOALS = st.one_of(
    st.tuples(st.sampled_from(NODES), st.sampled_from(PROPERTIES), st.sampled_from([*NODES, *LITERALS[:2]])),
    st.tuples(st.sampled_from(NODES), st.just(TYPE), st.sampled_from(CLASSES)),
)


def stored(rules: Rules, turtle: str) -> KnowledgeBase:
    base = KnowledgeBase(rules)
    prefixes = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in PREFIXES.items())
    base.add_quads(read_stream((prefixes + turtle).encode(), base.dictionary, format="ttl", source="test"))
    return base


def lines(base: KnowledgeBase, *pattern: Term | None) -> list[str]:
    subject, predicate, object = pattern
    return str(base.why_not(subject, predicate, object).with_prefixes(PREFIXES)).splitlines()


def key_of(derivation: FailedDerivation[Term]) -> Key:
    def plain(fact: OpenFact[Term]) -> tuple:
        return ("triple" if fact.relation == TRIPLE else fact.relation, *fact.arguments)

    premises = frozenset(map(plain, derivation.premises))
    missing = frozenset(map(plain, derivation.missing))
    return missing, premises, len(derivation.false), len(derivation.present)


@given(
    rules=st.lists(st.sampled_from(RULES), min_size=1, max_size=5, unique=True),
    facts=st.lists(FACTS, max_size=12, unique=True),
    goals=st.lists(GOALS, min_size=1, max_size=4),
)
@settings(max_examples=examples(80))
def test_derivations_of_random_programs_are_the_nearest_of_each_rule(
    rules: list, facts: list[Triple], goals: list[Triple]
) -> None:
    try:
        base = KnowledgeBase(Program(tuple(rules)))
        add(base, *facts)
        base.flush()
    except StratificationError:
        return
    everything = oracle.facts(base.program, facts)

    for goal in goals:
        if ("triple", *goal) in everything:
            with pytest.raises(KnownTripleError):
                base.why_not(*goal)
            continue
        found = base.why_not(*goal, most=1000)
        counts = Counter(derivation.rule for derivation in found.derivations)
        for rule in base.rules:
            least, expected = nearest(rule, goal, everything)
            own = [derivation for derivation in found.derivations if derivation.rule == rule]
            assert {derivation.distance for derivation in own} <= {least}
            assert {key_of(derivation) for derivation in own} <= expected
            if len(rule.heads) == 1:
                assert counts[rule] == min(PER_RULE, len(expected)), rule


FAMILY = """
e:Parent owl:equivalentClass [ owl:intersectionOf ( e:Person e:Adult [ owl:onProperty e:child ; owl:someValuesFrom e:Person ] ) ] .
e:Employee rdfs:subClassOf e:Person . e:knows a owl:SymmetricProperty . e:above a owl:TransitiveProperty .
e:head rdfs:range e:Employee ; owl:inverseOf e:heads . e:uncle owl:propertyChainAxiom ( e:parent e:brother ) .
e:ada a e:Person ; e:child e:bob ; e:above e:bob . e:bob e:above e:cem . e:dia e:parent e:ada . e:eve a e:Adult .
"""  # noqa: E501 - an axiom on one line
WANTED = [
    ("ada", TYPE, "Parent"),
    ("eve", TYPE, "Parent"),
    ("bob", TYPE, "Person"),
    ("bob", TYPE, "Employee"),
    ("ada", ex("knows"), "bob"),
    ("cem", ex("above"), "ada"),
    ("dia", ex("uncle"), "fay"),
    ("new", ex("heads"), "newer"),
]


@pytest.mark.parametrize(("subject", "predicate", "object"), WANTED, ids=lambda part: str(part).rpartition("/")[2])
def test_triple_holds_once_what_is_missing_is_added(subject: str, predicate: IRI, object: str) -> None:
    goal = (ex(subject), predicate, ex(object))
    whys = stored("owl-rl", FAMILY).why_not(*goal, most=6).derivations
    assert whys

    tried = 0
    for missing in (triples_missing(derivation) for derivation in whys):
        if missing is None:
            continue
        tried += 1
        base = stored("owl-rl", FAMILY)
        # Labels of blank nodes differ from load to load; those of a derivation are none that was loaded here.
        if any("_:" in str(term) for triple in missing for term in triple):
            continue
        add(base, *missing)
        assert base.all().contains(*map(base.dictionary.encode, goal)), missing
    assert tried


def triples_missing(derivation: FailedDerivation[Term]) -> list[Triple] | None:
    """Triples that complete a derivation; None where it has open variables or fails otherwise."""
    if derivation.false or derivation.present:
        return None
    found: list[Triple] = []
    for fact in derivation.missing:
        if fact.derivations:
            below = triples_missing(fact.derivations[0])
            if below is None:
                return None
            found += below
        elif fact.relation != TRIPLE or not all(isinstance(part, Term) for part in fact.arguments):
            return None
        else:
            subject, predicate, object = (part for part in fact.arguments if isinstance(part, Term))
            found.append((subject, predicate, object))
    return found


def test_missing_part_of_a_class_without_a_name_is_named() -> None:
    found = lines(stored("owl-rl", FAMILY), ex("ada"), TYPE, ex("Parent"))
    assert found[0] == "e:ada a e:Parent  [does not hold; rules that could give it: 29]"
    assert found[1].startswith("  cax-sco: missing e:ada a _:")
    assert found[3].startswith("    cls-int1: missing e:ada a e:Adult; missing e:ada a _:")
    assert "      cls-svf1: missing e:bob a e:Person" in found


def test_step_of_a_property_chain_is_missing_by_itself() -> None:
    found = lines(stored("owl-rl", FAMILY), ex("dia"), ex("uncle"), ex("fay"))
    assert "  prp-spo2: missing e:ada e:brother e:fay" in found


ADULTS = f"{PREFIX} #[name(\"adult\")] e:adult(?x) :- e:age(?x, ?a), ?a >= 18, ~e:dead(?x) ."


@pytest.mark.parametrize(
    ("data", "failing"),
    [
        ("e:x e:age 17 .", 'false "17"^^xsd:integer >= "18"^^xsd:integer'),
        ("e:x e:age 18 ; a e:dead .", "denied e:x a e:dead"),
        ("e:x a e:thing .", "missing e:x e:age ?a"),
        ("e:x a e:dead .", "missing e:x e:age ?a; denied e:x a e:dead"),
    ],
)
def test_failing_parts_of_a_rule_are_told_apart(data: str, failing: str) -> None:
    assert lines(stored([parse_program(ADULTS)], data), ex("x"), TYPE, ex("adult"))[1] == f"  adult: {failing}"


def test_pattern_with_any_object_asks_for_any_triple() -> None:
    base = stored([parse_program(f"{PREFIX} e:q(?x, ?y) :- e:p(?x, ?y) .")], "e:a e:p e:b .")
    assert lines(base, ex("b"), ex("q"), None)[1].endswith(": missing e:b e:p ?y")
    with pytest.raises(KnownTripleError, match="is asserted or follows"):
        base.why_not(ex("a"), ex("q"), None)


def test_triple_that_no_rule_gives_has_no_derivations() -> None:
    found = stored("none", "e:a e:p e:b .").why_not(ex("b"), ex("p"), ex("a"))
    assert (found.derivations, found.rules, found.is_complete) == ((), 0, True)


def test_question_about_unknown_terms_teaches_the_store_none() -> None:
    base = stored([parse_program(f"{PREFIX} e:q(?x, ?z) :- e:p(?x, ?y), ?z = ?y + 7 .")], "e:a e:p 5 .")
    base.flush()
    terms = len(base.dictionary)
    base.why_not(ex("nobody"), ex("never"), Literal("heard of"))
    base.why_not(ex("a"), ex("q"), Literal("1"))
    assert len(base.dictionary) == terms


def test_aggregate_without_a_group_is_missing() -> None:
    rule = f"{PREFIX} e:busy(?x) :- AGGREGATE(e:does(?x, ?y) ON ?x BIND COUNT(?y) AS ?n), ?n > 1 ."
    base = stored([parse_program(rule)], "e:a e:does e:b . e:c a e:Idle .")
    assert 'false "1"^^xsd:integer > "1"^^xsd:integer' in lines(base, ex("a"), TYPE, ex("busy"))[1]
    assert "missing aggregate(e:c, ?n)" in lines(base, ex("c"), TYPE, ex("busy"))[1]


def test_search_that_is_cut_short_says_so(tuned: Tuned) -> None:
    tuned(NEAR_MISS_VISITS=2)
    rule = f"{PREFIX} e:q(?x, ?z) :- e:p(?x, ?y), e:p(?y, ?z) ."
    found = stored([parse_program(rule)], "e:a e:p e:b, e:c, e:d . e:f e:p e:g .").why_not(ex("a"), ex("q"), ex("g"))
    assert not found.is_complete


def test_data_has_missing_facts_with_their_variables() -> None:
    base = stored([parse_program(f'{PREFIX} #[name("q")] e:q(?x, ?y) :- e:p(?x, ?z), aux(?z, ?y) .')], "")
    found: WhyNot[Term] = base.why_not(ex("a"), ex("q"), ex("b"))
    assert json.loads(found.to_json())["derivations"] == [
        {
            "rule": "q",
            "text": str(next(iter(base.rules))),
            "missing": [
                {"triple": [f"<{EX}a>", f"<{EX}p>", "?z"]},
                {"relation": "aux", "arguments": ["?z", f"<{EX}b>"]},
            ],
            "premises": [],
        }
    ]
