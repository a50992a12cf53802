"""Lists that several axioms, graphs, rules or transactions share, while they are not whole."""

from __future__ import annotations

import pytest

from kgreason.errors import ListError, ListWarning
from kgreason.rdf.model import BlankNode
from kgreason.store.defective_lists import NAMED
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import add, ex, remove, triples
from tests.store.list_cases import AB, FIRST, NIL, REST, SUB, TYPE, cells, everything, lists, owl


def test_a_list_that_several_axioms_share() -> None:
    base = KnowledgeBase("owl-rl")
    axioms = [(ex(name), owl("unionOf"), ex("l0")) for name in "CD"] + [(ex("E"), owl("oneOf"), ex("l1"))]
    add(base, *cells("l", AB), *axioms, (ex("x"), TYPE, ex("B")))
    expected = everything(base)
    remove(base, (ex("l1"), REST, NIL))
    with pytest.warns(ListWarning) as told:
        found = everything(base)
    assert not found & {(ex("x"), TYPE, ex("C")), (ex("x"), TYPE, ex("D")), (ex("B"), TYPE, ex("E"))}
    assert len(told) == 2
    assert [set(each.triples) & set(axioms) for each in lists(base)] == [set(axioms[:2]), set(axioms[2:])]
    add(base, (ex("l1"), REST, NIL))
    assert everything(base) == expected


def test_nested_class_expressions() -> None:
    """C is the intersection of A and the union of B and D; the cut list of the union leaves that of C whole."""
    inner = BlankNode("union")
    base = KnowledgeBase("owl-rl")
    add(base, *cells("l", [ex("A"), inner]), (ex("C"), owl("intersectionOf"), ex("l0")))
    add(base, *cells("u", [ex("B"), ex("D")]), (inner, owl("unionOf"), ex("u0")))
    add(base, (ex("x"), TYPE, ex("A")), (ex("x"), TYPE, ex("B")), (ex("y"), TYPE, ex("C")))
    expected = everything(base)
    assert {(ex("x"), TYPE, ex("C")), (ex("y"), TYPE, inner)} <= expected
    remove(base, (ex("u1"), FIRST, ex("D")))
    with pytest.warns(ListWarning):
        found = everything(base)
    assert (ex("x"), TYPE, ex("C")) not in found
    assert (ex("y"), TYPE, inner) in found
    assert len(lists(base)) == 1
    add(base, (ex("u1"), FIRST, ex("D")))
    assert everything(base) == expected


def test_a_list_that_is_inferred_in_part() -> None:
    """The last cell is the value of an inverse functional property, and so what makes it whole is an equality."""
    base = KnowledgeBase("owl-rl")
    add(base, (ex("l0"), FIRST, ex("A")), (ex("l0"), REST, ex("end")), (ex("C"), owl("unionOf"), ex("l0")))
    add(base, *cells("m", [ex("B")]), (ex("id"), TYPE, owl("InverseFunctionalProperty")), (ex("x"), TYPE, ex("B")))
    add(base, (ex("end"), ex("id"), ex("v")))
    with pytest.warns(ListWarning):
        assert (ex("x"), TYPE, ex("C")) not in everything(base)
    before = everything(base)
    add(base, (ex("m0"), ex("id"), ex("v")))
    assert (ex("x"), TYPE, ex("C")) in everything(base)
    assert lists(base) == []
    remove(base, (ex("m0"), ex("id"), ex("v")))
    with pytest.warns(ListWarning):
        assert everything(base) == before


def test_a_list_that_its_own_axiom_completes_does_not_support_itself() -> None:
    """The union of A gives x the class C, whose instances have an rdf:rest; once cut off it must not come back."""
    rules = "@prefix e: <http://example.org/> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . "
    rules += "[?m, a, ?c] :- [?c, e:one, ?l], member(?l, ?i, ?m) . [?x, rdf:rest, rdf:nil] :- [?x, a, e:C] ."
    base = KnowledgeBase(rules)
    add(base, (ex("C"), ex("one"), ex("l0")), (ex("l0"), FIRST, ex("l0")), (ex("l0"), REST, NIL))
    assert (ex("l0"), TYPE, ex("C")) in everything(base)
    remove(base, (ex("l0"), REST, NIL))
    with pytest.warns(ListWarning):
        assert (ex("l0"), TYPE, ex("C")) not in everything(base)


def test_lists_in_named_graphs() -> None:
    """A triple that another graph has, too, is still there."""
    base = KnowledgeBase("owl-rl")
    one, two = (base.dictionary.encode(ex(name)) for name in ("g", "h"))
    whole = cells("l", AB)
    add(base, *whole, (ex("C"), owl("unionOf"), ex("l0")), (ex("x"), TYPE, ex("A")), graph=one)
    add(base, *whole, graph=two)
    expected = everything(base)
    remove(base, *whole, graph=one)
    assert everything(base) == expected
    remove(base, whole[-1], graph=two)
    with pytest.warns(ListWarning):
        assert (ex("x"), TYPE, ex("C")) not in everything(base)
    add(base, whole[-1], graph=one)
    assert everything(base) == expected


def test_list_atoms_in_rules_of_a_user() -> None:
    rules = "@prefix e: <http://example.org/> . "
    rules += "e:in(?x, ?l) :- e:List(?l), member(?l, ?i, ?x) . e:at(?o, ?x) :- e:of(e:C, ?l, ?o), member(?l, ?i, ?x) ."
    base = KnowledgeBase(rules.replace("e:of(e:C, ?l, ?o)", "[e:C, e:of, ?l], [?l, e:owner, ?o]"))
    add(base, *cells("l", AB), (ex("l0"), TYPE, ex("List")), (ex("C"), ex("of"), ex("l0")))
    add(base, (ex("l0"), ex("owner"), ex("o")))
    expected = everything(base)
    assert {(ex("B"), ex("in"), ex("l0")), (ex("o"), ex("at"), ex("B"))} <= expected
    remove(base, (ex("l0"), FIRST, ex("A")))
    with pytest.warns(ListWarning):
        found = everything(base)
    assert not any(predicate in (ex("in"), ex("at")) for _, predicate, _ in found)
    axioms = {(ex("l0"), TYPE, ex("List")), (ex("C"), ex("of"), ex("l0")), (ex("l0"), ex("owner"), ex("o"))}
    assert axioms <= set(lists(base)[0].triples)
    add(base, (ex("l0"), FIRST, ex("A")))
    assert everything(base) == expected


def test_rules_that_ask_for_lists_which_are_defective_already() -> None:
    base, strict = KnowledgeBase("none"), KnowledgeBase("none", strict=True)
    for each in (base, strict):
        add(each, *cells("l", AB)[:-1], (ex("C"), owl("unionOf"), ex("l0")))
        assert lists(each) == []
    with pytest.warns(ListWarning):
        base.add_rules("owl-rl")
    assert len(lists(base)) == 1
    with pytest.raises(ListError):
        strict.add_rules("owl-rl")
    assert strict.rules == {}
    base.remove_rules("owl-rl")
    assert lists(base) == []


def test_many_defective_lists_are_counted() -> None:
    base = KnowledgeBase("owl-rl")
    add(base, *((ex(f"C{i}"), owl("unionOf"), ex(f"m{i}")) for i in range(NAMED + 1000)))
    with pytest.warns(ListWarning) as told:
        base.flush()
    assert len(told) == NAMED + 1
    assert "1,000 more lists" in str(told[-1].message)
    assert len(lists(base)) == NAMED + 1000
    base.flush()


@pytest.mark.slow
def test_a_large_change_concerns_its_own_lists_only() -> None:
    base = KnowledgeBase("owl-rl")
    add(base, (ex("C"), owl("unionOf"), ex("l0")), (ex("l0"), FIRST, ex("A")))
    with pytest.warns(ListWarning):
        base.flush()
    add(base, *cells("m", [ex(f"A{i}") for i in range(2000)]), (ex("D"), owl("unionOf"), ex("m0")))
    base.flush()  # where a warning would be an error
    add(base, *cells("n", [ex(f"A{i}") for i in range(2000)]))
    base.flush()
    assert len(lists(base)) == 1
    assert len(triples(base, base.all())) > 8000


def test_a_warning_that_a_filter_makes_an_error_comes_after_the_change() -> None:
    base = KnowledgeBase("owl-rl")
    told: list[int] = []
    base.subscribe(lambda added, removed: told.append(len(added)))
    add(base, (ex("C"), owl("unionOf"), ex("l0")), (ex("A"), SUB, ex("B")))
    with pytest.raises(ListWarning):
        base.flush()
    assert told == [2]
    assert {(ex("C"), owl("unionOf"), ex("l0")), (ex("A"), SUB, ex("B"))} <= everything(base)


def test_a_transaction_may_leave_a_list_defective_until_its_end() -> None:
    whole, axiom = cells("l", AB), (ex("C"), owl("unionOf"), ex("l0"))
    for strict in (False, True):
        base = KnowledgeBase("owl-rl", strict=strict)
        add(base, *whole, axiom)
        before = everything(base)
        with base.transaction():
            remove(base, whole[0])
            assert axiom in everything(base)
            add(base, (ex("l0"), FIRST, ex("D")))
        assert lists(base) == []
        assert everything(base) != before


def test_a_transaction_that_leaves_a_list_defective_at_its_end() -> None:
    whole, axiom = cells("l", AB), (ex("C"), owl("unionOf"), ex("l0"))
    base, strict = KnowledgeBase("owl-rl"), KnowledgeBase("owl-rl", strict=True)
    for each in (base, strict):
        add(each, *whole, axiom)
    before = everything(strict)

    def cut(each: KnowledgeBase) -> None:
        with each.transaction():
            remove(each, whole[0])
            each.flush()
            remove(each, whole[1])

    with pytest.warns(ListWarning) as told:
        cut(base)
    assert len(told) == 1
    with pytest.raises(ListError):
        cut(strict)
    assert everything(strict) == before
