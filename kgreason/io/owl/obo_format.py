"""OBO (``.obo``) as the axioms that the OBO Foundry maps it to, with the vocabulary that OWL API and ROBOT write.

Sources: OBO Flat File Format 1.4 syntax and semantics, section 5; OWL files that ROBOT made of OBO files, for
properties on which the former is silent. Tags that neither has are annotations under their names in oboInOwl.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from kgreason.checkpoints import checkpoint
from kgreason.errors import TermError
from kgreason.io.owl.expressions import (
    OWL,
    RDFS,
    XSD,
    Argument,
    Expression,
    Names,
    OwlSyntaxError,
    Take,
    literal_key,
)
from kgreason.io.owl.functional_syntax import read_functional
from kgreason.io.owl.obo_lines import Clause, Frame, frames_of, unescaped, xrefs_of
from kgreason.io.owl.obo_vocabulary import (
    BETWEEN_CLASSES,
    BETWEEN_PROPERTIES,
    CARDINALITIES,
    CHARACTERISTICS,
    HEADER,
    KINDS,
    LITERALS,
    NAMES,
    OBO,
    OBO_IN_OWL,
    OLD_SYNONYMS,
    SCOPES,
    SILENT,
    USUAL_QUALIFIERS,
)

_URL: Final = re.compile(r"[a-z][a-z0-9+.-]*://|urn:|mailto:", re.IGNORECASE)


def read_obo(text: str, names: Names, take: Take) -> None:
    """Give what an OBO document says, one expression after the other.

    Raises:
        OwlSyntaxError: it is malformed.
    """
    header, *frames = frames_of(text)
    document = _Document(header, frames, names, take)
    try:
        document.run()
    except TermError as error:
        raise OwlSyntaxError(error.reason, document.line) from None
    except OwlSyntaxError as error:
        raise OwlSyntaxError(error.reason, error.line or document.line) from None


class _Document:
    def __init__(self, header: Frame, frames: Sequence[Frame], names: Names, take: Take) -> None:
        self.line = 1  # of what is being read
        self._header = header
        self._frames = [frame for frame in frames if frame.kind in KINDS]
        self._names = names
        self._take = take
        self._ontology = header.first("ontology")
        self._namespace = header.first("default-namespace")
        self._spaces = dict(clause.words()[:2] for clause in header.of("idspace") if len(clause.words()) > 1)
        self._shorthands = dict(_shorthand(frame) for frame in self._frames if frame.kind == "Typedef")
        self._treated = [
            (clause.tag.removeprefix("treat-xrefs-as-"), *clause.words())
            for clause in header.clauses
            if clause.tag.startswith("treat-xrefs-as-") and clause.words()
        ]

    def run(self) -> None:
        self._head()
        for frame in self._frames:
            checkpoint()
            self.line = frame.line
            name = frame.first("id")
            if not name:
                raise Clause("id", "", frame.line).wrong("missing in the frame")
            iri = self._iri(name)
            is_annotation = frame.first("is_metadata_tag") == "true" or frame.first("is_class_level") == "true"
            kind = "AnnotationProperty" if is_annotation and frame.kind == "Typedef" else KINDS[frame.kind]
            self._axiom("Declaration", [Expression(kind, [iri])])
            self._annotation(f"{OBO_IN_OWL}id", iri, literal_key(name))
            if self._namespace and not frame.first("namespace"):
                self._annotation(LITERALS["namespace"], iri, literal_key(self._namespace))
            if name in self._shorthands and self._shorthands[name] != name:
                self._annotation(f"{OBO_IN_OWL}shorthand", iri, literal_key(name))
            for clause in frame.clauses:
                self.line = clause.line
                if not (self._common(clause, iri) or self._logical(kind, clause, iri)):
                    self._other(clause, iri)
            if kind == "Class":
                self._definitions(frame, iri)

    # -- the header ------------------------------------------------------------------------------------------------

    def _head(self) -> None:
        name, version = self._ontology, self._header.first("data-version")
        names: list[Argument] = []
        if name:
            names.append(self._names.iri(name if _URL.match(name) else f"{OBO}{name}.owl"))
            if version and not _URL.match(name):
                full = version if _URL.match(version) else f"{OBO}{name}/{quote(version)}/{name}.owl"
                names.append(self._names.iri(full))
        self._take(Expression("Ontology", names))
        for clause in self._header.of("import"):
            self.line = clause.line
            (wanted,) = clause.ids(1)
            self._take(Expression("Import", [self._names.iri(wanted if _URL.match(wanted) else f"{OBO}{wanted}.owl")]))
        for clause in self._header.clauses:
            if clause.tag not in HEADER and not clause.tag.startswith("treat-xrefs-as-"):
                self._header_annotation(clause)
        for clause in self._header.of("subsetdef"):
            self._defined(clause, "SubsetProperty", f"{RDFS}comment")
        for clause in self._header.of("synonymtypedef"):
            scope = self._defined(clause, "SynonymTypeProperty", f"{RDFS}label")
            if scope in SCOPES:
                self._annotation(f"{OBO_IN_OWL}hasScope", self._iri(clause.words()[0]), SCOPES[scope])
        for clause in self._header.of("owl-axioms"):
            self.line = clause.line
            try:
                read_functional(unescaped(clause.value), Names(), self._nested)
            except OwlSyntaxError as error:
                raise clause.wrong(error.reason) from None

    def _header_annotation(self, clause: Clause) -> None:
        self.line = clause.line
        if clause.tag == "property_value":
            property, value = self._property_value(clause)
        else:
            property = LITERALS.get(clause.tag) or self._names.iri(OBO_IN_OWL + clause.tag)
            value = literal_key(unescaped(clause.value))
        self._take(Expression("Annotation", [*self._qualifiers(clause), property, value]))

    def _nested(self, expression: Expression) -> None:
        if expression.name not in ("Ontology", "Import", "Annotation"):
            self._take(expression)

    def _defined(self, clause: Clause, above: str, label: str) -> str:
        """A subset or a type of synonyms; what is behind its description."""
        self.line, words = clause.line, clause.words()
        if not words:
            raise clause.wrong("no name")
        name = self._iri(words[0])
        at = clause.value.find('"')
        text, rest = Clause(clause.tag, clause.value[at:] if at >= 0 else "", clause.line).quoted()
        self._axiom("Declaration", [Expression("AnnotationProperty", [name])])
        self._axiom("SubAnnotationPropertyOf", [name, OBO_IN_OWL + above])
        self._annotation(label, name, literal_key(text))
        return rest

    # -- clauses of all frames -------------------------------------------------------------------------------------

    def _common(self, clause: Clause, subject: str) -> bool:
        """Add the annotation of a clause that all frames may have; False where it is none."""
        tag, more = clause.tag, self._qualifiers(clause)
        if tag in SILENT:
            return True
        if tag in LITERALS:
            self._annotation(LITERALS[tag], subject, literal_key(unescaped(clause.value)), more)
            if tag == "alt_id":
                self._alternative(clause, subject)
        elif tag in NAMES:
            self._annotation(NAMES[tag], subject, self._iri(clause.ids(1)[0]), more)
        elif tag == "is_obsolete":
            if clause.value.strip() == "true":
                self._annotation(f"{OWL}deprecated", subject, literal_key("true", None, f"{XSD}boolean"), more)
        elif tag == "def":
            text, rest = clause.quoted()
            self._annotation(f"{OBO}IAO_0000115", subject, literal_key(text), [*self._xrefs(rest), *more])
        elif tag == "synonym" or tag in OLD_SYNONYMS:
            self._synonym(clause, subject, more)
        elif tag in ("xref", "xref_analog"):
            for name, label in xrefs_of(clause.value)[:1]:
                labels = [_annotated(f"{RDFS}label", literal_key(label))] if label else []
                self._annotation(f"{OBO_IN_OWL}hasDbXref", subject, literal_key(name), [*labels, *more])
                self._treat(name, subject)
        elif tag == "property_value":
            property, value = self._property_value(clause)
            self._annotation(property, subject, value, more)
        else:
            return False
        return True

    def _other(self, clause: Clause, subject: str) -> None:
        property = self._names.iri(OBO_IN_OWL + quote(clause.tag))
        self._annotation(property, subject, literal_key(unescaped(clause.value)), self._qualifiers(clause))

    def _alternative(self, clause: Clause, subject: str) -> None:
        """Another name is a class that is deprecated since it was merged, as ROBOT has it."""
        name = self._iri(unescaped(clause.value.strip()))
        self._axiom("Declaration", [Expression("Class", [name])])
        self._annotation(f"{OWL}deprecated", name, literal_key("true", None, f"{XSD}boolean"))
        self._annotation(f"{OBO}IAO_0000231", name, f"{OBO}IAO_0000227")
        self._annotation(f"{OBO}IAO_0100001", name, subject)

    def _synonym(self, clause: Clause, subject: str, more: list[Argument]) -> None:
        text, rest = clause.quoted()
        words, _, listed = rest.partition("[")
        given = words.split()
        scope = OLD_SYNONYMS.get(clause.tag) or next((word for word in given if word in SCOPES), "RELATED")
        types = [unescaped(word) for word in given if word not in SCOPES]
        kinds = [_annotated(f"{OBO_IN_OWL}hasSynonymType", self._iri(each)) for each in types]
        self._annotation(SCOPES[scope], subject, literal_key(text), [*self._xrefs(f"[{listed}"), *kinds, *more])

    def _xrefs(self, text: str) -> list[Argument]:
        inner = text.strip().removeprefix("[").removesuffix("]")
        found = xrefs_of(inner) if inner.strip() else []
        return [_annotated(f"{OBO_IN_OWL}hasDbXref", literal_key(name)) for name, _ in found]

    def _property_value(self, clause: Clause) -> tuple[str, str]:
        property, _, rest = clause.value.strip().partition(" ")
        if not rest:
            raise clause.wrong("no value")
        name = self._iri(unescaped(property))
        if not rest.lstrip().startswith('"'):
            return name, self._iri(unescaped(rest.split()[0]))
        text, datatype = Clause(clause.tag, rest, clause.line).quoted()
        words = datatype.split()
        return name, literal_key(text, None, self._iri(words[0]) if words else None)

    def _treat(self, xref: str, subject: str) -> None:
        """What the header says that references to another id space mean."""
        for treatment, space, *more in self._treated:
            if xref.partition(":")[0] != space or ":" not in xref:
                continue
            other = self._iri(xref)
            some = Expression("ObjectSomeValuesFrom", [self._iri(each) for each in more])
            match treatment, len(more):
                case "equivalent", 0:
                    self._axiom("EquivalentClasses", [subject, other])
                case "is_a", 0:
                    self._axiom("SubClassOf", [subject, other])
                case "has-subclass", 0:
                    self._axiom("SubClassOf", [other, subject])
                case "relationship", 1:
                    self._axiom("SubClassOf", [subject, Expression(some.name, [*some.arguments, other])])
                case ("genus-differentia" | "reverse-genus-differentia"), 2:
                    first, second = (subject, other) if treatment[0] == "g" else (other, subject)
                    both = Expression("ObjectIntersectionOf", [second, some])
                    self._axiom("EquivalentClasses", [first, both])

    # -- logic -----------------------------------------------------------------------------------------------------

    def _logical(self, kind: str, clause: Clause, subject: str) -> bool:
        more = self._qualifiers(clause)
        match kind:
            case "Class":
                return self._class_axiom(clause, subject, more)
            case "ObjectProperty":
                return self._property_axiom(clause, subject, more)
            case "AnnotationProperty" if clause.tag == "is_a":
                self._axiom("SubAnnotationPropertyOf", [subject, self._iri(clause.ids(1)[0])], more)
                return True
            case "NamedIndividual" if clause.tag == "instance_of":
                self._axiom("ClassAssertion", [self._iri(clause.ids(1)[0]), subject], more)
                return True
            case "NamedIndividual" if clause.tag == "relationship":
                property, value = (self._iri(each) for each in clause.ids(2))
                self._axiom("ObjectPropertyAssertion", [property, subject, value], more)
                return True
        return False

    def _class_axiom(self, clause: Clause, subject: str, more: list[Argument]) -> bool:
        if clause.tag in BETWEEN_CLASSES:
            value: Argument = self._iri(clause.ids(1)[0])
        elif clause.tag == "relationship":
            property, filler = clause.ids(2)
            value = self._restriction(property, filler, clause)
        else:
            return False
        given = dict(clause.qualifiers)
        described: Argument = subject
        if "gci_relation" in given and "gci_filler" in given:
            some = [self._iri(given["gci_relation"]), self._iri(given["gci_filler"])]
            described = Expression("ObjectIntersectionOf", [subject, Expression("ObjectSomeValuesFrom", list(some))])
        self._axiom(BETWEEN_CLASSES.get(clause.tag, "SubClassOf"), [described, value], more)
        return True

    def _restriction(self, property: str, filler: str, clause: Clause) -> Expression:
        """What a relationship says of a class: of some as a rule, of a number or of all where qualifiers say so."""
        on: list[Argument] = [self._iri(property), self._iri(filler)]
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

    def _definitions(self, frame: Frame, subject: str) -> None:
        """The parts of an intersection or a union, which stand in clauses of their own."""
        for tag, name in (("intersection_of", "ObjectIntersectionOf"), ("union_of", "ObjectUnionOf")):
            clauses = list(frame.of(tag))
            parts: list[Argument] = []
            for clause in clauses:
                self.line = clause.line
                words = clause.words()
                if len(words) not in (1, 2):
                    raise clause.wrong(f"{len(words)} names (expected 1 or 2)")
                last = words[-1]
                parts.append(self._iri(last) if len(words) == 1 else self._restriction(words[0], last, clause))
            if len(parts) == 1:
                raise clauses[0].wrong("the only one of its frame (expected 2 or more)")
            if parts:
                more = [each for clause in clauses for each in self._qualifiers(clause)]
                self._axiom("EquivalentClasses", [subject, Expression(name, parts)], more)

    def _property_axiom(self, clause: Clause, subject: str, more: list[Argument]) -> bool:
        tag = clause.tag
        if tag in BETWEEN_PROPERTIES:
            self._axiom(BETWEEN_PROPERTIES[tag], [subject, self._iri(clause.ids(1)[0])], more)
        elif tag in CHARACTERISTICS:
            if clause.value.strip() == "true":
                self._axiom(f"{CHARACTERISTICS[tag]}ObjectProperty", [subject], more)
        elif tag == "transitive_over":
            chain = Expression("ObjectPropertyChain", [subject, self._iri(clause.ids(1)[0])])
            self._axiom("SubObjectPropertyOf", [chain, subject], more)
        elif tag in ("holds_over_chain", "equivalent_to_chain"):
            chain = Expression("ObjectPropertyChain", [self._iri(each) for each in clause.ids(2)])
            self._axiom("SubObjectPropertyOf", [chain, subject], more)
        elif tag == "relationship":
            property, value = (self._iri(each) for each in clause.ids(2))
            self._annotation(property, subject, value, more)
        else:
            return False
        return True

    # -- parts -----------------------------------------------------------------------------------------------------

    def _qualifiers(self, clause: Clause) -> list[Argument]:
        """The annotations that the qualifiers of a clause are; those with a meaning of their own are none."""
        logical = {*CARDINALITIES, "all_some", "all_only", "gci_relation", "gci_filler"}
        return [
            _annotated(USUAL_QUALIFIERS.get(name) or self._names.iri(OBO_IN_OWL + quote(name)), literal_key(value))
            for name, value in clause.qualifiers
            if name not in logical
        ]

    def _iri(self, name: str) -> str:
        """The IRI of an id."""
        if _URL.match(name):
            return self._names.iri(name)
        name = self._shorthands.get(name, name)
        space, colon, local = name.partition(":")
        if space == "xsd":
            return self._names.iri(XSD + local)
        if not colon:
            return self._names.iri(f"{OBO}{self._ontology or 'TEMP'}#{quote(name)}")
        if space in self._spaces:
            return self._names.iri(self._spaces[space] + quote(local))
        if space in self._names.prefixes and space in ("rdf", "rdfs", "owl"):
            return self._names.abbreviated(name)
        return self._names.iri(f"{OBO}{quote(space)}{'#_' if '_' in local else '_'}{quote(local)}")

    def _annotation(self, property: str, subject: str, value: str, more: Sequence[Argument] = ()) -> None:
        self._take(Expression("AnnotationAssertion", [*more, property, subject, value]))

    def _axiom(self, name: str, arguments: Sequence[Argument], more: Sequence[Argument] = ()) -> None:
        self._take(Expression(name, [*more, *arguments]))


def _annotated(property: str, value: str) -> Expression:
    return Expression("Annotation", [property, value])


def _shorthand(frame: Frame) -> tuple[str, str]:
    """The name of a relation, and what it stands for: the relation of RO or BFO that it refers to."""
    name = frame.first("id") or ""
    if ":" in name:
        return name, name
    xrefs = [each for clause in frame.of("xref") for each, _ in xrefs_of(clause.value)[:1]]
    return name, next((each for each in xrefs if each.startswith(("RO:", "BFO:"))), name)
