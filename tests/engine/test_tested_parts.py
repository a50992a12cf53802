"""Bodies in parts that share no variable, of which the head needs few: what nothing needs is tested, never paired.

Would catch a part that is taken to hold without a look at it, a condition between two parts that goes with one of them,
and a value that is found beside itself alone.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import XSD
from kgreason.store.knowledge_base import KnowledgeBase
from tests import oracle
from tests.engine.tested_rows import rows_tested
from tests.facade import EX, Triple, add, ex, remove, triples
from tests.profiles import examples
from tests.thresholds import Tuned, shrink

COUNT = 300
PARTS = "abcd"
VALUES = [Literal("1", XSD + "integer"), Literal("1.0", XSD + "decimal"), Literal("2", XSD + "integer"), Literal("x")]


@st.composite
def bodies(draw: st.DrawFn) -> str:
    """A rule of up to four parts, which conditions connect."""
    parts = PARTS[: draw(st.integers(2, 4))]
    atoms = [f"[?{part}, e:p{draw(st.integers(0, 2))}, ?{part}v]" for part in parts]
    if draw(st.booleans()):
        atoms.append(f"[?{draw(st.sampled_from(parts))}, e:p{draw(st.integers(0, 2))}, ?w]")
    conditions = []
    for _ in range(draw(st.integers(0, 4))):
        one, other = draw(st.permutations(parts))[:2]
        symbol = draw(st.sampled_from(["!=", "!=", "<", "<=", ">", "="]))
        conditions.append(f"FILTER(?{one}v {symbol} ?{other}v)")
    if draw(st.booleans()):
        one, other = draw(st.permutations(parts))[:2]
        conditions.append(draw(st.sampled_from([f"~[?{one}, e:n, ?{other}]", f"FILTER(?{one} != ?{other})"])))
    left, right = draw(st.sampled_from(parts)), draw(st.sampled_from(parts))
    return f"[?{left}, e:as, ?{right}] :- {', '.join([*atoms, *conditions])} ."


FACTS = st.frozensets(
    st.one_of(
        st.tuples(
            st.sampled_from("rst").map(ex), st.sampled_from(["p0", "p1", "p2"]).map(ex), st.sampled_from(VALUES)
        ),
        st.tuples(st.sampled_from("rst").map(ex), st.just(ex("n")), st.sampled_from("rst").map(ex)),
    ),
    max_size=12,
)


@pytest.mark.parametrize("is_shrunk", [False, True])
@given(bodies(), FACTS, FACTS)
@settings(max_examples=examples(120), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_parts_give_the_heads_of_all_assignments(
    tuned: Tuned, is_shrunk: bool, body: str, before: frozenset[Triple], more: frozenset[Triple]
) -> None:
    if is_shrunk:
        shrink(tuned)
    base = KnowledgeBase(f"@prefix e: <{EX}> . {body}")

    add(base, *before)
    assert triples(base, base.all()) == oracle.closure(base.program, {*before})
    add(base, *more)
    assert triples(base, base.all()) == oracle.closure(base.program, {*before, *more})
    remove(base, *before - more)
    assert triples(base, base.all()) == oracle.closure(base.program, {*more})
    base._check()


def things(letter: str) -> list[IRI]:
    return [ex(f"{letter}{each}") for each in range(COUNT)]


@pytest.mark.parametrize(
    "condition",
    [
        "FILTER(?bv != ?cv)",
        "FILTER(?av != ?bv), FILTER(?bv != ?cv)",
        "FILTER(?av != ?bv), FILTER(?bv != ?cv), FILTER(?cv != ?dv)",
        "FILTER(?av != ?bv), FILTER(?bv < ?cv), FILTER(?av != ?cv)",
        "FILTER(?bv - 1 <= ?cv), FILTER(?cv < ?dv), FILTER(?dv <= ?bv + 10)",
    ],
)
def test_as_many_rows_are_tested_as_there_are_facts(condition: str, monkeypatch: pytest.MonkeyPatch) -> None:
    atoms = ", ".join(f"[?{part}, e:{part}, ?{part}v]" for part in PARTS)
    base = KnowledgeBase(f"@prefix e: <{EX}> . [?a, e:as, ?a] :- {atoms}, {condition} .")
    for part in PARTS:
        add(base, *((each, ex(part), Literal(str(n // 2), XSD + "integer")) for n, each in enumerate(things(part))))
    tested = rows_tested(monkeypatch)

    assert {s for s, p, _ in triples(base, base.all()) if p == ex("as")} == {*things("a")}
    assert sum(tested) < COUNT * COUNT


def test_two_parts_of_one_and_the_same_value_are_not_unequal(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = "[?a, e:as, ?a] :- [?a, e:a, ?av], [?b, e:b, ?bv], [?c, e:c, ?cv], FILTER(?bv != ?cv) ."
    base = KnowledgeBase(f"@prefix e: <{EX}> . {rule}")
    for part in "abc":
        add(base, *((each, ex(part), VALUES[0]) for each in things(part)))
    tested = rows_tested(monkeypatch)

    assert not [p for _, p, _ in triples(base, base.all()) if p == ex("as")]
    assert sum(tested) < COUNT
    add(base, (ex("b7"), ex("b"), VALUES[1]))
    assert not [p for _, p, _ in triples(base, base.all()) if p == ex("as")]
    add(base, (ex("b7"), ex("b"), VALUES[2]))
    assert {s for s, p, _ in triples(base, base.all()) if p == ex("as")} == {*things("a")}
