"""OBO against the functional-style syntax: would catch a clause that says something else in OWL, and what ROBOT writes
under another name."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import RDFS, Literal

from kgreason import LoadError, ReasoningStore
from tests.io.owl.test_functional_syntax import assert_same, graph_of

NAMESPACES = {
    "obo": "http://purl.obolibrary.org/obo/",
    "o": "http://www.geneontology.org/formats/oboInOwl#",
    "t": "http://purl.obolibrary.org/obo/t#",
}
PREFIXES = "".join(f"Prefix({name}:=<{iri}>)" for name, iri in NAMESPACES.items())
HEADER = "format-version: 1.4\nontology: t\n"
ONTOLOGY = 'obo:t.owl Annotation(o:hasOBOFormatVersion "1.4") '
TERM = "[Term]\nid: X:1\n"
TERM_THERE = 'Declaration(Class(obo:X_1)) AnnotationAssertion(o:id obo:X_1 "X:1") '
RELATION = "[Typedef]\nid: r\n"
RELATION_THERE = 'Declaration(ObjectProperty(t:r)) AnnotationAssertion(o:id t:r "r") '


def annotation(property: str, value: str, more: str = "", subject: str = "obo:X_1") -> str:
    return f"AnnotationAssertion({more}{property} {subject} {value})"


CLAUSES = {
    "name: a \\\"b\\\" \\! c ! comment": annotation("rdfs:label", '"a \\"b\\" ! c"'),
    "namespace: n": annotation("o:hasOBONamespace", '"n"'),
    'def: "it is, \\"so\\" {x}!" [A:1, http://e/x\\,y "why", "z"]': annotation(
        "obo:IAO_0000115",
        '"it is, \\"so\\" {x}!"',
        'Annotation(o:hasDbXref "A:1") Annotation(o:hasDbXref "http://e/x,y")',
    ),
    "comment: one\\ntwo": annotation("rdfs:comment", '"one\ntwo"'),
    "subset: slim": annotation("o:inSubset", "t:slim"),
    'synonym: "s" EXACT abbr [A:1]': annotation(
        "o:hasExactSynonym", '"s"', 'Annotation(o:hasDbXref "A:1") Annotation(o:hasSynonymType t:abbr) '
    ),
    'synonym: "s" RELATED []': annotation("o:hasRelatedSynonym", '"s"'),
    'broad_synonym: "s" []': annotation("o:hasBroadSynonym", '"s"'),
    'xref: A:1 "what it is"': annotation("o:hasDbXref", '"A:1"', 'Annotation(rdfs:label "what it is") '),
    "alt_id: X:7": annotation("o:hasAlternativeId", '"X:7"')
    + " Declaration(Class(obo:X_7)) "
    + annotation("owl:deprecated", '"true"^^xsd:boolean', subject="obo:X_7")
    + annotation("obo:IAO_0000231", "obo:IAO_0000227", subject="obo:X_7")
    + annotation("obo:IAO_0100001", "obo:X_1", subject="obo:X_7"),
    "is_obsolete: true\nreplaced_by: X:2\nconsider: X:3": annotation("owl:deprecated", '"true"^^xsd:boolean')
    + annotation("obo:IAO_0100001", "obo:X_2")
    + annotation("o:consider", "obo:X_3"),
    "created_by: me\ncreation_date: 2010-01-01T00:00:00Z": annotation("o:created_by", '"me"')
    + annotation("o:creation_date", '"2010-01-01T00:00:00Z"'),
    'property_value: IAO:0000589 "text" xsd:string\nproperty_value: seeAlso X:2\nproperty_value: n "1" xsd:integer': ""
    + annotation("obo:IAO_0000589", '"text"')
    + annotation("t:seeAlso", "obo:X_2")
    + annotation("t:n", '"1"^^xsd:integer'),
    'is_a: X:2 {source="A:1", is_inferred="true"} ! two': "SubClassOf(Annotation(o:source \"A:1\") "
    'Annotation(o:is_inferred "true") obo:X_1 obo:X_2)',
    "intersection_of: X:2\nintersection_of: r X:3": "EquivalentClasses(obo:X_1 ObjectIntersectionOf(obo:X_2 "
    "ObjectSomeValuesFrom(t:r obo:X_3)))",
    "union_of: X:2\nunion_of: X:3": "EquivalentClasses(obo:X_1 ObjectUnionOf(obo:X_2 obo:X_3))",
    "equivalent_to: X:2\ndisjoint_from: X:3": "EquivalentClasses(obo:X_1 obo:X_2) DisjointClasses(obo:X_1 obo:X_3)",
    "relationship: r X:2": "SubClassOf(obo:X_1 ObjectSomeValuesFrom(t:r obo:X_2))",
    'relationship: r X:2 {cardinality="2"}': "SubClassOf(obo:X_1 ObjectExactCardinality(2 t:r obo:X_2))",
    'relationship: r X:2 {all_only="true", all_some="true"}': "SubClassOf(obo:X_1 ObjectIntersectionOf("
    "ObjectAllValuesFrom(t:r obo:X_2) ObjectSomeValuesFrom(t:r obo:X_2)))",
    'relationship: r X:2 {gci_relation="q", gci_filler="X:3"}': "SubClassOf(ObjectIntersectionOf(obo:X_1 "
    "ObjectSomeValuesFrom(t:q obo:X_3)) ObjectSomeValuesFrom(t:r obo:X_2))",
    "is_a: http://e/X": "SubClassOf(obo:X_1 <http://e/X>)",
    "is_a: X:a_b": "SubClassOf(obo:X_1 <http://purl.obolibrary.org/obo/X#_a_b>)",
    "mystery: what": annotation("o:mystery", '"what"'),
}
RELATIONS = {
    "is_transitive: true\nis_symmetric: true\nis_reflexive: false": "TransitiveObjectProperty(t:r) "
    "SymmetricObjectProperty(t:r)",
    "is_a: q\ninverse_of: s\ndomain: X:1\nrange: X:2": "SubObjectPropertyOf(t:r t:q) InverseObjectProperties(t:r t:s) "
    "ObjectPropertyDomain(t:r obo:X_1) ObjectPropertyRange(t:r obo:X_2)",
    "transitive_over: q\nholds_over_chain: p q": "SubObjectPropertyOf(ObjectPropertyChain(t:r t:q) t:r) "
    "SubObjectPropertyOf(ObjectPropertyChain(t:p t:q) t:r)",
}


def functional(text: str) -> str:
    return f"{PREFIXES}Ontology({ONTOLOGY}{text})"


@pytest.mark.parametrize("clause", CLAUSES)
def test_a_clause_of_a_term_is_the_axiom_of_the_mapping(clause: str) -> None:
    assert_same(graph_of(f"{HEADER}\n{TERM}{clause}\n"), graph_of(functional(TERM_THERE + CLAUSES[clause])))


@pytest.mark.parametrize("character", ["\x0b", "\x1c", "\x85", "\u2028", "\u2029"])
def test_a_character_that_is_no_line_end_begins_no_clause(character: str) -> None:
    name = f"one{character}is_a: X:2"
    lines = [*HEADER.splitlines(), *TERM.splitlines(), f"name: {name}", "is_a: X:3", ""]

    found = [graph_of(end.join(lines), format="obo") for end in ("\n", "\r\n", "\r")]

    for graph in found:
        assert list(graph.objects(None, RDFS.label)) == [Literal(name)]
        assert [str(above) for above in graph.objects(None, RDFS.subClassOf)] == [NAMESPACES["obo"] + "X_3"]


@pytest.mark.parametrize("clause", RELATIONS)
def test_a_clause_of_a_relation_is_the_axiom_of_the_mapping(clause: str) -> None:
    assert_same(graph_of(f"{HEADER}\n{RELATION}{clause}\n"), graph_of(functional(RELATION_THERE + RELATIONS[clause])))


def test_relations_of_ro_and_bfo_stand_for_their_shorthands() -> None:
    found = graph_of(f"{HEADER}{TERM}relationship: part_of X:2\n[Typedef]\nid: part_of\nxref: BFO:0000050\n")
    expected = functional(
        TERM_THERE
        + "SubClassOf(obo:X_1 ObjectSomeValuesFrom(obo:BFO_0000050 obo:X_2)) "
        + 'Declaration(ObjectProperty(obo:BFO_0000050)) AnnotationAssertion(o:id obo:BFO_0000050 "part_of") '
        + 'AnnotationAssertion(o:shorthand obo:BFO_0000050 "part_of") '
        + 'AnnotationAssertion(o:hasDbXref obo:BFO_0000050 "BFO:0000050")'
    )

    assert_same(found, graph_of(expected))


def test_headers(tmp_path: Path) -> None:
    text = (
        "format-version: 1.4\nontology: t\ndata-version: releases/1\nimport: http://e/i\ndefault-namespace: n\n"
        'subsetdef: slim "A slim"\nsynonymtypedef: abbr "short" EXACT\nidspace: X http://x/ "of X"\n'
        "property_value: http://e/p \"v\" xsd:string\ntreat-xrefs-as-equivalent: Y\n"
        "owl-axioms: Prefix(obo:=<http://purl.obolibrary.org/obo/>)\\nOntology(\\nSubClassOf(obo:A obo:B)\\n)\n\n"
        "[Term]\nid: X:1\nxref: Y:1\n\n[Instance]\nid: i\ninstance_of: X:1\nrelationship: r j\n"
    )
    expected = (
        f"{PREFIXES}Prefix(x:=<http://x/>)Ontology(obo:t.owl <http://purl.obolibrary.org/obo/t/releases/1/t.owl> "
        'Import(<http://e/i>) Annotation(o:hasOBOFormatVersion "1.4") Annotation(o:default-namespace "n") '
        'Annotation(<http://e/p> "v") Declaration(AnnotationProperty(t:slim)) Declaration(AnnotationProperty(t:abbr)) '
        "SubAnnotationPropertyOf(t:slim o:SubsetProperty) SubAnnotationPropertyOf(t:abbr o:SynonymTypeProperty) "
        'AnnotationAssertion(rdfs:comment t:slim "A slim") AnnotationAssertion(rdfs:label t:abbr "short") '
        "AnnotationAssertion(o:hasScope t:abbr o:hasExactSynonym) SubClassOf(obo:A obo:B) "
        'Declaration(Class(x:1)) AnnotationAssertion(o:id x:1 "X:1") AnnotationAssertion(o:hasOBONamespace x:1 "n") '
        'AnnotationAssertion(o:hasDbXref x:1 "Y:1") EquivalentClasses(x:1 obo:Y_1) Declaration(NamedIndividual(t:i)) '
        'AnnotationAssertion(o:id t:i "i") AnnotationAssertion(o:hasOBONamespace t:i "n") ClassAssertion(x:1 t:i) '
        "ObjectPropertyAssertion(t:r t:i t:j))"
    )
    for name in ("a.obo", "a"):
        (tmp_path / name).write_text(text)
        assert_same(graph_of(tmp_path / name), graph_of(expected))


def test_a_folder_is_read_without_the_obo_beside_its_owl(tmp_path: Path) -> None:
    (tmp_path / "a.obo").write_text(HEADER)
    (tmp_path / "a.ttl").write_text("<http://e/s> <http://e/p> <http://e/o> .")

    assert len(graph_of(tmp_path)) == 1


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("[Term]\nno clause", 4, "'no clause' is not a clause"),
        ("[Term]\nname: x", 3, "id: missing in the frame"),
        (f"{TERM}is_a: X:1 X:2", 5, "is_a: 2 names"),
        (f'{TERM}def: "open [A:1]', 5, "def: no text in quotation marks"),
        (f"{TERM}intersection_of: X:2", 5, "the only one of its frame"),
        (f'{TERM}relationship: r X:2 {{cardinality="two"}}', 5, "cardinality=two is not a number"),
        (f"{TERM}is_a: http://e/{{}}<>", 5, "not a valid IRI"),
        ("subsetdef: slim", 3, "subsetdef: no text"),
        ("owl-axioms: Ontology(\\nSubClassOf(", 3, "owl-axioms: the ontology breaks off"),
        (f"{TERM}property_value: p", 5, "property_value: no value"),
    ],
)
def test_malformed_lines_are_named(text: str, line: int, reason: str) -> None:
    store = ReasoningStore(rules="none")
    with pytest.raises(LoadError, match=reason) as caught:
        store.bulk_load((HEADER + text).encode())

    assert caught.value.line == line
    assert len(store) == 0
