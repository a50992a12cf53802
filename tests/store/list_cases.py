"""Helpers of `test_defective_lists` and `test_shared_lists`."""

from __future__ import annotations

from collections.abc import Sequence

from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.store.consistency import Inconsistency
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import Triple, ex, triples

TYPE, FIRST, REST, NIL = (IRI(RDF + name) for name in ("type", "first", "rest", "nil"))


SUB, SAME = IRI(RDFS + "subClassOf"), IRI(OWL + "sameAs")


def owl(name: str) -> IRI:
    return IRI(OWL + name)


def cells(name: str, members: Sequence[IRI]) -> list[Triple]:
    """A list whose cells are named name0, name1, ..."""
    found: list[Triple] = []
    for number, member in enumerate(members):
        after = ex(f"{name}{number + 1}") if number + 1 < len(members) else NIL
        found += [(ex(f"{name}{number}"), FIRST, member), (ex(f"{name}{number}"), REST, after)]
    return found


AB = [ex("A"), ex("B")]


PQ = [ex("p"), ex("q")]


DATA = {
    "intersection": (AB, [(ex("C"), owl("intersectionOf"), ex("l0")), *((ex("x"), TYPE, each) for each in AB)]),
    "union": (AB, [(ex("C"), owl("unionOf"), ex("l0")), (ex("x"), TYPE, ex("B"))]),
    "enumeration": (AB, [(ex("C"), owl("oneOf"), ex("l0"))]),
    "chain": (
        PQ,
        [(ex("r"), owl("propertyChainAxiom"), ex("l0"))] + [(ex(f"n{i}"), PQ[i], ex(f"n{i + 1}")) for i in (0, 1)],
    ),
    "key": (
        PQ,
        [(ex("C"), owl("hasKey"), ex("l0")), (ex("x"), TYPE, ex("C")), (ex("y"), TYPE, ex("C"))]
        + [(ex(name), each, ex("v")) for name in "xy" for each in PQ],
    ),
}


CLASHES = {
    "different": (AB, "members", "AllDifferent", [(ex("A"), SAME, ex("B"))], "eq-diff2"),
    "distinct": (AB, "distinctMembers", "AllDifferent", [(ex("A"), SAME, ex("B"))], "eq-diff3"),
    "disjoint classes": (AB, "members", "AllDisjointClasses", [(ex("x"), TYPE, c) for c in AB], "cax-adc"),
    "disjoint properties": (PQ, "members", "AllDisjointProperties", [(ex("x"), p, ex("y")) for p in PQ], "prp-adp"),
}


def everything(base: KnowledgeBase) -> set[Triple]:
    base._check()
    return triples(base, base.all())


def lists(base: KnowledgeBase) -> list[Inconsistency]:
    return [each for each in base.inconsistencies() if each.rule == "list"]


DEFECTS = {
    "nothing there": ([], "l0", "has no rdf:first"),
    "no first": ([(ex("l0"), REST, NIL)], "l0", "has no rdf:first"),
    "no rest": ([(ex("l0"), FIRST, ex("A"))], "l0", "has no rdf:rest"),
    "no first later": ([*cells("l", AB), (ex("l1"), REST, ex("l2")), (ex("l2"), REST, NIL)], "l2", "has no rdf:first"),
    "a literal": ([(ex("l0"), FIRST, ex("A")), (ex("l0"), REST, Literal("end"))], '"end"', "is a literal"),
    "to itself": ([(ex("l0"), FIRST, ex("A")), (ex("l0"), REST, ex("l0"))], "l0", "leads back"),
    "a cycle": (
        [(ex(f"l{i}"), FIRST, ex("A")) for i in range(4)]
        + [(ex(f"l{i}"), REST, ex(f"l{j}")) for i, j in ((0, 1), (1, 2), (2, 3), (3, 1))],
        "l3",
        "leads back",
    ),
    "a fork and a cycle": (
        [(ex("l0"), FIRST, ex("A")), (ex("l0"), REST, NIL), (ex("l0"), REST, ex("l0"))],
        "l0",
        "leads back",
    ),
}
