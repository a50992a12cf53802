"""Rules whose ends are interchangeable: histories against the oracle, which derives a fact for each pair of ends.

Would catch a fact that is missing once its ends are no longer below each other, or once the one that stood for it goes;
one of a thing that no path leads to; a pair of a thing with itself that only a rule gives; and facts that hold
themselves up.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.relations.catalogue import PLAIN
from kgreason.store.knowledge_base import KnowledgeBase
from tests.engine.test_equalities import NODES, batches, run
from tests.engine.test_oracle import PREFIX, assert_equal
from tests.facade import Triple, add, ex, remove, triples
from tests.profiles import examples
from tests.thresholds import Tuned, shrink

TYPE, BELOW = IRI(RDF + "type"), IRI(RDFS + "subClassOf")
PATHS = "e:s(?x, ?z) :- e:s(?x, ?y), e:s(?y, ?z){apart} . "
CLOSINGS = [PATHS.format(apart=apart) for apart in ["", ", ?x != ?z", ", ?z != e:n1", ", ?x != ?z, ?z != e:n0"]]
BETWEEN = [
    "e:s(?x, ?y) :- e:p(?x, ?u), e:s(?u, ?v), e:p(?y, ?v) . ",
    "e:s(?x, ?y) :- e:p(?x, ?u), e:s(?u, ?v), e:p(?y, ?v), ?x != ?y . ",
    "e:s(?x, ?y) :- e:p(?x, ?u), e:c(?x), e:s(?u, ?v), e:p(?y, ?v), e:d(?y), ?x != ?y . ",
    "e:s(?x, ?y) :- e:p(?x, ?u), e:q(?u, ?v), e:p(?y, ?v), ?x != ?y, ?u != e:n2 . ",
    "e:s(?x, ?y) :- e:c(?x), e:d(?y), ?x != ?y . ",
    "e:s(?x, ?y) :- e:c(?x), e:d(?y) . ",
    "e:s(?x, ?y) :- e:c(?x), e:d(?y), ?x != e:n0 . ",
    "e:s(?x, ?y) :- e:s(?x, ?u), e:q(?u, ?y) . ",
    "e:s(?x, ?y) :- e:p(?x, ?u), e:q(?x, ?w), e:s(?u, ?v), e:p(?y, ?v), e:q(?y, ?w), ?x != ?y . ",
    "e:s(?x, ?y) :- e:p(?x, ?u), e:c(?u), e:s(?v, ?u), e:p(?y, ?v), e:c(?v), ?x != ?y, ?v != ?u . ",
    "e:s(?x, ?y) :- e:p(?x, ?u), e:t(?u, ?v), e:p(?y, ?v), ?x != ?y . e:t(?x, ?z) :- e:t(?x, ?y), e:t(?y, ?z) . ",
    "e:s(?x, ?y) :- e:p(?x, ?u), e:q(?x, ?w), e:t(?w, ?v), e:p(?y, ?u), e:q(?y, ?v) . "
    "e:t(?x, ?z) :- e:t(?x, ?y), e:t(?y, ?z), ?x != ?z . e:t(?x, ?y) :- e:s(?y, ?x), e:c(?x) . ",
]
FEEDING = [
    "e:s(?x, ?y) :- e:q(?x, ?y) . e:c(?x) :- e:s(?x, ?y), e:d(?y) . ",
    "e:s(?y, ?z) :- e:p(?y, ?x), e:p(?z, ?x), ?y != ?z . e:d(?x) :- e:s(?x, ?y), e:c(?y) . ",
    "e:p(?x, ?z) :- e:s(?y, ?z), e:p(?x, ?y) . ",
    "e:q(?z, ?x) :- e:s(?y, ?z), e:q(?y, ?x) . ",
]
EQUAL = """
e:e(?y, ?x) :- e:e(?x, ?y) . e:e(?x, ?z) :- e:e(?x, ?y), e:e(?y, ?z), ?x != ?z .
e:f(?z, ?y) :- e:e(?x, ?z), e:f(?x, ?y), ?x != ?z . e:f(?x, ?z) :- e:e(?y, ?z), e:f(?x, ?y), ?y != ?z .
e:e(?y, ?z) :- e:f(?x, ?y), e:f(?x, ?z), ?y != ?z .
e:s(?z, ?y) :- e:e(?x, ?z), e:s(?x, ?y), ?x != ?z . e:s(?x, ?z) :- e:e(?y, ?z), e:s(?x, ?y), ?y != ?z .
e:p(?z, ?y) :- e:e(?x, ?z), e:p(?x, ?y), ?x != ?z . e:p(?x, ?z) :- e:e(?y, ?z), e:p(?x, ?y), ?y != ?z .
"""
"""What makes things equal, and is kept over representatives, where other rules bring a relation into the stratum."""
DECIDING = [
    "e:f(?x, ?y) :- e:s(?x, ?y), e:t(?y, ?x) . ",
    "e:f(?x, ?y) :- e:s(?x, ?y), e:t(?x, ?y) . ",
    "e:f(?x, ?y) :- e:s(?x, ?y), e:d(?y) . ",
    "e:f(?y, ?x) :- e:s(?x, ?y), e:c(?x) . ",
]
facts = st.one_of(
    st.tuples(st.sampled_from(NODES), st.sampled_from([ex("p"), ex("q")]), st.sampled_from(NODES[:2])),
    st.tuples(st.sampled_from(NODES), st.just(TYPE), st.sampled_from([ex("c"), ex("d")])),
    st.tuples(st.sampled_from(NODES[:4]), st.just(ex("s")), st.sampled_from(NODES[:4])),
    st.tuples(st.sampled_from(NODES), st.just(ex("s")), st.sampled_from(NODES)),
    st.tuples(st.sampled_from(NODES[:4]), st.just(ex("t")), st.sampled_from(NODES[:4])),
)


@pytest.mark.parametrize("is_small", [False, True])
def test_histories(is_small: bool, tuned: Tuned) -> None:
    if is_small:
        shrink(tuned)
    else:
        tuned(SAMPLED_ROWS=1, LATE_LEAST=1)

    @given(
        closing=st.sampled_from(CLOSINGS),
        between=st.lists(st.sampled_from(BETWEEN), min_size=1, max_size=2, unique=True),
        feeding=st.lists(st.sampled_from(FEEDING), min_size=1, max_size=2, unique=True),
        changes=batches(facts),
    )
    @settings(max_examples=examples(40))
    def check(closing: str, between: list[str], feeding: list[str], changes: list[list[tuple[bool, Triple]]]) -> None:
        run(KnowledgeBase(PREFIX + closing + "".join(between) + "".join(feeding)), changes)

    check()


@pytest.mark.parametrize("is_small", [False, True])
def test_histories_beside_what_decides_what_is_equal(is_small: bool, tuned: Tuned) -> None:
    if is_small:
        shrink(tuned)
    else:
        tuned(SAMPLED_ROWS=1, LATE_LEAST=1)
    for seed in range(examples(40)):
        chance = random.Random(seed)
        rules = [chance.choice(CLOSINGS), EQUAL, *chance.sample(BETWEEN, chance.randint(1, 2)), chance.choice(DECIDING)]
        if chance.random() < 0.5:
            rules.append(chance.choice(FEEDING))
        text = PREFIX + "".join(rules)
        base, explicit = KnowledgeBase(text), {*_beside_equality(4)}
        add(base, *explicit)
        for _ in range(10):
            anew = KnowledgeBase(text, schemes=PLAIN)
            add(anew, *explicit)
            assert triples(base, base.all()) == triples(anew, anew.all())
            for _ in range(chance.choice([1, 1, 2, 4])):
                if chance.random() < 0.6:
                    gone = chance.choice(sorted(explicit, key=str))
                    explicit.remove(gone)
                    remove(base, gone)
                else:
                    come = _of_a_cycle(chance)
                    explicit.add(come)
                    add(base, come)
        base._check()


def _beside_equality(size: int) -> Iterator[Triple]:
    """Two cycles, of things with facts, one below the other; and what decides what is equal."""
    for kind in ("c", "d"):
        members = [ex(f"{kind}{number}") for number in range(size)]
        for one, other in zip(members, [*members[1:], members[0]], strict=True):
            yield from ((one, ex("s"), other), (one, ex("p"), members[0]), (one, ex("q"), members[0]))
            yield one, TYPE, ex(kind)
    yield from ((ex("c0"), ex("s"), ex("d0")), (ex("c0"), ex("q"), ex("d0")), (ex("c1"), ex("t"), ex("c1")))
    yield from ((ex("y"), ex("f"), ex("z")), (ex("x1"), ex("e"), ex("y1")))


def _of_a_cycle(chance: random.Random) -> Triple:
    """A fact about things of the two cycles."""
    things = [ex(f"{kind}{number}") for kind in "cd" for number in range(4)]
    one, other = chance.choice(things), chance.choice(things)
    if chance.random() < 0.2:
        return one, TYPE, ex(chance.choice("cd"))
    return one, ex(chance.choice("ssppqfet")), other


@pytest.mark.parametrize("rule", BETWEEN)
def test_rule_has_free_ends(rule: str) -> None:
    assert _template(rule).has_free_ends


@pytest.mark.parametrize(
    "rule",
    [
        "e:s(?x, ?y) :- e:p(?x, ?u), e:p(?u, ?y), e:p(?x, ?y) . ",
        "e:s(?x, ?y) :- e:p(?x, ?u), e:p(?u, ?y), ?x < ?y . ",
        "e:s(?x, ?y) :- e:p(?x, ?u), e:p(?u, ?y), ?x != ?u . ",
        "e:s(?x, ?y) :- e:p(?x, ?u), e:p(?u, ?y), ~e:q(?x, ?u) . ",
        "e:s(?x, ?y) :- e:p(?x, ?u), BIND(str(?u) AS ?y) . ",
        "e:s(?x, e:n0) :- e:p(?x, ?u), e:p(?u, ?y) . ",
        "e:c(?x) :- e:p(?x, ?u), e:p(?u, ?y) . ",
    ],
)
def test_rule_has_no_free_ends(rule: str) -> None:
    assert not _template(rule).has_free_ends


def _template(rule: str) -> RuleTemplate:
    groups = KnowledgeBase(PREFIX + rule).state.engine.rules.groups.values()
    return next(each.template for each in groups if len(each.rows))


@pytest.mark.parametrize("closing", CLOSINGS)
def test_one_fact_stands_for_those_between_two_cycles(closing: str, tuned: Tuned) -> None:
    tuned(SAMPLED_ROWS=1)
    base, explicit = KnowledgeBase(PREFIX + closing + BETWEEN[4] + FEEDING[0]), set[Triple]()
    for kind in ("c", "d"):
        members = [ex(f"{kind}{number}") for number in range(9)]
        explicit |= {(member, TYPE, ex(kind)) for member in members}
        explicit |= {(one, ex("s"), other) for one, other in zip(members, [*members[1:], members[0]], strict=True)}
    assert _follow(base, explicit, []) < 2 * 9 + 9 * 9
    between = [(ex("c4"), TYPE, ex("c")), (ex("c0"), TYPE, ex("c")), (ex("d2"), TYPE, ex("d"))]
    parting = [(ex("c1"), ex("s"), ex("c2")), (ex("d8"), ex("s"), ex("d0")), (ex("c8"), ex("s"), ex("c0"))]

    for each in (*between, *parting):
        _follow(base, explicit, [each])


def test_one_fact_stands_for_others_beside_what_decides_what_is_equal(tuned: Tuned) -> None:
    tuned(SAMPLED_ROWS=1)
    base, explicit = KnowledgeBase(PREFIX + CLOSINGS[1] + EQUAL + BETWEEN[1] + DECIDING[0]), {*_beside_equality(6)}

    assert _follow(base, explicit, []) < 4 * 6
    assert any(each.is_represented_part for each in base.state.engine.definitions.values())

    for each in ((ex("c1"), ex("s"), ex("c2")), (ex("c3"), ex("p"), ex("c0")), (ex("d5"), ex("s"), ex("d0"))):
        _follow(base, explicit, [each])


def _follow(base: KnowledgeBase, explicit: set[Triple], gone: list[Triple]) -> int:
    """Remove facts, and compare with the oracle; how many external facts there are."""
    (remove if gone else add)(base, *(gone or explicit))
    explicit -= {*gone}
    assert_equal(base, base.program, explicit)
    return sum(len(table) for _, table in base.state.engine.external.items())


def test_restrictions_on_a_class_and_one_above_it_take_room_for_each_and_not_for_each_pair(tuned: Tuned) -> None:
    tuned(SAMPLED_ROWS=1)
    base = KnowledgeBase("owl-rl")
    add(base, (ex("p"), TYPE, IRI(OWL + "ObjectProperty")), (ex("c0"), BELOW, ex("c1")))
    for number in range(200):
        of, filler = ex(f"n{number}"), ex(f"c{number % 2}")
        add(base, (of, IRI(OWL + "onProperty"), ex("p")), (of, IRI(OWL + "someValuesFrom"), filler))
    base.flush()

    external = [table for _, table in base.state.engine.external.items()]

    nodes = {ex(f"n{number}") for number in range(200)}
    assert sum(each[0] in nodes and each[1] == BELOW for each in triples(base, base.all())) == 2 * 100 * 99 + 100 * 100
    assert sum(len(table) for table in external if table.arity == 2) <= 8 * 200
