"""Patterns before and after OPTIONAL, MINUS and BIND, which have one plan where that means the same.

Would catch OPTIONAL, MINUS or BIND that moves beyond a pattern which binds what it reads, or reads what it binds.
"""

from __future__ import annotations

import pytest

from kgreason.sparql.algebra import Basic, Join, Node, Project
from kgreason.sparql.algebra_tree import inner_nodes
from kgreason.sparql.rewrites import rewritten
from kgreason.sparql.syntax.queries import parse_query
from tests.sparql.extensions import Extensions


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
