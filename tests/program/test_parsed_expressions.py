"""Filters, assignments and aggregates mean what is written: an operator that binds otherwise, a filter taken for an
assignment, or an aggregate left in a head would be found here."""

from __future__ import annotations

import re

import pytest

from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.errors import UnsafeRuleError
from kgreason.program.parser import parse_program
from kgreason.program.rules import AggregateValue, Assignment, FactAtom
from kgreason.rdf.model import Literal
from tests.program.parsed_rules import ONE, PREFIX, V, W, X, Y, only_rule


@pytest.mark.parametrize(
    ("text", "written_out"),
    [
        ("?x + ?y * ?z < 1", "((?x + (?y * ?z)) < 1)"),
        ("?x - ?y - ?z < 1", "(((?x - ?y) - ?z) < 1)"),
        ("?x - (?y - ?z) < 1", "((?x - (?y - ?z)) < 1)"),
        ("?x / ?y * ?z <= -1", "(((?x / ?y) * ?z) <= -1)"),
        ("?x > 1 && ?y > 1 || ?z > 1", "(((?x > 1) && (?y > 1)) || (?z > 1))"),
        ("?x > 1 || ?y > 1 && ?z > 1", "((?x > 1) || ((?y > 1) && (?z > 1)))"),
        ("!?x && !(?y || ?z)", "((!(?x)) && (!((?y || ?z))))"),
        ("?x<?y", "(?x < ?y)"),
        ("?x <-1", "(?x < (-1))"),
        ("?x-1 > ?y", "((?x - 1) > ?y)"),
        ("?x == ?y", "(?x = ?y)"),
        ("-?x < ?y", "(-(?x) < ?y)"),
        ("?x < <urn:y>", "(?x < <urn:y>)"),
        ("STRLEN(STR(?x)) >= strlen(?y)", "(strlen(str(?x)) >= strlen(?y))"),
        ("regex(?x, '^a', 'i')", "REGEX(?x, '^a', 'i')"),
        ("isIRI(?x)", "ISIRI(?x)"),
        ("STRLEN(?x)", "(strlen(?x))"),
    ],
)
def test_filters(text: str, written_out: str) -> None:
    body = "r(?x, ?y, ?z)"
    assert only_rule(f"ok(?x) :- {body}, FILTER({written_out}) .") == only_rule(f"ok(?x) :- {body}, {text} .")
    assert only_rule(f"ok(?x) :- filter({text}), {body} .").filters == only_rule(f"ok(?x) :- {body}, {text} .").filters


def test_the_text_of_an_expression_is_a_call() -> None:
    rule = only_rule('q(?x) :- r(?x, ?y), FILTER(contains(?y, "a") && ?x + 1 != ?y) .')
    expected = Call("&&", (Call("contains", (Y, Literal("a"))), Call("!=", (Call("+", (X, ONE)), Y))))
    assert rule.filters == (expected,)


PLUS_ONE = Call("+", (X, ONE))


@pytest.mark.parametrize(
    ("items", "assignments", "filters"),
    [
        ("?v = ?x + 1", [Assignment(V, PLUS_ONE)], []),
        ("?x + 1 = ?v", [Assignment(V, PLUS_ONE)], []),
        ("BIND(?x + 1 AS ?v)", [Assignment(V, PLUS_ONE)], []),
        ("bind(?x + 1 as ?v)", [Assignment(V, PLUS_ONE)], []),
        ("?v = ?y, ?v = ?x", [Assignment(V, Y)], [Call("=", (V, X))]),
        ("?v = ?w, ?w = ?x", [Assignment(V, W), Assignment(W, X)], []),
        ("?v = ?w, ?v = ?x", [Assignment(W, V), Assignment(V, X)], []),
        ("?y = ?x", [], [Call("=", (Y, X))]),
        ("?y = ?x + 1", [], [Call("=", (Y, PLUS_ONE))]),
        ("BIND(?x + 1 AS ?y)", [], [Call("=", (Y, PLUS_ONE))]),
        ('?v = SKOLEM("f", ?x)', [Assignment(V, Call("skolem", (Literal("f"), X)))], []),
    ],
)
def test_equalities_assign_where_nothing_else_binds(items: str, assignments: list, filters: list) -> None:
    for text in (f"r(?x, ?y), {items}", f"{items}, r(?x, ?y)"):
        rule = only_rule(f"q(?x) :- {text} .")
        assert list(rule.assignments) == assignments
        assert list(rule.filters) == filters


@pytest.mark.parametrize("spaced", ["?x < ?y && ?y > 2", "1 <= ?x , ?y > ?x", "ex:a < ?x , 'a'@en > ?y", "?y < !3"])
def test_blanks_around_operators_mean_nothing(spaced: str) -> None:
    """After an operand < begins a comparison, not an IRI; a number after ! is negated, and names no variable."""
    close = spaced.replace(" ", "")
    assert only_rule(f"q(?x) :- r(?x, ?y), {close} .") == only_rule(f"q(?x) :- r(?x, ?y), {spaced} .")


def test_a_filter_never_assigns() -> None:
    with pytest.raises(UnsafeRuleError, match=r"binds \?v"):
        only_rule("q(?v) :- r(?x), FILTER(?v = ?x) .")


def test_membership_stands_among_atoms() -> None:
    rule = only_rule("q(?x) :- r(?x), in(?x, 1, 2), notin(?x, ?x) .")
    assert [filter.function for filter in rule.filters] == ["in", "notin"]
    assert len(rule.body) == 1


def test_a_relation_of_the_text_goes_before_a_built_in_of_its_name() -> None:
    text = "contains(?x, ?y) :- ex:p(?x, ?y) . STR(ex:a) . q(?x) :- contains(?x, ?y), STR(?y), CONTAINS(?x, 'a') ."
    rule = parse_program(PREFIX + text).rules[-1]
    assert rule.body == (FactAtom("contains", (X, Y)), FactAtom("STR", (Y,)))
    assert rule.filters == (Call("contains", (X, Literal("a"))),)


def test_a_name_before_a_square_bracket_is_that_of_a_relation() -> None:
    names = ("contains", "COUNT", "filter", "member", "path")
    rule = only_rule(f"q(?x, ?y, ?z) :- {', '.join(f'{name}[?x, ?y, ?z]' for name in names)}, ~isIRI[?x] .")
    assert rule.body == tuple(FactAtom(name, (X, Y, Variable("z"))) for name in names)
    assert rule.negated == (FactAtom("isIRI", (X,)),)
    assert rule.filters == ()


# -- aggregates -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("q(?x, #sum(?y))", "AGGREGATE(r(?x, ?y, ?z) ON ?x BIND SUM(DISTINCT ?y) AS ?sum_y)"),
        ("q(#count(?y, ?x))", "aggregate(r(?x, ?y, ?z) bind count(distinct ?y, ?x) as ?count_y)"),
        ("[?x, ex:p, #max(?y)]", "AGGREGATE(r[?x, ?y, ?z] ON $x BIND MAX(DISTINCT ?y) AS ?max_y)"),
        ("q(?x, #sum(-?y))", "AGGREGATE(r(?x, ?y, ?z), ?sum_of = -?y ON ?x BIND SUM(DISTINCT ?sum_of) AS ?sum_sum_of)"),
        ("ex:C(#min(?y))", "AGGREGATE(r[?x, ?y, ?z] BIND MIN(DISTINCT ?y) AS ?min_y)"),
        (
            "q(?z, ?x, #avg(?y * 2), #group_concat(?y; separator = ' - '))",
            "AGGREGATE(r(?x, ?y, ?z), ?avg_of = ?y * 2 ON ?z, ?x BIND AVG(DISTINCT ?avg_of) AS ?avg_avg_of, "
            "BIND GROUP_CONCAT(DISTINCT ?y; SEPARATOR=' - ') AS ?group_concat_y)",
        ),
    ],
)
def test_an_aggregate_of_a_head_is_one_of_a_body(head: str, body: str) -> None:
    written = only_rule(f"{head} :- r(?x, ?y, ?z) .")
    values = {f"#{value.function}": value.variable for value in written.aggregates[0].values}
    plain = re.sub(r"(#\w+)\([^)]*\)", lambda found: str(values[found[1]]), head)
    assert written == only_rule(f"{plain} :- {body} .")
    assert only_rule(str(written)) == written


def test_aggregates_of_bodies() -> None:
    rule = only_rule(
        "q(?x, ?m) :- s(?x), AGGREGATE(r(?x, ?y), ~s(?y), ?y > 1, ?z = ?y + 1 ON ?x BIND COUNT(*) AS ?n "
        "BIND SUM(-?z) AS ?d), ?m = ?n + 1 ."
    )
    (aggregate,) = rule.aggregates
    assert rule.body == (FactAtom("s", (X,)),)
    assert [str(each.variable) for each in rule.assignments] == ["?m"], "the values of an aggregate are known outside"
    assert (aggregate.group, aggregate.body) == ((X,), (FactAtom("r", (X, Y)),))
    assert aggregate.values[0] == AggregateValue(Variable("n"), "count", None)
    assert [str(each.variable) for each in aggregate.assignments] == ["?z", "?sum_of"]
    assert aggregate.values[1] == AggregateValue(Variable("d"), "sum", Variable("sum_of"))


def test_each_head_with_aggregates_is_a_rule() -> None:
    rules = parse_program("q(?x, #sum(?y)), s(?x), t(#sum(?y)) :- r(?x, ?y) .").rules
    assert [str(rule).split(" :-")[0] for rule in rules] == ["s(?x)", "q(?x, ?sum_y)", "t(?sum_y_2)"]
    assert [rule.aggregates[0].group for rule in rules[1:]] == [(X,), ()]


def test_heads_do_not_share_the_expressions_of_their_aggregates() -> None:
    """A binding for which one is in error counts in the other heads nevertheless."""
    heads = ["q(?x, #sum(?y * 2))", "s(?x)", "t(?x, #count(?y))", "u(?x, #sum(?y * 3), #max(?y * 4))"]
    plain, *grouped = parse_program(f"{', '.join(heads)} :- r(?x, ?y) .").rules
    assert plain == only_rule("s(?x) :- r(?x, ?y) .")
    assert grouped[1] == only_rule("t(?x, #count(?y)) :- r(?x, ?y) .")
    assert [len(rule.aggregates[0].assignments) for rule in grouped] == [1, 0, 2]


def test_what_looks_like_an_aggregate_elsewhere_is_none() -> None:
    text = "#count(?x) is a comment\ncount(?x) :- on(?x), sum(?x, ?y), distinct(?y), separator(?x) . # sum(?x)\n"
    assert len(only_rule(text).body) == 4
