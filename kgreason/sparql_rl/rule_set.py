"""Rule sets of SPARQL-RL as inert data, in the terms of the draft's abstract syntax.

In a body blank nodes are variables, whose names begin with ``_:``, and paths are taken apart. A triple term with
variables is a variable that `terms` explains: in a body by what it matches, in a head by what it is made of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from kgreason.algebra.expressions.tree import Variable, expression_variables
from kgreason.errors import Position
from kgreason.program.rules import Argument, Expression, TripleAtom
from kgreason.rdf.model import BlankNode

Parts: TypeAlias = tuple[Argument, Argument, Argument]
"""Subject, predicate and object of a triple term."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """Triple patterns that stand together."""

    triples: tuple[TripleAtom, ...]
    terms: Mapping[Variable, Parts] = field(default_factory=dict)

    def variables(self) -> Iterator[Variable]:
        """The variables that it defines, some more than once."""
        for triple in self.triples:
            yield from (part for part in triple.arguments if isinstance(part, Variable))
        for parts in self.terms.values():
            yield from (part for part in parts if isinstance(part, Variable))


@dataclass(frozen=True, slots=True)
class Filter:
    """``FILTER(expression)``"""

    expression: Expression
    position: Position = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Assign:
    """``SET(?v := expression)``"""

    variable: Variable
    expression: Expression
    position: Position = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Negation:
    """``NOT { ... }``, or with `of_data` ``NOT DATA { ... }``, which looks at the base graph alone."""

    elements: tuple[Patterns | Filter, ...]
    of_data: bool
    position: Position = field(compare=False, repr=False)


Element: TypeAlias = Patterns | Filter | Assign | Negation


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule: `head` holds wherever `body` does; with `of_data` the body looks at the base graph alone.

    `terms` are the triple terms of the head that have variables or blank nodes.
    """

    head: tuple[TripleAtom, ...]
    body: tuple[Element, ...]
    of_data: bool
    name: str
    position: Position = field(compare=False, repr=False)
    terms: Mapping[Variable, Parts] = field(default_factory=dict)

    def patterns(self) -> Iterator[tuple[Patterns, bool]]:
        """The patterns of the body that rules can feed, and whether they are negated."""
        for element in () if self.of_data else self.body:
            if isinstance(element, Patterns):
                yield element, False
            elif isinstance(element, Negation) and not element.of_data:
                yield from ((part, True) for part in element.elements if isinstance(part, Patterns))

    @property
    def assigns(self) -> bool:
        """Whether the body has an assignment."""
        return any(isinstance(element, Assign) for element in self.body)

    @property
    def makes_nodes(self) -> bool:
        """Whether the head has a blank node."""
        parts = [part for triple in self.head for part in triple.arguments]
        parts += [part for term in self.terms.values() for part in term]
        return any(isinstance(part, BlankNode) for part in parts)


@dataclass(frozen=True, slots=True)
class Import:
    """``IMPORTS <iri>``"""

    iri: str
    position: Position = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Fact:
    """A triple of a DATA block."""

    triple: TripleAtom
    position: Position = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class RuleSet:
    """What a text says: rules, triples and imports, each in the order in which they stand there."""

    rules: tuple[RuleText, ...]
    facts: tuple[Fact, ...]
    imports: tuple[Import, ...]
    prefixes: Mapping[str, str]


def used_variables(element: Element) -> Iterator[Variable]:
    """The variables of an element, those that are local to a NOT among them."""
    match element:
        case Patterns():
            yield from element.variables()
        case Filter(expression):
            yield from expression_variables(expression)
        case Assign(variable, expression):
            yield from (*expression_variables(expression), variable)
        case Negation(elements):
            for part in elements:
                yield from used_variables(part)
