"""Lists that lose and get back their triples one at a time: what an axiom means while its list is not whole, and after.

Catches: a beginning of a list that counts as the list, a consequence that stays or does not come back, a defect that
is not named, a change that is refused where it should not be.
"""

from __future__ import annotations

import warnings
from itertools import permutations

import pytest

from kgreason.errors import ListError, ListWarning
from kgreason.rdf.model import Literal
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import add, ex, remove, triples
from tests.store.list_cases import (
    AB,
    CLASHES,
    DATA,
    DEFECTS,
    FIRST,
    NIL,
    REST,
    SAME,
    TYPE,
    cells,
    everything,
    lists,
    owl,
)


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
        assert warning.filename == everything.__code__.co_filename, "where the change is asked for"
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


@pytest.mark.slow
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
