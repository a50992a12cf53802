"""Rules under a budget: to read, plan and derive by many of them ends in time, and changes nothing then.

Would catch a step that takes long for many rules and never looks at the clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kgreason.disk.durable_knowledge import DurableKnowledge
from kgreason.disk.open_options import OpenOptions
from kgreason.engine.budget import Budget
from kgreason.engine.rules.occurrences import RuleIndex
from kgreason.engine.strata import scheme_policy
from kgreason.errors import BudgetError
from kgreason.program.rules import Program
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import RDFS
from kgreason.store import knowledge_base, specialiser
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.rule_sets import Rules, resolve_rules
from kgreason_ontologies import rule_set_names
from tests.facade import add, ex, triples
from tests.store.test_budget import CROSS, PREFIXES, chain, members


def test_no_time_for_many_rules() -> None:
    """What takes the time is to find out which rules there are: one for each class and property."""
    base = KnowledgeBase("owl-rl-full", budget=Budget(seconds=0))
    add(base, *((ex(f"C{number}"), IRI(RDFS + "subClassOf"), ex(f"D{number}")) for number in range(10)))
    with pytest.raises(BudgetError, match="seconds"):
        base.flush()
    base.budget = Budget()
    base._check()


def test_no_memory_for_many_rules() -> None:
    rules = '#[name("all")] [?x, ?p, ?y] :- [?x, ?p, ?z], [?y, ?q, ?z], [?w, ?r, ?y] .'
    base = KnowledgeBase(rules, budget=Budget(bytes=50_000))
    for number in range(20):
        add(base, (ex(f"x{number}"), ex(f"p{number}"), ex(f"y{number}")))
    with pytest.raises(BudgetError, match=r"bytes: .* most by 'all'"):
        base.flush()
    assert not triples(base, base.all())
    base._check()


@pytest.mark.parametrize("limit", [50_000, 200_000])
def test_no_memory_for_texts_that_grow(limit: int) -> None:
    """Few facts, each with a text twice as long as the one before."""
    rules = PREFIXES + '#[name("grow")] ex:says(?x, ?z) :- ex:says(?x, ?y), ?z = CONCAT(?y, ?y) .'
    base = KnowledgeBase(rules, budget=Budget(bytes=limit))
    add(base, (ex("a"), ex("says"), Literal("ab")))
    with pytest.raises(BudgetError, match=r"bytes: .* most by 'grow'") as caught:
        base.flush()
    assert limit < int(str(caught.value).partition("bytes: ")[2].partition(" ")[0].replace(",", "")) < 3 * limit
    assert not triples(base, base.all())
    base._check()


def test_texts_that_are_there_already_take_no_memory() -> None:
    rules = PREFIXES + "ex:loud(?x, ?z) :- ex:says(?x, ?y), ?z = UCASE(?y) ."
    base = KnowledgeBase(rules, budget=Budget(bytes=20_000))
    for number in range(100):
        add(base, (ex(f"x{number}"), ex("says"), Literal("hear me" * 1000)))
    base.flush()
    assert len(triples(base, base.all())) == 200


def test_rules_are_under_the_budget() -> None:
    base = KnowledgeBase("none", budget=Budget(facts=1000))
    members(base, 100)
    before = triples(base, base.all())
    with pytest.raises(BudgetError, match="'cross'"):
        base.add_rules(CROSS)
    assert not base.rules
    assert triples(base, base.all()) == before
    base.budget = None
    base.add_rules(CROSS)
    assert len(base.inferred()) == 10_000
    base._check()


MANY = PREFIXES + " ".join(f"ex:p{number}(?x, ?y) :- ex:p{number - 1}(?x, ?y) ." for number in range(1, 2000))


def test_rules_are_read_within_the_time_of_the_change() -> None:
    base = KnowledgeBase("none", budget=Budget(seconds=0.01))

    with pytest.raises(BudgetError, match="reading exceeds the budget"):
        base.add_rules(MANY)

    assert not base.rules


@pytest.mark.parametrize("rules", [MANY, ("owl-rl", MANY)])
def test_first_rules_are_read_within_the_time_of_a_change(rules: Rules, tmp_path: Path) -> None:
    budget = Budget(seconds=0.01)

    with pytest.raises(BudgetError, match="reading exceeds the budget"):
        KnowledgeBase(rules, budget=budget)
    with pytest.raises(BudgetError, match="reading exceeds the budget"):
        DurableKnowledge(tmp_path / "store", OpenOptions(rules, budget=budget), create=True)

    assert not (tmp_path / "store").exists()


def test_rule_sets_that_ship_begin_under_any_budget() -> None:
    for name in rule_set_names():
        assert KnowledgeBase(name, budget=Budget(seconds=0)).rules or name == "none"
        assert KnowledgeBase(Program(()), budget=Budget(seconds=0)).rules == {}


def test_time_in_which_rules_were_read_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def slowly(rules: Rules, prefixes: dict[str, str] | None) -> Program:
        program = resolve_rules(rules, prefixes)
        time.sleep(0.5)
        return program

    base = KnowledgeBase("none", budget=Budget(seconds=0.5))
    add(base, *chain(ex("p0"), 3))
    base.flushed()
    monkeypatch.setattr(knowledge_base, "resolve_rules", slowly)

    with pytest.raises(BudgetError, match=r"exceeds the budget of 0\.5 seconds"):
        base.add_rules(MANY)

    assert not base.rules


@pytest.mark.parametrize(
    "body", ["ex:p{0}(?x, ?y)", "ex:p{0}(?x, ?z), ex:q(?z, ?y)", "ex:p{1}(?x, ?z), ex:p{1}(?z, ?y)"]
)
def test_rules_are_planned_with_looks_at_the_clock(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = " ".join(f"ex:p{n}(?x, ?y) :- {body.format(n - 1, n)} ." for n in range(1, 2000))
    base = KnowledgeBase("none", budget=Budget(seconds=1000))
    add(base, *chain(ex("p0"), 3))
    base.flushed()
    steps = [0]

    def counted(work: Callable[..., object]) -> Callable[..., object]:
        def count(*arguments: object) -> object:
            steps[-1] += 1
            return work(*arguments)

        return count

    def looked(_: Budget, deadline: float) -> None:
        steps.append(0)

    for owner, name in ((scheme_policy.SchemeChoice, "of"), (RuleIndex, "_occurrence"), (specialiser, "compile_rule")):
        monkeypatch.setattr(owner, name, counted(getattr(owner, name)))
    monkeypatch.setattr(Budget, "spent", looked)

    base.add_rules(PREFIXES + rules)

    assert sum(steps) > 1900
    assert max(steps) <= 300
