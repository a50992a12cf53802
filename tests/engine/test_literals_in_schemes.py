"""Literals that reach relations which a scheme keeps, and would make subjects there. Catches a change that is made
again for each of these relations in turn, and a relation that is written out though no literal reaches it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgreason.engine.engine import Driver
from kgreason.rdf.model import IRI, Literal, Term
from kgreason.rdf.vocabulary import OWL, RDFS
from kgreason.relations.catalogue import PLAIN
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import add, ex, remove, triples

Triple = tuple[Term, Term, Term]
SUBPROPERTY, INVERSE, SAME = IRI(RDFS + "subPropertyOf"), IRI(OWL + "inverseOf"), IRI(OWL + "sameAs")
COUNT = 12


def properties() -> Iterator[Triple]:
    """A chain of properties, each with an inverse and a fact; apart from them two more, and a label."""
    for number in range(COUNT):
        yield ex(f"p{number}"), INVERSE, ex(f"q{number}")
        yield ex(f"x{number}"), ex(f"p{number}"), ex(f"y{number}")
        yield ex(f"p{number}"), SUBPROPERTY, ex(f"p{number + 1}")
    yield ex("r0"), INVERSE, ex("r1")
    yield ex("x0"), ex("r0"), ex("y0")
    yield ex("x0"), ex("label"), Literal("a text")


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One entry for each time that a change is made."""
    made: list[str] = []
    run = Driver.run
    monkeypatch.setattr(Driver, "run", lambda driver, change: made.append("run") or run(driver, change))
    return made


@pytest.mark.parametrize("predicate", [SUBPROPERTY, SAME])
def test_a_change_that_brings_a_literal_to_many_properties_is_made_again_once(
    runs: list[str], predicate: IRI
) -> None:
    base, plain = KnowledgeBase("owl-rl"), KnowledgeBase("owl-rl", schemes=PLAIN)
    link = (ex("label"), predicate, ex("p0"))
    for each in (base, plain):
        add(each, *properties())
        each.flush()
    for change in (add, remove, add):
        change(plain, link)
        plain.flush()
        runs.clear()
        change(base, link)
        base.flush()

        assert len(runs) <= 2
        assert triples(base, base.all()) == triples(plain, plain.all())
        base._check()


def test_a_property_that_no_literal_reaches_stays_in_its_scheme() -> None:
    bases = KnowledgeBase("owl-rl"), KnowledgeBase("owl-rl")
    for each in bases:
        add(each, *properties(), (ex("q0"), SUBPROPERTY, ex("s0")), (ex("s0"), INVERSE, ex("s1")))
    add(bases[1], (ex("label"), SUBPROPERTY, ex("p0")))
    for each in bases:
        each.flush()

    before, after = ({r.name: r.scheme for r in each.statistics().relations} for each in bases)
    assert after[ex("p3").value] != before[ex("p3").value]
    assert all(after[ex(name).value] == before[ex(name).value] for name in ("r0", "r1", "s0", "s1"))
