"""The terms of RDF for the names of axioms, expressions and atoms (OWL 2 Mapping to RDF Graphs, tables 1 and 2)."""

from __future__ import annotations

from typing import Final

from kgreason.io.owl.expressions import OWL, RDFS

ENTITIES: Final = {
    "Class": f"{OWL}Class",
    "Datatype": f"{RDFS}Datatype",
    "ObjectProperty": f"{OWL}ObjectProperty",
    "DataProperty": f"{OWL}DatatypeProperty",
    "AnnotationProperty": f"{OWL}AnnotationProperty",
    "NamedIndividual": f"{OWL}NamedIndividual",
}
BETWEEN: Final = {
    "SubClassOf": f"{RDFS}subClassOf",
    "SubObjectPropertyOf": f"{RDFS}subPropertyOf",
    "SubDataPropertyOf": f"{RDFS}subPropertyOf",
    "SubAnnotationPropertyOf": f"{RDFS}subPropertyOf",
    "InverseObjectProperties": f"{OWL}inverseOf",
    "ObjectPropertyDomain": f"{RDFS}domain",
    "DataPropertyDomain": f"{RDFS}domain",
    "AnnotationPropertyDomain": f"{RDFS}domain",
    "ObjectPropertyRange": f"{RDFS}range",
    "DataPropertyRange": f"{RDFS}range",
    "AnnotationPropertyRange": f"{RDFS}range",
    "DatatypeDefinition": f"{OWL}equivalentClass",
}
"""Axioms that are one triple between their two arguments."""
CHAINS: Final = {
    "EquivalentClasses": f"{OWL}equivalentClass",
    "EquivalentObjectProperties": f"{OWL}equivalentProperty",
    "EquivalentDataProperties": f"{OWL}equivalentProperty",
    "SameIndividual": f"{OWL}sameAs",
}
"""Axioms that are a triple between each argument and the next one."""
PAIRWISE: Final = {
    "DisjointClasses": (f"{OWL}disjointWith", f"{OWL}AllDisjointClasses"),
    "DisjointObjectProperties": (f"{OWL}propertyDisjointWith", f"{OWL}AllDisjointProperties"),
    "DisjointDataProperties": (f"{OWL}propertyDisjointWith", f"{OWL}AllDisjointProperties"),
    "DifferentIndividuals": (f"{OWL}differentFrom", f"{OWL}AllDifferent"),
}
"""Axioms that are a triple between two arguments, and a node with a list of more."""
CHARACTERISTICS: Final = {
    "FunctionalObjectProperty": f"{OWL}FunctionalProperty",
    "FunctionalDataProperty": f"{OWL}FunctionalProperty",
    "InverseFunctionalObjectProperty": f"{OWL}InverseFunctionalProperty",
    "ReflexiveObjectProperty": f"{OWL}ReflexiveProperty",
    "IrreflexiveObjectProperty": f"{OWL}IrreflexiveProperty",
    "SymmetricObjectProperty": f"{OWL}SymmetricProperty",
    "AsymmetricObjectProperty": f"{OWL}AsymmetricProperty",
    "TransitiveObjectProperty": f"{OWL}TransitiveProperty",
}
SETS: Final = {
    "ObjectIntersectionOf": (f"{OWL}Class", f"{OWL}intersectionOf"),
    "ObjectUnionOf": (f"{OWL}Class", f"{OWL}unionOf"),
    "ObjectOneOf": (f"{OWL}Class", f"{OWL}oneOf"),
    "DataIntersectionOf": (f"{RDFS}Datatype", f"{OWL}intersectionOf"),
    "DataUnionOf": (f"{RDFS}Datatype", f"{OWL}unionOf"),
    "DataOneOf": (f"{RDFS}Datatype", f"{OWL}oneOf"),
}
COMPLEMENTS: Final = {
    "ObjectComplementOf": (f"{OWL}Class", f"{OWL}complementOf"),
    "DataComplementOf": (f"{RDFS}Datatype", f"{OWL}datatypeComplementOf"),
}
RESTRICTIONS: Final = {
    "ObjectSomeValuesFrom": f"{OWL}someValuesFrom",
    "ObjectAllValuesFrom": f"{OWL}allValuesFrom",
    "ObjectHasValue": f"{OWL}hasValue",
    "DataSomeValuesFrom": f"{OWL}someValuesFrom",
    "DataAllValuesFrom": f"{OWL}allValuesFrom",
    "DataHasValue": f"{OWL}hasValue",
}
CARDINALITIES: Final = {
    f"{kind}{name}Cardinality": (word, f"{OWL}{on}")
    for kind, on in (("Object", "onClass"), ("Data", "onDataRange"))
    for name, word in (("Min", "min"), ("Max", "max"), ("Exact", ""))
}
ATOMS: Final = {
    "ClassAtom": "classPredicate",
    "DataRangeAtom": "dataRange",
    "ObjectPropertyAtom": "propertyPredicate",
    "DataPropertyAtom": "propertyPredicate",
    "BuiltInAtom": "builtin",
    "SameIndividualAtom": "",
    "DifferentIndividualsAtom": "",
}
