"""Atoms of a rule that nothing connects but the order of values: facts are looked up within the bounds of each row.

Would catch a body that compares all pairs of facts, a bound on the wrong side, and values that are compared although
their datatypes or roundings differ, but are not found.
"""

from __future__ import annotations

from random import Random

import pytest

from kgreason.rdf.model import Literal, Term
from kgreason.rdf.vocabulary import XSD
from kgreason.store.knowledge_base import KnowledgeBase
from tests import oracle
from tests.engine.tested_rows import rows_tested
from tests.facade import EX, Triple, add, ex, remove, triples
from tests.thresholds import Tuned

COUNT = 400
BOUNDED = {
    "one bound each": "[?a, e:low, ?x], [?b, e:at, ?y], FILTER(?x <= ?y), FILTER(?y < ?x + 3)",
    "turned round": "[?b, e:at, ?y], [?a, e:low, ?x], FILTER(?y >= ?x), FILTER(?x > ?y - 3)",
    "interval": "[?a, e:low, ?x], [?a, e:high, ?z], [?b, e:at, ?y], FILTER(?x <= ?y), FILTER(?z > ?y)",
    "overlap": "[?a, e:low, ?x], [?a, e:high, ?z], [?b, e:at, ?y], FILTER(?x <= ?y + 1), FILTER(?z >= ?y)",
    "longer body": """[?a, e:low, ?x], [?b, e:at, ?y], [?b, e:by, ?c], [?c, e:is, e:me],
        FILTER(?x <= ?y), FILTER(?y < ?x + 3)""",
}
VALUES = {
    "integer": ["-9007199254740993", "-1", "0", "1", "16777216", "16777217", "9007199254740992", "9007199254740993"],
    "decimal": ["-0.5", "0.1", "0.10000000149", "1.0", "2.5", "340282356779733661637539395458142568447.9"],
    "float": ["-INF", "-1", "-0", "0.1", "1", "16777217", "3.4028235e38", "1e-46", "INF", "NaN"],
    "double": ["-1e300", "0.1", "1e-46", "1", "16777217", "3.5e38", "INF", "NaN"],
    "string": ["", "1", "a", "b"],
    "boolean": ["false", "true"],
    "date": ["2000-01-01", "2000-01-01Z", "2000-01-02+14:00"],
    "dateTime": ["2000-01-01T00:00:00", "2000-01-01T00:00:00Z", "2000-01-01T13:00:00Z", "2000-01-01T15:00:00Z"],
    "time": ["00:00:00", "12:00:00Z"],
    "duration": ["P1D", "PT24H"],
    "byte": ["300"],
}
TERMS: list[Term] = [
    ex("iri"), Literal("a", language="en"), Literal("x", "http://example.org/t"),
    *(Literal(text, XSD + datatype) for datatype, texts in VALUES.items() for text in texts),
]  # fmt: skip


def number(value: float) -> Literal:
    return Literal(str(value), XSD + "integer")


def filled(body: str) -> KnowledgeBase:
    base = KnowledgeBase(f"@prefix e: <{EX}> . [?a, e:as, ?b] :- {body} .")
    add(base, (ex("c"), ex("is"), ex("me")))
    for each in range(COUNT):
        add(base, (ex(f"a{each}"), ex("low"), number(10 * each)), (ex(f"a{each}"), ex("high"), number(10 * each + 3)))
        add(base, (ex(f"b{each}"), ex("at"), number(5 * each)), (ex(f"b{each}"), ex("by"), ex("c")))
    return base


def pairs(base: KnowledgeBase) -> set[tuple[Term, Term]]:
    return {(s, o) for s, p, o in triples(base, base.all()) if p == ex("as")}


@pytest.mark.parametrize("body", BOUNDED)
def test_facts_are_compared_with_those_within_their_bounds(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tested = rows_tested(monkeypatch)
    base = filled(BOUNDED[body])

    assert pairs(base) == {(ex(f"a{each}"), ex(f"b{2 * each}")) for each in range(COUNT // 2)}
    assert sum(tested) < 20 * COUNT


@pytest.mark.parametrize("body", BOUNDED)
def test_facts_that_come_and_go_are_found(body: str) -> None:
    base = filled(BOUNDED[body])
    before = pairs(base)

    more = (ex("b0"), ex("at"), number(21)), (ex("a9"), ex("low"), number(20)), (ex("a9"), ex("high"), number(23))
    add(base, *more)
    assert pairs(base) >= before | {(ex("a2"), ex("b0")), (ex("a9"), ex("b0")), (ex("a9"), ex("b4"))}
    base._check()
    remove(base, *more)
    assert pairs(base) == before
    base._check()


@pytest.mark.parametrize("symbol", ["<", "<=", ">", ">="])
@pytest.mark.parametrize("has_singles", [False, True])
def test_values_of_all_kinds_are_found_as_by_the_oracle(tuned: Tuned, symbol: str, has_singles: bool) -> None:
    tuned(FEW_PAIRED=0)
    rule = f"[?a, e:as, ?b] :- [?a, e:m, ?x], [?b, e:n, ?y], FILTER(?x {symbol} ?y) ."
    base = KnowledgeBase(f"@prefix e: <{EX}> . {rule}")
    chosen = [term for term in TERMS if has_singles or getattr(term, "datatype", None) != XSD + "float"]
    known: set[Triple] = set()
    for place, term in enumerate(chosen):
        known |= {(ex(f"a{place}"), ex("m"), term), (ex(f"b{place}"), ex("n"), term)}
    add(base, *known)

    assert triples(base, base.all()) == oracle.closure(base.program, known)
    gone = Random(1).sample(sorted(known, key=str), 30)
    remove(base, *gone)
    assert triples(base, base.all()) == oracle.closure(base.program, known - {*gone})
    base._check()
