"""Rules of which the head needs only one side of what an order of values connects: a match is as good as many.

Would catch a body that makes all pairs, a match that the farthest value does not have but a nearer one has, a condition
that is not asked of the match, and values of one kind that are taken to bound those of another.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgreason.rdf.model import Literal
from kgreason.store.knowledge_base import KnowledgeBase
from tests import oracle
from tests.engine.test_ordered_facts import TERMS, number
from tests.engine.tested_rows import rows_tested
from tests.facade import EX, Triple, add, ex, remove, triples
from tests.profiles import examples
from tests.thresholds import Tuned

COUNT = 300
HEADS = {"the lower side": "[?a, e:as, e:less]", "the upper side": "[?b, e:as, e:less]"}
BODIES = {
    "one order": "[?a, e:m, ?x], [?b, e:n, ?y], FILTER(?x < ?y)",
    "turned round": "[?b, e:n, ?y], [?a, e:m, ?x], FILTER(?y >= ?x)",
    "unequal things": "[?a, e:m, ?x], [?b, e:n, ?y], FILTER(?x <= ?y), FILTER(?a != ?b)",
    "interval": "[?a, e:m, ?x], [?b, e:n, ?y], FILTER(?x <= ?y), FILTER(?y < ?x + 3)",
    "from two values": "[?a, e:m, ?x], [?a, e:n, ?z], [?b, e:n, ?y], FILTER(?x <= ?y), FILTER(?z > ?y)",
    "unequal values": "[?a, e:m, ?x], [?b, e:n, ?y], FILTER(?x <= ?y), FILTER(?x + 1 != ?y)",
    "a denied fact": "[?a, e:m, ?x], [?b, e:n, ?y], FILTER(?x < ?y), ~[?a, e:r, ?b]",
    "a longer body": "[?a, e:m, ?x], [?b, e:n, ?y], [?b, e:r, ?c], [?c, e:r, ?d], FILTER(?x <= ?y)",
}
THINGS = [ex(f"t{each}") for each in range(6)]
VALUED = st.tuples(st.sampled_from(THINGS), st.sampled_from([ex("m"), ex("n")]), st.sampled_from(TERMS))
NUMBERED = st.tuples(st.sampled_from(THINGS), st.sampled_from([ex("m"), ex("n")]), st.integers(0, 9).map(number))
RELATED = st.tuples(st.sampled_from(THINGS), st.just(ex("r")), st.sampled_from(THINGS))


def base_of(head: str, body: str) -> KnowledgeBase:
    return KnowledgeBase(f"@prefix e: <{EX}> . {head} :- {body} .")


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("body", BODIES)
@given(
    st.lists(VALUED, max_size=12),
    st.lists(NUMBERED, max_size=12),
    st.lists(RELATED, max_size=6),
    st.integers(0, 1 << 20),
)
@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_has_a_match_is_what_the_oracle_finds(
    tuned: Tuned, head: str, body: str, valued: list[Triple], numbered: list[Triple], related: list[Triple], seed: int
) -> None:
    tuned(FEW_PAIRED=0)
    base, known = base_of(HEADS[head], BODIES[body]), {*valued, *numbered, *related}
    add(base, *known)

    assert triples(base, base.all()) == oracle.closure(base.program, known)
    gone = Random(seed).sample(sorted(known, key=str), len(known) // 2)
    remove(base, *gone)
    assert triples(base, base.all()) == oracle.closure(base.program, known - {*gone})
    add(base, *gone[1:])
    assert triples(base, base.all()) == oracle.closure(base.program, known - {*gone[:1]})
    base._check()


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("body", ["one order", "turned round", "unequal things"])
def test_the_farthest_value_mostly_decides(head: str, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tested = rows_tested(monkeypatch)
    base = base_of(HEADS[head], BODIES[body])
    for each in range(COUNT):
        add(base, (ex(f"a{each}"), ex("m"), number(2 * each)), (ex(f"b{each}"), ex("n"), number(2 * each - 1)))

    expected = {ex(f"a{each}") for each in range(COUNT - 1)} if "lower" in head else None
    expected = {ex(f"b{each}") for each in range(1, COUNT)} if expected is None else expected
    assert {s for s, _, o in triples(base, base.all()) if o == ex("less")} == expected
    assert sum(tested) < 4 * COUNT


@pytest.mark.parametrize("symbol", ["<", "<=", ">", ">="])
@pytest.mark.parametrize("head", HEADS)
def test_values_of_all_kinds_match_as_by_the_oracle(tuned: Tuned, symbol: str, head: str) -> None:
    tuned(FEW_PAIRED=0)
    known: set[Triple] = set()
    for place, term in enumerate([*TERMS, *(Literal(each) for each in "bcd")]):
        known |= {(ex(f"a{place}"), ex("m"), term), (ex(f"b{place}"), ex("n"), term)}
    base = base_of(HEADS[head], f"[?a, e:m, ?x], [?b, e:n, ?y], FILTER(?x {symbol} ?y)")
    add(base, *known)

    assert triples(base, base.all()) == oracle.closure(base.program, known)
