"""Derived facts without those that are known. A bug that this would catch: a fact that is taken for known before it is
a fact, or that is left out once bits are given up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine.rules.new_facts import NewFacts
from kgreason.program.parser import parse_program
from kgreason.relations.plain import table_of
from kgreason.relations.table import Columns, Table
from kgreason.store.knowledge_base import KnowledgeBase
from tests import oracle
from tests.facade import EX, Triple, add, ex, remove, triples
from tests.profiles import examples
from tests.thresholds import Tuned, replaced_constants

IDS = st.integers(0, 400)
KEY = 7


def columns_of(rows: list[tuple[int, ...]], arity: int = 2) -> Columns:
    return tuple(np.array(rows, dtype=np.uint32).reshape(-1, arity).T.copy())


def facts_of(table: Table | None) -> set[tuple[int, ...]]:
    return set() if table is None else {*zip(*(column.tolist() for column in table.columns()), strict=True)}


@pytest.mark.parametrize("least", [0, 1 << 11, 1 << 14, 1 << 20])
@given(
    known=st.sets(st.tuples(IDS, IDS), max_size=60),
    batches=st.lists(st.lists(st.tuples(IDS, IDS), min_size=1, max_size=60), max_size=8),
)
def test_facts_that_are_not_known_are_given(
    least: int, known: set[tuple[int, int]], batches: list[list[tuple[int, int]]]
) -> None:
    table = table_of(columns_of([*known])) if known else None
    make = NewFacts(lambda key: table if key == KEY else None).maker(KEY)
    given: set[tuple[int, ...]] = {*known}
    limits = {"COMPARED_HEADS": 3, "KNOWN_HEADS": 100, "KNOWN_EACH": 100}

    for rows in batches:
        with replaced_constants(PAIR_BITS_LEAST=least, PAIR_BITS_BYTES=8, **limits):
            found = facts_of(make(columns_of([*rows])))

        assert {*rows} - given <= found <= {*rows}
        given |= found


def test_known_facts_are_left_out_once_many_are_derived(tuned: Tuned) -> None:
    tuned(COMPARED_HEADS=1, KNOWN_HEADS=4)
    known = table_of(columns_of([(1, 2), (2, 3)]))
    make = NewFacts(lambda _: known).maker(KEY)

    few_known = [(1, 2), (7, 1), (7, 2), (7, 3), (7, 4)]
    assert facts_of(make(columns_of([*few_known]))) == {*few_known}
    assert facts_of(make(columns_of([(1, 2), (8, 1), (8, 2), (8, 3), (2, 3)]))) == {(8, 1), (8, 2), (8, 3)}
    assert make(columns_of([(8, 1), (1, 2)])) is None


def test_few_rows_are_given_as_they_are_beside_many_known_facts(tuned: Tuned) -> None:
    tuned(COMPARED_HEADS=1, KNOWN_EACH=4)
    known = [(one, other) for one in range(5) for other in range(5)]
    make = NewFacts(lambda _: table_of(columns_of([*known]))).maker(KEY)

    assert facts_of(make(columns_of([(1, 2), (7, 1), (2, 2)]))) == {(1, 2), (7, 1), (2, 2)}
    assert facts_of(make(columns_of([(1, 2), (7, 1), (2, 2), (3, 3)]))) == {(7, 1)}


def test_facts_of_other_arities_are_given_as_they_are(tuned: Tuned) -> None:
    tuned(COMPARED_HEADS=1)
    known = table_of(columns_of([(1, 2, 3)], 3))
    make = NewFacts(lambda _: known).maker(KEY)

    assert facts_of(make(columns_of([(1, 2, 3), (4, 5, 6)], 3))) == {(1, 2, 3), (4, 5, 6)}


PREFIX = f"@prefix e: <{EX}> . "
PROGRAMS = {
    "pointers": """
        e:pt(?p, ?o) :- e:addr(?p, ?o) . e:pt(?p, ?o) :- e:assign(?p, ?q), e:pt(?q, ?o) .
        e:pt(?p, ?o) :- e:load(?p, ?q), e:pt(?q, ?r), e:pt(?r, ?o) .
        e:pt(?r, ?o) :- e:addr(?p, ?q), e:pt(?p, ?r), e:pt(?q, ?o) .""",
    "three steps": "e:pt(?x, ?y) :- e:addr(?x, ?y) . e:pt(?x, ?w) :- e:pt(?x, ?y), e:pt(?y, ?z), e:pt(?z, ?w) .",
    "a closure that rules feed": """
        e:pt(?x, ?y) :- e:addr(?x, ?a), e:load(?a, ?y) . e:pt(?x, ?y) :- e:addr(?x, ?a), e:pt(?a, ?b), e:load(?b, ?y) .
        e:pt(?x, ?z) :- e:pt(?x, ?y), e:pt(?y, ?z) .""",
    "two relations": """
        e:pt(?x, ?y) :- e:addr(?x, ?y) . e:al(?y, ?z) :- e:pt(?x, ?y), e:pt(?x, ?z), ~e:load(?y, ?z) .
        e:pt(?x, ?z) :- e:al(?x, ?y), e:assign(?y, ?z) .""",
}
NODES = st.integers(0, 5)
EDGES = st.sets(st.tuples(NODES, st.sampled_from(["addr", "assign", "load"]), NODES), min_size=8, max_size=40).map(
    lambda edges: {(ex(f"n{one}"), ex(name), ex(f"n{other}")) for one, name, other in edges}
)


@pytest.mark.parametrize("least", [1 << 9, 1 << 19], ids=["given up", "bits"])
@pytest.mark.parametrize("program", PROGRAMS)
@settings(max_examples=examples(15))
@given(first=EDGES, come=EDGES, gone=EDGES)
def test_what_follows_equals_naive_evaluation_after_every_change(
    program: str, least: int, first: set[Triple], come: set[Triple], gone: set[Triple]
) -> None:
    text = PREFIX + PROGRAMS[program]
    base = KnowledgeBase(text)
    limits = {"JOIN_ROWS": 5, "DELTA_LEAST": 4, "COMPARED_HEADS": 1, "KNOWN_HEADS": 1 << 10, "BLOCKS_MERGE_LEAST": 2}
    limits["KNOWN_EACH"] = 1 << 20

    with replaced_constants(PAIR_BITS_LEAST=least, **limits):
        for added, removed in ((first, set()), (come, set()), (set(), gone)):
            add(base, *added)
            remove(base, *removed)
            first = (first | added) - removed

            assert triples(base, base.all()) == oracle.closure(parse_program(text), first)
