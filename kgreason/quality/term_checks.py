"""Checks of what is declared and what is used: classes and properties of any data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from kgreason.columns import sorted_sets
from kgreason.io.quads import Ids
from kgreason.quality.check import ERROR, NOTE, WARNING, Check, Row
from kgreason.quality.graph_columns import GraphColumns
from kgreason.quality.vocabularies import ANNOTATIONS, DEFINED, LABELS, STANDARD, owl
from kgreason.rdf.vocabulary import OWL, RDF, RDF_FIRST, RDF_TYPE, RDFS, STANDARD_PREFIXES

CLASS_TYPES: Final = (RDFS + "Class", RDFS + "Datatype", *owl("Class", "DataRange", "DeprecatedClass", "Restriction"))
PROPERTY_TYPES: Final = (
    RDF + "Property",
    *owl(
        "ObjectProperty",
        "DatatypeProperty",
        "AnnotationProperty",
        "OntologyProperty",
        "FunctionalProperty",
        "InverseFunctionalProperty",
        "TransitiveProperty",
        "SymmetricProperty",
        "AsymmetricProperty",
        "ReflexiveProperty",
        "IrreflexiveProperty",
        "DeprecatedProperty",
    ),
)
_NAMES_CLASS: Final = (
    RDFS + "domain",
    RDFS + "range",
    RDFS + "subClassOf",
    *owl("equivalentClass", "disjointWith", "complementOf", "someValuesFrom", "allValuesFrom", "onClass"),
)
_NAMES_PROPERTY: Final = (RDFS + "subPropertyOf", *owl("onProperty", "inverseOf", "equivalentProperty"))
_SAYS_LITTLE: Final = frozenset(
    (RDF_TYPE, *ANNOTATIONS, *LABELS, RDFS + "label", RDFS + "isDefinedBy", RDFS + "seeAlso", *owl("versionInfo"))
)
_NUMBERED: Final = re.compile(r"_[1-9]\d*")


def declared_classes(graph: GraphColumns) -> Ids:
    """The IRIs that are asserted to be classes or datatypes."""
    return graph.iris(graph.members(*CLASS_TYPES, explicit=True))


def declared_properties(graph: GraphColumns) -> Ids:
    """The IRIs that are asserted to be properties."""
    return graph.iris(graph.members(*PROPERTY_TYPES, explicit=True))


def used_classes(graph: GraphColumns) -> Ids:
    """The IRIs that are used as classes by explicit triples."""
    ends = [graph.pairs(RDF_TYPE, *_NAMES_CLASS, explicit=True).right]
    ends.append(graph.pairs(RDFS + "subClassOf", *owl("equivalentClass", "disjointWith"), explicit=True).left)
    return graph.iris(sorted_sets.unique(np.concatenate(ends)))


def used_properties(graph: GraphColumns) -> Ids:
    """The IRIs that are used as properties by explicit triples."""
    named = graph.pairs(*_NAMES_PROPERTY, explicit=True).right
    about = graph.pairs(RDFS + "subPropertyOf", RDFS + "domain", RDFS + "range", explicit=True).left
    return graph.iris(sorted_sets.unique(np.concatenate([graph.predicates, named, about])))


def _namespaces(graph: GraphColumns, ids: Ids) -> list[str]:
    return [namespace_of(key) for key in graph.texts(ids)]


def namespace_of(iri: str) -> str:
    """An IRI up to its last # or /, or else its last colon; all of it where nothing follows the name of a host."""
    end = max(iri.rfind("#"), iri.rfind("/")) + 1 or iri.rfind(":") + 1
    return iri if iri[:end].endswith("://") else iri[:end]


def _undeclared(graph: GraphColumns, own: bool) -> Iterator[Row]:
    """Terms that are used and not declared, of namespaces in which something is declared or of others."""
    classes, properties = declared_classes(graph), declared_properties(graph)
    known = np.concatenate([classes, properties])
    declaring = set(_namespaces(graph, known))
    for kind, used in (("class", used_classes(graph)), ("property", used_properties(graph))):
        missing = np.setdiff1d(used, known)
        for term, namespace in zip(missing.tolist(), _namespaces(graph, missing), strict=True):
            if namespace not in STANDARD and (namespace in declaring) == own:
                yield term, kind


def _unused(graph: GraphColumns) -> Iterator[Row]:
    """Terms with a declaration and annotations, of which nothing else is said."""
    named, said = graph.once("uses", lambda: _uses(graph))
    for kind, declared in (("class", declared_classes(graph)), ("property", declared_properties(graph))):
        unused = np.setdiff1d(declared, np.concatenate([named, said, _deprecated_terms(graph)]))
        keys = zip(unused.tolist(), graph.texts(unused), strict=True)
        yield from ((term, kind) for term, key in keys if not key.startswith(STANDARD))


def _uses(graph: GraphColumns) -> tuple[Ids, Ids]:
    """What occurs as a property or an object, and the subjects of triples that say more than an annotation does."""
    named, said = [graph.predicates], [np.empty(0, dtype=np.uint32)]
    little = {graph.id(iri) for iri in _SAYS_LITTLE} | set(graph.members(*owl("AnnotationProperty")).tolist())
    annotated = graph.id(OWL + "annotatedSource")
    for subjects, predicates, objects in graph.explicit.match(None, None, None):
        if not len(predicates) or predicates[0] == annotated:
            continue
        named.append(objects)
        if int(predicates[0]) not in little:
            said.append(subjects[~graph.is_literal(objects)])
    return sorted_sets.unique(np.concatenate(named)), sorted_sets.unique(np.concatenate(said))


def _undefined(graph: GraphColumns) -> Iterator[Row]:
    """Terms that look like those of a standard vocabulary."""
    parts = [graph.predicates, graph.pairs(RDF_TYPE, *_NAMES_CLASS, *_NAMES_PROPERTY, explicit=True).right]
    used = graph.iris(sorted_sets.unique(np.concatenate(parts)))
    for term, key in zip(used.tolist(), graph.texts(used), strict=True):
        for namespace, names in DEFINED.items():
            if key.startswith(namespace) and (local := key.removeprefix(namespace)) not in names:
                if namespace == RDF and _NUMBERED.fullmatch(local):
                    continue
                yield term, ", ".join(_like(local))


def _like(local: str) -> Iterator[str]:
    """The defined terms with a local name, but for upper and lower case."""
    prefix_of = {namespace: prefix for prefix, namespace in STANDARD_PREFIXES.items()}
    for namespace, names in DEFINED.items():
        yield from (f"{prefix_of[namespace]}:{name}" for name in sorted(names) if name.lower() == local.lower())


def _mixed(graph: GraphColumns) -> Iterator[Row]:
    kinds = [
        ("object property", graph.members(*owl("ObjectProperty"), explicit=True)),
        ("data property", graph.members(*owl("DatatypeProperty"), explicit=True)),
        ("annotation property", graph.members(*owl("AnnotationProperty"), explicit=True)),
    ]
    for number, (one, terms) in enumerate(kinds):
        for other, others in kinds[number + 1 :]:
            yield from ((term, f"{one} and {other}") for term in np.intersect1d(terms, others).tolist())


def _literal_or_not(graph: GraphColumns) -> Iterator[Row]:
    """Object properties with literals, data properties with resources."""
    cases = (("ObjectProperty", "a literal", True), ("DatatypeProperty", "a resource", False))
    for kind, wrong, is_literal in cases:
        for term in np.intersect1d(graph.members(*owl(kind), explicit=True), graph.predicates).tolist():
            for subjects, _, objects in graph.explicit.match(None, term, None):
                is_wrong = graph.is_literal(objects) == is_literal
                rows = zip(subjects[is_wrong].tolist(), objects[is_wrong].tolist(), strict=True)
                yield from ((term, wrong, subject, object) for subject, object in rows)


def _deprecated_terms(graph: GraphColumns) -> Ids:
    flags = graph.pairs(*owl("deprecated"), explicit=True)
    is_true = np.array([key.startswith(('"true"', '"1"')) for key in graph.texts(flags.right)], dtype=np.bool_)
    return np.union1d(flags.left[is_true], graph.members(*owl("DeprecatedClass", "DeprecatedProperty")))


def _deprecated(graph: GraphColumns) -> Iterator[Row]:
    gone = _deprecated_terms(graph)
    axioms = graph.pairs(RDF_TYPE, RDF_FIRST, *_NAMES_CLASS, *_NAMES_PROPERTY, explicit=True)
    used = axioms.where(np.isin(axioms.right, gone) & ~np.isin(axioms.left, gone))
    yield from ((right, left) for left, right in used.rows())
    for term in np.intersect1d(gone, graph.predicates).tolist():
        for subjects, _, _ in graph.explicit.match(None, term, None):
            yield from ((term, subject) for subject in sorted_sets.unique(subjects).tolist())


def _several(graph: GraphColumns) -> Iterator[Row]:
    for name in ("domain", "range"):
        found = graph.pairs(RDFS + name, explicit=True)
        terms, counts = np.unique(found.left, return_counts=True)
        for term in terms[counts > 1].tolist():
            yield term, name, tuple(found.right[found.left == term].tolist())


def _unlabelled(graph: GraphColumns) -> Iterator[Row]:
    labelled = graph.pairs(RDFS + "label", *LABELS, "http://purl.org/dc/terms/title").left
    for kind, declared in (("class", declared_classes(graph)), ("property", declared_properties(graph))):
        missing = np.setdiff1d(declared, labelled)
        keys = zip(missing.tolist(), graph.texts(missing), strict=True)
        yield from ((term, kind) for term, key in keys if not key.startswith(STANDARD))


def _own_undeclared(graph: GraphColumns) -> Iterator[Row]:
    return _undeclared(graph, True)


def _foreign(graph: GraphColumns) -> Iterator[Row]:
    return _undeclared(graph, False)


TERM_CHECKS: Final = (
    Check(
        "undefined-term",
        ERROR,
        "A term is in the namespace of RDF, RDFS, OWL or SKOS, which does not define it.",
        ("term", "perhaps meant"),
        _undefined,
    ),
    Check(
        "undeclared-term",
        WARNING,
        "A class or property is used and not declared, in a namespace with others that are.",
        ("term", "used as"),
        _own_undeclared,
    ),
    Check(
        "undeclared-namespace",
        NOTE,
        "A class or property is used, of a namespace of which nothing is declared here.",
        ("term", "used as"),
        _foreign,
    ),
    Check(
        "unused-term",
        NOTE,
        "A class or property is declared, and nothing but annotations is said of it or with it.",
        ("term", "kind"),
        _unused,
    ),
    Check("mixed-kinds", ERROR, "A property is of several kinds that OWL keeps apart.", ("property", "kinds"), _mixed),
    Check(
        "wrong-kind-of-value",
        ERROR,
        "An object property has a literal, or a data property a resource.",
        ("property", "has", "subject", "value"),
        _literal_or_not,
    ),
    Check("deprecated-term", WARNING, "A term is in use that is deprecated.", ("term", "used by"), _deprecated),
    Check(
        "several-domains-or-ranges",
        NOTE,
        "A property has several domains or ranges; all of them hold together, not one of them.",
        ("property", "which", "classes"),
        _several,
    ),
    Check("unlabelled-term", NOTE, "A class or property has no label.", ("term", "kind"), _unlabelled),
)
