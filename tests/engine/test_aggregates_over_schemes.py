"""Aggregates of facts that are not written out: of closures, and of things that are equal.

Caught here: values from a part of a closure's pairs, a group that a change of a schema does not reach, equal things
that are counted as one, and a look at all pairs of a closure where it is closed anew.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import OWL, RDF, RDFS, SKOS, Graph, Namespace

from kgreason import ReasoningStore
from kgreason.relations.table import Columns, Mask
from kgreason.relations.transitive.closure_table import TransitiveTable
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.rule_sets import resolve_rules
from tests.engine.test_histories import LIKELY
from tests.engine.test_oracle import NODES, axiom, facts, properties, run
from tests.facade import EX
from tests.profiles import examples

pytestmark = pytest.mark.filterwarnings("ignore::kgreason.errors.ListWarning")

E = Namespace(EX)
PREFIX = f"@prefix e: <{EX}> .\n"

RULES = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
[?c, e:narrower, #count(?n)] :- skos:narrowerTransitive(?c, ?n) .
[?c, e:shared, ?n] :-
    AGGREGATE(skos:narrowerTransitive(?c, ?x), skos:narrowerTransitive(?c, ?y) ON ?c BIND COUNT(*) AS ?n) .
[e:all, e:pairs, ?n] :- AGGREGATE(skos:narrowerTransitive(?c, ?x) BIND COUNT(*) AS ?n) .
"""


def test_counts_of_a_closure_follow_its_changes() -> None:
    graph = Graph(store=ReasoningStore(rules=["skos", PREFIX + RULES]))
    edges = [(0, 1), (1, 2), (2, 3), (1, 4), (4, 5), (5, 3), (3, 1)]
    for a, b in edges:
        graph.add((E[f"c{b}"], SKOS.broader, E[f"c{a}"]))

    for removed in (None, (3, 1), (1, 2), (0, 1)):
        if removed is not None:
            edges.remove(removed)
            graph.remove((E[f"c{removed[1]}"], SKOS.broader, E[f"c{removed[0]}"]))
        below = {start: reached(start, edges) for start in range(6)}
        assert {(str(s), int(o)) for s, o in graph.subject_objects(E.narrower)} == {
            (str(E[f"c{start}"]), len(found)) for start, found in below.items() if found
        }
        assert {int(o) for o in graph.objects(None, E.shared)} == {len(f) ** 2 for f in below.values() if f}
        assert [int(o) for o in graph.objects(E.all, E.pairs)] == [sum(map(len, below.values()))]


def test_counts_of_a_closure_that_is_closed_anew_look_at_few_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """An edge back closes a circle in a path, for which all labels are made anew, and goes again."""
    nodes = 1_500
    rules = "[?x, e:p, ?y] :- [?x, e:e, ?y] . [?x, e:p, ?z] :- [?x, e:p, ?y], [?y, e:e, ?z] ."
    graph = Graph(store=ReasoningStore(rules=f"{PREFIX}{rules} [?x, e:c, #count(?y)] :- [?x, e:p, ?y] ."))
    graph.addN((E[f"n{node}"], E.e, E[f"n{node + 1}"], graph) for node in range(nodes))
    begin, end = nodes // 2, nodes * 3 // 4
    back = (E[f"n{end}"], E.e, E[f"n{begin}"])
    path = [nodes - node for node in range(nodes)]
    # The nodes of the circle reach all of it, and what comes after it; those before it reach what they did.
    circle = [nodes - begin + 1 if begin <= node <= end else number for node, number in enumerate(path)]
    assert counts(graph, nodes) == path
    looked_at = 0
    contains = TransitiveTable.contains

    def counted(table: TransitiveTable, columns: Columns) -> Mask:
        nonlocal looked_at
        looked_at += len(columns[0])
        return contains(table, columns)

    monkeypatch.setattr(TransitiveTable, "contains", counted)

    graph.add(back)
    assert counts(graph, nodes) == circle
    graph.remove(back)
    assert counts(graph, nodes) == path
    assert looked_at < 10 * nodes


def counts(graph: Graph, nodes: int) -> list[int]:
    """What `e:c` says of the nodes of a path."""
    found = {str(subject): int(number) for subject, number in graph.subject_objects(E.c)}
    return [found[str(E[f"n{node}"])] for node in range(nodes)]


def reached(start: int, edges: list) -> set:
    found: set = set()
    waiting = [start]
    while waiting:
        fresh = {b for a, b in edges if a == waiting[-1]} - found
        waiting.pop()
        found |= fresh
        waiting.extend(fresh)
    return found


def test_aggregates_beside_owl() -> None:
    rules = f"{PREFIX}[?c, e:members, #count(?x)] :- [?x, a, ?c], [?c, a, e:Counted] . "
    rules += "[?x, a, e:Parent] :- AGGREGATE(e:child(?x, ?y) ON ?x BIND COUNT(?y) AS ?n), ?n >= 2 ."
    graph = Graph(store=ReasoningStore(rules=["owl-rl", rules]))
    graph.add((E.son, RDFS.subPropertyOf, E.child))
    graph.add((E.Parent, RDFS.subClassOf, E.Person))
    graph.add((E.a, E.son, E.b))
    graph.add((E.a, E.child, E.c))
    assert (E.a, RDF.type, E.Person) in graph

    graph.add((E.d, OWL.sameAs, E.b))
    assert (E.a, E.child, E.d) in graph
    graph.remove((E.a, E.son, E.b))
    assert (E.a, RDF.type, E.Person) not in graph


EQUAL = """
[?x, e:q0, #count(?y)] :- e:p0(?x, ?y) . [?x, e:q1, #max(?y)] :- e:p1(?x, ?y) .
[?c, e:q2, #count(?x)] :- [?x, a, ?c], e:C0(?x) . [e:all, e:q3, ?n] :- AGGREGATE(e:p0(?x, ?y) BIND COUNT(*) AS ?n) .
e:many(?x) :- AGGREGATE([?x, owl:sameAs, ?y] ON ?x BIND COUNT(?y) AS ?n), ?n > 1 .
[?x, e:q4, ?n] :- AGGREGATE(e:p0(?x, ?y), e:p1(?y, ?z) ON ?x BIND COUNT(?z) AS ?n) .
"""
SCHEMA = st.one_of(
    axiom(st.sampled_from(NODES), str(OWL.sameAs), st.sampled_from(NODES)),
    axiom(properties, str(RDFS.subPropertyOf), properties),
    axiom(properties, str(OWL.inverseOf), properties),
)


@given(
    batches=st.lists(
        st.lists(st.tuples(LIKELY, st.one_of(SCHEMA, facts, facts)), min_size=1, max_size=8), min_size=1, max_size=4
    )
)
@settings(max_examples=examples(8))
def test_things_that_are_equal_count_each(batches: list) -> None:
    program = resolve_rules(["owl-rl", PREFIX + EQUAL])
    run(KnowledgeBase(program), program, batches)
