"""Clauses of OBO that say something about classes, properties and individuals, as axioms of OWL."""

from __future__ import annotations

from kgreason.io.owl.expressions import Argument, Expression
from kgreason.io.owl.obo_axioms import Axioms
from kgreason.io.owl.obo_lines import Clause, Frame
from kgreason.io.owl.obo_vocabulary import BETWEEN_CLASSES, BETWEEN_PROPERTIES, CARDINALITIES, CHARACTERISTICS


def take_logical(axioms: Axioms, kind: str, clause: Clause, subject: str) -> bool:
    """Take the axiom of a clause about a class, a property or an individual; False where it is none."""
    more = axioms.qualifiers(clause)
    match kind:
        case "Class":
            return _class_axiom(axioms, clause, subject, more)
        case "ObjectProperty":
            return _property_axiom(axioms, clause, subject, more)
        case "AnnotationProperty" if clause.tag == "is_a":
            axioms.axiom("SubAnnotationPropertyOf", [subject, axioms.iri(clause.ids(1)[0])], more)
            return True
        case "NamedIndividual" if clause.tag == "instance_of":
            axioms.axiom("ClassAssertion", [axioms.iri(clause.ids(1)[0]), subject], more)
            return True
        case "NamedIndividual" if clause.tag == "relationship":
            property, value = (axioms.iri(each) for each in clause.ids(2))
            axioms.axiom("ObjectPropertyAssertion", [property, subject, value], more)
            return True
    return False


def _class_axiom(axioms: Axioms, clause: Clause, subject: str, more: list[Argument]) -> bool:
    if clause.tag in BETWEEN_CLASSES:
        value: Argument = axioms.iri(clause.ids(1)[0])
    elif clause.tag == "relationship":
        property, filler = clause.ids(2)
        value = _restriction(axioms, property, filler, clause)
    else:
        return False
    given = dict(clause.qualifiers)
    described: Argument = subject
    if "gci_relation" in given and "gci_filler" in given:
        some = [axioms.iri(given["gci_relation"]), axioms.iri(given["gci_filler"])]
        described = Expression("ObjectIntersectionOf", [subject, Expression("ObjectSomeValuesFrom", list(some))])
    axioms.axiom(BETWEEN_CLASSES.get(clause.tag, "SubClassOf"), [described, value], more)
    return True


def _restriction(axioms: Axioms, property: str, filler: str, clause: Clause) -> Expression:
    """What a relationship says of a class: of some as a rule, of a number or of all where qualifiers say so."""
    on: list[Argument] = [axioms.iri(property), axioms.iri(filler)]
    given = dict(clause.qualifiers)
    found: list[Argument] = []
    for name, kind in CARDINALITIES.items():
        if name in given:
            if not given[name].isdecimal():
                raise clause.wrong(f"{name}={given[name]} is not a number")
            found.append(Expression(f"Object{kind}Cardinality", [given[name], *on]))
    if given.get("all_only") == "true":
        found.append(Expression("ObjectAllValuesFrom", on))
    if not found or given.get("all_some") == "true":
        found.append(Expression("ObjectSomeValuesFrom", on))
    only = found[0]
    return only if len(found) == 1 and isinstance(only, Expression) else Expression("ObjectIntersectionOf", found)


def take_definitions(axioms: Axioms, frame: Frame, subject: str) -> None:
    """Take an intersection or a union, whose parts stand in clauses of their own."""
    for tag, name in (("intersection_of", "ObjectIntersectionOf"), ("union_of", "ObjectUnionOf")):
        clauses = list(frame.of(tag))
        parts: list[Argument] = []
        for clause in clauses:
            axioms.line = clause.line
            words = clause.words()
            if len(words) not in (1, 2):
                raise clause.wrong(f"{len(words)} names (expected 1 or 2)")
            last = words[-1]
            parts.append(axioms.iri(last) if len(words) == 1 else _restriction(axioms, words[0], last, clause))
        if len(parts) == 1:
            raise clauses[0].wrong("the only one of its frame (expected 2 or more)")
        if parts:
            more = [each for clause in clauses for each in axioms.qualifiers(clause)]
            axioms.axiom("EquivalentClasses", [subject, Expression(name, parts)], more)


def _property_axiom(axioms: Axioms, clause: Clause, subject: str, more: list[Argument]) -> bool:
    tag = clause.tag
    if tag in BETWEEN_PROPERTIES:
        axioms.axiom(BETWEEN_PROPERTIES[tag], [subject, axioms.iri(clause.ids(1)[0])], more)
    elif tag in CHARACTERISTICS:
        if clause.value.strip() == "true":
            axioms.axiom(f"{CHARACTERISTICS[tag]}ObjectProperty", [subject], more)
    elif tag == "transitive_over":
        chain = Expression("ObjectPropertyChain", [subject, axioms.iri(clause.ids(1)[0])])
        axioms.axiom("SubObjectPropertyOf", [chain, subject], more)
    elif tag in ("holds_over_chain", "equivalent_to_chain"):
        chain = Expression("ObjectPropertyChain", [axioms.iri(each) for each in clause.ids(2)])
        axioms.axiom("SubObjectPropertyOf", [chain, subject], more)
    elif tag == "relationship":
        property, value = (axioms.iri(each) for each in clause.ids(2))
        axioms.annotation(property, subject, value, more)
    else:
        return False
    return True
