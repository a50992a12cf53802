"""Rules that pair all members of a group: histories against the oracle, which writes all pairs out.

Would catch a group that falls apart when the member goes that its path led through, one that keeps a member that has
gone, pairs with a thing that no path leads to, a path through a literal, which leads nowhere, and pairs that are
missing once nothing closes what such rules derive any longer, or leaves more out.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine.maintenance.overdeletion import Overdeleted, Overdeletion
from kgreason.engine.rules.rule_shapes import Clique
from kgreason.rdf.model import IRI, Literal, Term
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.store.knowledge_base import KnowledgeBase
from tests.engine.test_equalities import NODES, batches, run
from tests.engine.test_oracle import PREFIX, assert_equal
from tests.facade import Triple, add, ex, remove, toggle, triples
from tests.profiles import examples
from tests.thresholds import Tuned, shrink

SAME, TYPE = IRI(OWL + "sameAs"), IRI(RDF + "type")
CLOSED = "e:s(?y, ?x) :- e:s(?x, ?y) . e:s(?x, ?z) :- e:s(?x, ?y), e:s(?y, ?z){apart} . "
PATHS = "e:s(?x, ?z) :- e:s(?x, ?y), e:s(?y, ?z){apart} . "
APART = ["", ", ?x != ?z", ", ?z != e:n1", ", ?x != ?z, ?z != e:n0, ?z != e:n2"]
CLOSINGS = [PATHS.format(apart=apart) for apart in APART]
GUARDED = (
    "[?y, ?p, ?x] :- [?p, a, e:Symmetric], [?x, ?p, ?y] . "
    "[?x, ?p, ?z] :- [?p, a, e:Transitive], [?x, ?p, ?y], [?y, ?p, ?z] . "
)
CLIQUES = [
    "e:s(?y, ?z) :- e:p(?x, ?y), e:p(?x, ?z), ?y != ?z . ",
    "e:s(?y, ?z) :- e:p(?x, ?y), e:p(?x, ?z) . ",
    "e:s(?y, ?z) :- e:c(?x), e:p(?x, ?y), e:p(?x, ?z), e:d(?y), e:d(?z), ?y != ?z . ",
    "e:s(?y, ?z) :- e:c(?y), e:c(?z), e:p(?y, ?v), e:q(?y, ?w), e:p(?z, ?v), e:q(?z, ?w), ?y != ?z . ",
    "e:s(?x, ?y) :- e:c(?x), e:c(?y), ?x != ?y . ",
    "e:s(?y, ?z) :- e:p(?x, ?y), e:p(?x, ?z), ?y != ?z, ?x != e:n0 . ",
]
GUARDED_CLIQUES = [
    "[?y, e:s, ?z] :- [?p, a, e:Functional], [?x, ?p, ?y], [?x, ?p, ?z], ?y != ?z . ",
    "[?y, e:s, ?z] :- [?p, a, e:Inverse], [?y, ?p, ?x], [?z, ?p, ?x], ?y != ?z . ",
    "[?y, e:s, ?z] :- [?p, e:only, ?c], [?x, a, ?c], [?x, ?p, ?y], [?x, ?p, ?z], ?y != ?z . ",
]
MORE = [
    "",
    "e:p(?x, ?z) :- e:s(?y, ?z), e:p(?x, ?y) . ",
    "e:p(?z, ?x) :- e:s(?y, ?z), e:p(?y, ?x) . e:c(?z) :- e:s(?y, ?z), e:c(?y) . ",
    "e:c(?x) :- e:s(?x, ?y), e:d(?y) . ",
    "e:s(?x, ?y) :- e:q(?x, ?y) . e:q(?x, ?z) :- e:s(?x, ?y), e:q(?y, ?z) . ",
]
facts = st.one_of(
    st.tuples(st.sampled_from(NODES[:2]), st.just(ex("p")), st.sampled_from(NODES)),
    st.tuples(st.sampled_from(NODES), st.sampled_from([ex("p"), ex("q")]), st.sampled_from(NODES[:2])),
    st.tuples(st.sampled_from(NODES), st.just(TYPE), st.sampled_from([ex("c"), ex("d")])),
)
equalities = st.tuples(st.sampled_from(NODES), st.just(ex("s")), st.sampled_from(NODES))
axioms = st.tuples(st.just(ex("s")), st.just(TYPE), st.sampled_from([ex("Symmetric"), ex("Transitive")]))
guards = st.one_of(
    st.tuples(st.sampled_from([ex("p"), ex("q")]), st.just(TYPE), st.sampled_from([ex("Functional"), ex("Inverse")])),
    st.tuples(st.sampled_from([ex("p"), ex("q")]), st.just(ex("only")), st.sampled_from([ex("c"), ex("d")])),
)


@pytest.mark.parametrize("is_small", [False, True])
def test_histories(is_small: bool, tuned: Tuned) -> None:
    if is_small:
        shrink(tuned)

    @given(
        closing=st.sampled_from([CLOSED.format(apart=""), CLOSED.format(apart=", ?x != ?z"), GUARDED, *CLOSINGS]),
        cliques=st.lists(st.sampled_from(CLIQUES + GUARDED_CLIQUES), min_size=1, max_size=2, unique=True),
        more=st.sampled_from(MORE),
        changes=batches(st.one_of(facts, facts, facts, facts, equalities, axioms, guards)),
    )
    @settings(max_examples=examples(50))
    def check(closing: str, cliques: list[str], more: str, changes: list[list[tuple[bool, Triple]]]) -> None:
        run(KnowledgeBase(PREFIX + closing + "".join(cliques) + more), changes)

    check()


def test_histories_in_which_all_edges_go_that_are_not_sure(tuned: Tuned, monkeypatch: pytest.MonkeyPatch) -> None:
    """What connects a group without the member that goes is put in before the closure is told what it loses."""
    tuned(PASSING_EACH=0, REMADE_LEAST=1 << 40)
    joined: list[int] = []
    original = Overdeletion.run

    def noting(self: Overdeletion) -> Overdeleted | None:
        found = original(self)
        joined.extend(() if found is None else found.joined)
        return found

    monkeypatch.setattr(Overdeletion, "run", noting)

    @given(
        closing=st.sampled_from(CLOSINGS),
        cliques=st.lists(st.sampled_from(CLIQUES), min_size=1, max_size=2, unique=True),
        more=st.sampled_from([*MORE[1:], " ".join(MORE[1:])]),
        begin=st.lists(facts, min_size=6, max_size=20),
        changes=batches(st.one_of(facts, facts, facts, equalities)),
    )
    @settings(max_examples=examples(50))
    def check(
        closing: str, cliques: list[str], more: str, begin: list[Triple], changes: list[list[tuple[bool, Triple]]]
    ) -> None:
        rules = PREFIX + closing + "".join(cliques) + more
        run(KnowledgeBase(rules), [[(True, each) for each in begin], *changes])

    check()
    assert joined


closings = st.tuples(st.booleans(), st.sampled_from([*CLOSINGS, "e:s(?y, ?x) :- e:s(?x, ?y) . "]))


@given(
    cliques=st.lists(st.sampled_from(CLIQUES), min_size=1, max_size=2, unique=True),
    more=st.sampled_from(MORE),
    begin=st.lists(facts, min_size=6, max_size=20),
    changes=st.lists(st.tuples(closings, st.tuples(st.booleans(), facts)), min_size=1, max_size=6),
)
@settings(max_examples=examples(50))
def test_histories_of_rules_that_close(
    cliques: list[str], more: str, begin: list[Triple], changes: list[tuple[tuple[bool, str], tuple[bool, Triple]]]
) -> None:
    base, explicit = KnowledgeBase(PREFIX + "".join(cliques) + more), {*begin}
    add(base, *explicit)
    base.flush()
    for (has_come, rules), (is_added, triple) in changes:
        (base.add_rules if has_come else base.remove_rules)(PREFIX + rules)
        assert_equal(base, base.program, explicit)
        (add if is_added else remove)(base, triple)
        (explicit.add if is_added else explicit.discard)(triple)
        assert_equal(base, base.program, explicit)


members = st.tuples(st.sampled_from(NODES[:2]), st.just(ex("p")), st.sampled_from(NODES))
some_members = st.tuples(st.booleans(), members)


@given(
    explicit=st.sets(members, min_size=6),
    changes=st.lists(st.lists(some_members, min_size=1, max_size=2), min_size=3, max_size=8),
    clique=st.sampled_from(CLIQUES[:2]),
)
@settings(max_examples=examples(40))
def test_histories_of_two_groups(
    explicit: set[Triple], changes: list[list[tuple[bool, Triple]]], clique: str
) -> None:
    run(KnowledgeBase(PREFIX + CLOSED.format(apart="") + clique), [[(True, each) for each in explicit], *changes])


@pytest.mark.parametrize("number", range(len(CLIQUES)))
def test_clique_is_seen_and_no_other_rule(number: int) -> None:
    assert _clique(CLIQUES[number]) is not None


@pytest.mark.parametrize(
    "rule",
    [
        "e:s(?y, ?z) :- e:p(?x, ?y), e:p(?w, ?z) . ",
        "e:s(?y, ?z) :- e:p(?x, ?y), e:q(?x, ?z) . ",
        "e:s(?y, ?z) :- e:p(?x, ?y), e:p(?x, ?z), e:q(?y, ?z) . ",
        "e:s(?y, ?z) :- e:p(?x, ?y), e:p(?x, ?z), e:c(?y) . ",
        "e:s(?y, ?z) :- e:p(?x, ?y), e:p(?x, ?z), ?y < ?z . ",
        "e:s(?x, ?z) :- e:p(?x, ?y), e:p(?x, ?z) . ",
        "e:s(?y, ?y) :- e:p(?x, ?y) . ",
        "e:s(?y, ?z) :- e:p(?x, ?y), e:p(?x, ?z), ~e:q(?y, ?z) . ",
    ],
)
def test_rule_that_tells_the_members_of_a_pair_apart_is_no_clique(rule: str) -> None:
    assert _clique(rule) is None


def _clique(rule: str) -> Clique | None:
    base = KnowledgeBase(PREFIX + rule)
    for group in base.state.engine.rules.groups.values():
        clique = group.template.clique
        if clique is not None and len(group.parameters) and clique.is_of(group.parameters[0].tolist()):
            return clique
    return None


def test_rules_that_closed_a_relation_go_and_all_pairs_of_groups_are_left() -> None:
    closing = "e:s(?x, ?z) :- e:s(?x, ?y), e:s(?y, ?z), ?x != ?z . "
    base = KnowledgeBase(PREFIX + "e:s(?y, ?x) :- e:s(?x, ?y) . " + CLIQUES[0])
    base.add_rules(PREFIX + closing)
    facts = {(ex("a"), ex("p"), ex(f"n{number}")) for number in range(9)}
    add(base, *facts)
    base.flush()

    base.remove_rules(PREFIX + closing)

    assert_equal(base, base.program, facts)
    assert len(triples(base, base.all())) == 9 + 9 * 8


def test_values_of_a_functional_property_take_room_for_each_and_not_for_each_pair() -> None:
    base = KnowledgeBase("owl-rl")
    values = [(ex("a"), ex("p"), ex(f"n{number}")) for number in range(100)]
    add(base, (ex("p"), TYPE, IRI(OWL + "FunctionalProperty")), *values)
    base.flush()
    order = random.Random(5)
    for value in order.sample(values, 50):
        remove(base, value)
        base.flush()
        add(base, value)
        base.flush()

    external = [table for _, table in base.state.engine.external.items()]

    assert len(triples(base, base.all())) == 1 + 100 + 100 * 99
    assert sum(len(table) for table in external if table.arity == 2) <= 4 * 100


def test_restrictions_with_one_filler_take_room_for_each_and_not_for_each_pair() -> None:
    base = KnowledgeBase("owl-rl")
    add(base, (ex("p"), TYPE, IRI(OWL + "ObjectProperty")), (ex("c"), TYPE, IRI(OWL + "Class")))
    for number in range(100):
        of = ex(f"n{number}")
        add(base, (of, IRI(OWL + "onProperty"), ex("p")), (of, IRI(OWL + "someValuesFrom"), ex("c")))
    base.flush()

    external = [table for _, table in base.state.engine.external.items()]

    below = [each for each in triples(base, base.all()) if each[1] == IRI(RDFS + "subClassOf")]
    assert len(below) == 100 * 99
    assert sum(len(table) for table in external if table.arity == 2) <= 4 * 100


def test_value_in_the_middle_of_a_group_goes_and_the_others_stay_equal() -> None:
    base = KnowledgeBase("owl-rl")
    explicit = {(ex("p"), TYPE, IRI(OWL + "FunctionalProperty"))}
    explicit |= {(ex("a"), ex("p"), ex(f"n{number}")) for number in range(5)}
    add(base, *explicit)
    base.flush()
    for number in (2, 1, 3):
        gone = (ex("a"), ex("p"), ex(f"n{number}"))
        remove(base, gone)
        explicit -= {gone}
        assert_equal(base, base.program, explicit)


@pytest.mark.parametrize("first", CLOSINGS)
@pytest.mark.parametrize("second", CLOSINGS)
def test_rules_that_close_less_take_the_place_of_others(first: str, second: str) -> None:
    base, explicit = KnowledgeBase(PREFIX + first + CLIQUES[0]), {(ex("a"), ex("p"), node) for node in NODES[:5]}
    add(base, *explicit)
    assert_equal(base, base.program, explicit)
    for edit, rules in ((base.add_rules, second), (base.remove_rules, first), (base.remove_rules, second)):
        edit(PREFIX + rules)
        assert_equal(base, base.program, explicit)


VALUES = [ex("n1"), Literal("a"), ex("n2"), Literal("b"), ex("n3"), Literal("c")]
value_changes = st.tuples(st.sampled_from([ex("x"), ex("y")]), st.sampled_from(VALUES))


@pytest.mark.parametrize("closing", [*CLOSINGS, PATHS.format(apart=', ?z != "b"')])
@pytest.mark.parametrize("clique", CLIQUES[:2])
def test_no_path_leads_through_a_literal(closing: str, clique: str) -> None:
    @given(order=st.permutations(VALUES), changes=st.lists(value_changes, min_size=1, max_size=8))
    @settings(max_examples=examples(10))
    def check(order: list[Term], changes: list[tuple[IRI, Term]]) -> None:
        base, explicit = KnowledgeBase(PREFIX + closing + clique), set[Triple]()
        for value in order:
            base.dictionary.encode(value)
        for of, value in [*((ex("x"), value) for value in order[:4]), *changes]:
            triple = of, ex("p"), value
            toggle(base, explicit, triple)
            assert_equal(base, base.program, explicit)

    check()


def test_rule_goes_with_all_that_it_made_equal() -> None:
    of_values = "e:s(?y, ?z) :- e:q(?x, ?y), e:q(?x, ?z) . "
    base = KnowledgeBase(PREFIX + CLOSED.format(apart="") + CLIQUES[0])
    base.add_rules(PREFIX + of_values)
    explicit = {(ex("a"), ex("r"), node) for node in NODES}
    explicit |= {(ex("a"), ex("p"), NODES[0]), (ex("a"), ex("p"), NODES[6]), (ex("b"), ex("q"), NODES[6])}
    add(base, *explicit)
    for number in (1, 5, 3, 2, 4):  # what joined two values is left when one comes between them
        add(base, value := (ex("a"), ex("q"), NODES[number]))
        explicit.add(value)
        base.flush()

    base.remove_rules(PREFIX + of_values)

    assert_equal(base, base.program, explicit)


def test_literals_among_the_values_of_a_functional_property() -> None:
    base = KnowledgeBase("owl-rl")
    explicit: set[Triple] = {(ex("p"), TYPE, IRI(OWL + "FunctionalProperty"))}
    explicit |= {(ex("a"), ex("p"), ex("n1")), (ex("a"), ex("p"), Literal("x")), (ex("a"), ex("p"), ex("n2"))}
    add(base, *explicit)
    assert_equal(base, base.program, explicit)
    remove(base, (ex("a"), ex("p"), Literal("x")))
    assert_equal(base, base.program, explicit - {(ex("a"), ex("p"), Literal("x"))})
