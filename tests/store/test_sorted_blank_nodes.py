"""Blank nodes are named by what is said of them: would catch files that differ though their triples are the same, where
nodes can be told apart, and a part of a class that keeps a signature it shares with another part."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Graph

from kgreason import ReasoningStore
from tests.profiles import examples

FIRST = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#first>"
REST = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#rest>"
NIL = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil>"
COUNT = 1500

Triples = list[tuple[str, str, str]]


def written(triples: Triples, chance: Random) -> str:
    """Turtle of the same triples in another order, with other labels."""
    labels = sorted({term for triple in triples for term in triple if term.startswith("_:")})
    new = dict(zip(labels, [f"_:n{number}" for number in chance.sample(range(10**6), len(labels))], strict=True))
    lines = [" ".join(new.get(term, term) for term in triple) + " .\n" for triple in triples]
    chance.shuffle(lines)
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.parse(data="".join(lines), format="kg-nt")
    return graph.serialize(format="kg-turtle")


CHAIN = [(f"_:b{number}", "<urn:p>", f"_:b{number + 1}") for number in range(COUNT)]
LIST_OF_EQUALS = [(f"_:b{number}", FIRST, '"0"') for number in range(COUNT)]
LIST_OF_EQUALS += [(f"_:b{number}", REST, f"_:b{number + 1}" if number < COUNT - 1 else NIL) for number in range(COUNT)]
CYCLE_WITH_A_MARK = [*CHAIN, (f"_:b{COUNT}", "<urn:p>", "_:b0"), ("_:b7", "<urn:q>", "<urn:mark>")]
TWO_CHAINS = [*CHAIN, *((f"_:c{number}", "<urn:p>", f"_:c{number + 1}") for number in range(COUNT // 2))]


@pytest.mark.parametrize("triples", [CHAIN, LIST_OF_EQUALS, CYCLE_WITH_A_MARK, TWO_CHAINS])
def test_nodes_that_are_far_from_all_difference_are_told_apart(triples: Triples) -> None:
    assert written(triples, Random(1)) == written(triples, Random(2))


NODES = [f"_:b{number}" for number in range(7)]
random_triples = st.lists(
    st.tuples(st.sampled_from(NODES), st.sampled_from(["<urn:p>", "<urn:q>"]), st.sampled_from([*NODES, "<urn:a>"])),
    max_size=14, unique=True,
)  # fmt: skip


def classes(triples: Triples) -> dict[str, int]:
    """The class of each blank node: all are one, and are split by their triples until nothing changes."""
    nodes = {term for triple in triples for term in triple if term.startswith("_:")}
    found: dict[str, int] = dict.fromkeys(nodes, 0)
    while True:
        said = {
            node: (
                found[node],
                tuple(sorted((p, str(found.get(o, o))) for s, p, o in triples if s == node)),
                tuple(sorted((p, str(found.get(s, s))) for s, p, o in triples if o == node)),
            )
            for node in nodes
        }
        numbers = {key: number for number, key in enumerate(sorted(set(said.values())))}
        if len(numbers) == len(set(found.values())):
            return found
        found = {node: numbers[key] for node, key in said.items()}


@settings(max_examples=examples(200))
@given(triples=random_triples, seed=st.integers(0, 1000))
def test_files_are_the_same_where_all_nodes_differ(triples: Triples, seed: int) -> None:
    found = classes(triples)
    if len(set(found.values())) == len(found):
        assert written(triples, Random(seed)) == written(triples, Random(seed + 1))
