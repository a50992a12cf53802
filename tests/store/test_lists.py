"""RDF lists in axioms: any length, changed in place, and with `strict` refused with nothing changed when broken."""

from __future__ import annotations

import pytest

from kgreason.errors import ListError
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import OWL, RDF
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import EX, add, ex, remove, triples

TYPE, FIRST, REST, NIL = (IRI(RDF + name) for name in ("type", "first", "rest", "nil"))
INTERSECTION, UNION, CHAIN, KEY, SAME = (
    IRI(OWL + name) for name in ("intersectionOf", "unionOf", "propertyChainAxiom", "hasKey", "sameAs")
)


def rdf_list(name: str, members: list[IRI]) -> list[tuple[IRI, IRI, IRI]]:
    cells = [ex(f"{name}{i}") for i in range(len(members))]
    following = [*cells[1:], NIL]
    return [(c, FIRST, m) for c, m in zip(cells, members, strict=True)] + [
        (c, REST, n) for c, n in zip(cells, following, strict=True)
    ]


def holds(base: KnowledgeBase, *wanted: tuple[IRI, IRI, IRI]) -> bool:
    base._check()
    return set(wanted) <= triples(base, base.all())


@pytest.mark.parametrize("length", [1, 2, 3, 10, 200])
def test_lists_of_any_length(length: int) -> None:
    base = KnowledgeBase("owl-rl")
    classes = [ex(f"C{i}") for i in range(length)]
    properties = [ex(f"p{i}") for i in range(length)]
    add(base, *rdf_list("l", classes), (ex("All"), INTERSECTION, ex("l0")))
    add(base, *rdf_list("u", classes), (ex("Any"), UNION, ex("u0")))
    add(base, *rdf_list("c", properties), (ex("path"), CHAIN, ex("c0")))
    add(base, *rdf_list("k", properties), (ex("Keyed"), KEY, ex("k0")))
    add(base, *((ex("x"), TYPE, c) for c in classes))
    add(base, *((ex(f"n{i}"), p, ex(f"n{i + 1}")) for i, p in enumerate(properties)))
    for name in ("a", "b"):
        add(base, (ex(name), TYPE, ex("Keyed")), *((ex(name), p, ex("value")) for p in properties))
    assert holds(base, (ex("x"), TYPE, ex("All")), (ex("x"), TYPE, ex("Any")))
    assert holds(base, (ex("n0"), ex("path"), ex(f"n{length}")), (ex("a"), SAME, ex("b")))
    remove(base, (ex("x"), TYPE, classes[-1]), (ex("a"), properties[0], ex("value")))
    remove(base, (ex("n0"), properties[0], ex("n1")))
    assert not holds(base, (ex("x"), TYPE, ex("All")))
    assert not holds(base, (ex("a"), SAME, ex("b")))
    assert not holds(base, (ex("n0"), ex("path"), ex(f"n{length}")))


def test_a_list_may_change_its_length() -> None:
    base = KnowledgeBase("owl-rl")
    add(base, *rdf_list("l", [ex("C0"), ex("C1")]), (ex("All"), INTERSECTION, ex("l0")))
    add(base, (ex("x"), TYPE, ex("C0")), (ex("x"), TYPE, ex("C1")))
    assert holds(base, (ex("x"), TYPE, ex("All")))
    remove(base, (ex("l1"), REST, NIL))
    add(base, (ex("l1"), REST, ex("l2")), (ex("l2"), FIRST, ex("C2")), (ex("l2"), REST, NIL))
    assert not holds(base, (ex("x"), TYPE, ex("All")))
    add(base, (ex("x"), TYPE, ex("C2")))
    assert holds(base, (ex("x"), TYPE, ex("All")))


BROKEN = {
    "without rest": [(ex("l0"), FIRST, ex("C0"))],
    "without first": [(ex("l0"), REST, NIL)],
    "cut off later": [(ex("l0"), FIRST, ex("C0")), (ex("l0"), REST, ex("l1")), (ex("l1"), FIRST, ex("C1"))],
    "cyclic": [(ex("l0"), FIRST, ex("C0")), (ex("l0"), REST, ex("l0"))],
    "cyclic later": [
        *((ex(f"l{i}"), FIRST, ex(f"C{i}")) for i in range(3)),
        *((ex(f"l{i}"), REST, ex(f"l{j}")) for i, j in ((0, 1), (1, 2), (2, 1))),
    ],
    "no cell at all": [],
}


@pytest.mark.parametrize("rules", ["owl-rl", "owl-rl-full"])
@pytest.mark.parametrize("predicate", [INTERSECTION, UNION, CHAIN, IRI(OWL + "oneOf")])
@pytest.mark.parametrize("cells", BROKEN.values(), ids=BROKEN)
def test_a_broken_list_is_refused_if_strict(cells: list, predicate: IRI, rules: str) -> None:
    base = KnowledgeBase(rules, strict=True)
    add(base, *rdf_list("good", [ex("C0"), ex("C1")]), (ex("All"), INTERSECTION, ex("good0")))
    add(base, (ex("x"), TYPE, ex("C0")), (ex("x"), TYPE, ex("C1")))
    before = triples(base, base.all())
    add(base, *cells, (ex("Broken"), predicate, ex("l0")), (ex("y"), TYPE, ex("C0")))
    with pytest.raises(ListError, match=r"the list <http://example.org/l0> is (cyclic|cut off)"):
        base.all()
    assert triples(base, base.all()) == before
    base._check()
    add(base, (ex("y"), TYPE, ex("C0")), (ex("y"), TYPE, ex("C1")))
    assert holds(base, (ex("y"), TYPE, ex("All")))


def test_breaking_a_list_in_use_is_refused_if_strict() -> None:
    base = KnowledgeBase("owl-rl", strict=True)
    add(base, *rdf_list("l", [ex("C0"), ex("C1")]), (ex("All"), INTERSECTION, ex("l0")))
    before = triples(base, base.all())
    remove(base, (ex("l1"), REST, NIL))
    with pytest.raises(ListError, match="cut off"):
        base.all()
    assert triples(base, base.all()) == before
    remove(base, (ex("l1"), REST, NIL), (ex("All"), INTERSECTION, ex("l0")))
    assert not holds(base, (ex("All"), INTERSECTION, ex("l0")))


def test_a_list_that_is_no_longer_asked_for_leaves_every_count_right() -> None:
    base, axiom = KnowledgeBase("owl-rl-full"), (ex("C"), INTERSECTION, ex("l0"))
    add(base, *rdf_list("l", [ex("D")]))
    before = triples(base, base.all())
    add(base, axiom)
    base._check()

    remove(base, axiom)

    base._check()
    assert triples(base, base.all()) == before


def test_a_broken_list_that_no_axiom_names_is_data() -> None:
    base = KnowledgeBase("owl-rl", strict=True)
    add(base, *BROKEN["cyclic later"])
    assert holds(base, *BROKEN["cyclic later"])


@pytest.mark.parametrize("cells", BROKEN.values(), ids=BROKEN)
def test_a_list_of_a_length_that_was_refused_before(cells: list) -> None:
    base = KnowledgeBase("owl-rl", strict=True)
    base.flush()
    good = [*rdf_list("good", [ex("C0"), ex("C1"), ex("C2")]), (ex("All"), INTERSECTION, ex("good0"))]
    good += [(ex("x"), TYPE, ex(f"C{i}")) for i in range(3)]
    add(base, *good, *cells, (ex("Broken"), UNION, ex("l0")))
    with pytest.raises(ListError):
        base.all()
    add(base, *good)
    assert holds(base, (ex("x"), TYPE, ex("All")))


def test_conditions_alone_ask_for_lists_of_a_new_length() -> None:
    """No rule comes with it, so nothing else would make the strata anew that its relation is missing from."""
    base = KnowledgeBase(
        f"@prefix e: <{EX}> . false :- e:chain(?h, ?l), path(?x, ?l, ?y) ."
        "e:in(?m, ?h) :- e:chain(?h, ?l), e:Thing(?h), member(?l, ?i, ?m) ."
    )
    properties = [ex(f"p{i}") for i in range(4)]
    add(base, (ex("x"), ex("chain"), ex("l0")), *((ex(f"n{i}"), p, ex(f"n{i + 1}")) for i, p in enumerate(properties)))
    for length in (1, 2, 4):
        cells = rdf_list("l", properties[:length])
        add(base, *cells)
        base._check()
        assert len(base.inconsistencies()) == 1
        remove(base, cells[-1])
