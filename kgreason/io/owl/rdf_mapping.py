"""From the expressions of an ontology to its triples, as the W3C maps them.

Equal expressions in different axioms are nodes of their own. Annotations of an axiom that is one triple, or several,
reify each of them; those of an axiom that has a node of its own are of this node.

Source: OWL 2 Mapping to RDF Graphs, section 2 (tables 1 and 2). SWRL rules (``DLSafeRule``): the SWRL submission's RDF
syntax, as OWL API writes it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np

from kgreason.io.owl.axiom_terms import (
    ATOMS,
    BETWEEN,
    CARDINALITIES,
    CHAINS,
    CHARACTERISTICS,
    COMPLEMENTS,
    ENTITIES,
    PAIRWISE,
    RESTRICTIONS,
    SETS,
)
from kgreason.io.owl.expressions import OWL, RDF, RDFS, XSD, Argument, Expression, OwlSyntaxError, arguments_of
from kgreason.io.parts import Part
from kgreason.io.quads import DEFAULT_GRAPH, Quads

_SWRL: Final = "http://www.w3.org/2003/11/swrl#"
_THING: Final = (f"{OWL}Thing", f"{RDFS}Literal")

_Triple: TypeAlias = tuple[str, str, str]


class Mapping:
    """The triples of one ontology; `take` is what parsers give expressions to."""

    def __init__(self, scope: str) -> None:
        """`scope` goes before the labels of blank nodes, and is used for nothing else."""
        self._scope = scope
        self._ids: dict[str, int] = {}
        self._columns = [array("I") for _ in range(3)]
        self._nodes = 0
        self._ontology = ""

    def part(self) -> Part:
        """All triples."""
        columns = [np.array(column, dtype=np.uint32) for column in self._columns]
        graph = np.full(len(columns[0]), DEFAULT_GRAPH, dtype=np.uint32)
        return Part(list(self._ids), Quads(graph, *columns))

    def __len__(self) -> int:
        return len(self._columns[0])

    def take(self, expression: Expression) -> None:
        """Add the triples of the header, an import, an annotation of the ontology, or an axiom."""
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
        node = self._typed(f"{_SWRL}Imp")
        for side in arguments_of(axiom, 2):
            if not isinstance(side, Expression) or side.name not in ("Body", "Head"):
                raise OwlSyntaxError("a rule has a body and a head", axiom.line)
            atoms = [self._atom(each) for each in side.arguments]
            self._add(node, f"{_SWRL}{side.name.lower()}", self._list_of(atoms, f"{_SWRL}AtomList"))
        return node

    def _atom(self, given: Argument) -> str:
        if not isinstance(given, Expression) or given.name not in ATOMS:
            raise OwlSyntaxError("not an atom of a rule", None)
        node, word, arguments = self._typed(f"{_SWRL}{_swrl_name(given.name)}"), ATOMS[given.name], given.arguments
        if word:
            self._add(node, f"{_SWRL}{word}", self._expression(arguments[0]))
            arguments = arguments[1:]
        if given.name == "BuiltInAtom":
            self._add(node, f"{_SWRL}arguments", self._list(arguments))
            return node
        for number, each in enumerate(arguments, 1):
            self._add(node, f"{_SWRL}argument{number}", self._expression(each))
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

    # -- classes, data ranges, properties, individuals, literals ------------------------------------------------------

    def _expression(self, given: Argument) -> str:
        """The term of an expression, whose triples are added."""
        if isinstance(given, str):
            return f"_:{self._scope}l{given[2:]}" if given.startswith("_:") else given
        name, arguments = given.name, given.arguments
        if name in SETS:
            return self._described(*SETS[name], self._list(arguments))
        if name in COMPLEMENTS:
            return self._described(*COMPLEMENTS[name], self._expression(arguments_of(given, 1)[0]))
        if name in RESTRICTIONS:
            return self._restriction(given)
        if name in CARDINALITIES:
            return self._cardinality(given)
        match name:
            case "ObjectInverseOf":
                node = self._node()
                self._add(node, f"{OWL}inverseOf", self._name(arguments_of(given, 1)[0]))
                return node
            case "ObjectHasSelf":
                node = self._restricted(arguments_of(given, 1))
                self._add(node, f"{OWL}hasSelf", f'"true"^^{XSD}boolean')
                return node
            case "DatatypeRestriction":
                return self._datatype_restriction(given)
            case "Variable":
                variable = self._name(arguments_of(given, 1)[0])
                self._add(variable, f"{RDF}type", f"{_SWRL}Variable")
                return variable
        raise OwlSyntaxError(f"{name or '('} is not an expression of OWL 2", given.line)

    def _described(self, kind: str, property: str, value: str) -> str:
        node = self._typed(kind)
        self._add(node, property, value)
        return node

    def _restricted(self, properties: Sequence[Argument]) -> str:
        node = self._typed(f"{OWL}Restriction")
        if len(properties) == 1:
            self._add(node, f"{OWL}onProperty", self._expression(properties[0]))
        else:
            self._add(node, f"{OWL}onProperties", self._list(properties))
        return node

    def _restriction(self, given: Expression) -> str:
        if len(given.arguments) < 2:
            raise OwlSyntaxError(f"{given.name} with {len(given.arguments)} arguments (expected 2)", given.line)
        *properties, value = given.arguments
        if len(properties) > 1 and given.name not in ("DataSomeValuesFrom", "DataAllValuesFrom"):
            arguments_of(given, 2)
        node = self._restricted(properties)
        self._add(node, RESTRICTIONS[given.name], self._expression(value))
        return node

    def _cardinality(self, given: Expression) -> str:
        word, on = CARDINALITIES[given.name]
        count, property, *rest = arguments_of(given, 3) if len(given.arguments) > 2 else arguments_of(given, 2)
        if not (isinstance(count, str) and count.isdecimal()):
            raise OwlSyntaxError(f"{given.name} without a number", given.line)
        node = self._restricted([property])
        # Of all things without saying so is what it would mean with it.
        qualified = [each for each in rest if each not in _THING]
        name = f"{word}QualifiedCardinality" if qualified else f"{word}Cardinality"
        self._add(node, f"{OWL}{name[0].lower()}{name[1:]}", f'"{int(count)}"^^{XSD}nonNegativeInteger')
        for each in qualified:
            self._add(node, on, self._expression(each))
        return node

    def _datatype_restriction(self, given: Expression) -> str:
        datatype, *facets = given.arguments
        if not facets or len(facets) % 2:
            raise OwlSyntaxError("a restriction of a datatype without pairs of facets and values", given.line)
        node = self._described(f"{RDFS}Datatype", f"{OWL}onDatatype", self._name(datatype))
        nodes: list[str] = []
        for facet, value in zip(facets[::2], facets[1::2], strict=True):
            nodes.append(self._node())
            self._add(nodes[-1], self._name(facet), self._expression(value))
        self._add(node, f"{OWL}withRestrictions", self._list_of(nodes))
        return node

    # -- nodes -----------------------------------------------------------------------------------------------------

    def _name(self, given: Argument) -> str:
        if not isinstance(given, str) or given.startswith(('"', "_:")):
            shown, line = (given.name, given.line) if isinstance(given, Expression) else (given[:40], None)
            raise OwlSyntaxError(f"{shown} in the place of an IRI", line)
        return given

    def _node(self) -> str:
        self._nodes += 1
        return f"_:{self._scope}n{self._nodes}"

    def _typed(self, kind: str) -> str:
        node = self._node()
        self._add(node, f"{RDF}type", kind)
        return node

    def _list(self, given: Sequence[Argument]) -> str:
        return self._list_of([self._expression(each) for each in given])

    def _list_of(self, terms: Sequence[str], kind: str | None = None) -> str:
        nodes = [*(self._node() for _ in terms), f"{RDF}nil"]
        for node, following, term in zip(nodes, nodes[1:], terms, strict=False):
            if kind is not None:
                self._add(node, f"{RDF}type", kind)
            self._add(node, f"{RDF}first", term)
            self._add(node, f"{RDF}rest", following)
        return nodes[0]

    def _add(self, *triple: str) -> None:
        if triple[0].startswith('"'):
            raise OwlSyntaxError(f"a literal in the place of a subject: {triple[0][:40]}", None)
        for column, key in zip(self._columns, triple, strict=True):
            column.append(self._ids.setdefault(key, len(self._ids)))


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
