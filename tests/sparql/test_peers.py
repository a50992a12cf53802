"""Random queries as text, put to a store, to Oxigraph and to rdflib's own evaluator over the same triples.

The answer must be that of one of the peers. What the definition of SPARQL says is `test_evaluation`'s.
"""

from __future__ import annotations

from collections import Counter

import pyoxigraph
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rdflib import Dataset
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.term import Node, Variable

from kgreason import ReasoningStore
from kgreason.algebra.expressions import tree
from kgreason.rdf.model import IRI
from kgreason.sparql import algebra as a
from kgreason.sparql.scope import variables_of
from tests.profiles import examples
from tests.sparql import nodes, text

EXAMPLES = examples(60)
RULES = ("none", "<urn:step>(?x,?z) :- <urn:step>(?x,?y), <urn:step>(?y,?z) . <urn:q>(?y,?x) :- <urn:step>(?x,?y) .")

quads = st.lists(st.tuples(st.integers(0, 2), nodes.triples), max_size=12)


def document(quads: list[tuple[int, tuple[object, ...]]]) -> str:
    """N-Quads."""
    return "".join(
        f"{' '.join(map(str, triple))}{'' if graph == 2 else f' {nodes.GRAPHS[graph]}'} .\n" for graph, triple in quads
    )


def line(quad: tuple[Node, ...]) -> str:
    """A quad in N-Quads; rdflib's default graph has a name of its own."""
    parts = quad[:3] if quad[3] in (None, DATASET_DEFAULT_GRAPH_ID) else quad
    return f"{' '.join(part.n3() for part in parts)} .\n"


def oxigraph(closure: str, query: str, names: list[str]) -> Counter[tuple[str, ...]]:
    store = pyoxigraph.Store()
    store.load(closure.encode(), format=pyoxigraph.RdfFormat.N_QUADS)
    rows = store.query(query, use_default_graph_as_union=False)
    return Counter(tuple(str(row[name] or "") for name in names) for row in rows)


def rdflib_rows(dataset: Dataset, query: str, names: list[str]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(spelled(row.get(Variable(name))) for name in names) for row in dataset.query(query).bindings)


def spelled(node: Node | None) -> str:
    return "" if node is None else node.n3()


@pytest.mark.parametrize("rules", RULES)
@settings(max_examples=EXAMPLES)
@given(quads=quads, node=nodes.nodes)
def test_a_store_answers_as_its_peers_do(rules: str, quads: list, node: a.Node) -> None:
    names = sorted(variables_of(node)) or ["x"]
    query = text.query(node, names)
    store = ReasoningStore(rules=rules)
    dataset = Dataset(store=store)
    dataset.parse(data=document(quads), format="nquads")
    closure = "".join(map(line, dataset.quads()))
    expected = oxigraph(closure, query, names)
    assume(expected.total() < 2000)
    found = rdflib_rows(dataset, query, names)
    if found != expected:  # each of the two has its own bugs, which the other one has not
        peer = Dataset()
        peer.parse(data=closure, format="nquads")
        assert found == rdflib_rows(peer, query, names)


def test_the_text_of_a_query_is_that_of_its_algebra() -> None:
    node = a.LeftJoin(a.Basic((a.TriplePattern(tree.Variable("x"), IRI("urn:p"), tree.Variable("y")),)), a.Basic(()))
    assert text.query(node, ["x"]) == "SELECT ?x { { ?x <urn:p> ?y } OPTIONAL { {  } } }"
