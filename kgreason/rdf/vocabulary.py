"""The IRIs that the code names."""

from __future__ import annotations

from typing import Final

RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
OWL: Final = "http://www.w3.org/2002/07/owl#"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
SKOS: Final = "http://www.w3.org/2004/02/skos/core#"
SHACL: Final = "http://www.w3.org/ns/shacl#"
PROV: Final = "http://www.w3.org/ns/prov#"
PROOF: Final = "urn:x-kgreason:proof:"
"""Of what proofs say and no vocabulary of the W3C has a word for: Asserted, relation, arguments, text."""

RDF_TYPE: Final = RDF + "type"
RDF_FIRST: Final = RDF + "first"
RDF_REST: Final = RDF + "rest"
RDF_NIL: Final = RDF + "nil"
RDF_LANG_STRING: Final = RDF + "langString"
RDF_DIR_LANG_STRING: Final = RDF + "dirLangString"
RDF_REIFIES: Final = RDF + "reifies"
RDF_SUBJECT: Final = RDF + "subject"
RDF_PREDICATE: Final = RDF + "predicate"
RDF_OBJECT: Final = RDF + "object"
RDF_STATEMENT: Final = RDF + "Statement"
RDFS_LABEL: Final = RDFS + "label"
OWL_IMPORTS: Final = OWL + "imports"

SOURCE_RULE: Final = SHACL + "sourceRule"
DERIVED_FROM: Final = PROV + "wasDerivedFrom"
PLAN: Final = PROV + "Plan"
ASSERTED: Final = PROOF + "Asserted"
PROVED_RELATION: Final = PROOF + "relation"
PROVED_ARGUMENTS: Final = PROOF + "arguments"
RULE_TEXT: Final = PROOF + "text"

XSD_STRING: Final = XSD + "string"
XSD_INTEGER: Final = XSD + "integer"
XSD_DECIMAL: Final = XSD + "decimal"
XSD_DOUBLE: Final = XSD + "double"
XSD_FLOAT: Final = XSD + "float"
XSD_BOOLEAN: Final = XSD + "boolean"

STANDARD_PREFIXES: Final = {"rdf": RDF, "rdfs": RDFS, "owl": OWL, "xsd": XSD, "skos": SKOS}
