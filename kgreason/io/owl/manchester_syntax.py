"""The Manchester syntax of OWL 2 (``.omn``): frames, and descriptions by recursive descent.

A description does not say whether it is one of classes or of data: that is known from the properties that are declared
as data properties, and from datatypes, literals and facets in it.

Source: OWL 2 Web Ontology Language Manchester Syntax (second edition), section 2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from kgreason.checkpoints import checkpoint
from kgreason.errors import TermError
from kgreason.io.owl.expressions import Argument, Expression, Names, OwlSyntaxError, Take
from kgreason.io.owl.manchester_descriptions import Descriptions
from kgreason.io.owl.manchester_rules import Rules
from kgreason.io.owl.manchester_tokens import Tokens

_FRAMES: Final = {
    "Datatype:": "Datatype",
    "Class:": "Class",
    "ObjectProperty:": "ObjectProperty",
    "DataProperty:": "DataProperty",
    "AnnotationProperty:": "AnnotationProperty",
    "Individual:": "NamedIndividual",
}
_CLASS: Final = {"SubClassOf:": "SubClassOf", "EquivalentTo:": "EquivalentClasses", "DisjointWith:": "DisjointClasses"}
_PROPERTIES: Final = {
    "ObjectProperty": {
        "SubPropertyOf:": "SubObjectPropertyOf",
        "EquivalentTo:": "EquivalentObjectProperties",
        "DisjointWith:": "DisjointObjectProperties",
        "InverseOf:": "InverseObjectProperties",
    },
    "DataProperty": {
        "SubPropertyOf:": "SubDataPropertyOf",
        "EquivalentTo:": "EquivalentDataProperties",
        "DisjointWith:": "DisjointDataProperties",
    },
    "AnnotationProperty": {
        "SubPropertyOf:": "SubAnnotationPropertyOf",
        "Domain:": "AnnotationPropertyDomain",
        "Range:": "AnnotationPropertyRange",
    },
}
_INDIVIDUAL: Final = {"SameAs:": "SameIndividual", "DifferentFrom:": "DifferentIndividuals"}
_CHARACTERISTICS: Final = frozenset(
    ("Functional", "InverseFunctional", "Reflexive", "Irreflexive", "Symmetric", "Asymmetric", "Transitive")
)
_MISCELLANEOUS: Final = {
    "EquivalentClasses:": "EquivalentClasses",
    "DisjointClasses:": "DisjointClasses",
    "EquivalentProperties:": "EquivalentObjectProperties",
    "DisjointProperties:": "DisjointObjectProperties",
    "SameIndividual:": "SameIndividual",
    "DifferentIndividuals:": "DifferentIndividuals",
}

_OUTER: Final = frozenset((*_FRAMES, *_MISCELLANEOUS, "Rule:"))


def read_manchester(text: str, names: Names, take: Take) -> None:
    """Give what an ontology says, one expression after the other; `names` learns its prefixes.

    Raises:
        OwlSyntaxError: it is malformed.
    """
    tokens = Tokens(text)
    try:
        _Parser(tokens, names, take).run()
    except TermError as error:
        raise tokens.wrong(error.reason) from None
    except OwlSyntaxError as error:
        raise OwlSyntaxError(error.reason, error.line or tokens.line) from None


class _Parser:
    def __init__(self, tokens: Tokens, names: Names, take: Take) -> None:
        self._tokens = tokens
        self._names = names
        self._take = take
        self._descriptions = Descriptions(tokens, names)
        self._rules = Rules(tokens, names, self._descriptions)

    def run(self) -> None:
        tokens = self._tokens
        while tokens.skip("Prefix:"):
            prefix = tokens.next("a prefix")
            if not prefix.endswith(":"):
                raise tokens.wrong("a malformed prefix", "Prefix: name: <IRI>")
            self._names.prefixes[prefix[:-1]] = tokens.full_iri()
        tokens.expect("Ontology:")
        self._descriptions.declare()
        self._header()
        while not tokens.is_done:
            checkpoint()
            section = tokens.next("a frame")
            if section in _FRAMES:
                self._frame(_FRAMES[section])
            elif section in _MISCELLANEOUS:
                self._miscellaneous(_MISCELLANEOUS[section])
            elif section == "Rule:":
                self._axiom("DLSafeRule", self._annotations(), self._rules.parts())
            else:
                raise tokens.wrong(f"{section} is not expected here", "a frame, such as Class:")

    def _header(self) -> None:
        names: list[Argument] = []
        while self._tokens.is_iri and len(names) < 2:
            names.append(self._descriptions.iri())
        self._take(Expression("Ontology", names))
        while not self._tokens.is_done:
            if self._tokens.skip("Import:"):
                self._take(Expression("Import", [self._descriptions.iri()]))
            elif self._tokens.is_next("Annotations:"):
                for annotation in self._annotations():
                    self._take(annotation)
            else:
                return

    # -- frames ----------------------------------------------------------------------------------------------------

    def _frame(self, kind: str) -> None:
        subject: Argument = self._subject(kind)
        if isinstance(subject, str) and not subject.startswith("_:"):
            self._take(Expression("Declaration", [Expression(kind, [subject])]))
        while (section := self._tokens.section) is not None and section not in _OUTER:
            if section == "Annotations:":
                for annotation in self._annotations():
                    *nested, property, value = annotation.arguments
                    self._take(Expression("AnnotationAssertion", [*nested, property, subject, value]))
                continue
            self._tokens.next("")
            self._section(kind, section, subject)

    def _subject(self, kind: str) -> Argument:
        match kind:
            case "Class":
                return self._descriptions.description()
            case "NamedIndividual":
                return self._descriptions.individual()
            case _:
                return self._descriptions.iri()

    def _section(self, kind: str, section: str, subject: Argument) -> None:
        read = self._descriptions
        match kind, section:
            case "Class", _:
                self._class_section(section, subject)
            case "Datatype", "EquivalentTo:":
                self._each(read.data_range, lambda value: ("DatatypeDefinition", [subject, value]))
            case ("ObjectProperty" | "DataProperty"), ("Domain:" | "Range:"):
                is_data = (kind, section) == ("DataProperty", "Range:")
                values = read.data_range if is_data else read.description
                self._each(values, lambda value: (f"{kind}{section[:-1]}", [subject, value]))
            case ("ObjectProperty" | "DataProperty"), "Characteristics:":
                self._each(self._characteristic, lambda value: (f"{value}{kind}", [subject]))
            case "ObjectProperty", "SubPropertyChain:":
                self._each(self._chain, lambda value: ("SubObjectPropertyOf", [value, subject]))
            case _ if section in _PROPERTIES.get(kind, ()):
                self._each(read.property, lambda value: (_PROPERTIES[kind][section], [subject, value]))
            case "NamedIndividual", _:
                self._individual_section(section, subject)
            case _:
                raise self._misplaced(kind, section)

    def _class_section(self, section: str, subject: Argument) -> None:
        read = self._descriptions
        if section in _CLASS:
            self._each(read.description, lambda value: (_CLASS[section], [subject, value]))
        elif section == "DisjointUnionOf:":
            annotations = self._annotations()
            self._axiom("DisjointUnion", annotations, [subject, *self._tokens.several(read.description)])
        elif section == "HasKey:":
            annotations, keys = self._annotations(), [read.property()]
            while self._tokens.skip(",") or self._tokens.is_iri:
                keys.append(read.property())
            self._axiom("HasKey", annotations, [subject, Expression("", keys), Expression("")])
        else:
            raise self._misplaced("Class", section)

    def _individual_section(self, section: str, subject: Argument) -> None:
        read = self._descriptions
        if section in _INDIVIDUAL:
            self._each(read.individual, lambda value: (_INDIVIDUAL[section], [subject, value]))
        elif section == "Types:":
            self._each(read.description, lambda value: ("ClassAssertion", [value, subject]))
        elif section == "Facts:":
            self._each(self._fact, lambda value: _assertion(value, subject))
        else:
            raise self._misplaced("Individual", section)

    def _misplaced(self, kind: str, section: str) -> OwlSyntaxError:
        return self._tokens.wrong(f"{section} is not expected here", f"a section of {kind}")

    def _miscellaneous(self, name: str) -> None:
        annotations, read = self._annotations(), self._descriptions
        if name.endswith("Classes"):
            self._axiom(name, annotations, self._tokens.several(read.description))
        elif name.endswith("Properties"):
            self._axiom(name, annotations, self._tokens.several(read.property))
        else:
            self._axiom(name, annotations, self._tokens.several(read.individual))

    # -- lists -----------------------------------------------------------------------------------------------------

    def _annotations(self) -> list[Expression]:
        """What ``Annotations:`` says here, nothing where it is not next."""
        if not self._tokens.skip("Annotations:"):
            return []
        with self._tokens.deeper():
            found: list[Expression] = []
            while True:
                nested = self._annotations()
                property = self._descriptions.iri()
                found.append(Expression("Annotation", [*nested, property, self._descriptions.annotation_value()]))
                if not self._tokens.skip(","):
                    return found

    def _each(
        self, read: Callable[[], Argument], axiom: Callable[[Argument], tuple[str, Sequence[Argument]]]
    ) -> None:
        """An axiom for each part of an annotated list."""
        while True:
            annotations = self._annotations()
            name, arguments = axiom(read())
            self._axiom(name, annotations, arguments)
            if not self._tokens.skip(","):
                return

    def _axiom(self, name: str, annotations: Sequence[Expression], arguments: Sequence[Argument]) -> None:
        self._take(Expression(name, [*annotations, *arguments]))

    def _characteristic(self) -> str:
        word = self._tokens.next("a characteristic")
        if word not in _CHARACTERISTICS:
            raise self._tokens.wrong(f"{word} is not a characteristic", ", ".join(sorted(_CHARACTERISTICS)))
        return word

    def _chain(self) -> Expression:
        found = [self._descriptions.property()]
        while self._tokens.skip("o"):
            found.append(self._descriptions.property())
        return Expression("ObjectPropertyChain", found)

    def _fact(self) -> Expression:
        is_negative = self._tokens.skip("not")
        property = self._descriptions.property()
        return Expression("not" if is_negative else "", [property, self._descriptions.value()])


def _assertion(fact: Argument, subject: Argument) -> tuple[str, Sequence[Argument]]:
    assert isinstance(fact, Expression)
    property, value = fact.arguments
    kind = "Data" if isinstance(value, str) and value.startswith('"') else "Object"
    return f"{'Negative' if fact.name else ''}{kind}PropertyAssertion", [property, subject, value]
