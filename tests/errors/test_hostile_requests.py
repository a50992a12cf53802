"""Rules, queries and updates of strangers: an answer, or one error in one line, and the store as before.

Would catch an error of Python's or of a library's own in the place of ours, and a hang.
"""

from __future__ import annotations

import pytest
from rdflib import Graph

from kgreason import KGReasonError, ReasoningStore
from tests.errors.hostile import DIGITS, check

pytestmark = pytest.mark.slow

DEEP = 20_000
LONG = 1 << 20

RULES = {
    "deep parentheses": "<a:p>(?x) :- <a:q>(?x, ?y), " + "(" * DEEP + "?y" + ")" * DEEP + " > 1 .",
    "deep negation": "<a:p>(?x) :- <a:q>(?x, ?y), " + "~" * DEEP + "<a:r>(?x) .",
    "deep signs": "<a:p>(?x) :- <a:q>(?x, ?y), ?y > " + "-" * DEEP + "1 .",
    "long literal": f'<a:p>("{"x" * LONG}") .',
    "long literal that is open": f'<a:p>("{"x" * LONG}',
    "long IRI": f"<a:{'x' * LONG}>(?x) :- <a:q>(?x) .",
    "surrogate": '<a:p>("\ud800") .',
    "escaped surrogate": r'<a:p>("\ud800") .',
    "NUL": "<a:p>(\0) .",
    "NULs": "\0" * 100_000,
    "number": f"<a:p>({DIGITS}) . <a:q>(?x) :- <a:p>(?x), ?x > {DIGITS}.{DIGITS} .",
    "exponent": "<a:p>(1e999999999) .",
    "many arguments": "<a:p>(" + ", ".join(f"?x{n}" for n in range(2000)) + ") :- <a:q>(?x0) .",
    "prefix": f"@prefix {'p' * LONG}: <a:> .",
    "cut": "<a:p>(?x) :- ",
}
QUERIES = {
    "deep groups": "SELECT * " + "{" * DEEP + "}" * DEEP,
    "open groups": "SELECT * " + "{" * DEEP,
    "deep parentheses": "SELECT * { ?s ?p ?o FILTER(" + "(" * DEEP + "?o" + ")" * DEEP + ") }",
    "deep signs": "SELECT * { ?s ?p ?o FILTER(" + "!" * DEEP + "?o) }",
    "deep path": "SELECT * { ?s " + "(" * DEEP + "<a:p>" + ")" * DEEP + " ?o }",
    "deep lists": "SELECT * { ?s ?p " + "(" * DEEP + ")" * DEEP + " }",
    "deep brackets": "SELECT * { ?s ?p " + "[ <a:p> " * DEEP + "1" + " ]" * DEEP + " }",
    "long literal": f'SELECT * {{ ?s ?p "{"x" * LONG}" }}',
    "long literal that is open": f'SELECT * {{ ?s ?p "{"x" * LONG}',
    "long IRI": f"SELECT * {{ ?s ?p <a:{'x' * LONG}> }}",
    "surrogate": 'SELECT * { ?s ?p "\ud800" }',
    "escaped surrogate": r'SELECT * { ?s ?p "\ud800" }',
    "surrogate in an IRI": "SELECT * { ?s ?p <a:\udfff> }",
    "escape beyond Unicode": r'SELECT * { ?s ?p "\U7fffffff" }',
    "NUL": "SELECT * { ?s ?p \0 }",
    "NULs": "\0" * 100_000,
    "number": f"SELECT ({DIGITS} + 1 AS ?n) ({DIGITS}.5 * 2 AS ?m) {{}}",
    "exponent": "SELECT (1e999999999 AS ?n) {}",
    "limit": f"SELECT * {{ ?s ?p ?o }} LIMIT {DIGITS} OFFSET {DIGITS}",
    "cast": f'SELECT (<http://www.w3.org/2001/XMLSchema#integer>("{DIGITS}") AS ?n) {{}}',
    "group": "SELECT * { " + "?s ?p ?o . " * 2000 + "}",
    "cut": "SELECT * { ?s ?p ",
}
UPDATES = {
    "deep brackets": "INSERT DATA { <a:s> <a:p> " + "[ <a:p> " * DEEP + "1" + " ]" * DEEP + " }",
    "surrogate": 'INSERT DATA { <a:s> <a:p> "\ud800" }',
    "cut after an insertion": "INSERT DATA { <a:s> <a:p> 1 } ; INSERT DATA { <a:s> <a:p> ",
    "fails after an insertion": "INSERT DATA { <a:s> <a:p> 1 } ; LOAD <file:///etc/passwd>",
    "NUL in an IRI": "INSERT DATA { <a:\0> <a:p> 1 }",
    "many": "INSERT DATA { <a:s> <a:p> 1 } ; " * 500 + "x",
}


@pytest.mark.parametrize("text", RULES.values(), ids=RULES)
def test_rules_are_taken_or_refused_as_a_whole(graph: Graph, text: str) -> None:
    store = graph.store
    assert isinstance(store, ReasoningStore)
    try:
        store.add_rules(text)
        len(graph)
    except KGReasonError as error:
        check(error)
    assert len(store.explicit) == 1


@pytest.mark.parametrize("text", QUERIES.values(), ids=QUERIES)
def test_query_is_answered_or_refused(graph: Graph, text: str) -> None:
    try:
        list(graph.query(text))
    except KGReasonError as error:
        check(error)
    assert len(graph) == 1


@pytest.mark.parametrize("text", UPDATES.values(), ids=UPDATES)
def test_update_is_made_or_refused_as_a_whole(graph: Graph, text: str) -> None:
    try:
        graph.update(text)
    except KGReasonError as error:
        check(error)
        assert len(graph) == 1
    len(graph)
