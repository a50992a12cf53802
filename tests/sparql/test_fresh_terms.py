"""Functions that give something new in each solution, and those that depend on the query: NOW and IRI."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np
import pytest

from kgreason.algebra.expressions.tree import Call, FallbackCall, Variable
from kgreason.algebra.local_terms import UNBOUND
from kgreason.errors import FunctionError
from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from kgreason.rdf.vocabulary import XSD
from kgreason.sparql.algebra import (
    Aggregate,
    Basic,
    Distinct,
    Expression,
    Extend,
    Filter,
    Group,
    Join,
    LeftJoin,
    Node,
    Project,
    TriplePattern,
    Union,
    Values,
)  # fmt: skip
from kgreason.sparql.put_query import answer
from kgreason.sparql.rewrites import rewritten
from kgreason.sparql.solution_expressions import Expressions
from kgreason.sparql.solutions import Solutions
from kgreason.sparql.source import Graphs
from kgreason.store.knowledge_base import KnowledgeBase
from tests.sparql.literals import TERMS
from tests.sparql.test_expressions import no_exists, query_terms, solutions


def answers(node: Node, *names: str) -> list[tuple[Term | None, ...]]:
    """The solutions of a node over no data."""
    knowledge = KnowledgeBase("none")
    found = answer(node, names, Graphs(knowledge.all(), {}), knowledge.dictionary)
    rows = found.whole().spread()
    columns = [rows.column(name).tolist() for name in names]
    return [tuple(None if i == UNBOUND else found.terms.decode(i) for i in row) for row in zip(*columns, strict=True)]


def extended(node: Node, **expressions: Expression) -> Node:
    for name, expression in expressions.items():
        node = Extend(node, name, expression)
    return node


PAIRS = Values(("x", "y"), tuple((Literal(a), Literal(b)) for a in "aab" for b in "ab"))


def test_a_blank_node_for_each_solution_and_text() -> None:
    nodes = {name: Call("bnode", (Variable(of),)) for name, of in (("p", "x"), ("q", "y"), ("r", "x"))}
    found = answers(extended(PAIRS, **nodes), "x", "y", "p", "q", "r")
    assert len(found) == 6
    assert len({p for _, _, p, _, _ in found}) == 6
    for x, y, p, q, r in found:
        assert isinstance(p, BlankNode)
        assert (p == q) == (x == y)
        assert p == r


def test_a_blank_node_of_its_own_each_time() -> None:
    found = answers(extended(PAIRS, p=Call("bnode", ()), q=Call("bnode", ())), "p", "q")
    assert len({node for row in found for node in row}) == 12


def test_only_simple_texts_name_blank_nodes() -> None:
    given = Values(("x",), ((Literal("a", None, "en"),), (IRI("urn:a"),), (Literal("a", XSD + "string"),), (None,)))
    found = [p for (p,) in answers(extended(given, p=Call("bnode", (Variable("x"),))), "p")]
    assert [isinstance(p, BlankNode) for p in found] == [False, False, True, False]


def test_a_group_makes_its_nodes_before_it_is_joined() -> None:
    group = extended(Values((), ((),)), p=Call("bnode", ()))
    basic = extended(Basic(()), p=Call("bnode", ()))
    for part in (group, basic):
        found = answers(Join((PAIRS, part)), "x", "p")
        assert len(found) == 6
        assert len({p for _, p in found}) == 1


def test_random_numbers_and_identifiers_are_new_in_each_solution() -> None:
    node = extended(PAIRS, a=Call("rand", ()), b=Call("uuid", ()), c=Call("struuid", ()))
    found = answers(node, "a", "b", "c")
    assert len(set(found)) == 6
    for a, b, c in found:
        assert isinstance(a, Literal)
        assert a.datatype == XSD + "double"
        assert 0 <= float(a.lexical) < 1
        assert isinstance(b, IRI)
        assert b.value.startswith("urn:uuid:")
        assert isinstance(c, Literal)
        assert len(c.lexical) == 36


def test_equal_solutions_that_are_counted_or_made_distinct_are_still_several() -> None:
    twice = Values(("x",), ((Literal("a"),), (Literal("a"),)))
    fresh = extended(twice, u=Call("uuid", ()))
    assert len(answers(Distinct(Project(fresh, ("x", "u"))), "x", "u")) == 2
    counted = Group(fresh, (), (("n", Aggregate("count", Variable("u"), distinct=True)),))
    assert answers(counted, "n") == [(Literal("2", XSD + "integer"),)]


def test_now_is_one_moment() -> None:
    terms = query_terms([])
    expressions = Expressions(terms, now=datetime(2026, 11, 21, 15, 30, tzinfo=UTC))
    found = expressions.values(Call("now", ()), Solutions({}, 3), no_exists)
    assert [terms.decode(i) for i in found.tolist()] == [Literal("2026-11-21T15:30:00Z", XSD + "dateTime")] * 3
    later = [Expressions(terms).values(Call("now", ()), Solutions({}, 1), no_exists) for _ in range(2)]
    assert terms.decode(int(later[0][0])) != terms.decode(int(found[0]))


def test_relative_iris_are_those_of_the_query() -> None:
    terms = query_terms([])
    table = solutions([{"x": Literal("b?c")}, {"x": IRI("urn:a")}, {"x": Literal("a", None, "en")}], terms)
    found = Expressions(terms, base="http://example.org/a/").values(Call("iri", (Variable("x"),)), table, no_exists)
    assert terms.decode(int(found[0])) == IRI("http://example.org/a/b?c")
    assert terms.decode(int(found[1])) == IRI("urn:a")
    assert found[2] == UNBOUND


def test_functions_of_somebody_else_get_terms_once_for_each_combination() -> None:
    calls: list[Term] = []

    def shout(term: Term) -> Term:
        calls.append(term)
        if not isinstance(term, Literal):
            raise FunctionError("no literal")
        return Literal(term.lexical + "!")

    terms = query_terms(TERMS[:3])
    rows: list[dict[str, Term]] = [{"x": Literal("a")}, {"x": IRI("urn:a")}, {}, {"x": Literal("a")}]
    found = Expressions(terms).values(FallbackCall("shout", (Variable("x"),), shout), solutions(rows, terms), no_exists)
    shouted = Literal("a!")
    made = [None if i == UNBOUND else terms.decode(i) for i in found.tolist()]
    assert made == [shouted, None, None, shouted]
    assert len(calls) == 2


def test_terms_that_a_query_makes_again_have_the_same_id() -> None:
    terms = query_terms([Literal("a!"), Literal("b", None, "en")])
    keys = ['"a!"', '"c"', '"c"', '"b"@EN', '"d"@EN', '"d"@en', '"\ud800"']
    found = terms.encode_keys(keys).tolist()
    assert found[:-1] == [terms.encode(terms.decode(i)) for i in found[:-1]]
    assert found[1] == found[2]
    assert found[4] == found[5]
    assert len({*found}) == 5
    assert found[:1] + found[3:4] == [0, 1]
    assert (np.array(found)[[1, 4, 6]] > terms.highest).all()


HALF = Call("<", (Call("rand", ()), Literal("0.5", XSD + "decimal")))
X, Y = Variable("x"), Variable("y")
ONE = Basic((TriplePattern(X, IRI("urn:p"), Literal("7")),))
COUNT = Aggregate("count", None)


def spread_out() -> tuple[KnowledgeBase, Basic]:
    """Data with 500 solutions of a pattern: one subject, and 500 objects that nobody asks for."""
    knowledge = KnowledgeBase("none")
    encode = knowledge.dictionary.encode
    for number in range(500):
        knowledge.add(DEFAULT_GRAPH, *map(encode, (IRI("urn:s"), IRI("urn:p"), Literal(str(number)))))
    return knowledge, Basic((TriplePattern(X, IRI("urn:p"), Y),))


def counted(pattern: Callable[[Basic], Node], aggregate: Aggregate = COUNT) -> float:
    """The aggregate over all solutions of a rewritten pattern."""
    knowledge, basic = spread_out()
    node = rewritten(Group(pattern(basic), (), (("n", aggregate),)))
    found = answer(node, ["n"], Graphs(knowledge.all(), {}), knowledge.dictionary)
    (number,) = found.whole().column("n").tolist()
    literal = found.terms.decode(number)
    assert isinstance(literal, Literal)
    return float(literal.lexical)


@pytest.mark.parametrize(
    "pattern",
    [
        lambda basic: Filter(HALF, basic),
        lambda basic: Filter(HALF, Filter(Call("isiri", (X,)), basic)),
        lambda basic: Filter(HALF, Join((basic, Values(("z",), ((None,),))))),
        lambda basic: Filter(HALF, Extend(basic, "z", Literal("a"))),
        lambda basic: Filter(HALF, LeftJoin(Basic(()), basic)),
        lambda basic: Join((Filter(HALF, basic), ONE)),
        lambda basic: Filter(HALF, Union((basic, Values(("x",), ())))),
        lambda basic: Filter(Call("bound", (Y,)), LeftJoin(Basic(()), basic, HALF)),
    ],
)
def test_a_filter_draws_a_number_for_each_solution(pattern: Callable[[Basic], Node]) -> None:
    # Half of 500, give or take a standard deviation of 11.
    assert 150 < counted(pattern) < 350


def test_a_filter_draws_before_its_part_is_joined() -> None:
    drawn = [counted(lambda basic: Join((basic, Filter(HALF, ONE)))) for _ in range(20)]
    assert {*drawn} <= {0, 500}


def test_an_aggregate_draws_a_number_for_each_solution() -> None:
    # 500 numbers add up to 250, give or take a standard deviation of 6.5.
    assert 200 < counted(lambda basic: basic, Aggregate("sum", Call("rand", ()))) < 300
    assert counted(lambda basic: basic, Aggregate("count", Call("uuid", ()), distinct=True)) == 500
    assert counted(lambda basic: basic, Aggregate("count", HALF, distinct=True)) == 2
