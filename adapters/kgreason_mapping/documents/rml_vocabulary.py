"""The terms of mapping documents. R2RML and RML before the community group use other namespaces for the same names."""

from __future__ import annotations

from typing import Final

RML: Final = "http://w3id.org/rml/"
CSVW: Final = "http://www.w3.org/ns/csvw#"

_R2RML: Final = "http://www.w3.org/ns/r2rml#"
_OLD_RML: Final = "http://semweb.mmlab.be/ns/rml#"
_OLD_FORMULATIONS: Final = "http://semweb.mmlab.be/ns/ql#"

_SYNONYMS: Final = {
    RML + "logicalTable": RML + "logicalSource",
    RML + "column": RML + "reference",
    RML + "languageTag": RML + "language",
}


def in_rml(iri: str) -> str:
    """The term of RML-Core for a term of R2RML or of the old RML; any other IRI as it is."""
    for namespace in (_R2RML, _OLD_RML, _OLD_FORMULATIONS):
        if iri.startswith(namespace):
            iri = RML + iri[len(namespace) :]
    return _SYNONYMS.get(iri, iri)
