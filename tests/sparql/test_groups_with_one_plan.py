"""Patterns before and after OPTIONAL, MINUS and BIND, which have one plan where that means the same.

Would catch OPTIONAL, MINUS or BIND that moves beyond a pattern which binds what it reads, or reads what it binds.
"""

from __future__ import annotations

import random
from collections import Counter

import pyoxigraph
import pytest
from rdflib import Graph

from kgreason import ReasoningStore, tuning
from kgreason.sparql.algebra import Basic, Join, Node, Project
from kgreason.sparql.algebra_tree import inner_nodes
from kgreason.sparql.rewrites import rewritten
from kgreason.sparql.syntax.queries import parse_query
from tests.sparql.extensions import Extensions
from tests.thresholds import Tuned


def sizes(node: Node) -> list[int]:
    """How many atoms each basic graph pattern has, from the outside in."""
    own = [len(node.atoms)] if isinstance(node, Basic) else []
    return own + [size for inner in inner_nodes(node) for size in sizes(inner)]


@pytest.mark.parametrize(
    ("group", "patterns"),
    [
        ("?a :p ?b OPTIONAL { ?a :q ?c } ?b :r ?d", [2, 1]),
        ("?a :p ?b OPTIONAL { ?a :q ?c } ?c :r ?d", [1, 1, 1]),
        ("?a :p ?b OPTIONAL { ?a :q ?c FILTER(?d > 1) } ?b :r ?d", [1, 1, 1]),
        ("?a :p ?b OPTIONAL { ?a :q ?c FILTER(RAND() > 0.5) } ?b :r ?d", [1, 1, 1]),
        ("?a :p ?b OPTIONAL { ?a :q ?c } ?b :r ?d OPTIONAL { ?d :s ?e } ?d :t ?f", [3, 1, 1]),
        ("?a :p ?b OPTIONAL { ?a :q ?c } OPTIONAL { ?b :s ?e } ?e :t ?f", [1, 1, 1, 1]),
        ("?a :p ?b OPTIONAL { ?b :s ?e } OPTIONAL { ?a :q ?c } ?b :t ?f", [2, 1, 1]),
        ("?a :p ?b MINUS { ?a :q ?c } ?b :r ?d", [2, 1]),
        ("?a :p ?b MINUS { ?a :q ?d } ?b :r ?d", [1, 1, 1]),
        ("?a :p ?b BIND(STR(?a) AS ?c) ?b :r ?d", [2]),
        ("?a :p ?b BIND(STR(?a) AS ?c) ?b :r ?c", [1, 1]),
        ("?a :p ?b BIND(BOUND(?d) AS ?c) ?b :r ?d", [1, 1]),
        ("?a :p ?b BIND(RAND() AS ?c) ?b :r ?d", [1, 1]),
        ("?a :p ?b BIND(EXISTS { ?a :q ?d } AS ?c) ?b :r ?d", [1, 1]),
        ("{ ?a :p ?b OPTIONAL { ?a :q ?c } } { ?b :r ?d BIND(?d AS ?e) }", [2, 1]),
        ("?a :p ?b . ?c :p ?d . { ?a :q ?c } UNION { ?c :q ?a }", [1, 1, 1, 1]),
        ("?a :p ?b . ?c :p ?d . { ?a :q ?e } UNION { ?e :q ?a }", [2, 1, 1]),
        ("?a :p ?b . ?c :p ?d . ?d :r ?e . ?f :r ?b { SELECT DISTINCT ?a ?c { ?a :q ?c } }", [2, 2, 1]),
        ("?a :p ?b . ?c :p ?d . VALUES (?b ?d) { (1 2) }", [1, 1]),
        ("?a :p ?b . ?c :p ?d . GRAPH ?g { ?a :q ?c }", [1, 1, 1]),
        ("?a :p ?b . ?c :p ?d FILTER EXISTS { ?a :q ?c }", [3]),
        ("?a :p ?b FILTER EXISTS { ?a :q ?b . ?b :r 1 }", [3]),
        ("?a :p ?b FILTER EXISTS { ?a :q ?c }", [1]),
        ("?a :p ?b FILTER EXISTS { ?a :q|:r ?b }", [1]),
        ("?a :p ?b FILTER NOT EXISTS { ?a :q ?b }", [1]),
        ("?a :p ?b OPTIONAL { ?a :q ?c } FILTER EXISTS { ?a :r ?c }", [1, 1]),
    ],
)
def test_patterns_are_put_together_where_that_means_the_same(group: str, patterns: list[int]) -> None:
    query = parse_query(f"PREFIX : <http://e/> SELECT * {{ {group} }}", None, {}, Extensions())

    assert sorted(sizes(rewritten(query.node))) == sorted(patterns)


def test_a_server_is_named_before_it_is_asked() -> None:
    text = "PREFIX : <http://e/> SELECT * { ?a :p ?b BIND(?b AS ?c) SERVICE ?c { ?a :q ?d } }"
    query = parse_query(text, None, {}, Extensions())

    assert isinstance(query.node, Project)
    assert isinstance(rewritten(query.node.node), Join)


PARTS = (
    *("?a e:p ?b", "?c e:p ?d", "?c e:q ?c", "{ ?a e:q ?c } UNION { ?c e:q ?a }", "{ ?b e:q ?d } UNION { ?d e:p ?e }"),
    *("{ SELECT DISTINCT ?a ?d { ?a e:q ?x . ?x e:p ?d } }", "VALUES (?a ?c) { (e:n1 e:n2) (e:n2 UNDEF) }"),
    *("FILTER EXISTS { ?a e:q ?c }", "FILTER EXISTS { ?b e:p ?d . ?d e:p ?b }", "FILTER(?b != ?d)"),
    *("OPTIONAL { ?b e:q ?e }", "MINUS { ?c e:q ?b }", "{ ?c e:p ?d FILTER(?d != e:n1) }"),
)


@pytest.mark.parametrize("paired", [0, 10, tuning.FEW_PAIRED])
@pytest.mark.parametrize("seed", range(40))
def test_groups_of_several_parts_have_the_solutions_of_oxigraph(seed: int, paired: int, tuned: Tuned) -> None:
    tuned(FEW_PAIRED=paired)
    source = random.Random(seed)
    triples = {(source.randrange(5), source.choice("pq"), source.randrange(5)) for _ in range(14)}
    text = "".join(f"<http://e/n{s}> <http://e/{p}> <http://e/n{o}> .\n" for s, p, o in sorted(triples))
    group = " . ".join(source.sample(PARTS, source.randint(2, 5))).replace("} . ", "} ")
    query = f"PREFIX e: <http://e/> SELECT ?a ?b ?c ?d ?e {{ {group} }}"
    store = ReasoningStore(rules="none")
    store.bulk_load(text.encode(), format="nt")
    peer = pyoxigraph.Store()
    peer.load(text.encode(), format=pyoxigraph.RdfFormat.N_TRIPLES)

    rows = Graph(store=store).query(query)

    found = Counter(tuple(None if term is None else term.n3() for term in row) for row in rows)
    expected = Counter(tuple(None if term is None else str(term) for term in row) for row in peer.query(query))
    assert found == +(expected - Counter({(None,) * 5: expected[(None,) * 5]})), query
