"""Strata and rules that are left out, where rules have only come to others: an order that is taken over though known
relations have become one stratum, or of rules that went, and rules that stay left out though what they repeat has
gone."""

from __future__ import annotations

from kgreason.program.parser import parse_program
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF
from kgreason.store.knowledge_base import KnowledgeBase
from tests import oracle
from tests.facade import EX, Triple, add, ex, remove, triples
from tests.thresholds import Tuned

TYPE = IRI(RDF + "type")
RULES = parse_program(
    f"""@prefix e: <{EX}> .
    [?x, a, ?d] :- [?c, e:below, ?d], [?x, a, ?c] .
    [?c, e:below, ?e] :- [?c, e:below, ?d], [?d, e:below, ?e] .
    """
)
CHAINS = {(ex(f"{name}{i}"), ex("below"), ex(f"{name}{i + 1}")) for name in "CD" for i in range(19)}


def unexamined(base: KnowledgeBase) -> int | None:
    base.flush()
    order = base.state.engine.order
    return None if order is None else order.unexamined


def thing(name: str) -> Triple:
    return ex(f"in{name}"), TYPE, ex(name)


def assert_closed(base: KnowledgeBase, explicit: set[Triple]) -> None:
    assert triples(base, base.all()) == oracle.closure(RULES, explicit)


def test_first_things_of_classes_leave_all_else_in_order(tuned: Tuned) -> None:
    tuned(UNEXAMINED_SHARE=2)
    explicit = CHAINS | {thing("C2"), thing("D0")}
    base = KnowledgeBase(RULES)
    add(base, *explicit)
    assert unexamined(base) == 0

    add(base, thing("C1"))

    assert unexamined(base)
    assert_closed(base, explicit | {thing("C1")})

    remove(base, thing("C1"))
    base.flush()
    add(base, thing("C0"))

    assert unexamined(base)
    assert_closed(base, explicit | {thing("C0")})


def test_strata_that_become_one_are_looked_at_anew() -> None:
    explicit = CHAINS | {thing("C0"), thing("D0")}
    base = KnowledgeBase(RULES)
    add(base, *explicit)
    assert unexamined(base) == 0
    around = {(ex("C19"), ex("below"), ex("D0")), (ex("D19"), ex("below"), ex("C0"))}

    add(base, *around)

    assert unexamined(base) == 0
    assert_closed(base, explicit | around)

    remove(base, *around)

    assert unexamined(base) == 0
    assert_closed(base, explicit)


def test_axioms_that_go_are_not_missed() -> None:
    explicit = CHAINS | {thing("C2"), thing("D1")}
    base = KnowledgeBase(RULES)
    add(base, *explicit)
    base.flush()
    for number in (4, 9):
        gone = (ex(f"C{number}"), ex("below"), ex(f"C{number + 1}"))
        remove(base, gone)
        explicit = explicit - {gone}
        assert_closed(base, explicit)
        add(base, thing(f"C{number}"))
        explicit = explicit | {thing(f"C{number}")}
        assert_closed(base, explicit)
