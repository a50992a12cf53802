"""OWL/XML against the functional-style syntax: would catch an element that means something else there."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgreason import LoadError, ReasoningStore
from tests.io.owl.examples import NAMESPACES, PREFIXES
from tests.io.owl.test_functional_syntax import assert_same, graph_of

# SWRL is read as data here.
pytestmark = pytest.mark.filterwarnings("ignore::kgreason.errors.RulesWarning")

BEGIN = (
    '<?xml version="1.0"?>\n<Ontology xmlns="http://www.w3.org/2002/07/owl#" xml:base="http://e/o" '
    'ontologyIRI="http://e/o" versionIRI="http://e/o/1">\n'
    + "".join(f'<Prefix name="{name}" IRI="{iri}"/>' for name, iri in NAMESPACES.items())
    + "\n"
)
END = "</Ontology>"
A, B = '<Class abbreviatedIRI=":A"/>', '<Class IRI="http://e/B"/>'
P, D = '<ObjectProperty abbreviatedIRI=":p"/>', '<DataProperty abbreviatedIRI=":d"/>'
ONE, X = '<NamedIndividual abbreviatedIRI=":i"/>', '<AnonymousIndividual nodeID="_:x"/>'
LABEL = '<AnnotationProperty abbreviatedIRI="rdfs:label"/>'
INTEGER = '<Datatype abbreviatedIRI="xsd:integer"/>'
FIVE = '<Literal datatypeIRI="http://www.w3.org/2001/XMLSchema#integer">5</Literal>'

AXIOMS = {
    f"<Declaration>{A}</Declaration><Declaration>{D}</Declaration>": "Declaration(Class(:A)) "
    "Declaration(DataProperty(:d))",
    "<Import>http://e/i</Import>": "Import(:i)",
    f'<Annotation>{LABEL}<Literal xml:lang="en">x &amp; y</Literal></Annotation>': 'Annotation(rdfs:label "x & y"@en)',
    f"<SubClassOf><Annotation>{LABEL}<Literal>why</Literal></Annotation>{A}"
    f"<ObjectSomeValuesFrom><ObjectInverseOf>{P}</ObjectInverseOf>{B}</ObjectSomeValuesFrom></SubClassOf>": ""
    'SubClassOf(Annotation(rdfs:label "why") :A ObjectSomeValuesFrom(ObjectInverseOf(:p) :B))',
    f'<SubClassOf>{A}<ObjectMinCardinality cardinality="2">{P}{B}</ObjectMinCardinality></SubClassOf>': "SubClassOf(:A "
    "ObjectMinCardinality(2 :p :B))",
    f'<SubClassOf>{A}<DataExactCardinality cardinality="1">{D}</DataExactCardinality></SubClassOf>': "SubClassOf(:A "
    "DataExactCardinality(1 :d))",
    f"<DataPropertyRange>{D}<DatatypeRestriction>{INTEGER}<FacetRestriction "
    f'facet="http://www.w3.org/2001/XMLSchema#minInclusive">{FIVE}</FacetRestriction></DatatypeRestriction>'
    "</DataPropertyRange>": 'DataPropertyRange(:d DatatypeRestriction(xsd:integer xsd:minInclusive "5"^^xsd:integer))',
    f"<SubObjectPropertyOf><ObjectPropertyChain>{P}{P}</ObjectPropertyChain>{P}</SubObjectPropertyOf>": ""
    "SubObjectPropertyOf(ObjectPropertyChain(:p :p) :p)",
    f"<HasKey><Annotation>{LABEL}<Literal>k</Literal></Annotation>{A}{P}{D}</HasKey>": ""
    'HasKey(Annotation(rdfs:label "k") :A (:p) (:d))',
    f"<ObjectPropertyAssertion>{P}{ONE}{X}</ObjectPropertyAssertion>": "ObjectPropertyAssertion(:p :i _:x)",
    f"<AnnotationAssertion>{LABEL}<AbbreviatedIRI>:A</AbbreviatedIRI><IRI>#b</IRI></AnnotationAssertion>": ""
    "AnnotationAssertion(rdfs:label :A <http://e/o#b>)",
    f"<EquivalentClasses>{A}<ObjectOneOf>{ONE}{X}</ObjectOneOf></EquivalentClasses>": ""
    "EquivalentClasses(:A ObjectOneOf(:i _:x))",
    f'<DLSafeRule><Body><ClassAtom>{A}<Variable IRI="http://e/x"/></ClassAtom></Body><Head><BuiltInAtom '
    f'IRI="http://www.w3.org/2003/11/swrlb#equal"><Variable IRI="http://e/x"/>{FIVE}</BuiltInAtom></Head>'
    "</DLSafeRule>": ""
    "DLSafeRule(Body(ClassAtom(:A Variable(:x))) "
    'Head(BuiltInAtom(<http://www.w3.org/2003/11/swrlb#equal> Variable(:x) "5"^^xsd:integer)))',
}


@pytest.mark.parametrize("axiom", AXIOMS)
def test_an_element_means_what_the_functional_syntax_says(axiom: str) -> None:
    found = graph_of(BEGIN + axiom + END)

    assert_same(found, graph_of(f"{PREFIXES}Ontology(<http://e/o> <http://e/o/1> {AXIOMS[axiom]})"))


def test_entities_of_older_files_and_names_of_other_formats(tmp_path: Path) -> None:
    entity = '<!DOCTYPE Ontology [ <!ENTITY e "http://e/" > ]>\n<Ontology'
    text = BEGIN.replace("<Ontology", entity, 1) + '<Declaration><Class IRI="&e;A"/></Declaration>' + END
    expected = graph_of(f"{PREFIXES}Ontology(<http://e/o> <http://e/o/1> Declaration(Class(:A)))")
    for name in ("a.owx", "a.owl", "a.xml", "a"):
        (tmp_path / name).write_text(text)
        assert_same(graph_of(tmp_path / name), expected)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("<SubClassOf>", 4, "mismatched tag"),
        (f"<SubClassOf>{A}</SubClassOf>", 4, "SubClassOf with 1 arguments"),
        (f"\n<SubClassOf>{A}<Class/></SubClassOf>", 5, "the element Class without an IRI"),
        (f'<SubClassOf>{A}<Class abbreviatedIRI="no:x"/></SubClassOf>', 4, "the prefix 'no:' is not declared"),
        (f'<SubClassOf>{A}<Class IRI="a b"/></SubClassOf>', 4, "not a valid IRI"),
        (f"<SubClassOf>{A} text {B}</SubClassOf>", 4, "text before the element Class"),
        ('<x:y xmlns:x="http://x/"/>', 4, "is not expected here"),
        ("<Ontology/>", 4, "Ontology is not expected here"),
        ("<ObjectComplementOf>" * 200, 4, "nested more than 150 deep"),
        ("&nope;", 4, "undefined entity"),
    ],
)
def test_malformed_xml_is_refused_with_its_line(text: str, line: int, reason: str) -> None:
    store = ReasoningStore(rules="none")
    with pytest.raises(LoadError, match=reason) as caught:
        store.bulk_load((BEGIN + text + END).encode())

    assert caught.value.line == line
    assert len(store) == 0


def test_entities_that_grow_without_end_are_refused() -> None:
    entities = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    text = f'<!DOCTYPE Ontology [<!ENTITY a0 "{"x" * 100}">{entities}]>'
    text += f'<Ontology xmlns="{NAMESPACES["owl"]}">&a11;</Ontology>'
    with pytest.raises(LoadError, match="amplification"):
        graph_of(text)


def test_external_entities_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("http://e/secret")
    text = f'<!DOCTYPE Ontology [<!ENTITY a SYSTEM "{(tmp_path / "secret").as_uri()}">]>{BEGIN.split("?>", 1)[1]}'
    axiom = f"<AnnotationAssertion>{LABEL}<IRI>#a</IRI><Literal>&a;</Literal></AnnotationAssertion>"
    found = graph_of(text + axiom + END)

    assert "secret" not in found.serialize(format="nt")
