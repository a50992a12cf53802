"""EXISTS against its definition by substitution, where its pattern has parts that are solved by themselves.

Would catch an OPTIONAL or a MINUS inside of EXISTS that does not see the variables outside.
"""

from __future__ import annotations

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Graph

from kgreason import ReasoningStore
from kgreason.sparql import algebra as a
from kgreason.sparql.put_query import answer
from kgreason.sparql.rewrites import rewritten
from kgreason.sparql.scope import variables_of
from tests.profiles import examples
from tests.sparql import nodes
from tests.sparql.algebra_oracle import multiset, solve
from tests.sparql.test_evaluation import decoded, graphs_of, loaded, world_of

EXAMPLES = examples(50)

# Few terms and many triples, so that patterns have solutions that agree with some of those outside and not with others.
ends = st.one_of(nodes.variables, nodes.variables, nodes.variables, st.sampled_from(nodes.NODES[:3]))
patterns = st.builds(a.TriplePattern, ends, st.sampled_from(nodes.PREDICATES[:2]), ends)
basics = st.lists(patterns, min_size=1, max_size=2).map(lambda atoms: a.Basic(tuple(atoms)))
leaves = st.one_of(basics, st.just(a.Basic(())))
optionals = st.builds(a.LeftJoin, leaves, basics, st.one_of(st.none(), nodes.comparisons))
triples = st.tuples(*map(st.sampled_from, (nodes.NODES[:3], nodes.PREDICATES[:2], nodes.NODES[:3])))
quads = st.lists(st.tuples(st.just(2), triples), min_size=4, max_size=9)
nested = st.recursive(
    st.one_of(leaves, optionals),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: a.Join(tuple(parts))),
        st.builds(lambda one, other: a.Join((one, other)), optionals, inner),
        st.builds(a.LeftJoin, inner, inner, st.one_of(st.none(), nodes.comparisons)),
        st.builds(a.Filter, nodes.comparisons, inner),
        st.lists(inner, min_size=2, max_size=2).map(lambda parts: a.Union(tuple(parts))),
    ),
    max_leaves=4,
)
outside = st.one_of(
    basics,
    st.builds(a.LeftJoin, basics, basics),
    st.lists(basics, min_size=2, max_size=2).map(lambda parts: a.Union(tuple(parts))),
)


@settings(max_examples=EXAMPLES)
@given(quads=quads, node=outside, inner=nested, negated=st.booleans())
def test_exists_is_as_defined_for_nested_patterns(quads: list, node: a.Node, inner: a.Node, negated: bool) -> None:
    base = loaded("none", quads)
    graphs = graphs_of(base)
    query = a.Filter(a.Exists(inner, negated), node)
    names = sorted(variables_of(query))

    for asked in (query, rewritten(query)):
        found = answer(asked, names, graphs, base.dictionary)
        assert multiset(decoded(found.whole(), found.terms)) == multiset(solve(query, world_of(base, graphs)))


DATA = """
@prefix : <urn:> .
:a :p :b, "x" . :b :p "y" . :c :p :a ; :q :a . :d :p :b ; :q :c .
"""
CASES = [
    # The OPTIONAL is about the ?v outside; solved by itself it would bind another one, and nothing would agree.
    ("?z :p ?v FILTER EXISTS { OPTIONAL { ?x :p|:q ?v . :a :p ?x } :a :p ?v }", {("a", "b"), ("a", "x"), ("d", "b")}),
    # What MINUS takes away depends on ?v.
    ("?z :q ?v FILTER EXISTS { :d :q ?y MINUS { ?y :q ?v } }", {("d", "c")}),
    ("?z :q ?v FILTER NOT EXISTS { :d :q ?y MINUS { ?y :q ?v } }", {("c", "a")}),
    # It takes nothing away where no variable of its own is shared.
    ("?z :q ?v FILTER EXISTS { ?x :p :b MINUS { ?y :q ?v } }", {("c", "a"), ("d", "c")}),
    ("?z :q ?v FILTER EXISTS { ?x :p :b { OPTIONAL { ?x :q ?y FILTER(?y = ?v) } FILTER(BOUND(?y)) } }", {("d", "c")}),
    # A subquery reads the ?v outside that it selects, as it is or in another one, but not one that it hides.
    ("?z :q ?v FILTER EXISTS { :a :p ?x { SELECT ?x ?v { ?y :p ?x FILTER(?v = :c) } } }", {("d", "c")}),
    ("?z :q ?v FILTER EXISTS { :a :p ?x { SELECT DISTINCT ?x ?v { ?y :p ?x FILTER(?v = :c) } } }", {("d", "c")}),
    ("?z :q ?v FILTER EXISTS { :a :p ?x { SELECT ?x { ?y :p ?x FILTER(?v = :c) } } }", set()),
]


@pytest.mark.parametrize(("where", "expected"), CASES)
def test_exists_with_parts_that_are_solved_by_themselves(where: str, expected: set[tuple[str, str]]) -> None:
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.parse(data=DATA, format="turtle")

    rows = graph.query(f"PREFIX : <urn:> SELECT DISTINCT ?z ?v {{ {where} }}")

    assert {tuple(str(term).removeprefix("urn:") for term in row) for row in rows} == expected


def test_exists_in_a_plan_that_is_explained() -> None:
    store = ReasoningStore(rules="none")
    Graph(store=store).parse(data=DATA, format="turtle")

    plan = store.explain_query(f"PREFIX : <urn:> SELECT * {{ {CASES[0][0]} }}")

    assert "3 solutions" in plan


NUMBERED = """
@prefix : <urn:> .
:a :p 1 . :b :p 2 . :c :p 3 . :a :q :b . :b :q :c . :b :q :d .
"""
COUNTED = [
    ("EXISTS { SELECT ?x { ?x :q ?w } LIMIT 1 }", "ab"),
    ("NOT EXISTS { SELECT ?x { ?x :q ?w } LIMIT 1 }", "c"),
    ("EXISTS { SELECT * { ?x :q ?w } LIMIT 1 }", "ab"),
    ("EXISTS { SELECT ?x { ?x :q ?w } LIMIT 0 }", ""),
    ("EXISTS { SELECT ?x { ?x :q ?w } OFFSET 1 }", "b"),
    ("EXISTS { SELECT ?x ?w { ?x :q ?w } ORDER BY ?w OFFSET 1 LIMIT 1 }", "b"),
    ("EXISTS { { SELECT ?x ?w { ?x :q ?w } ORDER BY ?w LIMIT 1 } ?y :q ?w }", "ab"),
    ("EXISTS { { SELECT ?x ?w { ?x :q ?w } ORDER BY DESC(?w) LIMIT 1 } FILTER(?w = :d) }", "b"),
    ("EXISTS { ?y :p 1 MINUS { SELECT ?x ?y { ?x :q ?w . ?y :p 1 } LIMIT 1 } }", "c"),
    ("EXISTS { SELECT ?v { ?y :q ?z FILTER(?v = 1) } }", "a"),
    ("EXISTS { SELECT ?v { ?y :q ?z FILTER(?v = 1) } LIMIT 5 }", "a"),
    ("EXISTS { SELECT ?v (COUNT(*) AS ?n) { ?y :q ?z FILTER(?v = 1) } GROUP BY ?v }", "a"),
    ("EXISTS { SELECT ?x { ?x :q ?w } GROUP BY ?x HAVING(COUNT(?w) > 1) }", "b"),
    ("EXISTS { SELECT ?x (COUNT(?w) AS ?n) { ?x :q ?w } GROUP BY ?x LIMIT 1 }", "ab"),
    ("EXISTS { { SELECT ?x (COUNT(?w) AS ?n) { ?x :q ?w } GROUP BY ?x } FILTER(?n = 2) }", "b"),
    ("EXISTS { SELECT (COUNT(?w) AS ?n) { ?x :q ?w } OFFSET 0 }", "abc"),
]


@pytest.mark.parametrize(("condition", "expected"), COUNTED)
def test_exists_with_subqueries_that_count_or_group(condition: str, expected: str) -> None:
    """Those of one solution outside, as if its terms stood in the place of the variables that are selected."""
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.parse(data=NUMBERED, format="turtle")

    query = f"PREFIX : <urn:> SELECT ?x {{ ?x :p ?v FILTER {condition} }}"
    rows = graph.query(query)

    assert "".join(sorted(str(row[0]).removeprefix("urn:") for row in rows)) == expected
    oxigraph = pyoxigraph.Store()
    oxigraph.load(NUMBERED.encode(), format=pyoxigraph.RdfFormat.TURTLE)
    assert "".join(sorted(row[0].value.removeprefix("urn:") for row in oxigraph.query(query))) == expected
