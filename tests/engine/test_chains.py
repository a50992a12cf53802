"""Chains: relations continued by others, at either end, in any direction, against the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.program.parser import parse_program
from kgreason.rdf.model import Literal
from kgreason.relations.catalogue import AUTO, PLAIN
from kgreason.store.knowledge_base import KnowledgeBase
from tests.change_replay import replay
from tests.facade import EX, Triple, add, ex, remove, triples
from tests.profiles import examples
from tests.thresholds import replaced_constants

EXAMPLES = examples(40)
PREFIX = f"@prefix e: <{EX}> .\n"
NODES = [ex(f"n{i}") for i in range(6)]
RIGHT = "e:r(?x, ?z) :- e:r(?x, ?y), e:s(?y, ?z) ."
CHAINS = f"""
{RIGHT}
{RIGHT} e:r(?x, ?y) :- e:s(?x, ?y) .
e:r(?x, ?y) :- e:s(?x, ?y) . e:r(?x, ?z) :- e:s(?x, ?y), e:r(?y, ?z) . {RIGHT}
e:r(?x, ?y) :- e:s(?y, ?x) . e:r(?x, ?z) :- e:r(?x, ?y), e:s(?z, ?y) . e:b(?x, ?y) :- e:r(?x, ?y), e:r(?y, ?x) .
e:r(?x, ?z) :- e:s(?x, ?y), e:r(?y, ?z) .
{RIGHT} e:r(?x, ?z) :- e:l(?x, ?y), e:r(?y, ?z) .
e:r(?x, ?z) :- e:r(?x, ?y), e:s(?z, ?y) . e:r(?x, ?z) :- e:l(?y, ?x), e:r(?y, ?z) .
{RIGHT} e:r(?x, ?z) :- e:r(?x, ?y), e:l(?y, ?z) . e:r(?x, ?y) :- e:a(?x, ?y) .
{RIGHT} e:i(?y, ?x) :- e:r(?x, ?y) . e:r(?y, ?x) :- e:i(?x, ?y) . e:i(?x, ?z) :- e:i(?x, ?y), e:l(?y, ?z) .
{RIGHT} e:r(?x, ?y) :- e:a(?x, ?y), e:c(?x, e:c) . e:b(?x, ?y) :- e:r(?x, ?y), e:r(?y, ?x) .
e:r(?x, ?z) :- e:r(?x, ?y), e:l(?y, ?z) . e:t(?x, ?z) :- e:t(?x, ?y), e:r(?y, ?z) . e:t(?x, ?y) :- e:a(?x, ?y) .
"""
STEPS = """
e:c(?x, e:c) :- e:s(?x, ?x) .
e:s(?x, ?z) :- e:s(?x, ?y), e:s(?y, ?z) .
e:s(?x, ?z) :- e:s(?x, ?y), e:s(?y, ?z) . e:s(?y, ?x) :- e:s(?x, ?y) .
e:s(?x, ?y) :- e:t0(?x, ?y) . e:t0(?x, ?z) :- e:t0(?x, ?y), e:t0(?y, ?z) .
e:s(?x, ?z) :- e:s(?x, ?y), e:s(?y, ?z), e:c(?y, e:c) .
"""


def facts() -> st.SearchStrategy[Triple]:
    node = st.sampled_from(NODES)
    names = st.sampled_from([ex(name) for name in ("r", "s", "s", "l", "a", "i", "t0")])
    return st.one_of(
        st.tuples(node, names, node),
        st.tuples(node, names, node),
        st.tuples(node, names, st.just(Literal("1"))),
        st.tuples(node, st.just(ex("c")), st.just(ex("c"))),
    )


def lines(text: str) -> st.SearchStrategy[str]:
    return st.sampled_from(text.strip().splitlines())


@pytest.mark.parametrize("schemes", [AUTO, PLAIN])
@settings(max_examples=EXAMPLES)
@given(
    chain=lines(CHAINS),
    step=lines(STEPS),
    start=st.lists(facts(), min_size=4, max_size=14),
    steps=st.lists(st.tuples(st.lists(st.integers(0, 30), max_size=3), st.lists(facts(), max_size=3)), max_size=6),
)
def test_chains_equal_the_oracle(
    schemes: str, chain: str, step: str, start: list[Triple], steps: list[tuple[list[int], list[Triple]]]
) -> None:
    program = parse_program(PREFIX + chain + step)
    for base, found in replay(program, schemes, start, steps):
        for subject, predicate, object in list(found)[:5]:
            ids = [base.dictionary.encode(term) for term in (subject, predicate, object)]
            view = base.all()
            assert view.contains(*ids)
            assert view.count(ids[0]) == sum(triple[0] == subject for triple in found)
            assert view.count(object=ids[2]) == sum(triple[2] == object for triple in found)
            assert view.count(None, *ids[1:]) == sum(triple[1:] == (predicate, object) for triple in found)


def test_a_chain_is_kept_in_a_scheme() -> None:
    """A hundred documents about the last of a thousand topics, each below the next."""
    base = KnowledgeBase(PREFIX + RIGHT + " e:s(?x, ?z) :- e:s(?x, ?y), e:s(?y, ?z) .")
    add(base, *((ex(f"t{i}"), ex("s"), ex(f"t{i + 1}")) for i in range(1000)))
    add(base, *((ex(f"d{i}"), ex("r"), ex("t0")) for i in range(100)))
    schemes = {entry.name: (entry.scheme, entry.facts) for entry in base.statistics().relations}
    assert schemes[EX + "r"] == ("chain", 100 * 1001)
    remove(base, (ex("t500"), ex("s"), ex("t501")))
    assert base.all().count(predicate=base.dictionary.lookup(ex("r"))) == 100 * 501
    remove(base, (ex("d0"), ex("r"), ex("t0")))
    assert base.all().count(predicate=base.dictionary.lookup(ex("r"))) == 99 * 501


def test_steps_that_continue_themselves_are_a_closure_whose_pairs_are_counted() -> None:
    base = KnowledgeBase(PREFIX + RIGHT + " e:r(?x, ?y) :- e:s(?x, ?y) .")
    add(base, *((ex(f"t{i}"), ex("s"), ex(f"t{i + 1}")) for i in range(1000)))
    relation = base.dictionary.lookup(ex("r"))

    schemes = {entry.name: (entry.scheme, entry.facts) for entry in base.statistics().relations}
    assert schemes[EX + "r"] == ("transitive", 1000 * 1001 // 2)

    remove(base, (ex("t500"), ex("s"), ex("t501")))
    assert base.all().count(predicate=relation) == 500 * 501 // 2 + 499 * 500 // 2

    add(base, (ex("d0"), ex("r"), ex("t999")))  # continued, and a step of nothing
    assert base.all().count(predicate=relation) == 500 * 501 // 2 + 499 * 500 // 2 + 2
    remove(base, (ex("d0"), ex("r"), ex("t999")))
    assert base.all().count(predicate=relation) == 500 * 501 // 2 + 499 * 500 // 2


def test_ends_that_reach_much_in_common_give_each_pair_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two graphs with a large cycle and ways into it, one before and one after the pairs; both ends are asked."""
    monkeypatch.setattr("kgreason.relations.chain._MANY", 3)
    text = PREFIX + RIGHT + " e:r(?x, ?z) :- e:l(?x, ?y), e:r(?y, ?z) . e:b(?y, ?x) :- e:r(?x, ?y), e:p(?x, ?y) ."
    edges = np.random.default_rng(5).integers(0, 25, (3, 34, 2)).tolist()
    found = []
    for schemes in (AUTO, PLAIN):
        base = KnowledgeBase(text, schemes=schemes)
        for name, rows in zip("lsr", edges, strict=True):
            add(base, *((ex(f"n{x}"), ex(name), ex(f"n{y}")) for x, y in rows))
        add(base, *((ex(f"n{x}"), ex("p"), ex(f"n{y}")) for x in range(25) for y in range(25)))
        with replaced_constants(JOIN_ROWS=8):
            found.append(triples(base, base.all()))
    assert found[0] == found[1]
    assert sum(predicate == ex("r") for _, predicate, _ in found[0]) > 300
