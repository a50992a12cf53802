"""Lists that lose and get back their triples one at a time: what an axiom means while its list is not whole, and after.

Catches: a beginning of a list that counts as the list, a consequence that stays or does not come back, a defect that
is not named, a change that is refused where it should not be.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import permutations

import pytest

from kgreason.errors import ListError, ListWarning
from kgreason.knowledge.base import KnowledgeBase
from kgreason.knowledge.consistency import Inconsistency
from kgreason.knowledge.defective_lists import NAMED
from kgreason.terms.model import IRI, BlankNode, Literal
from kgreason.terms.vocabulary import OWL, RDF, RDFS
from tests.facade import Triple, add, ex, remove, triples

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


@pytest.mark.parametrize("rules", ["owl-rl", "owl-rl-full"])
@pytest.mark.parametrize("name", DATA)
def test_each_triple_of_a_list_goes_and_comes_back(name: str, rules: str) -> None:
    members, data = DATA[name]
    axiom, whole = data[0], cells("l", members)
    base, without = KnowledgeBase(rules), KnowledgeBase(rules)
    add(base, *whole, *data)
    expected = everything(base)
    for gone in whole:
        remaining = [each for each in whole if each != gone]
        add(without, *remaining, *data[1:])
        remove(base, gone)
        with pytest.warns(ListWarning) as told:
            found = everything(base)
        of_its_terms = {axiom, *((term, SAME, term) for term in axiom)}
        assert found - of_its_terms == everything(without) - of_its_terms, "as without the axiom"
        [clash] = lists(base)
        assert clash.triples[0] == axiom
        assert set(clash.triples[1:]) <= set(remaining)
        [warning] = told
        for each in (ex("l0"), gone[0], *axiom):
            assert str(each) in str(warning.message)
            assert str(each) in clash.reason
        assert warning.filename == __file__
        add(base, gone)
        assert everything(base) == expected
        assert lists(base) == []
        remove(without, *remaining, *data[1:])


@pytest.mark.parametrize("name", CLASHES)
def test_an_integrity_condition_over_a_list(name: str) -> None:
    members, predicate, kind, data, rule = CLASHES[name]
    whole = cells("l", members)
    base = KnowledgeBase("owl-rl")
    add(base, *whole, *data, (ex("n"), TYPE, owl(kind)), (ex("n"), owl(predicate), ex("l0")))
    expected = base.inconsistencies()
    assert {each.rule for each in expected} == {rule}
    for gone in whole:
        remove(base, gone)
        with pytest.warns(ListWarning):
            base.flush()
        assert [each.rule for each in base.inconsistencies()] == ["list"]
        assert lists(base)[0].triples[0] == (ex("n"), owl(predicate), ex("l0"))
        add(base, gone)
        assert base.inconsistencies() == expected


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


@pytest.mark.parametrize("name", DEFECTS)
def test_the_cell_where_a_list_breaks_is_named(name: str) -> None:
    found, cell, reason = DEFECTS[name]
    base = KnowledgeBase("owl-rl")
    add(base, *found, (ex("C"), owl("unionOf"), ex("l0")))
    with pytest.warns(ListWarning) as told:
        base.flush()
    [clash] = lists(base)
    assert f"{cell if cell.startswith(chr(34)) else ex(cell)} {reason}" in clash.reason
    assert str(told[0].message) == clash.reason
    strict = KnowledgeBase("owl-rl", strict=True)
    add(strict, *found, (ex("C"), owl("unionOf"), ex("l0")))
    with pytest.raises(ListError) as caught:
        strict.flush()
    assert str(caught.value) == clash.reason
    assert everything(strict) == everything(KnowledgeBase("owl-rl"))


def test_a_literal_in_the_place_of_a_list() -> None:
    base = KnowledgeBase("owl-rl")
    add(base, (ex("C"), owl("unionOf"), Literal("A")))
    with pytest.warns(ListWarning, match="is a literal"):
        base.flush()
    assert lists(base)[0].triples == ((ex("C"), owl("unionOf"), Literal("A")),)


def test_a_list_may_be_written_in_any_order() -> None:
    """A script that writes one triple at a time, and reads after each."""
    members, data = DATA["intersection"]
    written = [data[0], *cells("l", members)]
    rules = "@prefix owl: <http://www.w3.org/2002/07/owl#> ."
    rules += "[?y, a, ?c] :- [?c, owl:intersectionOf, ?l], every(?m, ?l, [?y, a, ?m]) ."
    rules += "[?y, a, ?m] :- [?c, owl:intersectionOf, ?l], member(?l, ?i, ?m), [?y, a, ?c] ."
    expected = None
    for order in permutations(written):
        base = KnowledgeBase(rules)
        add(base, *data[1:])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ListWarning)
            for number, triple in enumerate(order, 1):
                add(base, triple)
                assert ((ex("x"), TYPE, ex("C")) in triples(base, base.all())) == (number == len(order))
        expected = expected or everything(base)
        assert everything(base) == expected
        assert lists(base) == []


def test_two_members_in_a_cell_count_both() -> None:
    base = KnowledgeBase("owl-rl")
    add(base, *cells("l", AB), (ex("l0"), FIRST, ex("D")), (ex("C"), owl("unionOf"), ex("l0")))
    add(base, *cells("m", AB), (ex("m0"), FIRST, ex("D")), (ex("E"), owl("intersectionOf"), ex("m0")))
    add(base, (ex("x"), TYPE, ex("D")), (ex("y"), TYPE, ex("A")), (ex("y"), TYPE, ex("B")))
    both = {(ex("x"), TYPE, ex("C")), (ex("y"), TYPE, ex("C")), (ex("y"), TYPE, ex("E"))}
    assert both <= everything(base)
    assert lists(base) == []
    remove(base, (ex("l0"), FIRST, ex("D")), (ex("m0"), FIRST, ex("A")))
    assert both & everything(base) == {(ex("y"), TYPE, ex("C"))}


def test_of_two_ways_on_those_count_that_reach_nil() -> None:
    base = KnowledgeBase("owl-rl")
    add(base, *cells("l", AB), (ex("C"), owl("unionOf"), ex("l0")), (ex("x"), TYPE, ex("B")), (ex("y"), TYPE, ex("D")))
    member = (ex("x"), TYPE, ex("C"))
    assert member in everything(base)
    add(base, (ex("l0"), REST, ex("m")))
    with pytest.warns(ListWarning, match="cut off: its cell <http://example.org/m> has no rdf:first"):
        assert member in everything(base), "what a list says does not depend on triples that say nothing"
    add(base, (ex("m"), FIRST, ex("D")), (ex("m"), REST, NIL))
    assert {member, (ex("y"), TYPE, ex("C"))} <= everything(base)
    assert lists(base) == []
    remove(base, (ex("l0"), REST, ex("l1")))
    assert everything(base) & {member, (ex("y"), TYPE, ex("C"))} == {(ex("y"), TYPE, ex("C"))}


def test_equal_cells_make_one_list() -> None:
    """Each of thirty cells has an equal one, so that there are two to the thirty ways."""
    members = [ex(f"A{i}") for i in range(30)]
    base = KnowledgeBase("owl-rl")
    add(base, *cells("l", members), (ex("C"), owl("unionOf"), ex("l0")), (ex("x"), TYPE, members[-1]))
    add(base, *((ex(f"l{i}"), SAME, ex(f"m{i}")) for i in range(30)))
    assert (ex("x"), TYPE, ex("C")) in everything(base)
    remove(base, (ex("l29"), REST, NIL))
    with pytest.warns(ListWarning):
        assert (ex("x"), TYPE, ex("C")) not in everything(base)
    add(base, (ex("m29"), REST, NIL))
    assert (ex("x"), TYPE, ex("C")) in everything(base)


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
