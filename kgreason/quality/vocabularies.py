"""The terms that RDF, RDFS, OWL 2 and SKOS define."""

from __future__ import annotations

from typing import Final

from kgreason.rdf.vocabulary import OWL, RDF, RDFS, SKOS, XSD

_RDF: Final = """
Alt Bag CompoundLiteral HTML JSON List PlainLiteral Property Seq Statement XMLLiteral direction dirLangString first
langRange langString language nil object predicate rest subject type value
"""
_RDFS: Final = """
Class Container ContainerMembershipProperty Datatype Literal Resource comment domain isDefinedBy label member range
seeAlso subClassOf subPropertyOf
"""
_OWL: Final = """
AllDifferent AllDisjointClasses AllDisjointProperties Annotation AnnotationProperty AsymmetricProperty Axiom Class
DataRange DatatypeProperty DeprecatedClass DeprecatedProperty FunctionalProperty InverseFunctionalProperty
IrreflexiveProperty NamedIndividual NegativePropertyAssertion Nothing ObjectProperty Ontology OntologyProperty
ReflexiveProperty Restriction SymmetricProperty Thing TransitiveProperty allValuesFrom annotatedProperty annotatedSource
annotatedTarget assertionProperty backwardCompatibleWith bottomDataProperty bottomObjectProperty cardinality
complementOf datatypeComplementOf deprecated differentFrom disjointUnionOf disjointWith distinctMembers equivalentClass
equivalentProperty hasKey hasSelf hasValue imports incompatibleWith intersectionOf inverseOf maxCardinality
maxQualifiedCardinality members minCardinality minQualifiedCardinality onClass onDataRange onDatatype oneOf onProperties
onProperty priorVersion propertyChainAxiom propertyDisjointWith qualifiedCardinality rational real sameAs
someValuesFrom sourceIndividual targetIndividual targetValue topDataProperty topObjectProperty unionOf versionIRI
versionInfo withRestrictions
"""
_SKOS: Final = """
Collection Concept ConceptScheme OrderedCollection altLabel broadMatch broader broaderTransitive changeNote closeMatch
definition editorialNote exactMatch example hasTopConcept hiddenLabel historyNote inScheme mappingRelation member
memberList narrowMatch narrower narrowerTransitive notation note prefLabel related relatedMatch scopeNote
semanticRelation topConceptOf
"""
DEFINED: Final = {
    namespace: frozenset(names.split())
    for namespace, names in ((RDF, _RDF), (RDFS, _RDFS), (OWL, _OWL), (SKOS, _SKOS))
}
"""The local names of each namespace; RDF has also `_1`, `_2`, ..."""
STANDARD: Final = (RDF, RDFS, OWL, XSD, SKOS)
DOCUMENTATION: Final = tuple(
    f"{SKOS}{name}"
    for name in ("changeNote", "definition", "editorialNote", "example", "historyNote", "note", "scopeNote")
)
"""Documentation properties of SKOS."""
ANNOTATIONS: Final = (
    *DOCUMENTATION,
    RDFS + "comment",
    "http://purl.org/dc/terms/description",
    "http://purl.org/dc/elements/1.1/description",
    "http://purl.obolibrary.org/obo/IAO_0000115",
)
"""Properties that document a term."""
LABELS: Final = (SKOS + "prefLabel", SKOS + "altLabel", SKOS + "hiddenLabel")


def skos(*names: str) -> tuple[str, ...]:
    """IRIs of SKOS."""
    return tuple(SKOS + name for name in names)


def owl(*names: str) -> tuple[str, ...]:
    """IRIs of OWL."""
    return tuple(OWL + name for name in names)
