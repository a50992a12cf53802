"""Rules that only repeat others do not run, and run again when those others go."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine.strategy import Strategy
from kgreason.program.parser import parse_program
from kgreason.program.rules import Program
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF
from kgreason.relations.catalogue import AUTO, PLAIN
from kgreason.store.knowledge_base import KnowledgeBase
from tests import oracle
from tests.change_replay import replay
from tests.facade import EX, Follower, Triple, add, ex, remove, triples
from tests.profiles import examples
from tests.thresholds import Tuned

EXAMPLES = examples(30)
TYPE = IRI(RDF + "type")
RULES = parse_program(
    f"""@prefix e: <{EX}> .
    [?x, a, ?d] :- [?c, e:below, ?d], [?x, a, ?c] .
    [?x, a, ?c] :- [?p, e:domain, ?c], [?x, ?p, ?y] .
    [?x, a, ?c] :- [?p, e:range, ?c], [?y, ?p, ?x], ?c != e:C3 .
    [?x, ?q, ?y] :- [?p, e:under, ?q], [?x, ?p, ?y] .
    [?y, ?q, ?x] :- [?p, e:turned, ?q], [?x, ?p, ?y] .
    [?c, e:below, ?e] :- [?c, e:below, ?d], [?d, e:below, ?e], ?c != ?e .
    [?p, e:under, ?r] :- [?p, e:under, ?q], [?q, e:under, ?r], ?p != ?r .
    [?p, e:domain, ?d] :- [?p, e:domain, ?c], [?c, e:below, ?d] .
    [?p, e:domain, ?c] :- [?q, e:domain, ?c], [?p, e:under, ?q] .
    [?p, e:turned, ?r] :- [?p, e:turned, ?q], [?q, e:under, ?r] .
    """
)
NODES = [ex(f"n{i}") for i in range(3)]
CLASSES = [ex(f"C{i}") for i in range(4)]
PROPERTIES = [ex(f"p{i}") for i in range(4)]


def some(predicate: str, subjects: list[IRI], objects: list[IRI]) -> st.SearchStrategy[Triple]:
    return st.tuples(st.sampled_from(subjects), st.just(ex(predicate)), st.sampled_from(objects))


AXIOMS = st.one_of(
    some("below", CLASSES, CLASSES),
    some("domain", PROPERTIES, CLASSES),
    some("range", PROPERTIES, CLASSES),
    some("under", PROPERTIES, PROPERTIES),
    some("turned", PROPERTIES, PROPERTIES),
)
FACTS = st.one_of(
    st.tuples(st.sampled_from(NODES), st.just(TYPE), st.sampled_from(CLASSES)),
    st.tuples(st.sampled_from(NODES), st.sampled_from(PROPERTIES), st.sampled_from(NODES)),
)


@pytest.mark.parametrize("schemes", [AUTO, PLAIN])
@settings(max_examples=EXAMPLES)
@given(
    axioms=st.sets(AXIOMS, min_size=3, max_size=10),
    facts=st.sets(FACTS, min_size=1, max_size=6),
    steps=st.lists(
        st.tuples(st.lists(st.integers(0, 30), max_size=3), st.lists(st.one_of(AXIOMS, FACTS), max_size=2)), max_size=6
    ),
)
def test_hierarchies_that_change(
    schemes: str, axioms: set[Triple], facts: set[Triple], steps: list[tuple[list[int], list[Triple]]]
) -> None:
    for _ in replay(RULES, schemes, sorted(axioms | facts, key=str), steps):
        pass


def left_out(base: KnowledgeBase) -> int:
    base.flush()
    return sum(int(flags.sum()) for flags in base.state.engine.rules.repeating.values())


@pytest.mark.parametrize(("axiom", "typed"), [("domain", "n0"), ("range", "n1")])
def test_rules_for_superclasses_of_a_domain_or_range_do_not_run(axiom: str, typed: str) -> None:
    """That of the range has a condition on the class, which is another one for each."""
    base, expected = KnowledgeBase(RULES), (ex(typed), TYPE, ex("C1"))
    first, second = ((ex("p0"), ex(axiom), ex(name)) for name in ("C0", "C1"))
    below = (ex("C0"), ex("below"), ex("C1"))
    add(base, first, second, below, (ex("n0"), ex("p0"), ex("n1")))
    assert left_out(base) == 1
    assert expected in triples(base, base.all())
    remove(base, below)
    assert left_out(base) == 0
    assert expected in triples(base, base.all())
    add(base, below)
    assert left_out(base) == 1
    remove(base, second, first)
    assert left_out(base) == 0
    assert expected not in triples(base, base.all())


def test_classes_that_are_equal_leave_one_rule_to_run() -> None:
    base = KnowledgeBase(RULES)
    add(base, *((ex("p0"), ex("domain"), ex(c)) for c in ("C0", "C1")), (ex("n0"), ex("p0"), ex("n1")))
    add(base, (ex("C0"), ex("below"), ex("C1")), (ex("C1"), ex("below"), ex("C0")))
    assert {(ex("n0"), TYPE, ex("C0")), (ex("n0"), TYPE, ex("C1"))} <= triples(base, base.all())


def test_of_a_dense_circle_few_copies_run_whatever_its_least_relation_is_linked_to() -> None:
    rules = f"""@prefix e: <{EX}> .
        [?x, a, ?d] :- [?c, e:below, ?d], [?x, a, ?c] .
        [?y, a, e:D0] :- [?x, e:link, ?y], [?x, a, e:C0] ."""
    base = KnowledgeBase(rules)
    count = 12
    add(base, *((ex(f"n{n}"), TYPE, ex(f"C{n}")) for n in range(count)))  # the first ids are those of C0, C1, ...
    dense = [(ex(f"D{n}"), ex("below"), ex(f"D{m}")) for n in range(count) for m in range(count) if n != m]
    add(base, *dense, *((ex(f"C{n}"), ex("below"), ex(f"D{n}")) for n in range(count)))
    add(base, *((ex(f"D{n}"), ex("below"), ex(f"C{n}")) for n in range(count)))
    add(base, (ex("n0"), ex("link"), ex("m")))

    found = triples(base, base.all())

    assert {(ex(name), TYPE, ex(f"C{n}")) for name in ("n3", "m") for n in range(count)} <= found
    assert left_out(base) >= count * (count - 1) - 2 * count


def test_one_of_the_copies_from_a_circle_to_another_runs() -> None:
    rules = f"""@prefix e: <{EX}> .
        [?x, a, ?d] :- [?c, e:below, ?d], [?x, a, ?c] .
        [?y, a, e:C0] :- [?x, e:link, ?y], [?x, a, e:D0] ."""
    base = KnowledgeBase(rules)
    names = [f"{letter}{n}" for letter in "CD" for n in range(8)]
    add(base, *((ex(f"n{name}"), TYPE, ex(name)) for name in names))
    circles = [(f"{each}{n}", f"{each}{(n + 1) % 8}") for each in "CD" for n in range(8)]
    between = [(f"C{n}", f"D{m}") for n in range(1, 8) for m in range(1, 8)]  # none between those that stand for others
    add(base, *((ex(lower), ex("below"), ex(upper)) for lower, upper in [*circles, *between]))
    add(base, (ex("nC3"), ex("link"), ex("m")))

    found = triples(base, base.all())

    assert {(ex(name), TYPE, ex("D5")) for name in ("nC3", "m", "nD1")} <= found
    assert left_out(base) == len(between) - 1


def test_a_circle_that_is_turned_round_by_way_of_another_relation_keeps_its_copies() -> None:
    base = KnowledgeBase(RULES)
    add(base, (ex("n0"), ex("p3"), ex("n1")))
    add(base, *((ex(end), ex("turned"), ex(other)) for end, other in (("p0", "p2"), ("p2", "p0"))))
    add(base, *((ex(end), ex("under"), ex(other)) for end, other in (("p0", "p2"), ("p3", "p0"), ("p0", "p3"))))

    assert (ex("n1"), ex("p3"), ex("n0")) in triples(base, base.all())


def test_a_relation_that_only_copies_itself_hands_on_what_is_asserted_of_it() -> None:
    """The copy is in the stratum of its guards, which depend on what the relation hands on."""
    base = KnowledgeBase(
        f"""@prefix e: <{EX}> .
        [?x, ?q, ?y] :- [?p, e:under, ?q], [?x, ?p, ?y] .
        [?x, ?q, ?y] :- [?p, e:equal, ?q], [?x, ?p, ?y] .
        [?x, ?p, ?y] :- [?p, e:equal, ?q], [?x, ?q, ?y] .
        [?c, e:under, ?p] :- [?c, a, e:C0], [?c, e:p3, ?p] ."""
    )
    add(base, (ex("p2"), ex("under"), ex("p2")), (ex("p2"), ex("under"), ex("p3")), (ex("p1"), ex("equal"), ex("p3")))
    add(base, (ex("n2"), TYPE, ex("C0")), (ex("n1"), ex("p2"), ex("n0")))
    base.flush()

    add(base, (ex("n0"), ex("p2"), ex("n1")))

    assert {(ex("n0"), ex(name), ex("n1")) for name in ("p1", "p2", "p3")} <= triples(base, base.all())


def test_the_switch() -> None:
    base = KnowledgeBase(RULES, strategy=Strategy(skip_repeating=False))
    add(base, (ex("p0"), ex("domain"), ex("C0")), (ex("C0"), ex("below"), ex("C1")), (ex("n0"), ex("p0"), ex("n1")))
    assert left_out(base) == 0


BODY = "e:p0(?x, ?y), ~e:p1(?x, ?y)"
TAKES_GROUND = "e:p1(?x, ?y) :- e:p3(?x, ?y) ."
ALSO_RECURSIVE = "e:C3(?y) :- e:C3(?x), e:p2(?x, ?y) . e:C1(?y) :- e:C1(?x), e:p2(?x, ?y) ."
UP, DOWN = "e:C3(?x) :- e:C1(?x) .", "e:C1(?x) :- e:C3(?x) ."


@pytest.mark.parametrize("schemes", [AUTO, PLAIN])
@pytest.mark.parametrize("others", ["", ALSO_RECURSIVE])
@pytest.mark.parametrize("running_on", [0, 64])
@pytest.mark.parametrize(
    ("known", "fresh"),
    [
        ("", f"e:C1(?x) :- {BODY} . {UP}"),
        (UP, f"e:C1(?x) :- {BODY} ."),
        (f"e:C1(?x) :- {BODY} .", UP),
        (f"e:C1(?x) :- {BODY} .", UP + DOWN),
        (UP + DOWN, f"e:C1(?x) :- {BODY} ."),
    ],
)
def test_what_a_rule_derived_goes_though_fresh_rules_make_it_repeat(
    schemes: str, others: str, running_on: int, known: str, fresh: str, tuned: Tuned
) -> None:
    """In one pass fresh rules make another one repeat, and what that rests on is lost. It is left out with the next
    change, or, where few such rules may run on, once rules come again."""
    tuned(RUNNING_ON=running_on)
    base = KnowledgeBase(rules_of(f"e:C3(?x) :- {BODY} . {others} {known}"), schemes)
    add(base, (ex("n0"), ex("p0"), ex("n1")), (ex("n0"), ex("p3"), ex("n1")))
    derived = {(ex("n0"), TYPE, ex("C3"))}
    follower = Follower(base)
    assert derived <= follower.triples

    base.add_rules(rules_of(f"{fresh} {TAKES_GROUND}"))

    found = triples(base, base.all())
    assert not derived & found
    assert follower.triples == found == oracle.closure(base.program, triples(base, base.explicit()))
    base._check()
    remove(base, (ex("n0"), ex("p3"), ex("n1")))
    assert derived <= triples(base, base.all())
    if running_on:
        base.add_rules(rules_of("e:C2(?x) :- e:C0(?x) ."))
    assert left_out(base) > 0


def rules_of(text: str) -> Program:
    return parse_program(f"@prefix e: <{EX}> . {text}")


SIMPLE_RULES = [
    rules_of(text)
    for text in (
        *(f"e:C{head}(?x) :- {BODY} ." for head in (0, 1, 2)),
        *(f"e:C{head}(?x) :- e:C{body}(?x) ." for head, body in ((0, 1), (1, 0), (1, 2), (2, 1))),
        *(f"e:C{head}(?x) :- e:p2(?x, ?y), e:C{body}(?y) ." for head, body in ((0, 0), (1, 1), (0, 2))),
        TAKES_GROUND,
        TAKES_GROUND.replace("p3", "p2"),
    )
]
SIMPLE_FACTS = st.one_of(
    st.tuples(st.sampled_from(NODES), st.sampled_from(PROPERTIES), st.sampled_from(NODES)),
    st.tuples(st.sampled_from(NODES), st.just(TYPE), st.sampled_from(CLASSES[:1])),
)


@pytest.mark.parametrize("schemes", [AUTO, PLAIN])
@settings(max_examples=EXAMPLES)
@given(
    steps=st.lists(
        st.tuples(
            st.sets(st.integers(0, len(SIMPLE_RULES) - 1), min_size=1, max_size=6),
            st.lists(SIMPLE_FACTS, max_size=2),
            st.lists(SIMPLE_FACTS, max_size=1),
        ),
        min_size=2,
        max_size=5,
    )
)
def test_rules_that_come_and_go_together(
    schemes: str, steps: list[tuple[set[int], list[Triple], list[Triple]]]
) -> None:
    """Each step turns some rules on or off, those that come all at once, and adds and removes facts before."""
    base, running = KnowledgeBase(rules_of(""), schemes), set[int]()
    known = {(node, ex(name), NODES[1]) for node in NODES for name in ("p0", "p3")}
    add(base, *known)
    follower = Follower(base)
    for turned, come, gone in steps:
        add(base, *come)
        remove(base, *gone)
        known = (known | {*come}) - {*gone}
        for numbers, change in ((turned & running, base.remove_rules), (turned - running, base.add_rules)):
            if numbers:
                change(Program(tuple(rule for number in sorted(numbers) for rule in SIMPLE_RULES[number].rules)))
        running = running ^ turned

        found = triples(base, base.all())
        assert follower.triples == found == oracle.closure(base.program, known)
        base._check()
