"""A rule is refused exactly when a variable has nothing to take its values from, or a relation or list no name."""

from __future__ import annotations

import re

import pytest

from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.errors import UnsafeRuleError
from kgreason.program.parser import parse_program
from kgreason.program.rules import Assignment, FactAtom, Rule
from kgreason.program.safety import check_safety
from kgreason.rdf.model import Literal

PREFIX = "@prefix ex: <http://e/> .\n"


@pytest.mark.parametrize(
    "text",
    [
        "ex:p(ex:a, ex:b) .",
        "q(?x) :- ex:p(?x, ?y) .",
        "q(?x) :- ex:p(?x, _) .",
        "q(?x, ?y) :- r(?x, ?y), ~s(?y, ?x) .",
        "q(?w) :- ?w = ?v * 2, ?v = ?x + 1, r(?x) .",
        "q(?x, ?n) :- AGGREGATE(r(?x, ?y) ON ?x BIND COUNT(?y) AS ?n), ?n > 1 .",
        "[?x, a, ?c] :- AGGREGATE([?x, ex:p, ?y] ON ?x BIND MAX(?y) AS ?c) .",
        "q(?x) :- ?x = 1 .",
        "false :- r(?x), ?x > 1 .",
        "[?x, ?p, ?y] :- [?y, ?p, ?x] .",
        "[?x, ?p, ?y] :- r(?x, ?p, ?y) .",
        "[?x, ?q, ?y] :- [?p, rdfs:subPropertyOf, ?q], [?x, ?p, ?y] .",
        "[?x, a, ?c] :- [?p, rdfs:domain, ?c], [?x, ?p, _] .",
        "[?x, a, ?c] :- [?x, a, ?d], member(?l, ?i, ?c), [?d, ex:all, ?l] .",
        "q(?x, ?i) :- ex:list(?c, ?l), member(?l, ?i, ?x) .",
        "q(?x, ?y) :- ex:list(?c, ?l), path(?x, ?l, ?y) .",
        "q(?y) :- ex:list(?c, ?l), every(?m, ?l, [?y, a, ?m]) .",
        "[?y, ?p, ?c] :- ex:list(?c, ?l), every(?m, ?l, [?y, ?p, ?m]) .",
        "q(?c) :- ex:list(?c, ?l), every(?m, ?l, [?local, a, ?m]) .",
        "q(?l) :- [?l, a, ex:List], member(?l, _, _) .",
    ],
)
def test_rule_with_bound_variables_is_taken(text: str) -> None:
    check_safety(parse_program(PREFIX + text).rules[0])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("q(?x) .", "no positive body atom binds ?x of the head q(?x)"),
        ("ex:p(ex:a, ?x) .", "binds ?x of the head"),
        ("q(?x, ?z) :- r(?x, ?y) .", "binds ?z of the head q(?x, ?z)"),
        ("q(?x, _) :- r(?x) .", "binds _ of the head"),
        ("q(?x), p(?z) :- r(?x) .", "binds ?z of the head p(?z)"),
        ("q(?x) :- ~r(?x) .", "binds ?x of the head"),
        ("q(?x) :- r(?x), ~s(?x, ?z, ?y) .", "binds ?y, ?z of ~s(?x, ?z, ?y)"),
        ("q(?x) :- r(?x), ?z > ?x .", "binds ?z of (?z > ?x)"),
        ("q(?x) :- r(?x), STRLEN(STR(?z)) > 1 .", "binds ?z of"),
        ("false :- r(?x), ~s(?y) .", "binds ?y of ~s(?y)"),
        ("q(?v) :- r(?x), ?v = ?w + 1 .", "binds ?v of the head"),
        ("q(?x) :- r(?x), ?v = ?w + 1, ?w = ?v - 1 .", "binds ?v, ?w of"),
        ("q(?x) :- r(?x), ?v = ?v .", "binds ?v of"),
        ("q(?x) :- r(?x), BIND(?y AS ?v) .", "binds ?v, ?y of"),
        ("q(?m) :- ex:list(?c, ?l), every(?m, ?l, [?y, a, ?m]) .", "binds ?m of the head"),
        ("q(?x) :- member(?l, ?i, ?x) .", "nothing says which list ?l is"),
        ("q(?x) :- r(?l), path(?x, ?l, ?y) .", "nothing says which list ?l is"),
        ("q(?x) :- [?x, ?p, ?l], every(?m, ?l, [?x, a, ?m]) .", "nothing says which list ?l is"),
        ("q(?x) :- [?x, a, ?l], member(?l, ?i, ?y) .", "nothing says which list ?l is"),
        ("q(?x) :- r(?x), ~ex:p(?x, ?l), member(?l, ?i, ?x) .", "?l"),
        ("[?x, ?p, ?y] :- ex:p(?x, ?y) .", "binds ?p of the head"),
        ("[?x, ?p, ?y] :- ex:p(?x, ?y), ?p = ex:q .", "nothing says which relation ?p is"),
        ("[?x, a, ?c] :- r(?x, ?n), ?c = IRI(?n) .", "nothing says which relation ?c is"),
        ("q(?x) :- r(?x, ?n), ?c = IRI(?n), ~[?x, a, ?c] .", "nothing says which relation ?c is"),
        ("[?x, ?p, ?y] :- [?p, ?q, ?y], ex:p(?x, ?y) .", "nothing says which relation ?p is"),
        ("[?x, ?p, ?x] :- ex:list(?x, ?l), path(?p, ?l, ?y) .", "nothing says which relation ?p is"),
    ],
)
def test_rule_with_an_unbound_variable_is_refused_at_its_place(text: str, reason: str) -> None:
    with pytest.raises(UnsafeRuleError, match=re.escape(reason)) as caught:
        parse_program(f"{PREFIX}% a comment\n  {text}", "mine")
    assert str(caught.value).startswith("mine:3:3: ")


def test_the_order_of_assignments_does_not_matter() -> None:
    x, v, w = map(Variable, "xvw")
    one = Literal("1")
    assignments = (Assignment(w, Call("+", (v, one))), Assignment(v, Call("+", (x, one))))
    for order in (assignments, assignments[::-1]):
        check_safety(Rule((FactAtom("q", (w,)),), (FactAtom("r", (x,)),), assignments=order))
        with pytest.raises(UnsafeRuleError):
            check_safety(Rule((FactAtom("q", (w,)),), (), assignments=order))


def test_an_anonymous_variable_under_negation_is_existential() -> None:
    (rule,) = parse_program("q(?x) :- r(?x), ~s(?x, _), ~t(_, _) .").rules
    assert len(rule.negated) == 2
