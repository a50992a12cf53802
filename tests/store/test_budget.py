"""Closures that explode end at their budget, with the rules that did it named, and everything as it was before."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
import pytest

from kgreason.engine.budget import Budget
from kgreason.errors import BudgetError, KGReasonError
from kgreason.io.quads import Quads
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import OWL, RDF, XSD
from kgreason.relations.catalogue import AUTO, PLAIN
from kgreason.store.knowledge_base import DEFAULT_GRAPH, KnowledgeBase
from tests.facade import Triple, add, ex, remove, triples
from tests.thresholds import Tuned

PREFIXES = f"@prefix ex: <http://example.org/> . @prefix rdf: <{RDF}> .\n"
TYPE, SAME, TRANSITIVE = IRI(RDF + "type"), IRI(OWL + "sameAs"), IRI(OWL + "TransitiveProperty")
ONE = Literal("1", XSD + "integer")
CROSS = PREFIXES + '#[name("cross")] [?x, ex:near, ?y] :- [?x, rdf:type, ex:A], [?y, rdf:type, ex:B] .'


def chain(predicate: IRI, count: int) -> list[Triple]:
    """Steps from one node to the next."""
    return [(ex(f"n{number}"), predicate, ex(f"n{number + 1}")) for number in range(count)]


def members(base: KnowledgeBase, count: int) -> None:
    """So many members each of ex:A and of ex:B."""
    encode = base.dictionary.encode
    subjects = np.fromiter((encode(ex(f"n{number}")) for number in range(2 * count)), dtype=np.uint32)
    kinds = np.repeat(np.array([encode(ex("A")), encode(ex("B"))], dtype=np.uint32), count)
    constants = [np.full(2 * count, each, dtype=np.uint32) for each in (DEFAULT_GRAPH, encode(TYPE))]
    base.add_quads(Quads(constants[0], subjects, constants[1], kinds))


@dataclass(frozen=True)
class Explosion:
    """A program and facts whose closure has far more than a thousand facts, and the rule that does most."""

    rules: str
    triples: list[Triple]
    rule: str
    schemes: str = AUTO


def combined_lists() -> list[Triple]:
    """A chain of properties ten long, whose members each have three names."""
    first, rest = IRI(RDF + "first"), IRI(RDF + "rest")
    found: list[Triple] = [(ex("p"), IRI(OWL + "propertyChainAxiom"), ex("cell0"))]
    for number in range(10):
        last = number == 9
        found += [(ex(f"cell{number}"), first, ex(f"q{number}-{name}")) for name in range(3)]
        found.append((ex(f"cell{number}"), rest, IRI(RDF + "nil") if last else ex(f"cell{number + 1}")))
    return found


EXPLOSIONS = {
    "arithmetic": Explosion(
        PREFIXES + '#[name("step")] ex:number(?x, ?n) :- ex:number(?x, ?m), ?n = ?m + 1 .',
        [(ex("a"), ex("number"), ONE)],
        "'step'",
    ),
    "without a name": Explosion(
        PREFIXES + "ex:number(?x, ?n) :- ex:number(?x, ?m), ?n = ?m * 2 .",
        [(ex("a"), ex("number"), ONE)],
        "[?x, <http://example.org/number>, ?n] :- [?x, <http://example.org/number>, ?m], BIND((?m *",
    ),
    "cross product": Explosion(
        CROSS, [(ex(f"{kind}{number}"), TYPE, ex(kind)) for kind in "AB" for number in range(300)], "'cross'"
    ),
    "transitive chain": Explosion(
        "owl-rl", [(ex("p"), TYPE, TRANSITIVE), *chain(ex("p"), 200)], "'prp-trp'", schemes=PLAIN
    ),
    "equal individuals": Explosion("owl-rl", chain(SAME, 100), "'eq-trans'", schemes=PLAIN),
    "past a negation": Explosion(
        PREFIXES + '#[name("apart")] ex:apart(?x, ?y) :- [?x, rdf:type, ex:A], [?y, rdf:type, ex:A], ~ex:by(?x, ?y) .',
        [(ex(f"a{number}"), TYPE, ex("A")) for number in range(100)],
        "'apart'",
    ),
    "lists": Explosion("owl-rl", combined_lists(), "what is said of lists"),
}


@pytest.mark.parametrize("limits", [{"facts": 1000}, {"bytes": 10_000}], ids=str)
@pytest.mark.parametrize("name", EXPLOSIONS)
def test_an_explosion_is_ended_and_undone(name: str, limits: dict[str, int], tuned: Tuned) -> None:
    tuned(JOIN_ROWS=1000, DELTA_LEAST=500)
    explosion = EXPLOSIONS[name]
    base = KnowledgeBase(explosion.rules, explosion.schemes, budget=Budget(**limits))
    add(base, (ex("x"), ex("y"), ex("z")))
    before = triples(base, base.all())
    tables = dict(base.state.engine.facts.items())
    add(base, *explosion.triples)
    with pytest.raises(BudgetError) as caught:
        base.flush()
    (limit,) = limits
    assert caught.value.limit == limit
    assert f"exceeds the budget of {limits[limit]:,} {limit}: " in str(caught.value)
    assert caught.value.rules[0][0].startswith(explosion.rule)
    assert f"; most by {explosion.rule}" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert [count for _, count in caught.value.rules] == sorted((n for _, n in caught.value.rules), reverse=True)
    assert dict(base.state.engine.facts.items()) == tables
    assert triples(base, base.all()) == before
    base._check()
    add(base, (ex("x"), ex("y"), ex("w")))
    assert triples(base, base.all()) >= before | {(ex("x"), ex("y"), ex("w"))}


def changed_under(base: KnowledgeBase, added: list[Triple], budget: Budget, *, in_transaction: bool) -> None:
    with base.transaction(budget) if in_transaction else nullcontext():
        add(base, *added)
    base.flush(budget)


@pytest.mark.parametrize("in_transaction", [False, True])
def test_a_budget_that_is_handed_down_is_for_one_change_alone(in_transaction: bool) -> None:
    explosion = EXPLOSIONS["transitive chain"]
    base = KnowledgeBase(explosion.rules, explosion.schemes)

    with pytest.raises(BudgetError, match="exceeds the budget of 1,000 facts"):
        changed_under(base, explosion.triples, Budget(facts=1000), in_transaction=in_transaction)

    assert not triples(base, base.all())
    assert base.budget == Budget()
    add(base, *explosion.triples)
    assert len(triples(base, base.all())) > 10_000
    base._check()


@pytest.mark.parametrize("name", ["arithmetic", "without a name"])
def test_time_is_up(name: str) -> None:
    base = KnowledgeBase(EXPLOSIONS[name].rules, budget=Budget(seconds=0.05))
    add(base, *EXPLOSIONS[name].triples)
    with pytest.raises(BudgetError, match=r"exceeds the budget of 0\.05 seconds: "):
        base.flush()
    base.budget = Budget()  # a slow machine takes as long to evaluate rules over nothing
    assert not triples(base, base.all())
    base._check()


@pytest.mark.slow
def test_a_cross_product_is_stopped_before_it_takes_the_memory() -> None:
    base = KnowledgeBase(CROSS, budget=Budget(facts=1_000_000))
    members(base, 100_000)
    tracemalloc.start()
    try:
        with pytest.raises(BudgetError, match="'cross'"):
            base.flush()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 500_000_000  # written out it takes 80 GB


def spent(rules: str, schemes: str, facts: list[Triple]) -> tuple[int, KnowledgeBase]:
    """The least budget under which a closure comes about, and the closure."""
    low, high = 0, 100_000
    while low < high:
        middle = (low + high) // 2
        base = KnowledgeBase(rules, schemes, budget=Budget(facts=middle))
        add(base, *facts)
        try:
            base.flush()
        except BudgetError:
            low = middle + 1
        else:
            high = middle
    base = KnowledgeBase(rules, schemes, budget=Budget(facts=low))
    add(base, *facts)
    base.flush()
    return low, base


def test_a_budget_counts_what_is_derived_and_not_what_is_asserted() -> None:
    rules = PREFIXES + "ex:up(?y, ?x) :- ex:down(?x, ?y) . ex:far(?x, ?z) :- ex:down(?x, ?y), ex:down(?y, ?z) ."
    least, base = spent(rules, PLAIN, chain(ex("down"), 50))
    assert least == 50 + 49
    assert len(base.inferred()) == least


def test_what_a_scheme_shows_does_not_count() -> None:
    facts = [(ex("p"), TYPE, TRANSITIVE), *chain(ex("p"), 100)]
    least, base = spent("rdfs-plus", AUTO, facts)
    assert len(base.inferred()) >= 99 * 100 // 2
    assert least < 50
    plain, _ = spent("rdfs-plus", PLAIN, facts)
    assert plain >= 99 * 100 // 2


def test_a_scheme_that_takes_over_is_no_expense() -> None:
    base = KnowledgeBase("owl-rl", budget=Budget(facts=60))
    add(base, *chain(ex("p"), 500))
    base.flush()
    add(base, (ex("p"), TYPE, TRANSITIVE))
    assert len(base.all()) > 500 * 499 // 2


def test_what_goes_is_no_expense() -> None:
    """A removal that overdeletes much and derives it again is under no budget too small."""
    facts = [(ex("p"), TYPE, TRANSITIVE), *chain(ex("p"), 30), (ex("n30"), ex("p"), ex("n0"))]
    base = KnowledgeBase("owl-rl", PLAIN)
    add(base, *facts)
    base.flush()
    base.budget = Budget(facts=0)
    remove(base, facts[1])
    base.flush()
    add(base, facts[1])
    with pytest.raises(BudgetError):
        base.flush()
    remove(base, facts[0])
    assert len(base.all()) < 200
    base._check()


def test_another_budget_counts_from_the_next_change_on() -> None:
    base = KnowledgeBase(CROSS, budget=Budget(facts=10))
    members(base, 20)
    base.budget = Budget(facts=400)
    assert len(base.inferred()) == 400
    assert base.budget == Budget(facts=400)


@pytest.mark.parametrize("name", ["facts", "seconds", "bytes"])
def test_limits_are_numbers(name: str) -> None:
    make: Callable[..., Budget] = Budget
    for limit in (-1, float("nan")):
        with pytest.raises(KGReasonError, match=f"a budget of {limit} {name}"):
            make(**{name: limit})
