"""A link between equal things asks no rule and no scheme of relations that hold of neither.

Would catch a link that is paid for by each relation that there is, and a rule that is left out though it matches.
"""

from __future__ import annotations

import random

import pytest

from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.relations.representation import RepresentedScheme
from kgreason.store.knowledge_base import KnowledgeBase
from tests.engine.evaluated_rules import rules_evaluated
from tests.facade import Triple, add, ex, remove, triples

TYPE, SAME = IRI(RDF + "type"), IRI(OWL + "sameAs")
BELOW, UNDER = IRI(RDFS + "subClassOf"), IRI(RDFS + "subPropertyOf")
DOMAIN, RANGE, INVERSE = IRI(RDFS + "domain"), IRI(RDFS + "range"), IRI(OWL + "inverseOf")
SOME, ON = IRI(OWL + "someValuesFrom"), IRI(OWL + "onProperty")
ONTOLOGY = [
    (ex("C0"), BELOW, ex("C1")),
    (ex("R"), BELOW, ex("C0")),
    (ex("R"), SOME, ex("C1")),
    (ex("R"), ON, ex("p0")),
    (ex("p0"), UNDER, ex("p1")),
    (ex("p1"), INVERSE, ex("p2")),
    (ex("p1"), DOMAIN, ex("C1")),
    (ex("p2"), RANGE, ex("C2")),
    (ex("p3"), TYPE, IRI(OWL + "TransitiveProperty")),
]
FACTS = [
    *((ex(f"x{n}"), ex(f"p{n % 4}"), ex(f"x{n + 4}")) for n in range(12)),
    *((ex(f"x{n}"), TYPE, ex(f"C{n % 3}")) for n in range(12)),
    (ex("x0"), SAME, ex("x1")),
]
LINK = (ex("a"), SAME, ex("b"))


def test_a_link_of_other_things_evaluates_no_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    base = KnowledgeBase("owl-rl")
    add(base, *ONTOLOGY, *FACTS)
    base.flush()
    evaluated = rules_evaluated(monkeypatch)
    derived: list[object] = []
    derive = RepresentedScheme.derive

    def counted(self: RepresentedScheme, *arguments: object) -> object:
        derived.append(self)
        return derive(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(RepresentedScheme, "derive", counted)

    for change in (add, remove):
        change(base, LINK)
        base.flush()

        assert (evaluated, derived) == ([], [])


def test_ends_that_a_relation_has_anyway_ask_no_domain(monkeypatch: pytest.MonkeyPatch) -> None:
    base = KnowledgeBase("owl-rl")
    facts = [*ONTOLOGY, *FACTS, (ex("y0"), ex("p1"), ex("z0")), (ex("y1"), ex("p1"), ex("z1"))]
    add(base, *facts)
    base.flush()

    for change, link in ((add, [(ex("y0"), SAME, ex("y1"))]), (remove, [])):
        with monkeypatch.context() as patch:
            evaluated = rules_evaluated(patch)
            change(base, (ex("y0"), SAME, ex("y1")))
            base.flush()

        assert not any(use.group.template.projection is not None for use in evaluated)
        anew = KnowledgeBase("owl-rl", schemes="plain")
        add(anew, *facts, *link)
        assert triples(base, base.all()) == triples(anew, anew.all())


def test_ends_that_come_and_go_ask_for_the_domain() -> None:
    base = KnowledgeBase("owl-rl")
    facts = [*ONTOLOGY, *FACTS, (ex("y0"), ex("p1"), ex("z0"))]
    add(base, *facts)
    base.flush()

    add(base, (ex("y0"), SAME, ex("y1")))
    assert (ex("y1"), TYPE, ex("C1")) in triples(base, base.all())

    remove(base, (ex("y0"), SAME, ex("y1")))
    assert (ex("y1"), TYPE, ex("C1")) not in triples(base, base.all())


def of_links(chance: random.Random) -> Triple:
    """A link, or a fact or an axiom about what links are between."""
    things, classes = [ex(f"x{n}") for n in range(4)], [ex(f"C{n}") for n in range(3)]
    properties = [ex(f"p{n}") for n in range(4)]
    anything = [*things, *classes, *properties]
    return chance.choice(
        [
            (chance.choice(things), SAME, chance.choice(things)),
            (chance.choice(anything), SAME, chance.choice(anything)),
            (chance.choice(things), TYPE, chance.choice(classes)),
            (chance.choice(things), chance.choice(properties), chance.choice(things)),
            (chance.choice(properties), chance.choice([DOMAIN, RANGE]), chance.choice(classes)),
            (chance.choice(classes), BELOW, chance.choice([*classes, ex("R")])),
        ]
    )


@pytest.mark.parametrize("seed", range(8))
def test_histories_of_links_equal_those_that_begin_anew(seed: int) -> None:
    chance = random.Random(seed)
    base = KnowledgeBase("owl-rl")
    add(base, *ONTOLOGY)
    held: dict[Triple, None] = dict.fromkeys(ONTOLOGY)
    for _ in range(20):
        if chance.random() < 0.4:
            gone = chance.choice([*held])
            del held[gone]
            remove(base, gone)
        else:
            come = of_links(chance)
            held[come] = None
            add(base, come)
        anew = KnowledgeBase("owl-rl", schemes="plain")
        add(anew, *held)

        assert triples(base, base.all()) == triples(anew, anew.all())
