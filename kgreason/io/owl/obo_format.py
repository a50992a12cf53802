"""OBO (``.obo``) as the axioms that the OBO Foundry maps it to, with the vocabulary that OWL API and ROBOT write.

Sources: OBO Flat File Format 1.4 syntax and semantics, section 5; OWL files that ROBOT made of OBO files, for
properties on which the former is silent. Tags that neither has are annotations under their names in oboInOwl.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from kgreason.io.owl.obo_axioms import URL, Axioms, annotated
from kgreason.io.owl.obo_lines import Clause, Frame, frames_of, unescaped, xrefs_of
from kgreason.io.owl.obo_logic import take_definitions, take_logical
from kgreason.io.owl.obo_vocabulary import (
    HEADER,
    KINDS,
    LITERALS,
    NAMES,
    OBO,
    OBO_IN_OWL,
    OLD_SYNONYMS,
    SCOPES,
    SILENT,
)


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
        raise OwlSyntaxError(error.reason, document.axioms.line) from None
    except OwlSyntaxError as error:
        raise OwlSyntaxError(error.reason, error.line or document.axioms.line) from None


class _Document:
    def __init__(self, header: Frame, frames: Sequence[Frame], names: Names, take: Take) -> None:
        self._header = header
        self._frames = [frame for frame in frames if frame.kind in KINDS]
        self.axioms = Axioms(header, self._frames, names, take)
        self._namespace = header.first("default-namespace")
        self._treated = [
            (clause.tag.removeprefix("treat-xrefs-as-"), *clause.words())
            for clause in header.clauses
            if clause.tag.startswith("treat-xrefs-as-") and clause.words()
        ]

    def run(self) -> None:
        self._head()
        for frame in self._frames:
            checkpoint()
            self.axioms.line = frame.line
            name = frame.first("id")
            if not name:
                raise Clause("id", "", frame.line).wrong("missing in the frame")
            iri = self.axioms.iri(name)
            is_annotation = frame.first("is_metadata_tag") == "true" or frame.first("is_class_level") == "true"
            kind = "AnnotationProperty" if is_annotation and frame.kind == "Typedef" else KINDS[frame.kind]
            self.axioms.axiom("Declaration", [Expression(kind, [iri])])
            self.axioms.annotation(f"{OBO_IN_OWL}id", iri, literal_key(name))
            if self._namespace and not frame.first("namespace"):
                self.axioms.annotation(LITERALS["namespace"], iri, literal_key(self._namespace))
            if name in self.axioms.shorthands and self.axioms.shorthands[name] != name:
                self.axioms.annotation(f"{OBO_IN_OWL}shorthand", iri, literal_key(name))
            for clause in frame.clauses:
                self.axioms.line = clause.line
                if not (self._common(clause, iri) or take_logical(self.axioms, kind, clause, iri)):
                    self._other(clause, iri)
            if kind == "Class":
                take_definitions(self.axioms, frame, iri)

    # -- the header ------------------------------------------------------------------------------------------------

    def _head(self) -> None:
        name, version = self.axioms.ontology, self._header.first("data-version")
        names: list[Argument] = []
        if name:
            names.append(self.axioms.names.iri(name if URL.match(name) else f"{OBO}{name}.owl"))
            if version and not URL.match(name):
                full = version if URL.match(version) else f"{OBO}{name}/{quote(version)}/{name}.owl"
                names.append(self.axioms.names.iri(full))
        self.axioms.take(Expression("Ontology", names))
        for clause in self._header.of("import"):
            self.axioms.line = clause.line
            (wanted,) = clause.ids(1)
            imported = self.axioms.names.iri(wanted if URL.match(wanted) else f"{OBO}{wanted}.owl")
            self.axioms.take(Expression("Import", [imported]))
        for clause in self._header.clauses:
            if clause.tag not in HEADER and not clause.tag.startswith("treat-xrefs-as-"):
                self._header_annotation(clause)
        for clause in self._header.of("subsetdef"):
            self._defined(clause, "SubsetProperty", f"{RDFS}comment")
        for clause in self._header.of("synonymtypedef"):
            scope = self._defined(clause, "SynonymTypeProperty", f"{RDFS}label")
            if scope in SCOPES:
                self.axioms.annotation(f"{OBO_IN_OWL}hasScope", self.axioms.iri(clause.words()[0]), SCOPES[scope])
        for clause in self._header.of("owl-axioms"):
            self.axioms.line = clause.line
            try:
                read_functional(unescaped(clause.value), Names(), self._nested)
            except OwlSyntaxError as error:
                raise clause.wrong(error.reason) from None

    def _header_annotation(self, clause: Clause) -> None:
        self.axioms.line = clause.line
        if clause.tag == "property_value":
            property, value = self.axioms.property_value(clause)
        else:
            property = LITERALS.get(clause.tag) or self.axioms.names.iri(OBO_IN_OWL + clause.tag)
            value = literal_key(unescaped(clause.value))
        self.axioms.take(Expression("Annotation", [*self.axioms.qualifiers(clause), property, value]))

    def _nested(self, expression: Expression) -> None:
        if expression.name not in ("Ontology", "Import", "Annotation"):
            self.axioms.take(expression)

    def _defined(self, clause: Clause, above: str, label: str) -> str:
        """A subset or a type of synonyms; what is behind its description."""
        self.axioms.line, words = clause.line, clause.words()
        if not words:
            raise clause.wrong("no name")
        name = self.axioms.iri(words[0])
        at = clause.value.find('"')
        text, rest = Clause(clause.tag, clause.value[at:] if at >= 0 else "", clause.line).quoted()
        self.axioms.axiom("Declaration", [Expression("AnnotationProperty", [name])])
        self.axioms.axiom("SubAnnotationPropertyOf", [name, OBO_IN_OWL + above])
        self.axioms.annotation(label, name, literal_key(text))
        return rest

    # -- clauses of all frames -------------------------------------------------------------------------------------

    def _common(self, clause: Clause, subject: str) -> bool:
        """Add the annotation of a clause that all frames may have; False where it is none."""
        tag, more = clause.tag, self.axioms.qualifiers(clause)
        if tag in SILENT:
            return True
        if tag in LITERALS:
            self.axioms.annotation(LITERALS[tag], subject, literal_key(unescaped(clause.value)), more)
            if tag == "alt_id":
                self._alternative(clause, subject)
        elif tag in NAMES:
            self.axioms.annotation(NAMES[tag], subject, self.axioms.iri(clause.ids(1)[0]), more)
        elif tag == "is_obsolete":
            if clause.value.strip() == "true":
                self.axioms.annotation(f"{OWL}deprecated", subject, literal_key("true", None, f"{XSD}boolean"), more)
        elif tag == "def":
            text, rest = clause.quoted()
            self.axioms.annotation(f"{OBO}IAO_0000115", subject, literal_key(text), [*self._xrefs(rest), *more])
        elif tag == "synonym" or tag in OLD_SYNONYMS:
            self._synonym(clause, subject, more)
        elif tag in ("xref", "xref_analog"):
            for name, label in xrefs_of(clause.value)[:1]:
                labels = [annotated(f"{RDFS}label", literal_key(label))] if label else []
                self.axioms.annotation(f"{OBO_IN_OWL}hasDbXref", subject, literal_key(name), [*labels, *more])
                self._treat(name, subject)
        elif tag == "property_value":
            property, value = self.axioms.property_value(clause)
            self.axioms.annotation(property, subject, value, more)
        else:
            return False
        return True

    def _other(self, clause: Clause, subject: str) -> None:
        property = self.axioms.names.iri(OBO_IN_OWL + quote(clause.tag))
        self.axioms.annotation(property, subject, literal_key(unescaped(clause.value)), self.axioms.qualifiers(clause))

    def _alternative(self, clause: Clause, subject: str) -> None:
        """Another name is a class that is deprecated since it was merged, as ROBOT has it."""
        name = self.axioms.iri(unescaped(clause.value.strip()))
        self.axioms.axiom("Declaration", [Expression("Class", [name])])
        self.axioms.annotation(f"{OWL}deprecated", name, literal_key("true", None, f"{XSD}boolean"))
        self.axioms.annotation(f"{OBO}IAO_0000231", name, f"{OBO}IAO_0000227")
        self.axioms.annotation(f"{OBO}IAO_0100001", name, subject)

    def _synonym(self, clause: Clause, subject: str, more: list[Argument]) -> None:
        text, rest = clause.quoted()
        words, _, listed = rest.partition("[")
        given = words.split()
        scope = OLD_SYNONYMS.get(clause.tag) or next((word for word in given if word in SCOPES), "RELATED")
        types = [unescaped(word) for word in given if word not in SCOPES]
        kinds = [annotated(f"{OBO_IN_OWL}hasSynonymType", self.axioms.iri(each)) for each in types]
        self.axioms.annotation(SCOPES[scope], subject, literal_key(text), [*self._xrefs(f"[{listed}"), *kinds, *more])

    def _xrefs(self, text: str) -> list[Argument]:
        inner = text.strip().removeprefix("[").removesuffix("]")
        found = xrefs_of(inner) if inner.strip() else []
        return [annotated(f"{OBO_IN_OWL}hasDbXref", literal_key(name)) for name, _ in found]

    def _treat(self, xref: str, subject: str) -> None:
        """What the header says that references to another id space mean."""
        for treatment, space, *more in self._treated:
            if xref.partition(":")[0] != space or ":" not in xref:
                continue
            other = self.axioms.iri(xref)
            some = Expression("ObjectSomeValuesFrom", [self.axioms.iri(each) for each in more])
            match treatment, len(more):
                case "equivalent", 0:
                    self.axioms.axiom("EquivalentClasses", [subject, other])
                case "is_a", 0:
                    self.axioms.axiom("SubClassOf", [subject, other])
                case "has-subclass", 0:
                    self.axioms.axiom("SubClassOf", [other, subject])
                case "relationship", 1:
                    self.axioms.axiom("SubClassOf", [subject, Expression(some.name, [*some.arguments, other])])
                case ("genus-differentia" | "reverse-genus-differentia"), 2:
                    first, second = (subject, other) if treatment[0] == "g" else (other, subject)
                    both = Expression("ObjectIntersectionOf", [second, some])
                    self.axioms.axiom("EquivalentClasses", [first, both])
