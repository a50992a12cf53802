"""Random algebra over random graphs, against the definition of SPARQL in plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from kgreason.algebra.expressions.tree import Variable
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.rdf.model import IRI, Term
from kgreason.sparql import algebra as a
from kgreason.sparql.put_query import answer
from kgreason.sparql.rewrites import rewritten
from kgreason.sparql.scope import variables_of
from kgreason.sparql.solutions import Solutions
from kgreason.sparql.source import Graphs, Together
from kgreason.store.knowledge_base import DEFAULT_GRAPH, KnowledgeBase
from tests.profiles import examples
from tests.sparql import nodes
from tests.sparql.algebra_oracle import Triple, World, multiset, solve
from tests.thresholds import Tuned, shrink

EXAMPLES = examples(80)
RULES = ["none", "<urn:step>(?x,?z) :- <urn:step>(?x,?y), <urn:step>(?y,?z) . <urn:q>(?y,?x) :- <urn:step>(?x,?y) ."]


def loaded(rules: str, quads: Iterable[tuple[int, Triple]]) -> KnowledgeBase:
    base = KnowledgeBase(rules)
    for graph, triple in quads:
        name = DEFAULT_GRAPH if graph == 2 else base.dictionary.encode(nodes.GRAPHS[graph])
        base.add(name, *map(base.dictionary.encode, triple))
    return base


def graphs_of(base: KnowledgeBase, listed: Sequence[IRI] = nodes.GRAPHS) -> Graphs:
    names = (base.dictionary.lookup(name) for name in listed)
    named = {name: base.graph(name) for name in names if name is not None and name in base.graphs()}
    together = Together(base.views().columns, named.keys(), len(listed) < len(nodes.GRAPHS))
    return Graphs(base.all(), named, together)


def world_of(base: KnowledgeBase, graphs: Graphs) -> World:
    def triples(view: object) -> frozenset[Triple]:
        decode = base.dictionary.decode
        return frozenset(
            (decode(s), decode(p), decode(o))
            for chunk in view.match(None, None, None)
            for s, p, o in zip(*(column.tolist() for column in chunk), strict=True)
        )

    return World(triples(graphs.default), {base.dictionary.decode(n): triples(v) for n, v in graphs.named.items()})


def decoded(solutions: Solutions, terms: LocalTerms) -> list[dict[str, Term]]:
    solutions._check()
    rows = [{} for _ in range(solutions.length)]
    for name, column in solutions.columns.items():
        for row, identifier in zip(rows, column.tolist(), strict=True):
            if identifier != UNBOUND:
                row[name] = terms.decode(identifier)
    return rows


@pytest.fixture(autouse=True, params=["as they are", "shrunk"])
def thresholds(request: pytest.FixtureRequest, tuned: Tuned) -> None:
    if request.param == "shrunk":
        shrink(tuned)


quads = st.lists(st.tuples(st.integers(0, 2), nodes.triples), max_size=14)


@pytest.mark.parametrize("rules", RULES)
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(quads=quads, node=nodes.nodes)
def test_solutions_are_those_of_the_definition(rules: str, quads: list, node: a.Node) -> None:
    base = loaded(rules, quads)
    graphs = graphs_of(base)
    expected = solve(node, world_of(base, graphs))
    assume(len(expected) < 5000)
    names = sorted(variables_of(node))
    found = answer(rewritten(node), names, graphs, base.dictionary)
    assert multiset(decoded(found.whole(), found.terms)) == multiset(expected)
    found = answer(node, names, graphs, base.dictionary, explained=True)
    assert multiset(decoded(found.whole(), found.terms)) == multiset(expected)


@pytest.mark.parametrize("listed", [1, 2])
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(quads=quads, node=nodes.nodes, name=nodes.variables)
def test_what_is_asked_of_all_graphs_at_once(
    tuned: Tuned, listed: int, quads: list, node: a.Node, name: Variable
) -> None:
    tuned(ASKED_GRAPHS=0)
    base = loaded("none", quads)
    graphs = graphs_of(base, nodes.GRAPHS[:listed])
    query = a.Graph(name, node)
    expected = solve(query, world_of(base, graphs))
    assume(len(expected) < 5000)
    names = sorted(variables_of(query))
    found = answer(rewritten(query), names, graphs, base.dictionary)
    assert multiset(decoded(found.whole(), found.terms)) == multiset(expected)


@pytest.mark.parametrize("rules", RULES)
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(quads=quads, node=nodes.nodes, data=st.data())
def test_a_distinct_projection_and_a_slice(rules: str, quads: list, node: a.Node, data: st.DataObject) -> None:
    base = loaded(rules, quads)
    graphs = graphs_of(base)
    names = data.draw(st.lists(st.sampled_from(sorted(variables_of(node)) or ["x"]), unique=True))
    query = a.Distinct(a.Project(node, tuple(names)))
    expected = multiset(solve(query, world_of(base, graphs)))
    found = answer(rewritten(query), names, graphs, base.dictionary)
    assert multiset(decoded(found.whole(), found.terms)) == expected
    length = data.draw(st.integers(0, 5))
    for sliced in (a.Slice(query, 1, length), a.Slice(a.Project(node, tuple(names)), 0, length)):
        size = len(solve(sliced, world_of(base, graphs)))
        found = answer(rewritten(sliced), names, graphs, base.dictionary)
        part = multiset(decoded(found.whole(), found.terms))
        assert part.total() == size
        assert part <= multiset(solve(sliced.node, world_of(base, graphs)))


PAIRS = st.tuples(*[st.sampled_from("vwxyz")] * 2)
EDGES = st.lists(st.tuples(*[st.integers(0, 6)] * 2), min_size=15, max_size=30, unique=True)


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edges=EDGES, pairs=st.lists(PAIRS, min_size=3, max_size=4), data=st.data())
def test_wanted_ends_of_patterns_with_many_solutions(
    tuned: Tuned, edges: list, pairs: list, data: st.DataObject
) -> None:
    tuned(WITNESS_ROWS=2, WITNESS_GAIN=1)
    linked = IRI("urn:p")
    triples = [(IRI(f"urn:{left}"), linked, IRI(f"urn:{right}")) for left, right in edges]
    base = loaded("none", [(2, triple) for triple in triples])
    graphs = graphs_of(base)
    node: a.Node = a.Basic(tuple(a.TriplePattern(Variable(left), linked, Variable(right)) for left, right in pairs))
    if data.draw(st.booleans()):
        node = a.LeftJoin(node, a.Basic((a.TriplePattern(Variable("x"), linked, IRI("urn:0")),)), None)
    names = data.draw(st.lists(st.sampled_from(sorted(variables_of(node))), unique=True, max_size=3))
    query = a.Distinct(a.Project(node, tuple(names)))
    found = answer(rewritten(query), names, graphs, base.dictionary)
    assert multiset(decoded(found.whole(), found.terms)) == multiset(solve(query, world_of(base, graphs)))
