"""Rings through the members of groups that a circle leads to: what they connect, and what is left of a product.

Would catch a ring that leaves a member out, a fact of a ring that its rule does not derive, a rule whose halves differ
that is taken for one with a bridge, and a product that is written out, or left, though its circle makes all of it
equal. And of the pairs that lead from one group to another: one that is left out, or of groups with other names.
"""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

from kgreason.algebra.bindings import Bindings
from kgreason.engine.maintenance import remade_strata
from kgreason.engine.rules.between_groups import between_groups
from kgreason.engine.rules.rings import bridges, ring_of
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import OWL, RDFS
from kgreason.relations.catalogue import PLAIN
from kgreason.relations.plain import table_of
from kgreason.relations.table import Columns, Table
from kgreason.relations.transitive.closing import close
from kgreason.relations.transitive.closure_table import TransitiveTable
from kgreason.store.knowledge_base import KnowledgeBase
from tests.engine.test_oracle import PREFIX
from tests.facade import Triple, add, ex, remove, triples
from tests.thresholds import Tuned

BELOW, SOME, ON = IRI(RDFS + "subClassOf"), IRI(OWL + "someValuesFrom"), IRI(OWL + "onProperty")
UNNAMED = "e:s(?x, ?y) :- e:p(?x, ?u), e:s(?u, ?v), e:p(?y, ?v) . "
RULE = "e:s(?x, ?y) :- e:p(?x, ?u), e:q(?x, ?w), e:s(?u, ?v), e:p(?y, ?v), e:q(?y, ?w){apart} . "


def template_of(rule: str) -> RuleTemplate:
    """The template of the only rule of a program."""
    groups = KnowledgeBase(PREFIX + rule).state.engine.rules.groups.values()
    return next(each.template for each in groups if len(each.rows))


@pytest.mark.parametrize("apart", ["", ", ?x != ?y", ", ?x != ?y, ?u != ?v", ", ?w != e:n0"])
@pytest.mark.parametrize("bridge", ["e:s(?u, ?v)", "e:t(?u, ?v)", "e:s(?v, ?u)"])
def test_rule_with_equal_halves_has_a_bridge(apart: str, bridge: str) -> None:
    (found,) = bridges(template_of(RULE.format(apart=apart).replace("e:s(?u, ?v)", bridge)))

    assert len(found.clique.half) == 2
    assert found.clique.has_loops == ("?x != ?y" not in apart)


@pytest.mark.parametrize(
    "rule",
    [
        "e:s(?x, ?y) :- e:p(?x, ?u), e:s(?u, ?v), e:q(?v, ?y) . ",
        "e:s(?x, ?y) :- e:p(?x, ?u), e:c(?u), e:s(?u, ?v), e:p(?y, ?v) . ",
        "e:s(?x, ?y) :- e:p(?x, ?u), e:s(?u, ?v), e:p(?y, ?v), ?u != e:n0 . ",
        "e:s(?x, ?y) :- e:p(?x, ?u), e:s(?u, ?v), e:p(?y, ?v), e:q(?u, ?w), e:q(?v, ?z) . ",
        "e:s(?x, ?y) :- e:p(?x, ?u), e:p(?y, ?u) . ",
        "e:s(?x, ?y) :- e:c(?x), e:s(?x, ?u), e:c(?y) . ",
        "e:s(?x, ?y) :- e:p(?x, ?u), e:s(?u, ?u), e:p(?y, ?u) . ",
    ],
)
def test_rule_with_other_halves_has_none(rule: str) -> None:
    assert bridges(template_of(rule)) == ()


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("apart", ["", ", ?x != ?y"])
def test_ring_connects_all_members_of_the_groups_of_a_circle(seed: int, apart: str) -> None:
    chosen = random.Random(seed)
    (bridge,) = bridges(template_of(RULE.format(apart=apart)))
    edges = [(chosen.randrange(12), chosen.randrange(12)) for _ in range(chosen.choice((8, 14, 20)))]
    closure = TransitiveTable(close(table_of(_columns(edges, 2))))
    rows = [tuple(chosen.randrange(most) for most in (9, 12, 2)) for _ in range(chosen.choice((1, 10, 40)))]
    names = (bridge.clique.member, bridge.end, *(name for name in bridge.clique.group if name != bridge.end))

    ring = ring_of(bridge, Bindings(dict(zip(names, _columns(rows, 3), strict=True)), len(rows)), closure)

    paired = _pairs(closure)
    expected = {
        (one, other)
        for one, here, shared in rows
        for other, there, same in rows
        if shared == same and here != there and {(here, there), (there, here)} <= paired
        if not apart or one != other
    }
    found = _pairs(ring) if ring else set()
    assert found <= expected
    assert _components(found) == _components(expected)


@pytest.mark.parametrize("few", [0, 2, 100])
@pytest.mark.parametrize("seed", range(20))
def test_pairs_between_groups_have_ends_of_groups_of_one_name(seed: int, few: int, tuned: Tuned) -> None:
    tuned(GROUPED_FEW=few, JOIN_ROWS=3)
    chosen = random.Random(seed)
    (bridge,) = bridges(template_of(RULE.format(apart="") if seed % 4 else UNNAMED))
    edges = [(chosen.randrange(12), chosen.randrange(12)) for _ in range(chosen.choice((4, 8, 14)))]
    closure = TransitiveTable(close(table_of(_columns(edges, 2))))
    width = 1 + len(bridge.clique.group)
    rows = [tuple(chosen.randrange(most) for most in (9, 12, 3)[:width]) for _ in range(chosen.choice((1, 10, 40)))]
    names = (bridge.clique.member, bridge.end, *(name for name in bridge.clique.group if name != bridge.end))
    members = Bindings(dict(zip(names, _columns(rows, width), strict=True)), len(rows))

    found = between_groups(bridge, members, closure)

    expected = {(one[1], other[1]) for one in rows for other in rows if one[2:] == other[2:]} & _pairs(closure)
    assert found is not None
    assert _pairs(found) == expected
    tuned(NARROWED=len(expected) - 1)
    assert not expected or between_groups(bridge, members, closure) is None


def _columns(rows: list[tuple[int, ...]], width: int) -> Columns:
    return tuple(np.array(rows, dtype=np.uint32).reshape(-1, width).T.copy())


def _pairs(table: Table) -> set[tuple[int, int]]:
    return {*zip(*(column.tolist() for column in table.columns()), strict=True)}


def _components(pairs: set[tuple[int, int]]) -> set[frozenset[int]]:
    """What pairs connect."""
    found: list[set[int]] = []
    for pair in pairs:
        touched = [each for each in found if not each.isdisjoint(pair)]
        found = [each for each in found if each not in touched] + [{*pair}.union(*touched)]
    return {*map(frozenset, found)}


@pytest.mark.parametrize("property_circle", [False, True])
def test_restrictions_on_a_circle_take_room_for_each_and_not_for_each_pair(property_circle: bool, tuned: Tuned) -> None:
    tuned(LATE_LEAST=1, SAMPLED_ROWS=1)
    explicit = set[Triple]()
    kind, circle = (ON, IRI(RDFS + "subPropertyOf")) if property_circle else (SOME, BELOW)
    explicit |= {(one, circle, other) for one, other in pairwise([*(ex(f"c{n}") for n in range(10)), ex("c0")])}
    for number in range(30):
        explicit.add((ex(f"n{number}"), kind, ex(f"c{number % 10}")))
        explicit.add((ex(f"n{number}"), SOME if property_circle else ON, ex("other")))
    base = KnowledgeBase("owl-rl")
    add(base, *explicit)
    assert triples(base, base.all()) == _anew(explicit)
    assert _external_pairs(base) <= 8 * 30

    for each in ((ex("c3"), circle, ex("c4")), (ex("n7"), kind, ex("c7")), (ex("c0"), circle, ex("c1"))):
        explicit.discard(each)
        remove(base, each)
        assert triples(base, base.all()) == _anew(explicit)


@pytest.mark.parametrize("property_circle", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_chain_that_closes_takes_no_more_room_than_a_circle(property_circle: bool, seed: int, tuned: Tuned) -> None:
    tuned(LATE_LEAST=1, SAMPLED_ROWS=1, REMADE_LEAST=64)
    chosen = random.Random(seed)
    kind, circle = (ON, IRI(RDFS + "subPropertyOf")) if property_circle else (SOME, BELOW)
    edges = [(one, circle, other) for one, other in pairwise([*(ex(f"c{n}") for n in range(10)), ex("c0")])]
    restrictions = [(ex(f"n{number}"), kind, ex(f"c{number % 10}")) for number in range(30)]
    shared = [(ex(f"n{number}"), SOME if property_circle else ON, ex("other")) for number in range(30)]
    base = KnowledgeBase("owl-rl")
    add(base, *edges, *restrictions, *shared)

    for _ in range(4):
        missing = chosen.choice(edges)
        remove(base, missing)
        assert triples(base, base.all()) == _anew({*edges, *restrictions, *shared} - {missing})
        assert _external_pairs(base) > 8 * 30

        add(base, missing)
        assert triples(base, base.all()) == _anew({*edges, *restrictions, *shared})
        assert _external_pairs(base) <= 8 * 30


def test_product_waits_for_a_circle_that_other_rules_close(tuned: Tuned) -> None:
    tuned(LATE_LEAST=1, SAMPLED_ROWS=1)
    explicit = {(ex(f"c{n}"), BELOW, ex(f"c{n + 1}")) for n in range(9)}
    for number in range(10):  # circles with one filler each, through which there is no ring
        explicit |= {(ex(f"c{number}"), BELOW, ex(f"d{number}")), (ex(f"d{number}"), BELOW, ex(f"c{number}"))}
    for number in range(30):
        explicit |= {(ex(f"n{number}"), SOME, ex(f"c{number % 10}")), (ex(f"n{number}"), ON, ex("other"))}
    explicit |= {(ex("c9"), BELOW, ex("n5")), (ex("n15"), BELOW, ex("c0"))}  # both on c5, so that n5 is below n15
    base = KnowledgeBase("owl-rl")
    add(base, *explicit)

    assert triples(base, base.all()) == _anew(explicit)
    assert _external_pairs(base) <= 8 * 30


def test_class_that_joins_a_circle_has_no_stratum_remade(tuned: Tuned, monkeypatch: pytest.MonkeyPatch) -> None:
    tuned(LATE_LEAST=1 << 10, SAMPLED_ROWS=1, REMADE_LEAST=64)
    # Restrictions that are paired before they are in a circle, and are put in one by what is above and below them.
    explicit = {(ex(f"c{n}"), BELOW, ex(f"c{n + 1}")) for n in range(9)}
    for number in range(30):
        explicit |= {(ex(f"n{number}"), SOME, ex(f"c{number % 10}")), (ex(f"n{number}"), ON, ex("other"))}
    explicit |= {(ex("n9"), BELOW, ex("c0")), (ex("c9"), BELOW, ex("n0")), (ex("c3"), BELOW, ex("more"))}
    base = KnowledgeBase("owl-rl")
    add(base, *explicit)
    tuned(LATE_LEAST=1)
    assert triples(base, base.all()) == _anew(explicit)
    remade = []
    monkeypatch.setattr(remade_strata, "take_out_all", lambda *given: remade.append(given))

    closing = (ex("more"), BELOW, ex("c2"))
    add(base, closing)

    assert triples(base, base.all()) == _anew({*explicit, closing})
    assert not remade


def _external_pairs(base: KnowledgeBase) -> int:
    """How many pairs schemes make closures of."""
    return sum(len(table) for _, table in base.state.engine.external.items() if table.arity == 2)


def _anew(explicit: set[Triple]) -> set[Triple]:
    """All facts, without schemes."""
    base = KnowledgeBase("owl-rl", schemes=PLAIN)
    add(base, *explicit)
    return {*triples(base, base.all())}
