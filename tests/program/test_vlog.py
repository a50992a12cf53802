"""VLog's lines are the same rules as in the other syntaxes; every error says where."""

from __future__ import annotations

import re

import pytest

from kgreason.algebra.expressions.tree import Variable
from kgreason.errors import RuleSyntaxError, UnsafeRuleError
from kgreason.program.parser import parse_program
from kgreason.program.rules import FactAtom, Rule, TripleAtom
from kgreason.program.vlog_format import is_vlog, parse_vlog
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import RDF_TYPE, XSD_INTEGER

X, Y = Variable("X"), Variable("y_1")


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        (
            "RP1(X) :- TE(X,rdf:type,<http://e/C>)",
            Rule((FactAtom("RP1", (X,)),), (TripleAtom(X, IRI(RDF_TYPE), IRI("http://e/C")),)),
        ),
        (
            "TE(X,<http://e/p?q=(1,2)>,y_1):-RP1( X , y_1 ),RP2(y_1)  ",
            Rule((TripleAtom(X, IRI("http://e/p?q=(1,2)"), Y),), (FactAtom("RP1", (X, Y)), FactAtom("RP2", (Y,)))),
        ),
        (
            'RP1(X) :- TE(X,<http://e/p>,"a, \\"b\\") :-"),RP2("1"^^<http://www.w3.org/2001/XMLSchema#integer>,"x"@en)',
            Rule(
                (FactAtom("RP1", (X,)),),
                (
                    TripleAtom(X, IRI("http://e/p"), Literal('a, "b") :-')),
                    FactAtom("RP2", (Literal("1", XSD_INTEGER), Literal("x", None, "en"))),
                ),
            ),
        ),
        ("RP1(X),RP2(X) :- TE(X,y_1,X)", Rule((FactAtom("RP1", (X,)), FactAtom("RP2", (X,))), (TripleAtom(X, Y, X),))),
    ],
)
def test_line_of_vlog_is_the_same_rule(line: str, rule: Rule) -> None:
    program = parse_program(f"# a comment\r\n\r\n{line}\r\n")
    assert program.rules == (rule,)
    assert str(program.rules[0].position) == "rules:3:1"
    assert parse_program(str(program)) == program


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RP1(X) :- TE(X,rdf:type,<http://e/C>)", True),
        ("\n% comment\nRP1(X) :- RP2(X)\n", True),
        ("RP1(<http://e/?x>) :- RP2(X)", True),
        ("RP1(?X) :- RP2(?X) .", False),
        ("q(?x) :- r(?x)", False),
        ("q('a', ex:b) :-\n r(1) .", False),
        ("q(ex:a) :- r(1),\n r(2) .", False),
        ("q(ex:a) .", False),
        ("q(X) :- r(X) .", False),
        ("@prefix ex: <http://e/> .\nRP1(X) :- RP2(X)", False),
        ("", False),
        ("# nothing", False),
    ],
)
def test_the_format_shows_in_the_first_line(text: str, expected: bool) -> None:
    assert is_vlog(text) == expected


@pytest.mark.parametrize(
    ("line", "column", "reason"),
    [
        ("RP2(X)", 1, "a rule has the form head :- body"),
        ("RP2(X) :- ", 11, "expected an atom like RP1(X,Y)"),
        ("RP2(X) :- RP1(X),", 18, "expected an atom like"),
        ("RP2(X) :- RP1(X) RP3(X)", 11, "expected an atom like"),
        ("RP2(X) :- RP1(X) .", 11, "expected an atom like"),
        (":- RP1(X)", 1, "expected an atom like"),
        ("RP2(X) :- RP1(X,)", 17, "expected a variable, an IRI or a literal"),
        ("RP2(X) :- RP1()", 15, "expected a variable, an IRI or a literal"),
        ("RP2(X) :- RP1(X, ?Y)", 18, "expected a variable, an IRI or a literal"),
        ("RP2(X) :- RP1(X, 1)", 18, "expected a variable, an IRI or a literal"),
        ("RP2(X) :- TE(X,no:p,Y)", 16, "the prefix no: is not known"),
        ("RP2(X) :- TE(X,<p>,Y)", 16, "<p> is a relative IRI"),
        ("RP2(X) :- TE(X, <http://e/ p>,Y)", 17, "not a valid IRI"),
        (r'RP2(X) :- RP1("\d")', 15, r"\d is not an escape"),
        ("RP2(X) :- TE(X,Y)", 14, "TE has three arguments, not 2"),
        ('RP2(X) :- TE("X",Y,X)', 14, 'the literal "X" cannot be a subject'),
        ('RP2(X) :- TE(X,"Y",X)', 14, '"Y" cannot be a predicate'),
    ],
)
def test_wrong_line_is_refused_at_its_place(line: str, column: int, reason: str) -> None:
    with pytest.raises(RuleSyntaxError, match=re.escape(reason)) as caught:
        parse_program(f"RP1(X) :- RP2(X)\n{line}\n", "mine")
    assert str(caught.value).startswith(f"mine:2:{column}: ")


def test_safety_holds_here_too() -> None:
    with pytest.raises(UnsafeRuleError, match=r"mine:2:1: .* binds \?Y of the head"):
        parse_program("RP1(X) :- RP2(X)\nRP1(Y) :- RP2(X)", "mine")


def test_an_empty_text_is_an_empty_program() -> None:
    assert parse_vlog("\n# nothing\n", "mine").rules == ()
