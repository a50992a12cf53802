"""A fault of a text is one error with its place, in one line, for a human."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.errors import RuleError, RuleSyntaxError
from kgreason.program.parser import parse_program
from tests.profiles import examples


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("q(?x) :- r(?x)\nq(?x) :- s(?x) .", 2, 1, "unexpected 'q', expected ',' or '.'"),
        ("q(?x) :- r(?x)\n <http://e/p>(?x, ?y) .", 2, 2, "unexpected '<http://e/p>'; is a ',' missing?"),
        ("q(?x) :- [?x, ex:p, ?y] <http://e/p>(?x, ?y) .", 1, 25, "unexpected '<http://e/p>'; is a ',' missing?"),
        ("q r(?x) .", 1, 3, "unexpected 'r', expected '(' or ',' or '.' or ':-' or '['"),
        ("q(?x) :- r(?x)", 1, 15, "the text ends in the middle of a rule; is a '.' missing?"),
        ("q(?x) :- r(?x,\n\n", 1, 15, "ends in the middle"),
        ("q(?x) :- r(?x] .", 1, 14, "unexpected ']', expected ')'"),
        ("q(?x) :- r(?x) . . ", 1, 18, "unexpected '.'"),
        ("q(?x) :- r(?x), { } .", 1, 17, "unexpected character '{'"),
        ('q(?x) :- r(?x, "a\nb") .', 1, 16, "a string that is not closed"),
        ("q(?x) :- r(?x, <http://e/ a>) .", 1, 16, "an IRI that is not closed"),
        ("<http://e/ a>(?x) :- r(?x) .", 1, 1, "an IRI that is not closed"),
        ("@prefix p: <http://e/ a> .", 1, 12, "an IRI that is not closed"),
        ("@prefix p <http://e/> .", 1, 1, "@prefix has the form @prefix name: <iri> ."),
        ("@base p .", 1, 1, "@base has the form @base <iri> ."),
        ('#[name("a)]\nq(?x) :- r(?x) .', 1, 1, "an attribute that is not like"),
        ('#[nme("a")]\nq(?x) :- r(?x) .', 1, 1, 'the attribute #[nme("a")] is not like #[name("...")]'),
        ("#[name(a)]\nq(?x) :- r(?x) .", 1, 1, 'the attribute #[name(a)] is not like #[name("...")]'),
        ('#[name("a")]\n#![x(1)]\nq(?x) :- r(?x) .', 2, 1, 'the attribute #![x(1)] is not like #[name("...")]'),
        ("q(?x, #cuont(?y)) :- r(?x, ?y) .", 1, 7, "the aggregate #cuont is not supported; did you mean #count?"),
        ("q(?x, #median( ?y, ?z ) ) :- r(?x, ?y) .", 1, 7, "the aggregate #median is not supported"),
        ("q(#SUMM(?y * 2)) :- r(?x, ?y) .", 1, 3, "the aggregate #SUMM is not supported; did you mean #sum?"),
        ("q(?x) :-\n  no:p(?x, ?y) .", 2, 3, "the prefix no: is not declared"),
        ("no:q(?x) :-\n  nor:p(?x, ?y) .", 1, 1, "the prefix no: is not declared"),
        ("q(?x),\n no:s(?x) :-\n  nor:p(?x, ?y) .", 2, 2, "the prefix no: is not declared"),
        ("q(?x, #count(no:f)) :-\n  nor:p(?x, ?y) .", 1, 14, "the prefix no: is not declared"),
        ("q(?x) :- r(?x,\n  ex:a, no:b) .", 2, 9, "the prefix no: is not declared"),
        ("q(?x) :- [?x, no:b, ?y] .", 1, 15, "the prefix no: is not declared"),
        ("q(?x) :- [?x, <b>, ?y] .", 1, 15, "<b> is a relative IRI, and there is no @base"),
        ("@prefix p: <b> .", 1, 12, "relative IRI"),
        ("q(<http://e/\\u0020>) .", 1, 3, "not a valid IRI"),
        ("q(?x) :-\n  r(?x, '\ud800') .", 2, 9, "it has a lone surrogate"),
        # Each name is split by its first colon, and what comes of it is an IRI, or the rule could not be read again.
        ("@prefix e: <http://e'> .\nq(?x) :- r(?x), s(?x, e:p:x) .", 2, 23, '"http://e\'p:x" is not a valid IRI'),
        ("@prefix e: <http://> .\n[?x, e:a, ?y] :- [?x, e:p:x, ?y] .", 2, 23, "'http://p:x' is not a valid IRI"),
        ("@prefix e: <http://> .\ne:p:x(?x) :- r(?x) .", 2, 1, "not a valid IRI"),
        ("q(?x) :- r(?x, _, b, 1) .", 1, 19, "b is neither a variable nor a term; is a prefix or a '?' missing?"),
        ("q(?x) :- r(b) .", 1, 12, "b is neither a variable nor a term"),
        ("q(?x) :- r(?x, a) .", 1, 16, "a is neither a variable nor a term"),
        ("q(?x) :- [?x, 'p', ?y] .", 1, 15, '"p" cannot be a predicate'),
        ("q(?x) :- [?x, _:p, ?y] .", 1, 15, "_:p cannot be a predicate"),
        ("q(?x) :- ['x', ex:p, ?x] .", 1, 11, 'the literal "x" cannot be a subject'),
        ("q(?x) :- ex:p('x', ?x) .", 1, 10, 'the literal "x" cannot be a subject'),
        ("ex:C(1) .", 1, 1, "cannot be a subject"),
        ("q(?x) :- ex:p(?x, ?l), path(1, ?l, ?y) .", 1, 24, "cannot be a subject"),
        ("[<<( ex:a ex:p ex:b )>>, ex:p, ?x] :- r(?x) .", 1, 1, "the triple term <<( <http://e/a> <http://e/p> <http"),
        ("q(?x) :- r(?x), ~contains(?x, 'a') .", 1, 18, "contains is a built-in, not a relation: it is negated as !"),
        ("q(?x) :- r(?x), NOT REGEX(STR(?x), 'a') .", 1, 21, "REGEX is a built-in, not a relation"),
        ("q(?x) :- r(?x), ~isIRI(?x) .", 1, 18, "isIRI is a built-in, not a relation: it is negated as !isIRI(...)"),
        ("q(?x) :- r(?x), ~in(?x, 1, 2) .", 1, 18, "in is a built-in"),
        ("q(?x) :- r(?x), BOUND(?x) .", 1, 17, "BOUND is a function of queries alone"),
        ("q(?x) :- r(?x), ~COUNT(?x) .", 1, 18, "COUNT is an aggregate, not a function"),
        ("q(?x) :- r(?x), MAX(?x, 4) .", 1, 17, "MAX is an aggregate, not a function"),
        ("q(?x) :- [?x, ex:p] .", 1, 10, "a triple atom has three parts, this one has 2"),
        ("q() :- r(?x) .", 1, 1, "q has no arguments; an atom has one or more"),
        ("ex:p() .", 1, 1, "ex:p has no arguments"),
        ("q :- r(?x) .", 1, 1, "expected an atom here, not q"),
        ("q(?x) :- ?x .", 1, 10, "expected an atom here, not ?x"),
        ('q(?x) :- r(?x),\n """a\nb""" .', 2, 2, 'expected an atom here, not """a b""";'),
        ("?x < 1 :- r(?x) .", 1, 1, "expected an atom here"),
        ("q(?x), ?y = 1 :- r(?x) .", 1, 8, "expected an atom here"),
        ("false .", 1, 1, "an integrity condition needs a body"),
        ("false :- .", 1, 1, "an integrity condition needs a body"),
        ("~q(?x) :- r(?x) .", 1, 1, "a head cannot be negated"),
        ("q(?x) :- member(?x, ?y) .", 1, 10, "member is used as member(?list, ?index, member)"),
        ("q(?x) :- member(?x, 1, ?y) .", 1, 10, "member is used as"),
        ("q(?x) :- path(?x, ?y, ?z, ?v) .", 1, 10, "path is used as path(start, ?list, end)"),
        ("q(?x) :- path(?x, ex:l, ?z) .", 1, 10, "path is used as"),
        ("q(?x) :- every(?m, ?x) .", 1, 10, "every is used as every(?member, ?list, atom, ...)"),
        ("q(?x) :- every(1, ?x, r(?x)) .", 1, 10, "every is used as"),
        ("q(?x) :- every(?m, ?x, r(?m), member(?l, ?i, ?m)) .", 1, 31, "every is about triples and facts"),
        ("member(?l, ?i, ?x) :- r(?l, ?i, ?x) .", 1, 1, "a list atom cannot be a head"),
        ("asserted-triple(?x, ?p, ?y) :- r(?x, ?p, ?y) .", 1, 1, "asserted-triple cannot be a head"),
        ("q(?x) :- r(?x), ~path(?x, ?l, ?y) .", 1, 18, "a list atom cannot be negated"),
        ("q(?x) :- r(?x), ?x < ?x < ?x .", 1, 25, "comparisons cannot be chained"),
        ("q(?x) :- r(?x), foo(?x) < 1 .", 1, 17, "unknown function foo"),
        ("q(?x) :- r(?x), ex:f(?x) < 1 .", 1, 17, "unknown function ex:f"),
        ("q(?x) :- r(?x), STRLEN(?x, ?x) < 1 .", 1, 17, "strlen takes 1 argument, not 2"),
        ("q(?x) :- r(?x), SUBSTR(?x) < 1 .", 1, 17, "substr takes 2 to 3 arguments, not 1"),
        ("q(?x) :- r(?x), IF(?x, SKOLEM(), 1) .", 1, 24, "skolem takes 1 or more arguments, not 0"),
        ("q(?x) :- r(?x, STRLEN(?x)) .", 1, 16, "strlen(?x) cannot be an argument of an atom"),
        ("q(?x) :- r(?x), [?x, a, ex:C] < 1 .", 1, 17, "expected a term or an expression here"),
        (r"q(?x) :- r(?x), REGEX(?x, '\d') .", 1, 27, r"\d is not an escape of a character"),
        (r"q('\ud800') .", 1, 3, r"\ud800 is not an escape"),
        (r"q('\U00110000') .", 1, 3, r"\U00110000 is not an escape"),
        (r"q(<http://e/\x>) .", 1, 3, r"\x is not an escape"),
        (r'#[name("\d")] q(1) .', 1, 1, r"\d is not an escape"),
        ("q('a'^^b) .", 1, 8, "b is neither a variable nor a term"),
        ("q('a'^^true) .", 1, 8, "a datatype is an IRI"),
    ],
)
def test_syntax_errors(text: str, line: int, column: int, reason: str) -> None:
    with pytest.raises(RuleSyntaxError, match=re.escape(reason)) as caught:
        parse_program(text, "my rules", {"ex": "http://e/"})
    assert str(caught.value).startswith(f"my rules:{line}:{column}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "column", "construct"),
    [
        ("@import p :- csv{} .", 1, "the directive @import"),
        ("@export p :- csv{} .", 1, "the directive @export"),
        ('@source p[2]: load-csv("x.csv") .', 1, "the directive @source"),
        ("q(?x, !v) :- r(?x) .", 7, "the existential variable !v"),
        ("q(?x) :- r(?x), NOT  EXISTS ?y IN (r(?y)) .", 17, "the quantifier NOT EXISTS"),
    ],
)
def test_constructs_that_are_not_supported(text: str, column: int, construct: str) -> None:
    with pytest.raises(RuleSyntaxError, match=f"{re.escape(construct)} is not supported$") as caught:
        parse_program("\n" + text)
    assert str(caught.value).startswith(f"rules:2:{column}: ")


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("q(?x) :- r(?x), ?z = COUNT(?x) .", 22, "COUNT is an aggregate, not a function: write AGGREGATE("),
        ("q(?x) :- r(#sum(?x)) .", 12, "#sum stands where an argument of a head does"),
        ("q(#sum(?x, #sum(?x))) :- r(?x) .", 12, "#sum stands where an argument of a head does"),
        ("q(?x, #count()) :- r(?x) .", 14, "unexpected ')'"),
        ("q(?x, #count(*)) :- r(?x) .", 14, "unexpected '*'"),
        ("ex:q(#count(?y), ?x) :- r(?x, ?y) .", 6, "what #count gives is a literal, which cannot be a subject"),
        ("[#sum(?y, ?x), ex:q, ?x] :- r(?x, ?y) .", 2, "what #sum gives is a literal, which cannot be a subject"),
        ("ex:C(#group_concat(?y)) :- r(?x, ?y) .", 6, "what #group_concat gives is a literal"),
        ("[?x, #AVG(?y), ?x] :- r(?x, ?y) .", 6, "what #avg gives is a literal, which cannot be a predicate"),
        ("q(#group_concat(?y, ', ')) :- r(?x, ?y) .", 21, '", " tells no members apart; a separator is ; SEP'),
        ("q(?n) :- AGGREGATE(r(?x) ON ?x) .", 31, "unexpected ')', expected ',' or BIND"),
        ("q(?n) :- AGGREGATE(r(?x) BIND SUM(*) AS ?n) .", 35, "only COUNT(*) has no argument"),
        ("q(?n) :- AGGREGATE(r(?x) BIND COUNT(/) AS ?n) .", 37, "only COUNT(*) has no argument"),
        ("q(?n) :- AGGREGATE(r(?x) BIND SUM(?x, ?y) AS ?n) .", 31, "SUM takes one argument, or several after DISTINCT"),
        ("q(?n) :- AGGREGATE(r(?x) BIND STR(?x) AS ?n) .", 31, "STR is not an aggregate (expected one of avg, count"),
        ("q(?n) :- AGGREGATE(r(?x) BIND SUM[?x] AS ?n) .", 31, "the arguments of an aggregate stand in round brackets"),
        ("q(?n) :- AGGREGATE(r(?x) BIND SUM(?x; SEPARATOR=',') AS ?n) .", 48, "only group_concat has a separator"),
    ],
)
def test_aggregates_that_are_none(text: str, column: int, reason: str) -> None:
    with pytest.raises(RuleSyntaxError) as caught:
        parse_program("\n" + text, "rules", {"ex": "http://e/"})
    assert str(caught.value).startswith(f"rules:2:{column}: {reason}")


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("q(?x) :- r(?x, ?y), #count(?y) > 1,\n  s(?x) .", 1, 21),
        ("q(?x) :-\n  r(?x, ?y),\n  #Sum(?y) > 1\n  , s(?x) .", 3, 3),
        ("q(?x) :- r(?x, ?y) #max( ?y ) > 1\n  .", 1, 20),
        ("q(?x) :- r(?x, ?y), #avg (?y) > 1,\n  s(?x) .", 1, 21),
        ("q(?x) :- r(?x, ?y), #count{?y} > 1,\n  s(?x) .", 1, 21),
        ("q(?x) :- r(?x, ?y), ~#count(?y),\n  s(?x) .", 1, 22),
        ("q(?x) :- r(?x, ?n), ?n = 1 + #count(?y) ,\n  s(?x) .", 1, 30),
        ("q(?x) :- r(?x, ?n), FILTER(#count(*) > ?n\n), s(?x) .", 1, 28),
        ("q(?x) #count(?y)\n :- r(?x, ?y) .", 1, 7),
        ("q(?n) :- AGGREGATE(r(?x), #min(?x) > 1,\n r(?x) BIND MAX(?x) AS ?n) .", 1, 27),
        ("q(?n) :- AGGREGATE(r(?x) BIND #max(?x) AS ?n) .", 1, 31),
    ],
)
def test_an_aggregate_among_atoms_is_no_comment(text: str, line: int, column: int) -> None:
    """Its condition would be lost, and more derived."""
    with pytest.raises(RuleSyntaxError, match="stands where an argument of a head does, and nowhere else") as caught:
        parse_program(text, "mine")
    assert str(caught.value).startswith(f"mine:{line}:{column}: #")


def test_least_and_greatest_term_may_be_a_subject_or_a_predicate() -> None:
    """They are terms of the data, and no literals as a rule."""
    (rule,) = parse_program("[#min(?x), #max(?p), ?y] :- [?x, ?p, ?y] .").rules

    assert [value.function for value in rule.aggregates[0].values] == ["min", "max"]


def test_deep_nesting_is_an_error_of_the_rule() -> None:
    with pytest.raises(RuleSyntaxError, match="nested too deeply"):
        parse_program(f"q(?x) :- r(?x), {'!' * 5000}?x .")
    with pytest.raises(RuleSyntaxError, match="nested too deeply"):
        parse_program(f"q(?x) :- r(?x), ?x > {' + '.join(['?x'] * 5000)} .")
    with pytest.raises(RuleSyntaxError, match="rules:1:210: aggregates are nested too deeply"):
        parse_program(f"q(?n) :- {'AGGREGATE(' * 3000}r(?n){' BIND COUNT(*) AS ?n)' * 3000} .")
    with pytest.raises(RuleSyntaxError, match="expected an atom here"):
        parse_program(f"{'-' * 5000}1 + 1 :- r(?x) .")


# A word a piece; they are put together at random.
PIECES = """
AGGREGATE( ON #sum(?x) COUNT(?x) DISTINCT SEPARATOR ; *
q(?x) :- r(?x,?y) [?x,a,?y] . . , , ~ ( ) [ ] ?x ex:p <urn:a> 'a' " \'\'\' 1 - < = @en ^^ _ _:b #[ # % !v FILTER BIND AS
@prefix prefix ex: @base every member(?l,?i,?x) every(?m,?l,q(?m)) STRLEN(?x) \\ 🐈
"""


@given(st.lists(st.sampled_from([*PIECES.split(), "\n"]), max_size=14).map(" ".join))
@settings(max_examples=examples(400))
def test_any_text_is_a_program_or_one_error_with_its_place(text: str) -> None:
    error = error_of(text)
    if error is not None:
        assert error.position is not None
        lines = text.split("\n")
        assert 1 <= error.position.line <= len(lines)
        assert 1 <= error.position.column <= len(lines[error.position.line - 1]) + 1
        assert "\n" not in str(error)


def error_of(text: str) -> RuleError | None:
    try:
        parse_program(text)
    except RuleError as error:
        return error
    return None
