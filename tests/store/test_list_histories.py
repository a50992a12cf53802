"""Random lists whose triples come and go one at a time, with a read after each, beside the oracle.

Catches: what depends on the order of changes; what a list that was defective leaves behind, or does not bring back; a
strict knowledge base that refuses too much, too little, or not as a whole.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.errors import ListError, ListWarning
from kgreason.program.parser import parse_program
from kgreason.program.rules import Program
from kgreason.rdf.model import IRI, Literal, Term
from kgreason.rdf.vocabulary import RDF
from kgreason.relations.catalogue import AUTO, PLAIN
from kgreason.store.knowledge_base import KnowledgeBase
from tests import oracle
from tests.facade import EX, Follower, Triple, add, ex, remove, show, triples
from tests.profiles import examples
from tests.thresholds import Tuned, shrink

EXAMPLES = examples(15)

TYPE, FIRST, REST, NIL = (IRI(RDF + name) for name in ("type", "first", "rest", "nil"))
CELLS = [ex(f"l{i}") for i in range(4)]
CLASSES = [ex(f"C{i}") for i in range(3)]
PROPERTIES = [ex(f"p{i}") for i in range(3)]
RULES = """
[?x, a, ?c] :- [?c, e:all, ?l], every(?m, ?l, [?x, a, ?m]) .
[?x, a, ?m] :- [?c, e:all, ?l], member(?l, ?i, ?m), [?x, a, ?c] .
[?m, e:in, ?c] :- [?c, e:some, ?l], member(?l, ?i, ?m), ?i > 0 .
[?x, a, ?c] :- [?c, e:some, ?l], member(?l, ?i, ?m), [?x, a, ?m] .
[?x, ?p, ?y] :- [?p, e:chain, ?l], path(?x, ?l, ?y) .
[?x, e:same, ?y] :- [?c, e:key, ?l], [?x, a, ?c], [?y, a, ?c], every(?p, ?l, [?x, ?p, ?z], [?y, ?p, ?z]) .
[?x, rdf:rest, ?z] :- [?x, rdf:rest, ?y], [?y, e:same, ?z] .
[?z, rdf:rest, ?y] :- [?x, rdf:rest, ?y], [?x, e:same, ?z] .
[?z, rdf:first, ?y] :- [?x, rdf:first, ?y], [?x, e:same, ?z] .
e:lonely(?x) :- e:C0(?x), ~e:C1(?x) .
#[name("twice")] false :- [?c, e:some, ?l], member(?l, ?i, ?x), member(?l, ?j, ?x), ?i < ?j .
""".strip().splitlines()
PROGRAM = Program(
    tuple(rule for line in RULES for rule in parse_program(f"@prefix e: <{EX}> . @prefix rdf: <{RDF}> .\n{line}").rules)
)
NODES = [ex("n0"), ex("n1"), CELLS[0], CELLS[1]]
DATA = [
    *((node, TYPE, class_) for node in NODES for class_ in CLASSES),
    *((x, property, y) for property in PROPERTIES for x in NODES for y in NODES),
]
MEMBERS = st.sampled_from([*CLASSES, *PROPERTIES])


@st.composite
def situations(draw: st.DrawFn) -> tuple[list[Triple], list[Triple]]:
    """Axioms over a whole list with some data, and triples that may come and go: those of the list, and some strays."""
    length = draw(st.integers(1, 3))
    after: list[Term] = [*CELLS[1:length], NIL]
    whole: list[Triple] = [(CELLS[i], FIRST, draw(MEMBERS)) for i in range(length)]
    whole += [(CELLS[i], REST, after[i]) for i in range(length)]
    named = st.sampled_from(CELLS[:2])
    axioms = st.one_of(
        st.tuples(st.sampled_from(CLASSES), st.sampled_from([ex("all"), ex("some"), ex("key")]), named),
        st.tuples(st.sampled_from(PROPERTIES), st.just(ex("chain")), named),
    )
    strays = st.one_of(
        st.tuples(st.sampled_from(CELLS), st.just(FIRST), MEMBERS),
        st.tuples(st.sampled_from(CELLS), st.just(REST), st.sampled_from([*CELLS, NIL, Literal("end")])),
        st.tuples(st.sampled_from(CELLS[:2]), st.just(ex("same")), st.sampled_from(CELLS)),
        axioms,
    )
    data = st.lists(st.sampled_from(DATA), max_size=8)
    start = [*whole, *draw(st.lists(axioms, min_size=1, max_size=3)), *draw(data)]
    return list(dict.fromkeys(start)), list(dict.fromkeys([*whole, *draw(st.lists(strays, max_size=4))]))


@pytest.fixture(autouse=True)
def small_thresholds(tuned: Tuned) -> None:
    shrink(tuned)


def assert_like_the_oracle(base: KnowledgeBase, explicit: set[Triple]) -> None:
    base._check()
    expected, found = oracle.closure(PROGRAM, explicit), triples(base, base.all())
    assert found == expected, f"missing:\n{show(expected - found)}\nwrong:\n{show(found - expected)}"
    clashes = base.inconsistencies()
    assert {clash.rule for clash in clashes if not clash.reason} == oracle.inconsistent(PROGRAM, explicit)
    named = set()
    for clash in clashes:
        if clash.reason:
            assert clash.rule == "list"
            assert set(clash.triples) <= expected
            named.add(re.findall(r"the list (\S+) is (?:cut off|cyclic)", clash.reason)[0])
    assert named == {str(each) for each in oracle.defective_lists(PROGRAM, explicit)}


def toggle(base: KnowledgeBase, explicit: set[Triple], triple: Triple) -> set[Triple]:
    """Queue a triple that is not there, or its removal; what is explicit then."""
    (remove if triple in explicit else add)(base, triple)
    return explicit ^ {triple}


@pytest.mark.filterwarnings("ignore::kgreason.errors.ListWarning")
@given(
    schemes=st.sampled_from([AUTO, PLAIN]),
    situation=situations(),
    numbers=st.lists(st.integers(0, 30), min_size=1, max_size=12),
    order=st.randoms(use_true_random=False),
)
@settings(max_examples=EXAMPLES)
def test_triples_of_lists_that_come_and_go(schemes: str, situation: tuple, numbers: list[int], order: object) -> None:
    start, pool = situation
    base, explicit = KnowledgeBase(PROGRAM, schemes), set(start)
    add(base, *start)
    follower = Follower(base)
    assert_like_the_oracle(base, explicit)
    before = triples(base, base.all())
    for number in numbers:
        explicit = toggle(base, explicit, pool[number % len(pool)])
        assert_like_the_oracle(base, explicit)
        assert follower.triples == triples(base, base.all())
    back = sorted(explicit ^ set(start), key=str)
    order.shuffle(back)
    for triple in back:
        explicit = toggle(base, explicit, triple)
        assert_like_the_oracle(base, explicit)
    assert triples(base, base.all()) == before


@given(situation=situations(), numbers=st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=3), max_size=8))
@settings(max_examples=EXAMPLES)
def test_strict_refuses_what_leaves_a_list_defective(situation: tuple, numbers: list[list[int]]) -> None:
    start, pool = situation
    base, explicit = KnowledgeBase(PROGRAM, strict=True), set[Triple]()
    for batch in [start, *([pool[number % len(pool)] for number in each] for each in numbers)]:
        after = explicit
        for triple in batch:
            after = toggle(base, after, triple)
        if oracle.defective_lists(PROGRAM, after):
            with pytest.raises(ListError):
                base.flush()
        else:
            explicit = after
        assert_like_the_oracle(base, explicit)


def test_the_warnings_are_of_the_lists_that_a_change_concerned() -> None:
    base = KnowledgeBase(PROGRAM)
    add(base, (CLASSES[0], ex("some"), CELLS[0]), (CELLS[0], FIRST, CLASSES[1]))
    with pytest.warns(ListWarning):
        base.flush()
    add(base, (CELLS[2], FIRST, CLASSES[1]), (CELLS[2], REST, NIL), (CLASSES[2], ex("some"), CELLS[2]))
    base.flush()  # where a warning would be an error
    assert_like_the_oracle(base, triples(base, base.explicit()))
