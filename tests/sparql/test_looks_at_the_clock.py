"""Work that is long in one step looks at the clock within: catches loops that a limit of time cannot end.

The clock advances by a second with each look, so that a limit is one of looks.
"""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest
from rdflib import Graph, Literal, Namespace

from kgreason import ReasoningStore
from kgreason.algebra import joins
from kgreason.algebra.local_terms import LocalTerms
from kgreason.checkpoints import heeding
from kgreason.columns.pairs import runs_within
from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import QueryLimitError
from kgreason.relations.plain import table_of
from kgreason.sparql import limits
from kgreason.sparql.solutions import Solutions
from kgreason_rdflib import rdflib_tuning
from kgreason_rdflib.sparql import construct_templates as templates
from kgreason_rdflib.sparql.solution_terms import Decoder
from kgreason_rdflib.sparql.update_operations import Rewrite, parsed_operations
from kgreason_rdflib.term_border import TermBorder
from tests.thresholds import Tuned

EX = Namespace("http://example.org/")
LOOKS = 20


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> int:
    seconds = count()
    monkeypatch.setattr(limits, "monotonic", lambda: next(seconds))
    return LOOKS


@pytest.fixture(scope="module")
def graph() -> Graph:
    """Four hundred nodes around a hub, on a chain."""
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.bind("ex", EX)
    nodes = [EX[f"x{i}"] for i in range(400)]
    graph.addN((node, EX.into, EX.hub, graph) for node in nodes)
    graph.addN((EX.hub, EX["from"], node, graph) for node in nodes)
    graph.addN((nodes[i], EX.next, nodes[i + 1], graph) for i in range(399))
    graph.addN((nodes[i], EX.p, Literal(i), graph) for i in range(400))
    len(graph)
    return graph


def stops(graph: Graph, query: str, looks: int) -> None:
    with pytest.raises(QueryLimitError):
        graph.query(query, timeout=looks)


def test_construct_looks_between_pieces(graph: Graph, clock: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rdflib_tuning, "FILLED_TERM_ROWS", 10)
    stops(graph, "CONSTRUCT { ?x ex:q ?y } { ?x ex:next ?y }", clock)


def test_construct_looks_between_the_triples_of_a_template() -> None:
    solutions = Solutions({"x": np.zeros(1, dtype=np.uint32)}, 1)
    template = [(EX.s, EX[f"p{number}"], EX.o) for number in range(LOOKS)]
    decoder = Decoder(LocalTerms(Dictionary()), TermBorder(Dictionary()))
    looks: list[int] = []
    with heeding(looks.append):
        triples = [*templates.filled_once(template, solutions, decoder)]
    assert len(triples) == len(looks) == LOOKS


def test_wide_expression_looks_between_its_parts(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    def looks(choices: int) -> int:
        seconds = count()
        monkeypatch.setattr(limits, "monotonic", lambda: next(seconds))
        computed = ", ".join(f"?a + {number}" for number in range(1, choices + 1))
        list(graph.query(f"SELECT * {{ ?x ex:p ?a FILTER(?a IN (?x, {computed})) }}", timeout=1_000_000))
        return next(seconds)

    assert looks(4 * LOOKS) - looks(1) >= 4 * LOOKS


@pytest.mark.parametrize(
    "operation", ["CREATE SILENT GRAPH ex:g{}", "COPY SILENT ex:f TO ex:g{}", "DROP SILENT GRAPH ex:g{}"]
)
def test_update_looks_between_operations(graph: Graph, clock: int, operation: str) -> None:
    text = " ; ".join(operation.format(number) for number in range(3 * LOOKS))
    size = len(graph)
    with pytest.raises(QueryLimitError):
        graph.update(text, timeout=clock)
    assert len(graph) == size


def test_describe_looks_between_resources(graph: Graph, clock: int) -> None:
    stops(graph, "DESCRIBE ?x { ?x ex:next ?y }", clock)


def test_path_looks_between_layers(graph: Graph, clock: int) -> None:
    stops(graph, "SELECT (COUNT(*) AS ?n) { ex:x0 ex:next+ ?y }", clock)


def test_sequence_of_paths_looks_between_pieces(graph: Graph, clock: int, tuned: Tuned) -> None:
    tuned(SEARCHED_PIECE=1000)
    stops(graph, "SELECT * { ?x (ex:into/ex:from)+ ?y }", clock)


@pytest.mark.parametrize("operation", ["INSERT { ?x ex:q [] }", "INSERT { ?x ex:q ?t }"])
def test_template_looks_while_it_makes_terms(graph: Graph, clock: int, operation: str) -> None:
    size = len(graph)
    with pytest.raises(QueryLimitError):
        graph.update(operation + " WHERE { ?x ex:p ?a . ?y ex:p ?b BIND(STR(?a * 400 + ?b) AS ?t) }", timeout=clock)
    assert len(graph) == size


def test_text_of_many_terms_is_looked_up_at_while_it_is_parsed(graph: Graph, clock: int) -> None:
    stops(graph, "SELECT * { VALUES ?x { " + "ex:x1 " * 2000 + "} ?x ex:p ?y }", clock)
    with pytest.raises(QueryLimitError):
        graph.update("INSERT DATA { " + "ex:a ex:b ex:c . " * 2000 + "}", timeout=clock)


def test_many_triples_stay_in_the_order_in_which_they_are_written() -> None:
    names = [f"http://example.org/{number * 7 % 300}" for number in range(300)]

    text = "INSERT DATA { " + " ".join(f"<{name}> <p:> <o:> ." for name in names) + " }"
    (operation,) = parsed_operations(text, None, {})

    assert isinstance(operation, Rewrite)
    assert [str(subject) for _, subject, _, _ in operation.insert] == names


def test_join_of_skewed_columns_comes_in_pieces(tuned: Tuned) -> None:
    tuned(JOIN_ROWS=50)
    left = Solutions({"x": np.arange(20, dtype=np.uint32), "y": np.zeros(20, dtype=np.uint32)}, 20)
    right = Solutions({"y": np.zeros(30, dtype=np.uint32), "z": np.arange(30, dtype=np.uint32)}, 30)

    pieces = [*joins.join_pieces(left, right)]

    assert max(map(len, pieces)) <= 50
    assert {*zip(*(joins.join(left, right).columns[name].tolist() for name in "xz"), strict=True)} == {
        (x, z) for x in range(20) for z in range(30)
    }


def test_join_says_how_many_rows_it_makes() -> None:
    side = Solutions({"x": np.zeros(1000, dtype=np.uint32)}, 1000)
    with heeding(limits.Limits(rows=100_000).check), pytest.raises(QueryLimitError):
        joins.join(side, side)


def test_look_up_of_a_hub_comes_in_pieces() -> None:
    hub = table_of((np.zeros(30, dtype=np.uint32), np.arange(30, dtype=np.uint32)))
    ids = np.array([0, 1, 0, 0, 2, 0], dtype=np.uint32)

    pieces = [*hub.lookups({0: ids}, 60)]

    assert [len(index) for index, _ in pieces] == [60, 60]
    assert np.concatenate([index for index, _ in pieces]).tolist() == sorted([0, 2, 3, 5] * 30)


def test_runs_end_before_they_are_too_long() -> None:
    assert [*runs_within(np.array([3, 3, 9, 1, 0, 2]), 6)] == [(0, 2), (2, 3), (3, 6)]
    assert [*runs_within(np.array([], dtype=np.int64), 6)] == []


def test_patterns_that_backtrack_look_before_each_text(graph: Graph, clock: int) -> None:
    """Each of many texts may take most of the time that one may take."""
    stops(graph, r"SELECT * { ?x ex:next ?y FILTER(REGEX(STR(?y), '(x)\\1')) }", clock)
    stops(graph, r"SELECT (REPLACE(STR(?y), '(x)\\1', '') AS ?z) { ?x ex:next ?y }", clock)
    stops(graph, r"SELECT (REPLACE(STR(?y), '(x)\\1', ?q) AS ?z) { ?x ex:next ?y BIND(STR(?x) AS ?q) }", clock)


@pytest.mark.parametrize(
    "expression",
    ["ENCODE_FOR_URI(?t)", "UCASE(?t)", "MD5(?t)", "REPLACE(?t, '(x)z', '$1')", "CONCAT(?t, STR(?n))", "SUBSTR(?t, 2)"],
)
def test_functions_of_long_texts_look_more_often(expression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They take time with the characters, of which few rows may have many."""
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.bind("ex", EX)
    graph.addN((EX[f"x{i}"], EX.text, Literal(f"{i} " + "x" * (1 << 20)), graph) for i in range(LOOKS))
    graph.addN((EX[f"x{i}"], EX.number, Literal(i), graph) for i in range(LOOKS))

    def looks(bound: str) -> int:
        seconds = count()
        monkeypatch.setattr(limits, "monotonic", lambda: next(seconds))
        graph.query(f"SELECT ?m {{ ?x ex:text ?t ; ex:number ?n BIND({bound} AS ?m) }}", timeout=10_000)
        return next(seconds)

    assert looks(expression) > looks("?t") + LOOKS / 2
