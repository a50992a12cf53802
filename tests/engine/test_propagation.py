"""Rules that pass a set on along pairs, over random graphs that change, beside a search in Python.

Would catch an id that is passed over or met twice, a fact that holds itself up in a circle, one that goes although it
is asserted or follows from something else, a literal that becomes a subject, and pairs of the same stratum that come
later than what they pass on.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, Graph, Literal, Namespace

from kgreason import ReasoningStore
from tests.profiles import examples
from tests.thresholds import replaced_constants

E = Namespace("http://example.org/")
TEXT = """
    @prefix e: <http://example.org/> .
    [?y, a, e:Wet] :- [?x, a, e:Wet], [?x, e:down, ?y] .
    [?x, a, e:Wet] :- [?x, a, e:Spring] .
    [?x, a, e:Wet] :- [?x, e:leak, ?y], [?y, a, e:Wet] .
    [?y, a, e:Damp] :- [?x, a, e:Wet], [?x, e:down, ?y] .
    [?x, a, e:Wet] :- [?x, a, e:Damp], [?x, a, e:Above] .
    [?x, a, e:Above] :- [?x, e:down, ?y], [?y, a, e:Above] .
"""
CLOSED = """
    [?x, e:down, ?z] :- [?x, e:down, ?y], [?y, e:down, ?z] .
"""
FED = """
    [?x, e:down, ?y] :- [?x, e:leak, ?y], [?x, a, e:Wet], [?x, a, e:Above] .
"""
PROGRAMS = {"pairs": TEXT, "a closure": TEXT + CLOSED, "pairs that follow": TEXT + FED, "both": TEXT + CLOSED + FED}
WAYS = {
    "as it is": {},
    "rows at once": {"PROPAGATED_ROUNDS": 0, "PROPAGATED_PAIRS": 1 << 40},
    "a step for each pair": {"PROPAGATED_ROUNDS": 0, "PROPAGATED_PAIRS": 0},
    "little at a time": {"REMADE_LEAST": 1 << 40, "PROPAGATED_LOSS": 0, "PROPAGATED_SHARE": 1 << 20},
    "anew": {"REMADE_LEAST": 0, "REMADE_JOINED": 1, "PROPAGATED_LOSS": 0, "PROPAGATED_SHARE": 1 << 20},
}

NODE = st.integers(0, 6)
FACT = st.one_of(
    st.tuples(st.just("down"), NODE, st.integers(0, 7)),
    st.tuples(st.just("leak"), NODE, NODE),
    st.tuples(st.sampled_from(["Wet", "Spring", "Above"]), NODE),
)
Fact = tuple


def closure(facts: set[Fact], program: str) -> set[Fact]:
    """What follows, by the rules one by one until nothing is new; the node 7 is a literal, which has no class."""
    known = set(facts)
    while True:
        down = {fact[1:] for fact in known if fact[0] == "down"}
        derived = {("Wet", y) for x, y in down if ("Wet", x) in known and y != 7}
        derived |= {("Wet", fact[1]) for fact in known if fact[0] == "Spring"}
        derived |= {("Wet", fact[1]) for fact in known if fact[0] == "leak" and ("Wet", fact[2]) in known}
        derived |= {("Wet", fact[1]) for fact in known if fact[0] == "Damp" and ("Above", fact[1]) in known}
        derived |= {("Damp", y) for x, y in down if ("Wet", x) in known and y != 7}
        derived |= {("Above", x) for x, y in down if ("Above", y) in known}
        if CLOSED in program:
            derived |= {("down", x, z) for x, y in down for v, z in down if v == y}
        if FED in program:
            leaks = [fact[1:] for fact in known if fact[0] == "leak"]
            derived |= {("down", x, y) for x, y in leaks if {("Wet", x), ("Above", x)} <= known}
        if derived <= known:
            return known
        known |= derived


def triple(fact: Fact) -> tuple:
    subject = E[f"n{fact[1]}"]
    if len(fact) == 2:
        return subject, RDF.type, E[fact[0]]
    return subject, E[fact[0]], Literal("7") if fact[2] == 7 else E[f"n{fact[2]}"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", PROGRAMS)
@given(facts=st.sets(FACT, max_size=16), toggled=st.lists(FACT, max_size=6))
@settings(max_examples=examples(80))
def test_sets_that_are_passed_on(name: str, way: str, facts: set[Fact], toggled: list[Fact]) -> None:
    with replaced_constants(**WAYS[way]):
        graph = Graph(store=ReasoningStore(rules=PROGRAMS[name]))
        graph.addN((*triple(fact), graph) for fact in facts)
        assert {*graph} == {*map(triple, closure(facts, PROGRAMS[name]))}
        for fact in toggled:
            (graph.remove if fact in facts else graph.add)(triple(fact))
            facts = facts ^ {fact}
            assert {*graph} == {*map(triple, closure(facts, PROGRAMS[name]))}


@pytest.mark.parametrize("way", WAYS)
def test_a_long_way(way: str) -> None:
    """A way of 400 steps, of which the middle goes and comes back."""
    graph = Graph(store=ReasoningStore(rules=TEXT))
    graph.addN((E[f"n{n}"], E.down, E[f"n{n + 1}"], graph) for n in range(400))
    graph.add((E.n0, RDF.type, E.Spring))
    with replaced_constants(**WAYS[way]):
        assert len({*graph.subjects(RDF.type, E.Wet)}) == 401
        graph.remove((E.n200, E.down, E.n201))
        assert len({*graph.subjects(RDF.type, E.Wet)}) == 201
        graph.add((E.n399, RDF.type, E.Wet))
        assert {*graph.subjects(RDF.type, E.Wet)} == {E[f"n{n}"] for n in [*range(201), 399, 400]}
        graph.add((E.n200, E.down, E.n201))
        assert len({*graph.subjects(RDF.type, E.Wet)}) == 401


def test_rows_of_many_pairs() -> None:
    """More pairs than are laid out as rows at a time, beside a search in Python."""
    generator = random.Random(1)
    leads_to = {node: {generator.randrange(20_000) for _ in range(generator.randrange(4))} for node in range(20_000)}
    graph = Graph(store=ReasoningStore(rules=TEXT))
    graph.addN((E[f"n{x}"], E.down, E[f"n{y}"], graph) for x, ends in leads_to.items() for y in ends)
    graph.add((E.n0, RDF.type, E.Spring))
    reached, frontier = {0}, {0}
    while frontier:
        frontier = {y for x in frontier for y in leads_to[x]} - reached
        reached |= frontier

    with replaced_constants(**WAYS["rows at once"]):
        assert {*graph.subjects(RDF.type, E.Wet)} == {E[f"n{node}"] for node in reached}
    assert len(reached) > 1_000, "the graph ends too soon"
