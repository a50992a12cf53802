"""A stratum of many facts that is remade waits for the next pass where axioms make rules come or go after this one.

Would catch facts of the waiting stratum that strata above have read twice, a pass that never comes, what an axiom in
the stratum itself brings, and a stratum that is remade under rules that go, and again without them, or without rules
that come, and again under them.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine.meter import Meter
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.store import state_changes
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.rule_sets import resolve_rules
from tests.engine.evaluated_rules import rules_evaluated
from tests.engine.test_oracle import assert_equal
from tests.facade import EX, Follower, Triple, add, ex, remove, toggle, triples
from tests.profiles import examples
from tests.thresholds import replaced_constants

THREE = "[?x, ?p, ?w] :- [?p, a, e:Far], [?x, ?p, ?y], [?y, ?p, ?z], [?z, ?p, ?w] ."
RULES = f"""
    @prefix e: <{EX}> .
    {THREE}
    [?x, ?q, ?y] :- [?p, e:below, ?q], [?x, ?p, ?y] .
    [?p, a, e:Far] :- [?p, e:like, ?q], [?q, a, e:Far] .
    [?x, e:apart, ?y] :- [?x, e:p0, ?y], not [?y, e:p1, ?x] .
    [?x, a, ?c] :- [?p, e:of, ?c], [?x, ?p, ?y] .
"""
SMALL = {
    "REMADE_LEAST": 0,
    "REMADE_SHARE": 1_000,
    "REMADE_SHOWN": 1_000,
    "REMADE_READ": 0,
    "PROPAGATED_LOSS": 0,
    "WAITING_SHARE": 1 << 40,
}
NODES = st.sampled_from([ex(f"n{number}") for number in range(4)])
PROPERTIES = st.sampled_from([ex(f"p{number}") for number in range(3)])
CLASSES = st.sampled_from([*(ex(f"C{number}") for number in range(3)), ex("Far")])
RESTRICTIONS = st.sampled_from([ex(f"R{number}") for number in range(3)])
TYPE = st.just(IRI(RDF + "type"))
AXIOMS = st.one_of(
    st.tuples(PROPERTIES, TYPE, CLASSES),
    st.tuples(PROPERTIES, st.sampled_from([ex("below"), ex("like")]), PROPERTIES),
    st.tuples(PROPERTIES, st.just(ex("of")), CLASSES),
    st.tuples(PROPERTIES, PROPERTIES, PROPERTIES),
)
FACTS = st.one_of(st.tuples(NODES, PROPERTIES, NODES), st.tuples(NODES, TYPE, CLASSES))


def _owl(*names: str) -> st.SearchStrategy[IRI]:
    return st.sampled_from([IRI(OWL + name) for name in names])


ONTOLOGY = st.one_of(
    st.tuples(RESTRICTIONS, _owl("onProperty"), PROPERTIES),
    st.tuples(RESTRICTIONS, _owl("someValuesFrom", "allValuesFrom"), CLASSES),
    st.tuples(
        st.one_of(CLASSES, RESTRICTIONS),
        st.one_of(st.just(IRI(RDFS + "subClassOf")), _owl("equivalentClass")),
        st.one_of(CLASSES, RESTRICTIONS),
    ),
    st.tuples(PROPERTIES, TYPE, _owl("TransitiveProperty", "SymmetricProperty", "FunctionalProperty")),
    st.tuples(PROPERTIES, st.just(IRI(RDFS + "subPropertyOf")), PROPERTIES),
)
TRIPLES = {RULES: st.one_of(AXIOMS, FACTS, FACTS), "owl-rl": st.one_of(ONTOLOGY, ONTOLOGY, FACTS)}


@pytest.mark.parametrize("rules", [RULES, "owl-rl"], ids=["rules that feed their axioms", "owl-rl"])
def test_axioms_and_facts_that_go_and_come_leave_what_follows(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each stratum counts as one of many facts."""
    monkeypatch.setattr(Meter, "is_in_vain", lambda meter, facts: meter.is_compared)
    program = resolve_rules([rules])

    @given(
        given=st.lists(TRIPLES[rules], min_size=5, max_size=16, unique=True),
        changed=st.lists(st.lists(st.integers(0, 15), min_size=1, max_size=3), min_size=1, max_size=5),
    )
    @settings(max_examples=examples(60))
    def check(given: list[Triple], changed: list[list[int]]) -> None:
        base, explicit = KnowledgeBase(program), {*given}
        add(base, *given)
        base.flush()
        follower = Follower(base)
        with replaced_constants(**SMALL):
            for numbers in changed:
                for triple in {given[number % len(given)] for number in numbers}:
                    toggle(base, explicit, triple)
                assert_equal(base, program, explicit)
                assert follower.triples == triples(base, base.all())

    check()


def test_a_stratum_of_many_facts_is_remade_once_when_rules_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs of a path that two axioms join; one of these goes."""
    rules = f"@prefix e: <{EX}> . {THREE} {THREE.replace('Far', 'Near')}"
    goes, stays = ((ex("p"), IRI(RDF + "type"), ex(name)) for name in ("Far", "Near"))
    edges = [(ex(f"a{i}"), ex("p"), ex(f"a{i + 1}")) for i in range(40)]
    base, fresh = KnowledgeBase(rules), KnowledgeBase(rules)
    add(base, goes, stays, *edges)
    base.flush()
    evaluated = rules_evaluated(monkeypatch)
    add(fresh, stays, *edges)
    fresh.flush()
    anew = len(evaluated)
    monkeypatch.setattr(state_changes, "_derived_anew", None)

    with replaced_constants(REMADE_LEAST=16):
        remove(base, goes)
        base.flush()

    assert triples(base, base.all()) == triples(fresh, fresh.all())
    assert len(evaluated) - anew < 1.5 * anew
    base._check()


def test_first_facts_of_a_relation_come_where_its_stratum_waits_for_its_last_rule_to_go() -> None:
    """A relation without facts is in a stratum with a long path by an axiom, which goes as a step of the path does."""
    rules = f"""
        @prefix e: <{EX}> . {THREE}
        [?x, ?q, ?y] :- [?p, e:below, ?q], [?x, ?p, ?y] .
        [?x, ?q, ?y] :- [?p, e:within, ?q], [?x, ?p, ?y], e:near(?x, ?y) .
    """
    program = resolve_rules([rules])
    path = [(ex(f"a{i}"), ex("p"), ex(f"a{i + 1}")) for i in range(40)]
    axioms = [(ex("q"), ex("below"), ex("p")), (ex("p"), ex("within"), ex("q"))]
    others = [(ex("p"), IRI(RDF + "type"), ex("Far")), (ex("b0"), ex("near"), ex("b1"))]
    first = (ex("b2"), ex("q"), ex("b3"))
    base = KnowledgeBase(program)
    add(base, *path, *axioms, *others)
    base.flush()
    follower = Follower(base)

    with replaced_constants(REMADE_LEAST=1):
        remove(base, path[1], *axioms)
        add(base, first)
        base.flush()

    assert_equal(base, program, {*path, *others, first} - {path[1]})
    assert follower.triples == triples(base, base.all())
