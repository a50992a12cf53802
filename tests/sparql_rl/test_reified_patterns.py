"""Rules over reified triples beside CONSTRUCT of Oxigraph: would catch a join of reified triples that loses a solution,
or compares a part with that of another triple, and a change that it does not follow."""

from __future__ import annotations

from random import Random

import pyoxigraph
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.sparql_rl.documents import read_text
from tests.profiles import examples
from tests.sparql.triple_term_queries import QueryMaker, text_of
from tests.sparql_rl.stores import canonical, ids_of, inferred_of, store_with, triples_of


@settings(max_examples=examples(150))
@given(seed=st.integers(0, 1 << 48))
def test_a_rule_infers_what_construct_makes_after_every_change(seed: int) -> None:
    maker = QueryMaker(Random(seed))
    bodies = [f"{maker.basic()} {maker.basic()}" for _ in range(2)]
    heads = [f"{maker.variable()} <urn:new{number}> {maker.variable()}" for number in range(2)]
    assume(all(name in body for head, body in zip(heads, bodies, strict=True) for name in head.split()[::2]))
    rules = "\n".join(f"RULE {{ {head} }} WHERE {{ {body} }}" for head, body in zip(heads, bodies, strict=True))
    base = [f"{' '.join(map(text_of, triple))} ." for triple in dict.fromkeys(maker.triples)]
    knowledge = store_with(read_text(rules), triples_of("\n".join(base)))

    for gone in [None, *maker.chance.sample(base, 2)]:
        if gone is not None:
            base.remove(gone)
            knowledge.remove(DEFAULT_GRAPH, *ids_of(triples_of(gone)[0], knowledge))

        assert inferred_of(knowledge) == canonical(inferred_by_queries(base, heads, bodies)), f"{rules}\n{base}"


def inferred_by_queries(base: list[str], heads: list[str], bodies: list[str]) -> set[pyoxigraph.Triple]:
    """What queries make of the data and of what they made, until nothing is new."""
    store = pyoxigraph.Store()
    store.load("\n".join(base).encode(), format=pyoxigraph.RdfFormat.N_TRIPLES)
    inferred: set[pyoxigraph.Triple] = set()
    conditions = [f"{{ {body} FILTER(isIRI({head.split()[0]})) }}" for head, body in zip(heads, bodies, strict=True)]
    queries = [f"CONSTRUCT {{ {head} }} WHERE {where}" for head, where in zip(heads, conditions, strict=True)]
    while True:
        try:
            new = {triple for query in queries for triple in store.query(query)} - inferred
        except RuntimeError:  # a literal as the subject of a triple term
            assume(False)
        if not new:
            return inferred
        inferred |= new
        store.extend(pyoxigraph.Quad(*triple) for triple in new)
