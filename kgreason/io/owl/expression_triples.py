"""Expressions of an ontology as triples: classes, data ranges, properties, individuals and literals.

Equal expressions are nodes of their own. Source: OWL 2 Mapping to RDF Graphs, section 2 (table 1).
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Final

import numpy as np

from kgreason.columns.id_columns import repeated
from kgreason.io.owl.axiom_terms import CARDINALITIES, COMPLEMENTS, RESTRICTIONS, SETS
from kgreason.io.owl.expressions import OWL, RDF, RDFS, XSD, Argument, Expression, OwlSyntaxError, arguments_of
from kgreason.io.parts import Part
from kgreason.io.quads import DEFAULT_GRAPH, Quads

SWRL: Final = "http://www.w3.org/2003/11/swrl#"
_THING: Final = (f"{OWL}Thing", f"{RDFS}Literal")


class ExpressionTriples:
    """Gathers triples; methods give the term of an expression, whose own triples are added."""

    def __init__(self, scope: str) -> None:
        """`scope` goes before the labels of blank nodes, and is used for nothing else."""
        self._scope = scope
        self._ids: dict[str, int] = {}
        self._columns = [array("I") for _ in range(3)]
        self._nodes = 0

    def part(self) -> Part:
        """All triples."""
        columns = [np.array(column, dtype=np.uint32) for column in self._columns]
        graph = repeated(DEFAULT_GRAPH, len(columns[0]))
        return Part(list(self._ids), Quads(graph, *columns))

    def __len__(self) -> int:
        return len(self._columns[0])

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
                self._add(variable, f"{RDF}type", f"{SWRL}Variable")
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
