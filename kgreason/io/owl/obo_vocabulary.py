"""What the tags of OBO stand for: terms of OWL, RDFS and oboInOwl, and names of axioms."""

from __future__ import annotations

from typing import Final

from kgreason.io.owl.expressions import RDFS

OBO: Final = "http://purl.obolibrary.org/obo/"
OBO_IN_OWL: Final = "http://www.geneontology.org/formats/oboInOwl#"
KINDS: Final = {"Term": "Class", "Typedef": "ObjectProperty", "Instance": "NamedIndividual"}
LITERALS: Final = {
    "name": f"{RDFS}label",
    "comment": f"{RDFS}comment",
    "remark": f"{RDFS}comment",
    "namespace": f"{OBO_IN_OWL}hasOBONamespace",
    "alt_id": f"{OBO_IN_OWL}hasAlternativeId",
    "format-version": f"{OBO_IN_OWL}hasOBOFormatVersion",
    "expand_assertion_to": f"{OBO}IAO_0000425",
    "expand_expression_to": f"{OBO}IAO_0000424",
}
NAMES: Final = {
    "subset": f"{OBO_IN_OWL}inSubset",
    "replaced_by": f"{OBO}IAO_0100001",
    "consider": f"{OBO_IN_OWL}consider",
}
SCOPES: Final = {
    scope: f"{OBO_IN_OWL}has{scope.capitalize()}Synonym" for scope in ("EXACT", "BROAD", "NARROW", "RELATED")
}
OLD_SYNONYMS: Final = {f"{scope.lower()}_synonym": scope for scope in SCOPES}
CHARACTERISTICS: Final = {
    "is_transitive": "Transitive",
    "is_symmetric": "Symmetric",
    "is_reflexive": "Reflexive",
    "is_functional": "Functional",
    "is_inverse_functional": "InverseFunctional",
    "is_asymmetric": "Asymmetric",
}
BETWEEN_PROPERTIES: Final = {
    "is_a": "SubObjectPropertyOf",
    "inverse_of": "InverseObjectProperties",
    "equivalent_to": "EquivalentObjectProperties",
    "disjoint_from": "DisjointObjectProperties",
    "domain": "ObjectPropertyDomain",
    "range": "ObjectPropertyRange",
}
BETWEEN_CLASSES: Final = {
    "is_a": "SubClassOf",
    "equivalent_to": "EquivalentClasses",
    "disjoint_from": "DisjointClasses",
}
USUAL_QUALIFIERS: Final = {"comment": f"{RDFS}comment", "xref": f"{OBO_IN_OWL}hasDbXref"}
CARDINALITIES: Final = {"cardinality": "Exact", "minCardinality": "Min", "maxCardinality": "Max"}
SILENT: Final = frozenset(
    ("id", "is_anonymous", "is_metadata_tag", "is_class_level", "builtin", "intersection_of", "union_of")
)
HEADER: Final = frozenset(
    ("ontology", "data-version", "import", "subsetdef", "synonymtypedef", "idspace", "owl-axioms")
)
