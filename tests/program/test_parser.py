"""Every construct of the syntax means what it says, every text says what its rules are, every error says where."""

from __future__ import annotations

import re
from pathlib import Path as FilePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.errors import RuleError
from kgreason.program.parser import parse_file, parse_program
from kgreason.program.rules import Every, FactAtom, Member, Path, Program, Rule, TripleAtom
from kgreason.rdf.model import IRI, BlankNode, Literal
from kgreason.rdf.vocabulary import RDFS, XSD, XSD_BOOLEAN, XSD_DECIMAL, XSD_DOUBLE, XSD_INTEGER
from tests.program.parsed_rules import P_XY, PREFIX, Q_X, TYPE, I, L, M, X, Y, Z, ex, only_rule
from tests.program.strategies import programs

# -- atoms ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "atom"),
    [
        ("ex:p(?x, ?y)", P_XY),
        ("ex:p[?x,?y]", P_XY),
        ("ex:p($x, $y)", P_XY),
        ("<http://e/p>(?x,?y)", P_XY),
        ("[?x, ex:p, ?y]", P_XY),
        ("[ ?x , <http://e/p> , ?y ]", P_XY),
        ("ex:p ( ?x ,\n ?y )", P_XY),
        ("ex:p(?x, % a comment\n ?y # another (\n)", P_XY),
        ("ex:C(?x)", TripleAtom(X, TYPE, ex("C"))),
        ("ex:C[?x]", TripleAtom(X, TYPE, ex("C"))),
        ("[?x, a, ex:C]", TripleAtom(X, TYPE, ex("C"))),
        ("[?x, a, # a comment\n ex:C]", TripleAtom(X, TYPE, ex("C"))),
        ("rdf:type(?x, ?y)", TripleAtom(X, TYPE, Y)),
        ("[?x, ?y, ?z]", TripleAtom(X, Y, Z)),
        ("[_:b.1, ex:p, ?y]", TripleAtom(BlankNode("b.1"), ex("p"), Y)),
        ("[ex:a, rdfs:label, 'x'@en]", TripleAtom(ex("a"), IRI(RDFS + "label"), Literal("x", None, "en"))),
        ("q(?x)", Q_X),
        ("q[?x]", Q_X),
        ("a(?x, ?y)", FactAtom("a", (X, Y))),
        ("q-r_1(?x, ex:a, ex:b-c, <urn:d>)", FactAtom("q-r_1", (X, ex("a"), ex("b-c"), IRI("urn:d")))),
        ("ex:p(?x, ?y, ?z)", FactAtom("http://e/p", (X, Y, Z))),
        ("not(?x, ?y)", FactAtom("not", (X, Y))),
        ("year(?x, ?y)", FactAtom("year", (X, Y))),
        ("filtered(?x)", FactAtom("filtered", (X,))),
    ],
)
def test_atoms(text: str, atom: object) -> None:
    assert only_rule(f"ok(ex:a) :- {text} .").body == (atom,)


@pytest.mark.parametrize(
    ("text", "atom"),
    [
        ("member(?l, ?i, ?x)", Member(L, I, X)),
        ("member(?l, ?i, ex:a)", Member(L, I, ex("a"))),
        ("path(?x, ?l, ?y)", Path(X, L, Y)),
        ("path(ex:a, ?l, 'b')", Path(ex("a"), L, Literal("b"))),
        ("every(?m, ?l, [?x, a, ?m])", Every(M, L, (TripleAtom(X, TYPE, M),))),
        ("every(?m, ?l, [?x, ?m, ?y], q(?x))", Every(M, L, (TripleAtom(X, M, Y), Q_X))),
    ],
)
def test_list_atoms(text: str, atom: object) -> None:
    assert only_rule(f"ok(?l) :- ex:p(?c, ?l), {text} .").body[1] == atom


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("ex:", IRI("http://e/")),
        ("ex:a.b", ex("a.b")),
        ("ex:a:b", ex("a:b")),
        ("ex:1%20-", ex("1%20-")),
        (r"ex:a\,b\(", ex("a,b(")),
        ("<http://e/\\u00e9?x=1>", ex("é?x=1")),
        ("_:b", BlankNode("b")),
        ("true", Literal("true", XSD_BOOLEAN)),
        ("42", Literal("42", XSD_INTEGER)),
        ("-42", Literal("-42", XSD_INTEGER)),
        ("+4.20", Literal("+4.20", XSD_DECIMAL)),
        (".5", Literal(".5", XSD_DECIMAL)),
        ("1e3", Literal("1e3", XSD_DOUBLE)),
        ("-1.5E-3", Literal("-1.5E-3", XSD_DOUBLE)),
        ('""', Literal("")),
        ("'it \"is\"'", Literal('it "is"')),
        (r'"\t\n\"\\\u00e9\U0001F600"', Literal('\t\n"\\é😀')),
        ('"""a "quoted"\nline"""', Literal('a "quoted"\nline')),
        ("'''it's'''", Literal("it's")),
        ('"x"@en-GB', Literal("x", None, "en-GB")),
        ('"x"^^xsd:date', Literal("x", XSD + "date")),
        ('"x"^^<urn:type>', Literal("x", "urn:type")),
        ('"% # . :- ?x"', Literal("% # . :- ?x")),
    ],
)
def test_term_is_read_as_it_is_written(text: str, term: object) -> None:
    assert only_rule(f"q({text}, ex:end) .").heads == (FactAtom("q", (term, ex("end"))),)


# -- rules ----------------------------------------------------------------------------------------------------------


def test_the_two_syntaxes_say_the_same() -> None:
    nemo = only_rule("ex:gp(?x,?z) :- ex:p(?x,?y), ex:p(?y,?z), ~ex:step(?x,?y), ?x != ?z .")
    rdfox = only_rule("ex:gp[?x,?z] :- ex:p[?x,?y], [?y, ex:p, ?z], NOT ex:step[?x,?y], FILTER(?x != ?z) .")
    assert nemo == rdfox
    assert nemo.negated == (TripleAtom(X, ex("step"), Y),)
    assert nemo.filters == (Call("!=", (X, Z)),)
    assert len(nemo.body) == 2


def test_several_heads_facts_and_integrity_conditions() -> None:
    program = parse_program(PREFIX + "ex:p(ex:a, ex:b). ex:C[?x], q(?x) :- ex:p[?x,?y]. false:-ex:p(?x,?x).")
    fact, twofold, condition = program.rules
    assert fact == Rule((TripleAtom(ex("a"), ex("p"), ex("b")),), ())
    assert twofold == Rule((TripleAtom(X, TYPE, ex("C")), Q_X), (P_XY,))
    assert condition == Rule((), (TripleAtom(X, ex("p"), X),))


def test_names_and_positions() -> None:
    text = '% rules\n#[name("prp-\\"trp\\"")] #[display("(x")]\nq(?x) :- ex:p(?x, ?y) .\n\n  q(?y) :- ex:p(?x, ?y) .'
    first, second = parse_program(text, "mine", {"ex": "http://e/"}).rules
    assert (first.name, str(first.position)) == ('prp-"trp"', "mine:3:1")
    assert (second.name, str(second.position)) == ("", "mine:5:3")


def test_comments_are_told_from_atoms_and_aggregates() -> None:
    text = """# q(?x) :- r(?x) .
    #[?x, a, ex:D] :- [?x, a, ex:E] .
    #count the cats
    #count(?x) :- r(?x, ?y) .
    #[name("first")] #sum{?x}
    q(?x) :- % first
        r(?x) # last . ) "
        #count of (all) the cats
        # count(?y) > 1,
        #s(?x, ?y),
        . #max(?x), the greatest
    %"""
    assert only_rule(text) == Rule((Q_X,), (FactAtom("r", (X,)),))


@pytest.mark.parametrize(
    "declaration",
    [
        "@prefix p: <urn:p:> .",
        "PREFIX p: <urn:p:>",
        "prefix p: <urn:p:>",
        "@PREFIX  p:<urn:p:>.",
        "PREFIX p: <urn:p:> .",
    ],
)
def test_prefix_declarations(declaration: str) -> None:
    program = parse_program(f"{declaration} p:c(p:d) .")
    assert program.rules == (Rule((TripleAtom(IRI("urn:p:d"), TYPE, IRI("urn:p:c")),), ()),)
    assert program.prefixes == {"p": "urn:p:"}


def test_a_prefix_holds_from_its_declaration_on() -> None:
    text = "@prefix : <urn:1:> . :c(:d) . @prefix : <urn:2:> . :c(:d) ."
    assert [str(rule.heads[0].arguments[0]) for rule in parse_program(text).rules] == ["<urn:1:d>", "<urn:2:d>"]


@pytest.mark.parametrize(
    ("base", "reference", "iri"),
    [
        ("http://e/f/g", "a", "http://e/f/a"),
        ("http://e/f#", "#a", "http://e/f#a"),
        ("http://e/f/g", "/a", "http://e/a"),
        ("urn:x:", "a", "urn:x:a"),
        ("http://e/", "urn:a", "urn:a"),
    ],
)
@pytest.mark.parametrize("form", ["@base <{}> .", "BASE <{}>", "@base<{}>."])
def test_relative_iris(form: str, base: str, reference: str, iri: str) -> None:
    (rule,) = parse_program(f"{form.format(base)} q(<{reference}>) .").rules
    assert rule.heads == (FactAtom("q", (IRI(iri),)),)


def test_anonymous_variables_are_fresh_in_each_rule() -> None:
    rule = only_rule("q(?x) :- r(?x, _, ?_1), r(?x, _, ?_1), ex:p(?_2, _) .")
    drawn = [atom.arguments[1] if isinstance(atom, FactAtom) else atom.object for atom in rule.body]
    assert len(set(drawn)) == 3
    assert not set(drawn) & {Variable("_1"), Variable("_2")}
    text = "q(?x) :- r(?x, _) .\n"
    assert len(set(parse_program(text * 3).rules)) == 1, "equal texts are equal rules, so they can be removed again"


# -- files and texts --------------------------------------------------------------------------------------------------


def test_file_is_read_with_its_places_or_refused(tmp_path: FilePath) -> None:
    path = tmp_path / "rules.dl"
    path.write_text("\ufeff% été\nq(?x) :- r(?x) .", encoding="utf-8")
    program = parse_file(path)
    assert program.rules == (Rule((Q_X,), (FactAtom("r", (X,)),)),)
    assert str(program.rules[0].position) == f"{path}:2:1"
    path.write_bytes(b"% \xff")
    for broken in (path, tmp_path, tmp_path / "absent.dl"):
        with pytest.raises(RuleError, match=re.escape(str(broken))):
            parse_file(broken)


@given(programs)
def test_the_text_of_a_program_reads_back(program: Program) -> None:
    again = parse_program(str(program))
    assert again == program
    assert [rule.name for rule in again.rules] == [rule.name for rule in program.rules]


@given(programs, st.sampled_from(["  ", " %, ) .\n", "\n\t", ' # "<\n\n']))
def test_blanks_and_comments_mean_nothing(program: Program, filling: str) -> None:
    def spread(found: re.Match[str]) -> str:
        return found.group() if found.group(1) else f"{filling}{found.group()}{filling}"

    text = "\n".join(map(str, program.rules))
    spaced = re.sub(r'("(?:[^"\\]|\\.)*"(?:\^\^)?|<[^\s<>]*>)|:-|[(),\[\]~]', spread, text)
    assert parse_program(spaced).rules == program.rules


def test_path_with_two_arguments_is_a_relation_like_any_other() -> None:
    (rule,) = parse_program("path(?x, ?z) :- path(?x, ?y), edge[?y, ?z] .").rules
    assert rule.heads == (FactAtom("path", (Variable("x"), Variable("z"))),)
