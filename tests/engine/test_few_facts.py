"""Rounds of a few facts are followed one fact after the other, and give what rounds by columns give."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine.budget import Budget
from kgreason.engine.modules.fact_queue import FactQueue
from kgreason.engine.rules.evaluation import Evaluation
from kgreason.errors import BudgetError
from kgreason.program.parser import parse_program
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.relations.catalogue import PLAIN
from kgreason.store.knowledge_base import KnowledgeBase
from tests import oracle
from tests.engine.test_oracle import assert_equal
from tests.facade import EX, Triple, add, ex, remove, triples
from tests.profiles import examples
from tests.thresholds import Tuned, replaced_constants, shrink

TYPE = IRI(RDF + "type")
PREFIX = f"@prefix e: <{EX}> . "
WAY = PREFIX + "e:way(?x, ?y) :- e:start(?x, ?y) . e:way(?x, ?z) :- e:way(?x, ?y), e:edge(?y, ?z), ~e:shut(?y, ?z) ."
RULES = """
e:a(?x, ?z) :- e:a(?x, ?y), e:b(?y, ?z) .
e:a(?x, ?y) :- e:b(?y, ?x), e:K(?x) .
e:a(?x, ?z) :- e:a(?x, ?y), e:a(?y, ?z), ~e:c(?x, ?z) .
e:a(?x, ?x) :- e:a(?x, ?y), e:b(?y, ?w), e:b(?w, ?x) .
e:a(?x, e:n1) :- e:a(?x, e:n0) .
e:b(?x, ?y) :- e:a(?x, ?y), e:a(?y, ?x) .
e:b(?y, ?x) :- e:b(?x, ?y), e:c(?w, ?x) .
e:K(?x) :- e:a(?x, ?x) .
e:K(?y) :- e:K(?x), e:b(?x, ?y) .
e:c(?x, ?y) :- e:d(?x, ?y), ~e:d(?y, ?x) .
far(?x, ?y, ?y) :- e:b(?x, ?y) . far(?x, ?y, ?z) :- far(?x, ?y, ?w), e:b(?w, ?z) . e:a(?x, ?z) :- far(?x, ?z, ?x) .
e:a(?x, ?z) :- far(?x, ?y, ?z), e:K(?y) . far(?x, ?y, ?z) :- e:a(?x, ?y), e:a(?y, ?z), e:K(?z) .
e:b(?z, ?x) :- e:a(?x, ?y), ?x != ?y, e:d(?y, ?z) .
e:d(?x, ?w) :- e:a(?x, ?y), e:b(?y, ?z), e:c(?w, ?z), e:K(?w), ?x != ?w, ?z != e:n0 .
e:c(?x, ?z) :- e:a(?x, ?y), e:a(?y, ?z), e:b(?z, ?w), e:b(?w, ?x), ?y != ?w .
""".strip().splitlines()
NODES = [ex(f"n{number}") for number in range(6)]
FACTS = st.one_of(
    st.tuples(st.sampled_from(NODES), st.sampled_from([ex(name) for name in "abcd"]), st.sampled_from(NODES)),
    st.sampled_from(NODES).map(lambda node: (node, ex("b"), NODES[(NODES.index(node) + 1) % len(NODES)])),
    st.sampled_from(NODES).map(lambda node: (node, TYPE, ex("K"))),
)
CIRCLE = [(one, ex(name), other) for name in "ab" for one, other in zip(NODES, NODES[1:] + NODES[:1], strict=True)]
SIZES = st.sampled_from(
    [
        {"FEW_FACTS": 1, "MORE_FACTS": 1, "FACTS_OF_ONE": 1, "FACTS_A_RUN": 1},
        {"FEW_FACTS": 3, "MORE_FACTS": 4, "FACTS_OF_ONE": 3, "FACTS_A_RUN": 5},
        {"FEW_FACTS": 1000, "MORE_FACTS": 1000, "FACTS_OF_ONE": 1000, "FACTS_A_RUN": 1000},
    ]
)
CHANGES = st.lists(st.lists(FACTS, min_size=1, max_size=3, unique=True), min_size=1, max_size=5)


def path(length: int) -> list[Triple]:
    return [(ex(f"m{number}"), ex("edge"), ex(f"m{number + 1}")) for number in range(length)]


def evaluations(base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many rules are evaluated by columns when a base is maintained."""
    calls: list[object] = []
    original = Evaluation.heads_from

    def counting(self: Evaluation, *arguments: object) -> object:
        calls.append(arguments)
        return original(self, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(Evaluation, "heads_from", counting)
        base.flush()
    return len(calls)


def test_path_is_followed_one_fact_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    edges, start = path(300), (ex("s"), ex("start"), ex("m0"))
    base = KnowledgeBase(WAY)
    add(base, *edges, start)
    assert evaluations(base, monkeypatch) < 10
    ways = {(ex("s"), ex("way"), ex(f"m{number}")) for number in range(301)}
    assert triples(base, base.inferred()) == ways

    remove(base, edges[150])
    assert evaluations(base, monkeypatch) < 10
    assert triples(base, base.inferred()) == {way for way in ways if int(way[2].value.rpartition("m")[2]) <= 150}

    add(base, edges[150], (ex("m20"), ex("shut"), ex("m21")))
    assert evaluations(base, monkeypatch) < 10
    assert_equal(base, base.program, {*edges, start, (ex("m20"), ex("shut"), ex("m21"))})


def test_path_between_different_ends_is_followed_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = PREFIX + "e:way(?x, ?y) :- e:start(?x, ?y) . e:way(?x, ?z) :- e:way(?x, ?y), e:edge(?y, ?z), ?x != ?z ."
    facts = {*path(300), (ex("m300"), ex("edge"), ex("s")), (ex("s"), ex("start"), ex("m0"))}
    base = KnowledgeBase(rules)
    add(base, *facts)
    assert evaluations(base, monkeypatch) < 10
    assert_equal(base, base.program, facts)

    facts.discard((ex("m150"), ex("edge"), ex("m151")))
    remove(base, (ex("m150"), ex("edge"), ex("m151")))
    assert evaluations(base, monkeypatch) < 10
    assert_equal(base, base.program, facts)


@settings(max_examples=examples(60))
@given(st.lists(st.sampled_from(RULES), min_size=2, max_size=6, unique=True), CHANGES, SIZES)
def test_few_facts_equal_naive_evaluation(rules: list[str], changes: list[list[Triple]], sizes: dict[str, int]) -> None:
    program = parse_program(PREFIX + " ".join(rules))
    with replaced_constants(**sizes):
        base, explicit = KnowledgeBase(PREFIX + " ".join(rules), PLAIN), set(CIRCLE)
        add(base, *explicit)
        for change in changes:
            come, gone = [each for each in change if each not in explicit], explicit.intersection(change)
            add(base, *come)
            remove(base, *gone)
            explicit = explicit.symmetric_difference(change)
            assert_equal(base, program, explicit)


@pytest.mark.parametrize(
    "rules",
    [
        "e:p(?x, ?y) :- e:edge(?x, ?y) . e:p(?x, ?z) :- e:p(?x, ?y), e:p(?y, ?z), ~e:shut(?x, ?z) .",
        "e:p(?x, ?y) :- e:edge(?x, ?y) . e:q(?y, ?x) :- e:p(?x, ?y) . e:p(?x, ?y) :- e:q(?y, ?x), e:edge(?x, ?w) .",
        "e:p(e:m0, ?y) :- e:edge(e:m0, ?y) . e:p(e:m0, ?z) :- e:p(e:m0, ?y), e:edge(?y, ?z), ~e:shut(?z, ?z) .",
        "e:p(?x, ?x) :- e:edge(?x, e:m1) . e:p(?y, ?y) :- e:p(?x, ?x), e:edge(?x, ?y) . e:r(?x) :- e:p(?x, e:m3) .",
        "w(?x, ?y, ?y) :- e:edge(?x, ?y) . w(?x, ?y, ?z) :- w(?x, ?y, ?w), e:edge(?w, ?z) ."
        " e:p(?x, ?y) :- w(?x, _, ?y) . e:edge(?z, ?y) :- w(?x, ?y, ?z), e:p(?z, ?x) .",
        "e:p(?y, ?x) :- e:edge(?x, ?y), e:edge(?y, ?z) . e:p(?x, ?y) :- e:p(?y, ?x), e:p(?z, ?y), e:edge(?w, ?z) .",
    ],
)
def test_each_kind_of_rule_along_a_path(rules: str, tuned: Tuned) -> None:
    tuned(FEW_FACTS=2, MORE_FACTS=30, FACTS_A_RUN=7)
    base, facts = KnowledgeBase(PREFIX + rules, PLAIN), set(path(2))
    add(base, *facts)
    for edge in path(9)[2:]:
        facts.add(edge)
        add(base, edge)
        assert_equal(base, base.program, facts)
    for edge in path(9)[::3]:
        facts.discard(edge)
        remove(base, edge)
        assert_equal(base, base.program, facts)


def test_facts_that_are_left_are_given_to_every_rule(tuned: Tuned) -> None:
    """Also to one that gave others of their relation in the round in which they wait."""
    shrink(tuned)
    below = IRI(RDFS + "subPropertyOf")
    axioms = {(ex("p"), below, ex("q")), (ex("q"), below, ex("p")), (ex("q"), TYPE, IRI(OWL + "SymmetricProperty"))}
    facts: set[Triple] = {(ex("n"), ex("q"), Literal("2")), (ex("m"), ex("q"), ex("k"))}
    base = KnowledgeBase("owl-rl")
    add(base, *axioms)
    base.flush()
    add(base, *facts)
    assert_equal(base, base.program, axioms | facts)


def test_facts_that_hold_otherwise_stay() -> None:
    rules = WAY + " e:way(?x, ?y) :- e:sure(?y, ?x) ."
    facts = {*path(6), (ex("s"), ex("start"), ex("m0")), (ex("m3"), ex("sure"), ex("s"))}
    facts.add((ex("s"), ex("way"), ex("m5")))
    base = KnowledgeBase(rules)
    add(base, *facts)
    base.flush()
    for gone in ((ex("s"), ex("start"), ex("m0")), (ex("m3"), ex("edge"), ex("m4")), (ex("m3"), ex("sure"), ex("s"))):
        remove(base, gone)
        facts.discard(gone)
        assert_equal(base, base.program, facts)


def test_literals_do_not_become_subjects() -> None:
    rules = PREFIX + "e:a(?y, ?x) :- e:a(?x, ?y), e:b(?x, ?x) ."
    base = KnowledgeBase(rules)
    facts = {(ex("n"), ex("a"), ex("m")), (ex("n"), ex("b"), ex("n")), (ex("m"), ex("b"), ex("m"))}
    add(base, *facts)
    base.flush()
    more: set[Triple] = {(ex("n"), ex("a"), value) for value in (ex("k"), Literal("k"))}
    add(base, *more)
    assert_equal(base, base.program, facts | more)


def test_budget_holds_along_a_path() -> None:
    base = KnowledgeBase(WAY, budget=Budget(facts=100))
    add(base, *path(300), (ex("s"), ex("start"), ex("m0")))
    with pytest.raises(BudgetError, match="budget of 100 facts"):
        base.flush()


def test_facts_with_many_others_are_left_to_columns(monkeypatch: pytest.MonkeyPatch, tuned: Tuned) -> None:
    tuned(FACTS_OF_ONE=8)
    runs: list[bool] = []
    original = FactQueue.follow

    def noted(self: FactQueue) -> bool:
        runs.append(original(self))
        return runs[-1]

    monkeypatch.setattr(FactQueue, "follow", noted)
    base = KnowledgeBase(WAY)
    facts = {(ex("s"), ex("start"), ex("m0")), *((ex("m0"), ex("edge"), ex(f"k{number}")) for number in range(20))}
    add(base, *facts)
    assert triples(base, base.all()) == oracle.closure(base.program, facts)
    assert False in runs


def runs_of(monkeypatch: pytest.MonkeyPatch) -> list[tuple[bool, dict[int, int]]]:
    """From now on, for each time that facts are followed whether it did not become too much, and how many facts of
    each relation were followed."""
    runs: list[tuple[bool, dict[int, int]]] = []
    original = FactQueue.follow

    def noted(self: FactQueue) -> bool:
        is_little = original(self)
        runs.append((is_little, {code: len(table) for code, table in self.found().done.items()}))
        return is_little

    monkeypatch.setattr(FactQueue, "follow", noted)
    return runs


def layers(width: int, count: int) -> list[Triple]:
    """Edges from each node of a layer to each of the next one."""
    names = [[ex(f"l{layer}-{number}") for number in range(width)] for layer in range(count)]
    return [(one, ex("edge"), other) for here, after in pairwise(names) for one in here for other in after]


def test_rounds_that_look_at_many_facts_are_left_to_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    edges, start = layers(20, 12), (ex("s"), ex("start"), ex("l0-0"))
    base = KnowledgeBase(WAY)
    add(base, *edges)
    base.flush()
    runs = runs_of(monkeypatch)

    add(base, start)
    assert_equal(base, base.program, {*edges, start})
    assert not runs[0][0]
    assert sum(sum(done.values()) for _, done in runs) < 11 * 20 / 2

    runs.clear()
    remove(base, start)
    assert_equal(base, base.program, {*edges})
    assert sum(sum(done.values()) for _, done in runs) < 11 * 20 / 2


def test_facts_that_went_are_not_followed_again(monkeypatch: pytest.MonkeyPatch, tuned: Tuned) -> None:
    tuned(FACTS_A_RUN=8)
    edges, start = path(60), (ex("s"), ex("start"), ex("m0"))
    both_ways = {*edges, *((other, edge, one) for one, edge, other in edges)}
    base = KnowledgeBase(WAY)
    add(base, *both_ways, start)
    base.flush()
    runs = runs_of(monkeypatch)

    remove(base, start)
    assert_equal(base, base.program, both_ways)
    assert sum(sum(done.values()) for _, done in runs) <= 61


def test_following_what_goes_ends_where_to_derive_all_anew_costs_less(
    monkeypatch: pytest.MonkeyPatch, tuned: Tuned
) -> None:
    tuned(REMADE_LEAST=16, RULE_WORK=1)
    edges, start = path(400), (ex("s"), ex("start"), ex("m0"))
    base = KnowledgeBase(WAY)
    add(base, *edges, start)
    base.flush()
    runs = runs_of(monkeypatch)

    remove(base, start)
    assert_equal(base, base.program, {*edges})
    assert sum(sum(done.values()) for _, done in runs) < 200


def test_facts_that_are_all_left_are_seldom_asked_about(monkeypatch: pytest.MonkeyPatch, tuned: Tuned) -> None:
    tuned(LOOPED_RULES=1)
    base = KnowledgeBase(WAY + "e:way(?x, ?z) :- e:way(?x, ?y), e:road(?y, ?z) .")
    edges, road, start = path(100), (ex("r"), ex("road"), ex("r")), (ex("s"), ex("start"), ex("m0"))
    add(base, *edges, road)
    base.flush()
    runs = runs_of(monkeypatch)

    add(base, start)
    assert_equal(base, base.program, {*edges, road, start})
    assert len(runs) < 10
