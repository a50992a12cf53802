"""Rules are not given facts that they can only repeat, or that their bodies do not match."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kgreason.engine.rules.evaluation import Evaluation
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.engine.strategy import Strategy
from kgreason.errors import StrategyError
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.relations.catalogue import PLAIN
from kgreason.relations.table import Table
from kgreason.store.knowledge_base import KnowledgeBase
from tests.engine.test_oracle import assert_equal
from tests.facade import EX, Triple, add, ex, remove, triples
from tests.thresholds import Tuned

PREFIX = f"@prefix e: <{EX}> . "
INVERSES = "e:q(?y, ?x) :- e:p(?x, ?y) . e:p(?y, ?x) :- e:q(?x, ?y) . e:p(?x, ?y) :- e:p(?x, ?y), e:c(?x) ."
CONSTANTS = """
    [?x, e:p, e:one] :- [?x, e:p, e:two] . [?x, e:p, e:three] :- [?x, e:p, e:four] . [?x, e:p, e:two] :- e:c(?x) .
    [?x, e:p, e:two] :- [?x, e:p, e:three] .
"""
PAIR = (ex("n"), ex("p"), ex("m"))
TYPE = IRI(RDF + "type")


@pytest.fixture(autouse=True)
def by_columns(tuned: Tuned) -> None:
    """Few facts are not followed one by one."""
    tuned(FEW_FACTS=0)


def joins(strategy: Strategy, rules: str, facts: list[Triple], monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """How many rules are given new facts when some come, and how many when they go."""
    calls: list[object] = []
    original, together = Evaluation.heads_from, Evaluation.heads_among

    def counting(self: Evaluation, *arguments: object) -> object:
        calls.append(arguments)
        return original(self, *arguments)

    def counting_together(self: Evaluation, *arguments: object) -> object:
        calls.append(arguments)
        return together(self, *arguments)

    base = KnowledgeBase(PREFIX + rules, PLAIN, strategy)
    add(base, (ex("a"), ex("p"), ex("b")))
    base.flush()
    with monkeypatch.context() as patch:
        patch.setattr(Evaluation, "heads_from", counting)
        patch.setattr(Evaluation, "heads_among", counting_together)
        add(base, *facts)
        base.flush()
        came = len(calls)
        remove(base, *facts)
        base.flush()
    assert len(triples(base, base.all())) == (2 if rules is INVERSES else 1)
    return came, len(calls) - came


def test_copies_that_lead_back(monkeypatch: pytest.MonkeyPatch) -> None:
    everything, less = Strategy(skip_redundant=False), Strategy()
    facts = [PAIR]
    assert joins(everything, INVERSES, facts, monkeypatch) > joins(less, INVERSES, facts, monkeypatch)


def test_long_body_is_not_joined_for_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [f"e:c{number}(?x)" for number in range(20)]
    all_of = f"e:all(?x) :- {', '.join(parts)}, e:p(?x, ?x) . "
    rules = all_of + "e:p(?x, ?x) :- e:all(?x) . " + " ".join(f"{part} :- e:all(?x) ." for part in parts)
    facts = [(ex("n"), TYPE, ex("all")), *((ex("m"), TYPE, ex(f"c{number}")) for number in range(19))]
    facts += [(ex("k"), TYPE, ex("c19")), (ex("k"), ex("p"), ex("k"))]
    everything, less = Strategy(skip_redundant=False), Strategy()

    before, after = joins(everything, rules, facts, monkeypatch), joins(less, rules, facts, monkeypatch)

    assert before[0] - after[0] >= len(parts)
    base = KnowledgeBase(PREFIX + rules)
    add(base, *facts)
    base.flush()
    more = {(ex("m"), TYPE, ex("c19")), (ex("m"), ex("p"), ex("m"))}
    add(base, *more)
    remove(base, facts[0], (ex("m"), TYPE, ex("c4")))
    assert_equal(base, base.program, {*facts[1:], *more} - {(ex("m"), TYPE, ex("c4"))})


def test_long_intersection_is_joined_once_for_facts_of_all_its_atoms(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [f"e:c{number}(?x)" for number in range(20)]
    whole = f"e:all(?x) :- {', '.join(parts)} . "  # a class and the classes whose intersection it is
    rules = whole + " ".join(f"{part} :- e:all(?x) ." for part in parts)
    facts = [(ex("n"), TYPE, ex("all"))]

    come, go = joins(Strategy(skip_redundant=False), rules, facts, monkeypatch)

    assert (come, go) == (len(parts) + 1, len(parts) + 1)


def test_long_intersection_has_the_members_of_all_its_atoms_after_each_change() -> None:
    parts = [f"e:c{number}" for number in range(20)]
    whole = f"e:all(?x) :- {', '.join(f'{part}(?x)' for part in parts)} . "
    rules = whole + " ".join(f"{part}(?x) :- e:all(?x) ." for part in parts)
    facts = {(ex(f"n{thing}"), TYPE, ex(f"c{number}")) for thing in range(3) for number in range(20) if number != thing}
    base = KnowledgeBase(PREFIX + rules)
    add(base, *facts)
    base.flush()
    steps: list[tuple[set[Triple], set[Triple]]] = [
        ({(ex("n0"), TYPE, ex("c0")), (ex("n1"), TYPE, ex("all"))}, {(ex("n2"), TYPE, ex("c7"))}),
        ({(ex("n2"), TYPE, ex("c2"))}, {(ex("n0"), TYPE, ex("c4")), (ex("n0"), TYPE, ex("c5"))}),
        ({(ex("n2"), TYPE, ex("c7")), (ex("n0"), TYPE, ex("c5"))}, {(ex("n1"), TYPE, ex("all"))}),
    ]
    for come, gone in steps:
        add(base, *come)
        remove(base, *gone)
        facts = facts - gone | come
        assert_equal(base, base.program, facts)


def test_rule_whose_relations_are_new_is_evaluated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    longer = "e:r(?x, ?w) :- e:q(?x, ?y), e:q(?y, ?z), e:q(?z, ?w) . "
    base = KnowledgeBase(PREFIX + longer + "e:q(?x, ?y) :- e:r(?x, ?y) . ", PLAIN)
    facts = {(ex(f"n{number}"), ex("q"), ex(f"n{number + 1}")) for number in range(9)}
    evaluated: list[int] = []
    original = Evaluation.heads_from

    def counting(self: Evaluation, template: RuleTemplate, *arguments: object) -> object:
        delta = arguments[2]
        assert isinstance(delta, Table)
        evaluated.extend([len(delta)] * (len(template.body) == 3))
        return original(self, template, *arguments)  # type: ignore[arg-type]  # the arguments of the original

    with monkeypatch.context() as patch:
        patch.setattr(Evaluation, "heads_from", counting)
        add(base, *facts)
        base.flush()
    assert evaluated[:4] == [9, 7, 7, 7]  # later rounds begin with each atom of what is new
    assert_equal(base, base.program, facts)


def test_constants_that_do_not_match(monkeypatch: pytest.MonkeyPatch) -> None:
    everything, less = Strategy(skip_mismatching=False), Strategy()
    facts = [(ex("n"), ex("p"), ex("four"))]
    before, after = joins(everything, CONSTANTS, facts, monkeypatch), joins(less, CONSTANTS, facts, monkeypatch)
    assert before[0] > after[0]
    assert before[1] > after[1]


def test_there_are_two_strategies_with_a_name() -> None:
    for name in ("modular", "plain"):
        KnowledgeBase("rdfs", strategy=name)
    KnowledgeBase("rdfs", strategy=replace(Strategy(), support=False))
    with pytest.raises(StrategyError, match="'modular', 'plain'"):
        KnowledgeBase("rdfs", strategy="fast")


def test_what_a_rule_copied_goes_back_where_it_came_from_once_the_rule_is_gone() -> None:
    base = KnowledgeBase("rdfs-plus")
    below, first, second, third = IRI(RDFS + "subPropertyOf"), ex("p1"), ex("p2"), ex("p3")
    asks = (third, below, first)
    left = {
        (first, IRI(RDF + "type"), IRI(OWL + "SymmetricProperty")),
        # It makes equal what has names, so that the schema is in the stratum of what it is about.
        (second, IRI(RDF + "type"), IRI(OWL + "FunctionalProperty")),
        (second, IRI(OWL + "equivalentProperty"), first),
        (second, below, third),
        (ex("n1"), third, ex("n2")),
    }
    add(base, asks, *left)
    assert (ex("n2"), third, ex("n1")) in triples(base, base.all())

    remove(base, asks)
    assert_equal(base, base.program, left)
