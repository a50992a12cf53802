"""Atoms of a rule that nothing connects but equal values: their facts are looked up by these values.

Would catch a body that compares all pairs of facts, a value that is not found again after a change, and a rule that
leaves out what is equal but not the same.
"""

from __future__ import annotations

import pytest

from kgreason.rdf.model import Literal
from kgreason.rdf.vocabulary import XSD
from kgreason.store.knowledge_base import KnowledgeBase
from tests.engine.tested_rows import rows_tested
from tests.facade import EX, add, ex, remove, triples

RULES = {
    "filter": "[?a, e:as, ?b] :- [?a, e:name, ?x], [?b, e:title, ?y], FILTER(LCASE(?x) = LCASE(?y)) .",
    "assignments": """[?a, e:as, ?b] :-
        [?a, e:name, ?x], BIND(LCASE(?x) AS ?k), [?b, e:title, ?y], BIND(LCASE(?y) AS ?k) .""",
    "same terms": "[?a, e:as, ?b] :- [?b, e:title, ?y], [?a, e:name, ?x], FILTER(sameTerm(LCASE(?y), LCASE(?x))) .",
    "longer body": """[?a, e:as, ?b] :-
        [?a, e:name, ?x], [?b, e:title, ?y], [?b, e:by, e:me], [?a, e:by, ?me], FILTER(LCASE(?x) = LCASE(?y)) .""",
}
COUNT = 300


def filled(rule: str) -> KnowledgeBase:
    base = KnowledgeBase(f"@prefix e: <{EX}> . {rule}")
    for number in range(COUNT):
        add(base, (ex(f"a{number}"), ex("name"), Literal(f"Name {number}")), (ex(f"a{number}"), ex("by"), ex("me")))
        add(base, (ex(f"b{number}"), ex("title"), Literal(f"name {2 * number}")))
        add(base, (ex(f"b{number}"), ex("by"), ex("me")))
    return base


def pairs(base: KnowledgeBase) -> set[tuple[str, str]]:
    found = triples(base, base.all())
    return {(str(s).strip("<>"), str(o).strip("<>")) for s, p, o in found if p == ex("as")}


def named(*numbers: tuple[int, int]) -> set[tuple[str, str]]:
    return {(f"{EX}a{left}", f"{EX}b{right}") for left, right in numbers}


@pytest.mark.parametrize("rule", RULES)
def test_values_are_compared_with_those_that_may_be_equal(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tested = rows_tested(monkeypatch)
    base = filled(RULES[rule])

    assert pairs(base) == named(*((number, number // 2) for number in range(0, COUNT, 2)))
    assert sum(tested) < 10 * COUNT


@pytest.mark.parametrize("rule", RULES)
def test_values_that_come_and_go_are_found(rule: str) -> None:
    base = filled(RULES[rule])
    before = pairs(base)

    add(base, (ex("b7"), ex("title"), Literal("NAME 7")), (ex("a9"), ex("name"), Literal("nAmE 7")))
    assert pairs(base) == before | named((7, 7), (9, 7))
    base._check()
    remove(base, (ex("a9"), ex("name"), Literal("nAmE 7")), (ex("b2"), ex("title"), Literal("name 4")))
    assert pairs(base) == (before | named((7, 7))) - named((4, 2))
    base._check()


def test_numbers_are_equal_by_value() -> None:
    base = KnowledgeBase(f"@prefix e: <{EX}> . [?a, e:as, ?b] :- [?a, e:m, ?x], [?b, e:n, ?y], FILTER(?x = ?y) .")
    for number in range(100):
        add(base, (ex(f"a{number}"), ex("m"), Literal(f"{number}", XSD + "integer")))
        add(base, (ex(f"b{number}"), ex("n"), Literal(f"{2 * number}.0", XSD + "decimal")))
    assert pairs(base) == named(*((number, number // 2) for number in range(0, 100, 2)))
