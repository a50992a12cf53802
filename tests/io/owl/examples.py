"""Axioms in the functional-style syntax, and their triples by hand from the tables of "OWL 2 Mapping to RDF Graphs"."""

from __future__ import annotations

NAMESPACES = {
    "": "http://e/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "swrl": "http://www.w3.org/2003/11/swrl#",
}
TURTLE_PREFIXES = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in NAMESPACES.items())
PREFIXES = "".join(f"Prefix({name}:=<{iri}>)\n" for name, iri in NAMESPACES.items())


def restriction(rest: str) -> str:
    """A restriction on `p` in Turtle."""
    return f"[ a owl:Restriction ; owl:onProperty :p ; {rest} ]"


CLASSES = {
    "ObjectIntersectionOf(:A :B)": "[ a owl:Class ; owl:intersectionOf ( :A :B ) ]",
    "ObjectUnionOf(:A :B :C)": "[ a owl:Class ; owl:unionOf ( :A :B :C ) ]",
    "ObjectComplementOf(:A)": "[ a owl:Class ; owl:complementOf :A ]",
    "ObjectOneOf(:i _:x)": "[ a owl:Class ; owl:oneOf ( :i _:x ) ]",
    "ObjectSomeValuesFrom(:p :A)": restriction("owl:someValuesFrom :A"),
    "ObjectSomeValuesFrom(ObjectInverseOf(:p) :A)": "[ a owl:Restriction ; owl:onProperty [ owl:inverseOf :p ] ; "
    "owl:someValuesFrom :A ]",
    "ObjectAllValuesFrom(:p ObjectComplementOf(:A))": restriction(
        "owl:allValuesFrom [ a owl:Class ; owl:complementOf :A ]"
    ),
    "ObjectHasValue(:p :i)": restriction("owl:hasValue :i"),
    "ObjectHasSelf(:p)": restriction("owl:hasSelf true"),
    "ObjectMinCardinality(2 :p)": restriction('owl:minCardinality "2"^^xsd:nonNegativeInteger'),
    "ObjectMaxCardinality(2 :p owl:Thing)": restriction('owl:maxCardinality "2"^^xsd:nonNegativeInteger'),
    "ObjectExactCardinality(1 :p :A)": restriction(
        'owl:qualifiedCardinality "1"^^xsd:nonNegativeInteger ; owl:onClass :A'
    ),
    "ObjectMinCardinality(0 :p :A)": restriction(
        'owl:minQualifiedCardinality "0"^^xsd:nonNegativeInteger ; owl:onClass :A'
    ),
    "DataSomeValuesFrom(:p xsd:string)": restriction("owl:someValuesFrom xsd:string"),
    "DataSomeValuesFrom(:p :q :D)": "[ a owl:Restriction ; owl:onProperties ( :p :q ) ; owl:someValuesFrom :D ]",
    'DataAllValuesFrom(:p DataOneOf("a" "b"@en))': restriction(
        'owl:allValuesFrom [ a rdfs:Datatype ; owl:oneOf ( "a" "b"@en ) ]'
    ),
    'DataHasValue(:p "1"^^xsd:integer)': restriction("owl:hasValue 1"),
    "DataExactCardinality(1 :p)": restriction('owl:cardinality "1"^^xsd:nonNegativeInteger'),
    "DataMaxCardinality(1 :p xsd:integer)": restriction(
        'owl:maxQualifiedCardinality "1"^^xsd:nonNegativeInteger ; owl:onDataRange xsd:integer'
    ),
    "DataSomeValuesFrom(:p DatatypeRestriction(xsd:integer xsd:minInclusive \"5\"^^xsd:integer "
    "xsd:maxExclusive \"10\"^^xsd:integer))": restriction(
        "owl:someValuesFrom [ a rdfs:Datatype ; owl:onDatatype xsd:integer ; "
        "owl:withRestrictions ( [ xsd:minInclusive 5 ] [ xsd:maxExclusive 10 ] ) ]"
    ),
    "DataSomeValuesFrom(:p DataUnionOf(xsd:string DataComplementOf(xsd:integer) "
    "DataIntersectionOf(:D :E)))": restriction(
        "owl:someValuesFrom [ a rdfs:Datatype ; owl:unionOf ( xsd:string "
        "[ a rdfs:Datatype ; owl:datatypeComplementOf xsd:integer ] "
        "[ a rdfs:Datatype ; owl:intersectionOf ( :D :E ) ] ) ]"
    ),
}

AXIOMS = {
    "Declaration(Class(:A)) Declaration(Datatype(:D)) Declaration(ObjectProperty(:p)) Declaration(DataProperty(:d)) "
    "Declaration(AnnotationProperty(:a)) Declaration(NamedIndividual(:i))": ":A a owl:Class . :D a rdfs:Datatype . "
    ":p a owl:ObjectProperty . :d a owl:DatatypeProperty . :a a owl:AnnotationProperty . :i a owl:NamedIndividual .",
    **{f"SubClassOf(:S {text})": f":S rdfs:subClassOf {triples} ." for text, triples in CLASSES.items()},
    "EquivalentClasses(:A :B :C)": ":A owl:equivalentClass :B . :B owl:equivalentClass :C .",
    "DisjointClasses(:A :B)": ":A owl:disjointWith :B .",
    "DisjointClasses(:A :B :C)": "[] a owl:AllDisjointClasses ; owl:members ( :A :B :C ) .",
    "DisjointUnion(:A :B :C)": ":A owl:disjointUnionOf ( :B :C ) .",
    "SubObjectPropertyOf(:p :q)": ":p rdfs:subPropertyOf :q .",
    "SubObjectPropertyOf(ObjectPropertyChain(:p :q) :r)": ":r owl:propertyChainAxiom ( :p :q ) .",
    "EquivalentObjectProperties(:p :q)": ":p owl:equivalentProperty :q .",
    "DisjointObjectProperties(:p :q)": ":p owl:propertyDisjointWith :q .",
    "DisjointDataProperties(:p :q :r)": "[] a owl:AllDisjointProperties ; owl:members ( :p :q :r ) .",
    "InverseObjectProperties(:p :q)": ":p owl:inverseOf :q .",
    "ObjectPropertyDomain(:p :A) DataPropertyDomain(:d :A) AnnotationPropertyDomain(:a :A)": ":p rdfs:domain :A . "
    ":d rdfs:domain :A . :a rdfs:domain :A .",
    "ObjectPropertyRange(:p :A) DataPropertyRange(:d xsd:string) AnnotationPropertyRange(:a :A)": ":p rdfs:range :A . "
    ":d rdfs:range xsd:string . :a rdfs:range :A .",
    "FunctionalObjectProperty(:p) InverseFunctionalObjectProperty(:p) ReflexiveObjectProperty(:p) "
    "IrreflexiveObjectProperty(:p) SymmetricObjectProperty(:p) AsymmetricObjectProperty(:p) "
    "TransitiveObjectProperty(:p) FunctionalDataProperty(:d)": ":p a owl:FunctionalProperty , "
    "owl:InverseFunctionalProperty , owl:ReflexiveProperty , owl:IrreflexiveProperty , owl:SymmetricProperty , "
    "owl:AsymmetricProperty , owl:TransitiveProperty . :d a owl:FunctionalProperty .",
    "SubDataPropertyOf(:d :e) EquivalentDataProperties(:d :e)": ":d rdfs:subPropertyOf :e ; "
    "owl:equivalentProperty :e .",
    "SubAnnotationPropertyOf(:a rdfs:label)": ":a rdfs:subPropertyOf rdfs:label .",
    "DatatypeDefinition(:D DataComplementOf(xsd:integer))": ":D owl:equivalentClass "
    "[ a rdfs:Datatype ; owl:datatypeComplementOf xsd:integer ] .",
    "HasKey(:A (:p) (:d :e)) HasKey(:B () (:d))": ":A owl:hasKey ( :p :d :e ) . :B owl:hasKey ( :d ) .",
    "SameIndividual(:i :j :k)": ":i owl:sameAs :j . :j owl:sameAs :k .",
    "DifferentIndividuals(:i :j)": ":i owl:differentFrom :j .",
    "DifferentIndividuals(:i :j :k)": "[] a owl:AllDifferent ; owl:members ( :i :j :k ) .",
    "ClassAssertion(:A :i) ClassAssertion(:A _:x)": ":i a :A . _:x a :A .",
    "ObjectPropertyAssertion(:p :i _:x) ObjectPropertyAssertion(ObjectInverseOf(:q) :i _:x)": ":i :p _:x . _:x :q :i .",
    'DataPropertyAssertion(:d :i "\\"a\\\\b\\"")': ':i :d "\\"a\\\\b\\"" .',
    "NegativeObjectPropertyAssertion(:p :i :j)": "[] a owl:NegativePropertyAssertion ; owl:assertionProperty :p ; "
    "owl:sourceIndividual :i ; owl:targetIndividual :j .",
    'NegativeDataPropertyAssertion(:d :i "3"^^xsd:integer)': "[] a owl:NegativePropertyAssertion ; "
    "owl:assertionProperty :d ; owl:sourceIndividual :i ; owl:targetValue 3 .",
    'AnnotationAssertion(rdfs:label :A "x"@en-GB) AnnotationAssertion(:a _:x :B)': ':A rdfs:label "x"@en-GB . '
    "_:x :a :B .",
    'SubClassOf(Annotation(rdfs:comment "why") Annotation(:a :b) :A :B)': ":A rdfs:subClassOf :B . [] a owl:Axiom ; "
    'owl:annotatedSource :A ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :B ; rdfs:comment "why" ; '
    ":a :b .",
    'SubClassOf(Annotation(Annotation(rdfs:label "n") rdfs:comment "c") :A ObjectComplementOf(:B))': ":A "
    "rdfs:subClassOf _:b . _:b a owl:Class ; owl:complementOf :B . _:x a owl:Axiom ; owl:annotatedSource :A ; "
    'owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget _:b ; rdfs:comment "c" . [] a owl:Annotation ; '
    'owl:annotatedSource _:x ; owl:annotatedProperty rdfs:comment ; owl:annotatedTarget "c" ; rdfs:label "n" .',
    'DisjointClasses(Annotation(rdfs:comment "c") :A :B :C)': "[] a owl:AllDisjointClasses ; "
    'owl:members ( :A :B :C ) ; rdfs:comment "c" .',
    "DLSafeRule(Body(ClassAtom(:A Variable(:x)) ObjectPropertyAtom(:p Variable(:x) :i)) "
    "Head(SameIndividualAtom(Variable(:x) :i)))": "[] a swrl:Imp ; swrl:body [ a swrl:AtomList ; rdf:first "
    "[ a swrl:ClassAtom ; swrl:classPredicate :A ; swrl:argument1 :x ] ; rdf:rest [ a swrl:AtomList ; rdf:first "
    "[ a swrl:IndividualPropertyAtom ; swrl:propertyPredicate :p ; swrl:argument1 :x ; swrl:argument2 :i ] ; "
    "rdf:rest () ] ] ; swrl:head [ a swrl:AtomList ; rdf:first [ a swrl:SameIndividualAtom ; swrl:argument1 :x ; "
    "swrl:argument2 :i ] ; rdf:rest () ] . :x a swrl:Variable .",
}
HEADER = ("Ontology(<http://e/o>", "<http://e/o> a owl:Ontology .")
