"""Axioms and annotations of an OBO document: ids as IRIs, qualifiers as annotations, values as terms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from kgreason.io.owl.expressions import XSD, Argument, Expression, Names, Take, literal_key
from kgreason.io.owl.obo_lines import Clause, Frame, unescaped, xrefs_of
from kgreason.io.owl.obo_vocabulary import CARDINALITIES, OBO, OBO_IN_OWL, USUAL_QUALIFIERS

URL: Final = re.compile(r"[a-z][a-z0-9+.-]*://|urn:|mailto:", re.IGNORECASE)


class Axioms:
    """Takes the axioms of one document, whose header and relations say what its ids stand for."""

    def __init__(self, header: Frame, frames: Sequence[Frame], names: Names, take: Take) -> None:
        self.line = 1  # of what is being read
        self.ontology = header.first("ontology")
        self.names = names
        self.take = take
        self.shorthands = dict(_shorthand(frame) for frame in frames if frame.kind == "Typedef")
        self._spaces = dict(clause.words()[:2] for clause in header.of("idspace") if len(clause.words()) > 1)

    def qualifiers(self, clause: Clause) -> list[Argument]:
        """The annotations that the qualifiers of a clause are; those with a meaning of their own are none."""
        logical = {*CARDINALITIES, "all_some", "all_only", "gci_relation", "gci_filler"}
        return [
            annotated(USUAL_QUALIFIERS.get(name) or self.names.iri(OBO_IN_OWL + quote(name)), literal_key(value))
            for name, value in clause.qualifiers
            if name not in logical
        ]

    def iri(self, name: str) -> str:
        """The IRI of an id."""
        if URL.match(name):
            return self.names.iri(name)
        name = self.shorthands.get(name, name)
        space, colon, local = name.partition(":")
        if space == "xsd":
            return self.names.iri(XSD + local)
        if not colon:
            return self.names.iri(f"{OBO}{self.ontology or 'TEMP'}#{quote(name)}")
        if space in self._spaces:
            return self.names.iri(self._spaces[space] + quote(local))
        if space in self.names.prefixes and space in ("rdf", "rdfs", "owl"):
            return self.names.abbreviated(name)
        return self.names.iri(f"{OBO}{quote(space)}{'#_' if '_' in local else '_'}{quote(local)}")

    def annotation(self, property: str, subject: str, value: str, more: Sequence[Argument] = ()) -> None:
        """Take an annotation of a subject, with annotations of its own."""
        self.take(Expression("AnnotationAssertion", [*more, property, subject, value]))

    def axiom(self, name: str, arguments: Sequence[Argument], more: Sequence[Argument] = ()) -> None:
        """Take an axiom, with annotations of its own."""
        self.take(Expression(name, [*more, *arguments]))

    def property_value(self, clause: Clause) -> tuple[str, str]:
        """The property of a clause, and its value: a literal, or what an id stands for."""
        property, _, rest = clause.value.strip().partition(" ")
        if not rest:
            raise clause.wrong("no value")
        name = self.iri(unescaped(property))
        if not rest.lstrip().startswith('"'):
            return name, self.iri(unescaped(rest.split()[0]))
        text, datatype = Clause(clause.tag, rest, clause.line).quoted()
        words = datatype.split()
        return name, literal_key(text, None, self.iri(words[0]) if words else None)


def annotated(property: str, value: str) -> Expression:
    """An annotation of an axiom."""
    return Expression("Annotation", [property, value])


def _shorthand(frame: Frame) -> tuple[str, str]:
    """The name of a relation, and what it stands for: the relation of RO or BFO that it refers to."""
    name = frame.first("id") or ""
    if ":" in name:
        return name, name
    xrefs = [each for clause in frame.of("xref") for each, _ in xrefs_of(clause.value)[:1]]
    return name, next((each for each in xrefs if each.startswith(("RO:", "BFO:"))), name)
