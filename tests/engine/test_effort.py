"""How much work a state takes to be derived anew.

Would catch an estimate that grows with each change that comes and goes, that counts facts which nothing writes out, or
that a snapshot loses.
"""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest
from rdflib import OWL, RDF, RDFS

from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from kgreason.engine.effort import Effort
from kgreason.rdf.model import IRI
from kgreason.relations.catalogue import PLAIN
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import EX, add, ex, remove
from tests.thresholds import replaced_constants


@pytest.mark.parametrize(
    ("rules", "facts", "expected"), [(100, 10_000, 1.0), (50, 5_000, 0.5), (100, 10_600, 1.04), (400, 40_000, 1.1)]
)
def test_effort_follows_the_size_of_the_state(rules: int, facts: int, expected: float) -> None:
    effort = Effort(1_000_000, 100, 10_000)

    found = effort.after(100_000, rules, facts)

    assert found.work == pytest.approx(1_000_000 * expected)
    assert (found.rules, found.facts) == (rules, facts)
    assert Effort().after(5, 1, 1) == Effort(inf, 1, 1)


@pytest.mark.parametrize(("rules", "facts"), [(400, 40_000), (50, 100), (100, 30_000)])
def test_effort_is_as_before_after_a_change_that_is_taken_back(rules: int, facts: int) -> None:
    effort = Effort(1_000_000, 100, 10_000)

    found = effort
    for _ in range(5):
        found = found.after(10_000_000, rules, facts).after(1_000_000, 100, 10_000)

    assert found.work == pytest.approx(effort.work)


@pytest.mark.parametrize(
    "axiom",
    [
        (ex("p"), IRI(str(OWL.sameAs)), ex("q")),
        (ex("q"), IRI(str(RDF.type)), IRI(str(OWL.FunctionalProperty))),
        (ex("q"), IRI(str(RDF.type)), IRI(str(OWL.SymmetricProperty))),
    ],
)
def test_an_axiom_that_comes_and_goes_leaves_the_count_of_written_out_facts(axiom: tuple[IRI, IRI, IRI]) -> None:
    base = KnowledgeBase("owl-rl")
    add(base, (ex("q"), IRI(str(RDF.type)), IRI(str(OWL.TransitiveProperty))))
    add(base, *((ex(f"a{number}"), ex("p"), ex(f"b{number}")) for number in range(20)))
    add(base, *((ex(f"a{number}"), ex("q"), ex(f"a{number + 1}")) for number in range(20)))
    base.flush()
    before = base.state.engine.effort

    for _ in range(2):
        add(base, axiom)
        base.flush()
        remove(base, axiom)
        base.flush()

    assert base.state.engine.effort.facts == before.facts


def test_rules_that_go_are_not_part_of_the_effort() -> None:
    effort = Effort(1_000_000, 100, 0)

    with replaced_constants(ANEW_LEAST=0):
        assert effort.anew(0, 90) == pytest.approx(100_000)
        assert effort.anew(10, 0) == pytest.approx(1_100_000)


def test_facts_that_are_copied_take_less_work_than_facts_that_are_joined() -> None:
    rules = f"[?x, <{EX}q>, ?y] :- [?x, <{EX}p>, ?y] .", f"[?x, <{EX}q>, ?y] :- [?x, <{EX}p>, ?y], [?y, <{EX}p>, ?x] ."
    efforts = []
    for rule in rules:
        base = KnowledgeBase(rule, schemes=PLAIN)
        add(base, *((ex(f"a{number}"), ex("p"), ex(f"a{number}")) for number in range(4_000)))
        base.flush()
        efforts.append(base.state.engine.effort.work)

    assert efforts[0] < 2_000
    assert efforts[1] > 4_000


def test_a_store_that_is_opened_again_knows_its_effort(tmp_path: Path) -> None:
    options = OpenOptions("owl-rl")
    store = DurableKnowledge(tmp_path, options, create=True)
    add(store.knowledge, (ex("C"), IRI(str(RDFS.subClassOf)), ex("D")), (ex("a"), IRI(str(RDF.type)), ex("C")))
    store.commit({})
    known = store.knowledge.state.engine.effort
    store.write_snapshot()
    store.close()

    again = DurableKnowledge(tmp_path, options)

    found = again.knowledge.state.engine.effort
    assert found == Effort(int(known.work), known.rules, known.facts)
    assert found.work > 0
    again.close()
