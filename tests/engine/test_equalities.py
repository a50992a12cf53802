"""Equal things under rules that replace them by each other: histories against the oracle, which writes facts out."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.program.parser import parse_program
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.relations.catalogue import EQUALITY, PLAIN, REPRESENTED
from kgreason.store.knowledge_base import KnowledgeBase
from tests import oracle
from tests.engine.test_oracle import CLASSES, LITERALS, PREFIX, PROPERTIES, assert_equal, assert_patterns
from tests.facade import Follower, Triple, add, ex, remove, triples
from tests.profiles import examples
from tests.thresholds import Tuned, shrink

SAME, TYPE = IRI(OWL + "sameAs"), IRI(RDF + "type")
KINDS = ("Symmetric", "Transitive")
NODES = [ex(f"n{i}") for i in range(7)]
nodes, properties = st.sampled_from(NODES), st.sampled_from([ex(name) for name in PROPERTIES])
classes = st.sampled_from([ex(name) for name in CLASSES])
links = st.tuples(nodes, st.just(SAME), nodes)
facts = st.one_of(
    st.tuples(nodes, st.just(TYPE), classes),
    st.tuples(nodes, properties, nodes),
    st.tuples(nodes, properties, nodes),
    st.tuples(nodes, properties, st.sampled_from(LITERALS)),
)
axioms = st.one_of(
    st.tuples(classes, st.just(IRI(RDFS + "subClassOf")), classes),
    st.tuples(properties, st.just(IRI(RDFS + "subPropertyOf")), properties),
    st.tuples(properties, st.just(IRI(OWL + "inverseOf")), properties),
    st.tuples(properties, st.just(IRI(RDFS + "domain")), classes),
    st.tuples(properties, st.just(TYPE), st.sampled_from([IRI(OWL + f"{k}Property") for k in KINDS])),
)
odd = st.one_of(
    st.tuples(properties, st.just(TYPE), st.just(IRI(OWL + "FunctionalProperty"))),
    st.tuples(properties, st.just(SAME), properties),
    st.tuples(classes, st.just(SAME), st.one_of(classes, nodes)),
    st.tuples(nodes, st.just(SAME), st.sampled_from([*LITERALS[:1], SAME, TYPE])),
    st.tuples(properties, st.just(IRI(RDFS + "subPropertyOf")), st.just(SAME)),
)
"""Axioms that make classes of things depend on facts, or that make relations equal."""

usual = st.one_of(links, links, facts, facts, axioms)


def batches(triples: st.SearchStrategy[Triple]) -> st.SearchStrategy[list[list[tuple[bool, Triple]]]]:
    """Changes, each of triples that come and of triples that go."""
    step = st.tuples(st.integers(0, 3).map(bool), triples)
    return st.lists(st.lists(step, min_size=1, max_size=8), min_size=1, max_size=7)


def run(base: KnowledgeBase, changes: list[list[tuple[bool, Triple]]]) -> None:
    """Make changes; after each the base equals the oracle, and the feed has told the difference."""
    program = base.program
    explicit: set[Triple] = set()
    follower = Follower(base)
    for change in changes:
        for is_added, triple in change:
            (add if is_added else remove)(base, triple)
            (explicit.add if is_added else explicit.discard)(triple)
        assert_equal(base, program, explicit)
        assert follower.triples == triples(base, base.all())
        assert_found_by_subject(base)
    assert_patterns(base, oracle.closure(program, explicit))


def assert_found_by_subject(base: KnowledgeBase) -> None:
    """What the index gives of each subject is what there is of it."""
    view = base.all()
    every = {row for chunk in view.match(None, None, None) for row in zip(*(c.tolist() for c in chunk), strict=True)}
    for subject in {subject for subject, _, _ in every}:
        found = {row for chunk in view.match(subject, None, None) for row in zip(*map(list, chunk), strict=True)}
        assert found == {row for row in every if row[0] == subject}


@pytest.mark.parametrize("is_small", [False, True])
def test_histories(is_small: bool, tuned: Tuned) -> None:
    if is_small:
        shrink(tuned)
        tuned(FEW_MEMBERS=1)

    @given(changes=batches(usual))
    @settings(max_examples=examples(20))
    def check(changes: list[list[tuple[bool, Triple]]]) -> None:
        run(KnowledgeBase("owl-rl"), changes)

    check()


@given(changes=batches(st.one_of(usual, usual, odd)))
@settings(max_examples=examples(20))
def test_histories_in_which_relations_become_equal(changes: list[list[tuple[bool, Triple]]]) -> None:
    run(KnowledgeBase("owl-rl"), changes)


equal = st.one_of(
    st.tuples(classes, st.sampled_from([SAME, IRI(OWL + "equivalentClass"), IRI(RDFS + "subClassOf")]), classes),
    st.tuples(properties, st.sampled_from([SAME, IRI(RDFS + "subPropertyOf"), IRI(OWL + "inverseOf")]), properties),
)


@pytest.mark.parametrize(("schemes", "is_small"), [("auto", False), ("auto", True), (PLAIN, False)])
def test_histories_of_relations_that_copy_each_other_in_circles(schemes: str, is_small: bool, tuned: Tuned) -> None:
    if is_small:
        shrink(tuned)

    @given(changes=batches(st.one_of(equal, equal, facts, axioms)))
    @settings(max_examples=examples(16))
    def check(changes: list[list[tuple[bool, Triple]]]) -> None:
        run(KnowledgeBase("owl-rl", schemes=schemes), changes)

    check()


def test_rules_about_equal_classes_run_for_one_of_them() -> None:
    base, count = KnowledgeBase("owl-rl"), 20
    equal_classes, above = ([ex(f"{name}{number}") for number in range(count)] for name in "cd")
    add(base, *((one, SAME, other) for one, other in pairwise(equal_classes)), (NODES[0], TYPE, equal_classes[3]))
    add(base, *zip(equal_classes, [IRI(RDFS + "subClassOf")] * count, above, strict=True))

    assert sum(predicate == TYPE for _, predicate, _ in triples(base, base.all())) == 2 * count

    rules = base.state.engine.rules
    copies = [group for group in rules.groups.values() if group.template.is_copy]
    in_force = sum(len(group.rows) - int(rules.flags(rules.repeating, group).sum()) for group in copies)
    assert in_force < 6 * count < count * count


RULES = """
e:p3(?y, ?x) :- e:p3(?x, ?y) .
e:p3(?x, ?z) :- e:p3(?x, ?y), e:p3(?y, ?z), ?x != ?z .
e:p0(?y, ?z) :- e:p3(?x, ?y), e:p0(?x, ?z), ?x != ?y .
e:p0(?z, ?y) :- e:p3(?y, ?x), e:p0(?z, ?x) .
[?y, a, e:C0] :- [?x, a, e:C0], e:p3(?x, ?y) .
e:p0(?x, ?y) :- e:p1(?x, ?y) .
e:p1(?x, ?z) :- e:p3(?x, ?y), e:p1(?y, ?z) .
e:p1(?x, ?z) :- e:p1(?x, ?y), e:p3(?y, ?z) .
[?x, a, e:C0] :- [?x, a, e:C1] .
[?x, a, e:C2] :- e:p0(?x, ?y), ~[?x, a, e:C0] .
e:many(?x, #count(?y)) :- e:p0(?x, ?y) .
"""
"""An equality that is not owl:sameAs, with rules that read what is replaced."""


CHAIN_RULES = """
e:p3(?y, ?x) :- e:p3(?x, ?y) .
e:p3(?x, ?z) :- e:p3(?x, ?y), e:p3(?y, ?z), ?x != ?z .
e:p0(?y, ?z) :- e:p3(?x, ?y), e:p0(?x, ?z), ?x != ?y .
e:p0(?z, ?y) :- e:p3(?y, ?x), e:p0(?z, ?x) .
e:p0(?x, ?z) :- e:p0(?x, ?y), e:p1(?y, ?z) .
e:p0(?x, ?z) :- e:p2(?x, ?y), e:p0(?y, ?z) .
"""
"""One in which pairs are continued, at both ends, by others in which nothing is replaced."""


@pytest.mark.parametrize("schemes", ["auto", PLAIN])
@pytest.mark.parametrize("rules", [RULES, CHAIN_RULES], ids=["rules", "chain rules"])
def test_histories_of_another_equality(rules: str, schemes: str) -> None:
    program = parse_program(PREFIX + rules)
    links = st.tuples(nodes, st.just(ex("p3")), nodes)

    @given(changes=batches(st.one_of(links, facts)))
    @settings(max_examples=examples(16))
    def check(changes: list[list[tuple[bool, Triple]]]) -> None:
        run(KnowledgeBase(program, schemes=schemes), changes)

    check()


def test_pairs_are_continued_from_what_became_equal_before_they_led_there() -> None:
    base = KnowledgeBase(PREFIX + CHAIN_RULES)
    steps = [
        (NODES[5], ex("p3"), NODES[6]),
        (NODES[0], ex("p1"), NODES[1]),
        (NODES[4], ex("p1"), NODES[2]),
        (NODES[3], ex("p0"), NODES[3]),
        (NODES[0], ex("p3"), NODES[4]),
        (NODES[3], ex("p0"), NODES[0]),
    ]
    for number, step in enumerate(steps, 1):
        add(base, step)
        assert_equal(base, base.program, set(steps[:number]))
    assert (NODES[3], ex("p0"), NODES[2]) in triples(base, base.all())
    assert {each.scheme for each in base.statistics().relations} >= {EQUALITY, REPRESENTED}


def test_facts_are_kept_over_representatives() -> None:
    base = KnowledgeBase("owl-rl")
    add(base, *((NODES[i], SAME, NODES[i + 1]) for i in range(6)), (NODES[0], ex("p0"), Literal("x")))
    base.flush()
    kept = {definition.closure for definition in base.state.engine.definitions.values()}
    assert {EQUALITY, REPRESENTED} <= kept
    assert len(base.all()) == 7 * 6 + 7


def test_rules_that_replace_things_come_and_go() -> None:
    base = KnowledgeBase("none")
    explicit = {(NODES[0], SAME, NODES[1]), (NODES[0], ex("p0"), NODES[2]), (NODES[2], SAME, NODES[3])}
    add(base, *explicit)
    for rules in ("owl-rl", "rdfs-plus"):
        base.add_rules(rules)
        assert_equal(base, base.program, explicit)
        base.remove_rules(rules)
        assert_equal(base, base.program, explicit)


functional = st.one_of(
    st.tuples(st.just(ex("p0")), st.just(TYPE), st.just(IRI(OWL + "FunctionalProperty"))),
    st.tuples(st.just(ex("p1")), st.just(TYPE), st.just(IRI(OWL + "InverseFunctionalProperty"))),
)


@given(changes=batches(st.one_of(usual, usual, functional)))
@settings(max_examples=examples(20))
def test_histories_in_which_facts_make_things_equal(changes: list[list[tuple[bool, Triple]]]) -> None:
    run(KnowledgeBase("owl-rl"), changes)


def test_what_a_functional_property_makes_equal_is_kept_over_representatives() -> None:
    base = KnowledgeBase("owl-rl")
    add(base, (ex("p0"), TYPE, IRI(OWL + "FunctionalProperty")), *((NODES[0], ex("p0"), node) for node in NODES[1:]))
    add(base, *((node, ex("p1"), Literal(str(number))) for number, node in enumerate(NODES)))
    explicit = triples(base, base.explicit())
    assert_equal(base, base.program, explicit)
    definitions = base.state.engine.definitions
    kept = {base.dictionary.decode(code >> 2): definition.closure for code, definition in definitions.items()}
    assert kept[SAME] == EQUALITY
    assert kept[ex("p1")] == REPRESENTED


def test_members_of_a_class_are_replaced_beside_pairs_of_the_same_stratum() -> None:
    base = KnowledgeBase("none")
    base.add_rules(f"""
        {PREFIX}
        e:p0(?y, ?x) :- e:p0(?x, ?y) .
        e:p0(?x, ?z) :- e:p0(?x, ?y), e:p0(?y, ?z), ?x != ?z .
        e:C0(?x) :- e:p0(?x, ?y), e:C0(?y) .
        e:p1(?x, ?z) :- e:p0(?x, ?y), e:p1(?y, ?z) .
        e:p1(?x, ?x) :- e:C0(?x) .
        e:C0(?y) :- e:p1(?x, ?y) .
    """)
    links = [(NODES[number], ex("p0"), NODES[number + 1]) for number in range(3)]
    explicit = {*links, (NODES[0], TYPE, ex("C0")), (NODES[2], ex("p1"), NODES[4])}
    add(base, *explicit)
    assert_equal(base, base.program, explicit)
    remove(base, links[1])
    assert_equal(base, base.program, explicit - {links[1]})


@pytest.mark.parametrize("closed", ["TransitiveProperty", "SymmetricProperty"])
def test_a_relation_that_is_parted_from_another_one_keeps_what_is_its_own(closed: str) -> None:
    base = KnowledgeBase("owl-rl")
    asks = (ex("p0"), IRI(OWL + "equivalentProperty"), ex("p1"))
    left = {
        (ex("p1"), TYPE, IRI(OWL + closed)),
        (NODES[0], SAME, NODES[1]),
        (NODES[2], ex("p0"), NODES[3]),
        (NODES[3], ex("p1"), NODES[4]),
        (NODES[0], ex("p1"), NODES[5]),
    }
    add(base, asks, *left)
    assert (NODES[2], ex("p1"), NODES[3]) in triples(base, base.all())
    remove(base, asks)
    assert_equal(base, base.program, left)
    add(base, asks)
    assert_equal(base, base.program, {asks, *left})


def test_what_comes_while_a_relation_ceases_and_begins_to_be_kept_over_representatives_is_found() -> None:
    base = KnowledgeBase("owl-rl")
    add(base, (NODES[0], SAME, NODES[1]), (NODES[0], ex("p0"), Literal("1")), (NODES[2], ex("p1"), NODES[2]))
    assert_found_by_subject(base)
    remove(base, (NODES[0], SAME, NODES[1]))
    assert_found_by_subject(base)

    add(base, (NODES[3], ex("p0"), NODES[4]), (ex("p1"), TYPE, IRI(OWL + "FunctionalProperty")))

    assert_found_by_subject(base)


@pytest.mark.parametrize("head", ["e:p", "e:q"])
def test_rule_whose_atoms_could_both_be_the_one_that_is_replaced_in(head: str) -> None:
    rules = "e:s(?y, ?x) :- e:s(?x, ?y) . e:s(?x, ?z) :- e:s(?x, ?y), e:s(?y, ?z), ?x != ?z . "
    base = KnowledgeBase(PREFIX + rules + f"{head}(?x, ?z) :- {head}(?x, ?y), e:s(?y, ?z) . ")
    explicit = {(NODES[0], ex(head[2:]), NODES[1]), (NODES[1], ex("s"), NODES[2]), (NODES[2], ex("s"), NODES[3])}
    add(base, *explicit)
    assert_equal(base, base.program, explicit)
