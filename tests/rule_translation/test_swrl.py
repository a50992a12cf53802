"""Would catch SWRL rules that derive something else than SWRL says, that are ignored, or that run unasked.

What follows is worked out by hand.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from rdflib import RDF, Graph, Namespace

from kgreason import ReasoningStore, RuleError, RulesWarning
from kgreason.program.parser import parse_program
from kgreason.store.rule_sets import resolve_rules
from tests.shared_data import unpacked

EX = Namespace("http://example.org/")
HEADER = """
Prefix(:=<http://example.org/>) Prefix(owl:=<http://www.w3.org/2002/07/owl#>) Prefix(v:=<urn:swrl:var#>)
Prefix(xsd:=<http://www.w3.org/2001/XMLSchema#>) Prefix(b:=<http://www.w3.org/2003/11/swrlb#>)
Prefix(rdfs:=<http://www.w3.org/2000/01/rdf-schema#>)
Ontology(<http://example.org/o>
"""
DATA = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
:ann :parent :bob ; :age 17 ; a :Person ; :name "Ann Lee" . :bob :brother :cid ; :age 40 ; a :Person ; :rich true .
:cid a :Person ; :age 30 ; owl:differentFrom :ann . :dan owl:sameAs :cid . :eve a :Person ; :parent :dan .
"""


def derived(tmp_path: Path, *rules: str) -> set[tuple[str, str, str]]:
    """What follows from the data by rules in OWL's functional syntax, without prefixes."""
    path = tmp_path / "rules.ofn"
    path.write_text(HEADER + "\n".join(rules) + ")")
    program = resolve_rules(path)
    assert parse_program(str(program)).rules == program.rules, "its text reads back as something else"
    store = ReasoningStore(rules=path)
    Graph(store=store).parse(data=DATA)
    return {tuple(str(t).removeprefix(EX).rpartition("#")[2] for t in triple) for triple in store.inferred}


def prop(name: str, first: str, second: str) -> str:
    return f"ObjectPropertyAtom(:{name} {first} {second})"


def of_class(name: str, member: str) -> str:
    return f"ClassAtom({name} {member})"


def age(person: str, value: str) -> str:
    return f"DataPropertyAtom(:age {person} {value})"


X, Y, Z, N = (f"Variable(v:{name})" for name in "xyzn")


def rule(body: str, head: str, name: str = "") -> str:
    annotation = f'Annotation(rdfs:label "{name}") ' if name else ""
    return f"DLSafeRule({annotation}Body({body}) Head({head}))"


def test_rule_of_two_atoms_derives_the_uncle(tmp_path: Path) -> None:
    uncle = rule(prop("parent", X, Y) + prop("brother", Y, Z), prop("uncle", X, Z))

    assert derived(tmp_path, uncle) == {("ann", "uncle", "cid")}


def test_builtins_are_conditions_and_values(tmp_path: Path) -> None:
    adult = rule(age(X, N) + f'BuiltInAtom(b:greaterThan {N} "18"^^xsd:integer)', of_class(":Adult", X))
    later = f'BuiltInAtom(b:add {Z} {N} "1"^^xsd:integer "2"^^xsd:integer)BuiltInAtom(b:lessThan {Z} "25"^^xsd:integer)'
    soon = rule(age(X, N) + later, f"DataPropertyAtom(:inThree {X} {Z})")
    name = f'DataPropertyAtom(:name {X} {Y})BuiltInAtom(b:upperCase {Z} {Y})BuiltInAtom(b:startsWith {Y} "Ann")'

    found = derived(tmp_path, adult, soon, rule(name, f"DataPropertyAtom(:shout {X} {Z})"))

    people = {("bob", "type", "Adult"), ("cid", "type", "Adult")}
    assert found == people | {("ann", "inThree", "20"), ("ann", "shout", "ANN LEE")}


@pytest.mark.parametrize(
    ("builtin", "value"),
    [
        (f'b:subtract {Z} {N} "7"^^xsd:integer', "10"),
        (f'b:multiply {Z} {N} "2"^^xsd:integer', "34"),
        (f'b:divide {Z} {N} "2"^^xsd:integer', "8.5"),
        (f'b:mod {Z} {N} "5"^^xsd:integer', "2"),
        (f"b:unaryMinus {Z} {N}", "-17"),
        (f'b:stringConcat {Z} "a" {N} "b"', "a17b"),
        (f'b:substring {Z} "motor car" "6"^^xsd:integer', " car"),
        (f'b:substring {Z} "metadata" "4"^^xsd:integer "3"^^xsd:integer', "ada"),
        (f'b:stringLength {Z} "four"', "4"),
        (f'b:replace {Z} "abracadabra" "bra" "*"', "a*cada*"),
        (f'b:substringBefore {Z} "tattoo" "attoo"', "t"),
    ],
)
def test_builtin_gives_what_xpath_says(tmp_path: Path, builtin: str, value: str) -> None:
    """The examples are those of XQuery and XPath Functions and Operators."""
    body = f"{prop('parent', X, ':bob')}{age(X, N)}BuiltInAtom({builtin})"

    assert derived(tmp_path, rule(body, f"DataPropertyAtom(:value {X} {Z})")) == {("ann", "value", value)}


def test_class_expressions_of_bodies_and_heads(tmp_path: Path) -> None:
    heir = 'ObjectIntersectionOf(:Person ObjectSomeValuesFrom(:parent DataHasValue(:rich "true"^^xsd:boolean)))'
    rules = [
        rule(of_class(heir, X), of_class("ObjectIntersectionOf(:Heir ObjectHasValue(:likes :bob))", X)),
        rule(of_class("ObjectSomeValuesFrom(ObjectInverseOf(:parent) owl:Thing)", X), of_class(":Parent", X)),
    ]

    likes = {("ann", "type", "Heir"), ("ann", "likes", "bob")}
    assert derived(tmp_path, *rules) == likes | {("bob", "type", "Parent"), ("dan", "type", "Parent")}


def test_same_and_different_individuals(tmp_path: Path) -> None:
    same = rule(f"{prop('parent', X, Y)}SameIndividualAtom({Y} {Z})", prop("child-of", X, Z))
    different = rule(f"{prop('parent', X, Y)}DifferentIndividualsAtom({X} {Z})", prop("not", X, Z))
    equal = rule(prop("brother", X, Y), f"SameIndividualAtom({X} {Y})")

    found = derived(tmp_path, same, different, equal)

    children = {("ann", "child-of", "bob"), ("eve", "child-of", "dan"), ("eve", "child-of", "cid")}
    # Every thing is the same as itself; differences are symmetric.
    assert found == children | {("ann", "not", "cid"), ("bob", "sameAs", "cid"), ("ann", "child-of", "cid")}


def test_rule_without_a_head_is_an_integrity_condition(tmp_path: Path) -> None:
    path = tmp_path / "rules.ofn"
    path.write_text(HEADER + rule(of_class(":Adult", X) + of_class(":Child", X), "", "grown up") + ")")
    graph = Graph(store=ReasoningStore(rules=path))
    for kind in (EX.Adult, EX.Child):
        graph.add((EX.ann, RDF.type, kind))

    assert [clash.rule for clash in graph.store.inconsistencies()] == ["grown up"]


def test_disabled_rule_does_not_run(tmp_path: Path) -> None:
    off = "http://swrl.stanford.edu/ontologies/3.3/swrla.owl#isRuleEnabled"
    uncle = rule(prop("brother", X, Y), prop("uncle", X, Y)).replace(
        "DLSafeRule(", f'DLSafeRule(Annotation(<{off}> "false"^^xsd:boolean) '
    )

    assert derived(tmp_path, uncle, rule(prop("brother", X, Y), prop("kin", X, Y))) == {("bob", "kin", "cid")}


REFUSED = {
    f"BuiltInAtom(b:tokenize {Z} {N} \"x\")": "the built-in swrlb:tokenize",
    f"BuiltInAtom(:mine {Z} {N})": "is not of SWRL",
    of_class("ObjectAllValuesFrom(:parent :Person)", X): "a class expression",
    of_class("owl:Thing", Y): "nothing but owl:Thing binds ?y",
}


@pytest.mark.parametrize("body", REFUSED)
def test_what_no_rule_can_say_is_refused_by_the_name_of_its_rule(tmp_path: Path, body: str) -> None:
    with pytest.raises(RuleError) as refusal:
        derived(tmp_path, rule(age(X, N) + body, of_class(":A", X), "odd"), rule(age(X, N), of_class(":B", X)))

    assert str(refusal.value).startswith(f"{tmp_path}/rules.ofn: rule odd: ")
    assert REFUSED[body] in str(refusal.value)


def test_all_rules_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    new = rule(age(X, N), of_class("ObjectSomeValuesFrom(:parent :Person)", X), "new")
    unbound = rule(age(X, N), prop("knows", X, Y), "open")

    with pytest.raises(RuleError, match=r"2 of 3 SWRL rules .*rule new: .*new individual.*; rule open: .*\?y"):
        derived(tmp_path, new, unbound, rule(age(X, N), of_class(":B", X)))


def test_file_without_rules_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.ttl"
    path.write_text(DATA)

    with pytest.raises(RuleError, match="there are no rules in it"):
        ReasoningStore(rules=path)


def test_rules_in_data_do_not_run_and_are_not_ignored_in_silence(tmp_path: Path) -> None:
    path = tmp_path / "onto.ofn"
    path.write_text(HEADER + rule(prop("brother", X, Y), prop("kin", X, Y)) + ")")
    kin = (EX.bob, EX.kin, EX.cid)

    for rules, runs in (("owl-rl", False), (["owl-rl", path], True)):
        graph = Graph(store=ReasoningStore(rules=rules))
        graph.parse(data=DATA)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            graph.store.bulk_load(path)
        assert (kin in graph) == runs
        assert [w.category for w in caught] == ([] if runs else [RulesWarning])
        assert runs or "1 SWRL rules were read as data and do not run" in str(caught[0].message)


def test_rdf_xml_as_protege_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "onto.owl"
    path.write_text("""<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:swrl="http://www.w3.org/2003/11/swrl#">
  <swrl:Variable rdf:about="http://example.org/o#x"/><swrl:Variable rdf:about="http://example.org/o#y"/>
  <rdf:Description><rdf:type rdf:resource="http://www.w3.org/2003/11/swrl#Imp"/>
    <swrl:body><rdf:Description><rdf:type rdf:resource="http://www.w3.org/2003/11/swrl#AtomList"/>
      <rdf:first><rdf:Description><rdf:type rdf:resource="http://www.w3.org/2003/11/swrl#IndividualPropertyAtom"/>
        <swrl:propertyPredicate rdf:resource="http://example.org/brother"/>
        <swrl:argument1 rdf:resource="http://example.org/o#x"/><swrl:argument2 rdf:resource="http://example.org/o#y"/>
      </rdf:Description></rdf:first>
      <rdf:rest rdf:resource="http://www.w3.org/1999/02/22-rdf-syntax-ns#nil"/></rdf:Description></swrl:body>
    <swrl:head><rdf:Description><rdf:type rdf:resource="http://www.w3.org/2003/11/swrl#AtomList"/>
      <rdf:first><rdf:Description><rdf:type rdf:resource="http://www.w3.org/2003/11/swrl#ClassAtom"/>
        <swrl:classPredicate rdf:resource="http://example.org/Brother"/>
        <swrl:argument1 rdf:resource="http://example.org/o#y"/></rdf:Description></rdf:first>
      <rdf:rest rdf:resource="http://www.w3.org/1999/02/22-rdf-syntax-ns#nil"/></rdf:Description></swrl:head>
  </rdf:Description>
</rdf:RDF>""")

    (found,) = resolve_rules(path).rules

    kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    assert str(found) == f"[?y, {kind}, <{EX.Brother}>] :- [?x, <{EX.brother}>, ?y] ."


def test_rules_of_a_real_ontology_are_all_read() -> None:
    """The relation ontology of OBO has 25 rules, written by the OWL API."""
    path = unpacked("onto-owl/ro.owl.xz")

    program = resolve_rules(path)

    assert len(program.rules) == path.read_text(encoding="utf-8").count('swrl#Imp"') == 25
    assert parse_program(str(program)).rules == program.rules
