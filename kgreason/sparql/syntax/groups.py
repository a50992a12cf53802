"""A group graph pattern as far as it is read: its parts as algebra (SPARQL 1.1, section 18.2.2)."""

from __future__ import annotations

from dataclasses import dataclass, field

from kgreason.algebra.expressions.tree import Variable
from kgreason.rdf.model import IRI
from kgreason.sparql.algebra import (
    Atom,
    Basic,
    Expression,
    Filter,
    Join,
    Node,
    PathPattern,
    TriplePattern,
    TripleTermPattern,
)
from kgreason.sparql.syntax.triple_terms import Triple


@dataclass(slots=True)
class Group:
    """A group as far as it is read."""

    parts: list[Node] = field(default_factory=list)
    triples: list[Triple] = field(default_factory=list)
    """Those of the basic graph pattern that is being read."""
    filters: list[Expression] = field(default_factory=list)
    scope: set[str] = field(default_factory=set)
    """The variables that solutions may bind; those of blank nodes, too."""

    def ended(self) -> Node:
        """What has been read, without its filters."""
        if self.triples:
            self.parts.append(basic_of(self.triples, self.scope))
            self.triples = []
        if not self.parts:
            return Basic(())
        return self.parts[0] if len(self.parts) == 1 else Join(tuple(self.parts))

    def becomes(self, node: Node) -> None:
        """All that has been read is in a node now."""
        self.parts = [node]

    def joined(self, node: Node) -> None:
        """One part more."""
        self.ended()
        self.parts.append(node)

    def node(self) -> Node:
        """The whole group."""
        found = self.ended()
        for condition in self.filters:
            found = Filter(condition, found)
        return found


def basic_of(triples: list[Triple], scope: set[str]) -> Basic:
    """A basic graph pattern, whose variables come into a scope."""
    atoms: dict[Atom, None] = {}
    paths: list[Atom] = []
    for triple in triples:
        if isinstance(triple, TripleTermPattern):
            atoms[triple] = None
            parts = (triple.subject, triple.predicate, triple.object)
            scope.update(part.name for part in parts if isinstance(part, Variable))
            continue
        subject, verb, object = triple
        if isinstance(verb, (IRI, Variable)):
            atoms[TriplePattern(subject, verb, object)] = None
            if verb.__class__ is Variable:
                scope.add(verb.name)
        else:
            # Twice the same path has the square of its solutions.
            paths.append(PathPattern(subject, verb, object))
        if subject.__class__ is Variable:
            scope.add(subject.name)
        if object.__class__ is Variable:
            scope.add(object.name)
    return Basic((*atoms, *paths))
