"""The Manchester syntax against the functional-style syntax: would catch a frame that says something else there, and a
data range that is taken for a class."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgreason import LoadError, ReasoningStore
from kgreason.io.formats import OwlFormat
from kgreason.io.ontology_headers import owl_names
from tests.io.owl.examples import NAMESPACES, PREFIXES
from tests.io.owl.test_functional_syntax import assert_same, graph_of

# SWRL is read as data here.
pytestmark = pytest.mark.filterwarnings("ignore::kgreason.errors.RulesWarning")

BEGIN = "".join(f"Prefix: {name}: <{iri}>\n" for name, iri in NAMESPACES.items()) + "Ontology: <http://e/o>\n"
DATA = "DataProperty: d DataProperty: e "
DATA_THERE = "Declaration(DataProperty(:d)) Declaration(DataProperty(:e)) "
HAS_A = "Declaration(Class(:A)) "
HAS_P = "Declaration(ObjectProperty(:p)) "
HAS_D = "Declaration(DataProperty(:d)) "
HAS_I = "Declaration(NamedIndividual(:i)) "

DESCRIPTIONS = {
    ":B": ":B",
    "B": ":B",
    "<http://e/B>": ":B",
    "B and C and D": "ObjectIntersectionOf(:B :C :D)",
    "B and C or D": "ObjectUnionOf(ObjectIntersectionOf(:B :C) :D)",
    "B and (C or D)": "ObjectIntersectionOf(:B ObjectUnionOf(:C :D))",
    "not B": "ObjectComplementOf(:B)",
    "not not (B)": "ObjectComplementOf(ObjectComplementOf(:B))",
    "{i, _:x , j}": "ObjectOneOf(:i _:x :j)",
    "p some B": "ObjectSomeValuesFrom(:p :B)",
    "p some q only B": "ObjectSomeValuesFrom(:p ObjectAllValuesFrom(:q :B))",
    "inverse p some not {i}": "ObjectSomeValuesFrom(ObjectInverseOf(:p) ObjectComplementOf(ObjectOneOf(:i)))",
    "inverse (p) value i": "ObjectHasValue(ObjectInverseOf(:p) :i)",
    "p Self": "ObjectHasSelf(:p)",
    "p min 2": "ObjectMinCardinality(2 :p)",
    "p max 2 and q exactly 1 B": "ObjectIntersectionOf(ObjectMaxCardinality(2 :p) ObjectExactCardinality(1 :q :B))",
    "B that p exactly 1 and p only (B or C)": "ObjectIntersectionOf(:B ObjectExactCardinality(1 :p) "
    "ObjectAllValuesFrom(:p ObjectUnionOf(:B :C)))",
    "d some integer[>= 5 , < 10]": "DataSomeValuesFrom(:d DatatypeRestriction(xsd:integer xsd:minInclusive "
    '"5"^^xsd:integer xsd:maxExclusive "10"^^xsd:integer))',
    "d only string[minLength 1, pattern \"a.*\"]": "DataAllValuesFrom(:d DatatypeRestriction(xsd:string xsd:minLength "
    '"1"^^xsd:integer xsd:pattern "a.*"))',
    "d only (string or not xsd:integer)": "DataAllValuesFrom(:d DataUnionOf(xsd:string DataComplementOf(xsd:integer)))",
    'd some {"a", "b"@en-GB, 1, -2.5, 1.5f, true}': 'DataSomeValuesFrom(:d DataOneOf("a" "b"@en-GB "1"^^xsd:integer '
    '"-2.5"^^xsd:decimal "1.5"^^xsd:float "true"^^xsd:boolean))',
    "d max 1": "DataMaxCardinality(1 :d)",
    "d max 1 Small": "DataMaxCardinality(1 :d :Small)",
    "p some Small": "DataSomeValuesFrom(:p :Small)",
    'd value "x"^^xsd:string': 'DataHasValue(:d "x")',
}
FRAMES = {
    "Class: A SubClassOf: B, Annotations: rdfs:label \"l\" C EquivalentTo: p some B DisjointWith: D": f"{HAS_A} "
    'SubClassOf(:A :B) SubClassOf(Annotation(rdfs:label "l") :A :C) '
    "EquivalentClasses(:A ObjectSomeValuesFrom(:p :B)) DisjointClasses(:A :D)",
    "Class: A Annotations: rdfs:label \"x\"@en, Annotations: :by :me rdfs:comment \"a\\\"b\\\\\"": f"{HAS_A} "
    'AnnotationAssertion(rdfs:label :A "x"@en) '
    'AnnotationAssertion(Annotation(:by :me) rdfs:comment :A "a\\"b\\\\")',
    "Class: A DisjointUnionOf: B, C HasKey: Annotations: rdfs:label \"k\" p, d": f"{HAS_A} DisjointUnion(:A :B :C) "
    'HasKey(Annotation(rdfs:label "k") :A (:p) (:d))',
    "Class: A HasKey: p d\nClass: B": f"{HAS_A} HasKey(:A (:p :d) ()) Declaration(Class(:B))",
    "Class: p some B SubClassOf: C": "SubClassOf(ObjectSomeValuesFrom(:p :B) :C)",
    "ObjectProperty: p Domain: A Range: A or B, C SubPropertyOf: q InverseOf: inverse r EquivalentTo: s "
    "DisjointWith: t SubPropertyChain: q o inverse r o q Characteristics: Functional, InverseFunctional, Reflexive, "
    "Irreflexive, Symmetric, Asymmetric, Transitive": f"{HAS_P} ObjectPropertyDomain(:p :A) "
    "ObjectPropertyRange(:p ObjectUnionOf(:A :B)) ObjectPropertyRange(:p :C) SubObjectPropertyOf(:p :q) "
    "InverseObjectProperties(:p ObjectInverseOf(:r)) EquivalentObjectProperties(:p :s) DisjointObjectProperties(:p :t) "
    "SubObjectPropertyOf(ObjectPropertyChain(:q ObjectInverseOf(:r) :q) :p) FunctionalObjectProperty(:p) "
    "InverseFunctionalObjectProperty(:p) ReflexiveObjectProperty(:p) IrreflexiveObjectProperty(:p) "
    "SymmetricObjectProperty(:p) AsymmetricObjectProperty(:p) TransitiveObjectProperty(:p)",
    "DataProperty: d Domain: A Range: integer[<= 3] or {\"x\"} SubPropertyOf: e Characteristics: Functional": HAS_D
    + "DataPropertyDomain(:d :A) DataPropertyRange(:d DataUnionOf(DatatypeRestriction(xsd:integer xsd:maxInclusive "
    '"3"^^xsd:integer) DataOneOf("x"))) SubDataPropertyOf(:d :e) FunctionalDataProperty(:d)',
    "AnnotationProperty: a Domain: A Range: B SubPropertyOf: b": "Declaration(AnnotationProperty(:a)) "
    "AnnotationPropertyDomain(:a :A) AnnotationPropertyRange(:a :B) SubAnnotationPropertyOf(:a :b)",
    "Datatype: D EquivalentTo: not E": "Declaration(Datatype(:D)) DatatypeDefinition(:D DataComplementOf(:E))",
    "Individual: i Types: A, not B Facts: p j, not p _:x, d 3, not d \"v\", Annotations: rdfs:label \"f\" p k "
    "SameAs: j DifferentFrom: k": f"{HAS_I} ClassAssertion(:A :i) ClassAssertion(ObjectComplementOf(:B) :i) "
    "ObjectPropertyAssertion(:p :i :j) NegativeObjectPropertyAssertion(:p :i _:x) "
    'DataPropertyAssertion(:d :i "3"^^xsd:integer) NegativeDataPropertyAssertion(:d :i "v") '
    'ObjectPropertyAssertion(Annotation(rdfs:label "f") :p :i :k) SameIndividual(:i :j) DifferentIndividuals(:i :k)',
    "Individual: _:x Types: A": "ClassAssertion(:A _:x)",
    "Rule: Annotations: rdfs:label \"r\" A(?x), p(?x, ?<http://e/y>), d(?x, 3), "
    "<http://www.w3.org/2003/11/swrlb#lessThan>(?x, 4) -> (p some B)(?x), sameAs(?x, i)": ""
    'DLSafeRule(Annotation(rdfs:label "r") Body(ClassAtom(:A Variable(<urn:swrl:var#x>)) '
    "ObjectPropertyAtom(:p Variable(<urn:swrl:var#x>) Variable(:y)) "
    'DataPropertyAtom(:d Variable(<urn:swrl:var#x>) "3"^^xsd:integer) '
    'BuiltInAtom(<http://www.w3.org/2003/11/swrlb#lessThan> Variable(<urn:swrl:var#x>) "4"^^xsd:integer)) '
    "Head(ClassAtom(ObjectSomeValuesFrom(:p :B) Variable(<urn:swrl:var#x>)) "
    "SameIndividualAtom(Variable(<urn:swrl:var#x>) :i)))",
    "EquivalentClasses: A, B, p some C DisjointClasses: Annotations: rdfs:label \"l\" A, B, C "
    "SameIndividual: i, j DifferentIndividuals: i, j, _:x EquivalentProperties: p, q DisjointProperties: p, q, r": ""
    "EquivalentClasses(:A :B ObjectSomeValuesFrom(:p :C)) "
    'DisjointClasses(Annotation(rdfs:label "l") :A :B :C) SameIndividual(:i :j) DifferentIndividuals(:i :j _:x) '
    "EquivalentObjectProperties(:p :q) DisjointObjectProperties(:p :q :r)",
}


@pytest.mark.parametrize("text", DESCRIPTIONS)
def test_a_description_is_the_expression_of_the_functional_syntax(text: str) -> None:
    found = graph_of(f"{BEGIN}Class: A SubClassOf: {text}\nDatatype: Small {DATA}")
    axioms = f"{HAS_A}Declaration(Datatype(:Small)) {DATA_THERE}SubClassOf(:A {DESCRIPTIONS[text]})"

    assert_same(found, graph_of(f"{PREFIXES}Ontology(<http://e/o> {axioms})"))


@pytest.mark.parametrize("text", FRAMES)
def test_a_frame_is_the_axioms_of_the_functional_syntax(text: str) -> None:
    found = graph_of(f"{BEGIN}# a comment\n{text}")

    assert_same(found, graph_of(f"{PREFIXES}Ontology(<http://e/o> {FRAMES[text]})"))


def test_headers(tmp_path: Path) -> None:
    text = BEGIN + '<http://e/o/1> Import: <http://e/i> Import: other Annotations: rdfs:label "o"'
    expected = f"{PREFIXES}Ontology(<http://e/o> <http://e/o/1> Import(:i) Import(:other) Annotation(rdfs:label \"o\"))"
    for name in ("a.omn", "a.owl", "a"):
        (tmp_path / name).write_text(text)
        assert_same(graph_of(tmp_path / name), graph_of(expected))
    assert owl_names(text.encode(), OwlFormat.MANCHESTER) == {"http://e/o", "http://e/o/1"}
    assert len(graph_of("Ontology: ")) == 1


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("Class: A\nSubClassOf: B and", 2, "breaks off"),
        ("Class: A\nSubClassOf: (B or C", 2, "breaks off"),
        ("Class: A\nSubClassOf: B C", 2, "C is not expected here"),
        ("Class: A\nSubClassOf: some B", 2, "some is not expected here"),
        ("Class: A\nSubClassOf: p min two B", 2, "two is not a number"),
        ("Class: A\nSubClassOf: no:B", 2, "the prefix 'no:' is not declared"),
        ("Class: A\nFacts: p i", 2, "Facts: is not expected here"),
        ("Individual: i\n\nFacts: p", 3, "breaks off"),
        ("ObjectProperty: p\nCharacteristics: Nice", 2, "Nice is not a characteristic"),
        ("DataProperty: d\nRange: integer[near 3]", 2, "near is not a facet"),
        ("DataProperty: d\nRange: integer[< x]", 2, "a facet without a literal"),
        ("Class: A\nSubClassOf: inverse p", 2, "the inverse of a property in the place of a class"),
        ("Rule: A(?x) - B(?x)", 1, "B is not expected here"),
        ("Rule: A -> B(?x)", 1, "is not expected here"),
        ("Class: A\nAnnotations: rdfs:label \"open", 2, "is not of the syntax"),
        ("Class: A\nSubClassOf: <http://e/{}>", 2, "not a valid IRI"),
        ("Class: A\nSubClassOf: " + "(" * 100_000, 2, "nested more than 80 deep"),
        ("Class: A\nSubClassOf: " + "not " * 100_000, 2, "nested more than 80 deep"),
        ("Class: A\nSubClassOf: " + "p some " * 100_000, 2, "nested more than 80 deep"),
        ("Class: A\n" + "Annotations: " * 100_000, 2, "nested more than 80 deep"),
    ],
)
def test_malformed_text_is_refused_with_its_line(text: str, line: int, reason: str) -> None:
    store = ReasoningStore(rules="none")
    with pytest.raises(LoadError, match=reason) as caught:
        store.bulk_load((BEGIN + text).encode())

    assert caught.value.line == line + BEGIN.count("\n")
    assert len(store) == 0
