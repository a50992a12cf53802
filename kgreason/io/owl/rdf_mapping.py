"""From the expressions of an ontology to its triples, as the W3C maps them.

Equal expressions in different axioms are nodes of their own. Annotations of an axiom that is one triple, or several,
reify each of them; those of an axiom that has a node of its own are of this node.

Source: OWL 2 Mapping to RDF Graphs, section 2 (tables 1 and 2). SWRL rules (``DLSafeRule``): the SWRL submission's RDF
syntax, as OWL API writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from kgreason.io.owl.axiom_terms import ATOMS, BETWEEN, CHAINS, CHARACTERISTICS, ENTITIES, PAIRWISE
from kgreason.io.owl.expression_triples import SWRL, ExpressionTriples
from kgreason.io.owl.expressions import OWL, RDF, Argument, Expression, OwlSyntaxError, arguments_of

_Triple: TypeAlias = tuple[str, str, str]


class Mapping(ExpressionTriples):
    """The triples of one ontology; `take` is what parsers give expressions to."""

    _ontology = ""

    def take(self, expression: Expression) -> None:
        """Add the triples of the header, an import, an annotation of the ontology, or an axiom.

        Raises:
            OwlSyntaxError: it has other parts than such an expression has; says the line.
        """
        try:
            self._take(expression)
        except OwlSyntaxError as error:
            raise OwlSyntaxError(error.reason, error.line or expression.line) from None

    def _take(self, given: Expression) -> None:
        match given.name:
            case "Ontology":
                self._header(given)
            case "Import":
                self._add(self._ontology, f"{OWL}imports", self._name(arguments_of(given, 1)[0]))
            case "Annotation":
                self._annotate(self._ontology, [given])
            case _:
                annotations, arguments = _parted(given)
                axiom = Expression(given.name, arguments, given.line)
                main = self._axiom(axiom)
                if isinstance(main, str):
                    self._annotate(main, annotations)
                    return
                for triple in main:
                    self._add(*triple)
                    self._reify(triple, annotations)

    def _header(self, given: Expression) -> None:
        if len(given.arguments) > 2:
            raise OwlSyntaxError("an ontology has a name and a version", given.line)
        names = [self._name(each) for each in given.arguments]
        self._ontology = names[0] if names else self._node()
        self._add(self._ontology, f"{RDF}type", f"{OWL}Ontology")
        if len(names) > 1:
            self._add(self._ontology, f"{OWL}versionIRI", names[1])

    # -- axioms ----------------------------------------------------------------------------------------------------

    def _axiom(self, axiom: Expression) -> list[_Triple] | str:
        """The triples of an axiom, or the node that it has, whose triples are there already."""
        name, arguments = axiom.name, axiom.arguments
        if name == "SubObjectPropertyOf" and _is_chain(arguments):
            chain, above = arguments_of(axiom, 2)
            assert isinstance(chain, Expression)
            return [(self._expression(above), f"{OWL}propertyChainAxiom", self._list(chain.arguments))]
        if name in BETWEEN:
            first, second = (self._expression(each) for each in arguments_of(axiom, 2))
            return [(first, BETWEEN[name], second)]
        if name in CHAINS:
            terms = self._many(axiom)
            return [(first, CHAINS[name], second) for first, second in pairwise(terms)]
        if name in PAIRWISE:
            return self._pairwise(axiom)
        if name in CHARACTERISTICS:
            return [(self._expression(arguments_of(axiom, 1)[0]), f"{RDF}type", CHARACTERISTICS[name])]
        other = _OTHERS.get(name)
        if other is None:
            raise OwlSyntaxError(f"{name} is not an axiom of OWL 2", axiom.line)
        return other(self, axiom)

    def _pairwise(self, axiom: Expression) -> list[_Triple] | str:
        between, all_of = PAIRWISE[axiom.name]
        terms = self._many(axiom)
        if len(terms) == 2:
            return [(terms[0], between, terms[1])]
        node = self._typed(all_of)
        self._add(node, f"{OWL}members", self._list_of(terms))
        return node

    def _many(self, axiom: Expression) -> list[str]:
        if len(axiom.arguments) < 2:
            raise OwlSyntaxError(f"{axiom.name} with {len(axiom.arguments)} arguments (expected 2 or more)", axiom.line)
        return [self._expression(each) for each in axiom.arguments]

    def _declaration(self, axiom: Expression) -> list[_Triple]:
        (entity,) = arguments_of(axiom, 1)
        if not isinstance(entity, Expression) or entity.name not in ENTITIES:
            raise OwlSyntaxError("a declaration of no entity", axiom.line)
        return [(self._name(arguments_of(entity, 1)[0]), f"{RDF}type", ENTITIES[entity.name])]

    def _disjoint_union(self, axiom: Expression) -> list[_Triple]:
        if len(axiom.arguments) < 2:
            raise OwlSyntaxError("DisjointUnion without classes", axiom.line)
        first, *others = axiom.arguments
        return [(self._expression(first), f"{OWL}disjointUnionOf", self._list(others))]

    def _has_key(self, axiom: Expression) -> list[_Triple]:
        described, *groups = arguments_of(axiom, 3)
        keys = [each for group in groups for each in (group.arguments if isinstance(group, Expression) else [group])]
        return [(self._expression(described), f"{OWL}hasKey", self._list(keys))]

    def _class_assertion(self, axiom: Expression) -> list[_Triple]:
        described, individual = arguments_of(axiom, 2)
        return [(self._expression(individual), f"{RDF}type", self._expression(described))]

    def _property_assertion(self, axiom: Expression) -> list[_Triple]:
        property, source, target = arguments_of(axiom, 3)
        if isinstance(property, Expression) and property.name == "ObjectInverseOf":
            property, source, target = arguments_of(property, 1)[0], target, source
        return [(self._expression(source), self._name(property), self._expression(target))]

    def _negative_assertion(self, axiom: Expression) -> str:
        target = "targetIndividual" if axiom.name.startswith("NegativeObject") else "targetValue"
        node = self._typed(f"{OWL}NegativePropertyAssertion")
        words = ("assertionProperty", "sourceIndividual", target)
        for word, each in zip(words, arguments_of(axiom, 3), strict=True):
            self._add(node, f"{OWL}{word}", self._expression(each))
        return node

    def _annotation_assertion(self, axiom: Expression) -> list[_Triple]:
        property, subject, value = arguments_of(axiom, 3)
        return [(self._expression(subject), self._name(property), self._expression(value))]

    def _rule(self, axiom: Expression) -> str:
        node = self._typed(f"{SWRL}Imp")
        for side in arguments_of(axiom, 2):
            if not isinstance(side, Expression) or side.name not in ("Body", "Head"):
                raise OwlSyntaxError("a rule has a body and a head", axiom.line)
            atoms = [self._atom(each) for each in side.arguments]
            self._add(node, f"{SWRL}{side.name.lower()}", self._list_of(atoms, f"{SWRL}AtomList"))
        return node

    def _atom(self, given: Argument) -> str:
        if not isinstance(given, Expression) or given.name not in ATOMS:
            raise OwlSyntaxError("not an atom of a rule", None)
        node, word, arguments = self._typed(f"{SWRL}{_swrl_name(given.name)}"), ATOMS[given.name], given.arguments
        if word:
            self._add(node, f"{SWRL}{word}", self._expression(arguments[0]))
            arguments = arguments[1:]
        if given.name == "BuiltInAtom":
            self._add(node, f"{SWRL}arguments", self._list(arguments))
            return node
        for number, each in enumerate(arguments, 1):
            self._add(node, f"{SWRL}argument{number}", self._expression(each))
        return node

    # -- annotations -----------------------------------------------------------------------------------------------

    def _annotate(self, subject: str, annotations: Sequence[Expression]) -> None:
        for annotation in annotations:
            nested, arguments = _parted(annotation)
            property, value = arguments_of(Expression("Annotation", arguments, annotation.line), 2)
            triple = subject, self._name(property), self._expression(value)
            self._add(*triple)
            self._reify(triple, nested, "Annotation")

    def _reify(self, triple: _Triple, annotations: Sequence[Expression], kind: str = "Axiom") -> None:
        if annotations:
            node = self._typed(f"{OWL}{kind}")
            for word, term in zip(("Source", "Property", "Target"), triple, strict=True):
                self._add(node, f"{OWL}annotated{word}", term)
            self._annotate(node, annotations)


_OTHERS: Final[dict[str, Callable[[Mapping, Expression], list[_Triple] | str]]] = {
    "Declaration": Mapping._declaration,
    "DisjointUnion": Mapping._disjoint_union,
    "HasKey": Mapping._has_key,
    "ClassAssertion": Mapping._class_assertion,
    "ObjectPropertyAssertion": Mapping._property_assertion,
    "DataPropertyAssertion": Mapping._property_assertion,
    "NegativeObjectPropertyAssertion": Mapping._negative_assertion,
    "NegativeDataPropertyAssertion": Mapping._negative_assertion,
    "AnnotationAssertion": Mapping._annotation_assertion,
    "DLSafeRule": Mapping._rule,
}


def _parted(given: Expression) -> tuple[list[Expression], list[Argument]]:
    """The annotations that an expression begins with, and its other arguments."""
    annotations: list[Expression] = []
    for each in given.arguments:
        if not (isinstance(each, Expression) and each.name == "Annotation"):
            break
        annotations.append(each)
    return annotations, given.arguments[len(annotations) :]


def _is_chain(arguments: Sequence[Argument]) -> bool:
    return bool(arguments) and isinstance(arguments[0], Expression) and arguments[0].name == "ObjectPropertyChain"


def _swrl_name(atom: str) -> str:
    return {
        "ObjectPropertyAtom": "IndividualPropertyAtom",
        "DataPropertyAtom": "DatavaluedPropertyAtom",
        "BuiltInAtom": "BuiltinAtom",
    }.get(atom, atom)
