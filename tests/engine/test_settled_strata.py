"""Strata without the rules that ran once in a pass, beside strata that are made anew.

Would catch rules that run twice, or no more, after a change that brought rules which repeat others, and definitions of
before that change.
"""

from __future__ import annotations

import random

import pytest
from rdflib import OWL, RDF, RDFS

from kgreason.engine.engine import Driver
from kgreason.engine.facts import Changes
from kgreason.engine.meter import Meter
from kgreason.engine.rules.rule_draft import RuleDraft
from kgreason.engine.strata.strata import Strata
from kgreason.rdf.model import IRI
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import Triple, add, ex, toggle, triples
from tests.thresholds import Tuned

TYPE, EQUAL, BELOW = (IRI(str(each)) for each in (RDF.type, OWL.equivalentClass, RDFS.subClassOf))


@pytest.mark.parametrize("seed", range(12))
def test_settled_strata_are_those_made_anew(seed: int, tuned: Tuned) -> None:
    tuned(RUNNING_ON=0)
    chance, base, explicit = random.Random(seed), KnowledgeBase("owl-rl"), set[Triple]()
    compared = 0
    for _ in range(40):
        change = _axiom_or_fact(chance)
        toggle(base, explicit, change)
        base.flush()
        compared += _compared(base)
    assert compared
    again = KnowledgeBase("owl-rl")
    add(again, *explicit)
    assert triples(base, base.all()) == triples(again, again.all())
    base._check()


def _axiom_or_fact(chance: random.Random) -> Triple:
    one, other = (ex(chance.choice("ABCDEFGH")) for _ in range(2))
    link = chance.choice((EQUAL, BELOW, BELOW))
    property = ex(chance.choice("pq"))
    place = IRI(str(chance.choice((RDFS.domain, RDFS.range))))
    return chance.choice(((one, link, other), (one, link, other), (ex(chance.choice("xyz")), TYPE, one),
                          (property, place, other), (ex("x"), property, ex("y"))))


def _compared(base: KnowledgeBase) -> bool:
    """Whether the strata of a state are provisional; then the settled ones are compared."""
    engine, setting = base.state.engine, base._current.configuration.engine
    strata = engine.strata
    if strata is None or not strata.is_provisional:
        return False
    mine, theirs = RuleDraft(engine.rules), RuleDraft(engine.rules)
    driver = Driver(engine, None, setting, lambda program, rules, _: (program, rules), Meter())
    strata.settled(RuleDraft(engine.rules), setting.hidden, driver.policy, Meter())  # leaves nothing behind
    settled, anew = strata.settled(mine, setting.hidden, driver.policy, Meter()), driver.strata(theirs, Changes())
    assert not settled.is_provisional
    assert settled.definitions() == anew.definitions()
    assert {number: [*flags] for number, flags in mine.repeating.items()} == {
        number: [*flags] for number, flags in theirs.repeating.items()
    }
    for code in engine.facts:
        assert settled.members(settled.component(code)) == anew.members(anew.component(code))
        assert _rules(settled, code) == _rules(anew, code)
    comings = [
        [{(use.group.number, use.row) for use in rules.all()} for rules in (each.leaving, each.fresh)]
        for each in (settled.take_coming(), anew.take_coming())
    ]
    assert comings[0] == comings[1]
    return True


def _rules(strata: Strata, code: int) -> list[set[tuple[int, int]]]:
    return [{(use.group.number, use.row) for use in found.of(code)} for found in (strata.heads, strata.body)]
