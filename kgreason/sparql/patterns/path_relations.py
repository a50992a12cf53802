"""Property paths as relations (SPARQL 1.1, section 18.4).

What a simplified path (`kgreason.sparql.path_unfolding`) has left: repetitions, alternatives of single steps and
negated sets. Within a repetition a path is a set of pairs; outside, an alternative gives a pair once for each relation
that has it, and a negated set once for each triple.
"""

from __future__ import annotations

import numpy as np

from kgreason.algebra.expressions.tree import Variable
from kgreason.algebra.local_terms import LocalTerms
from kgreason.algebra.relation import Relation
from kgreason.rdf.model import IRI
from kgreason.relations.codes import CLASS, PROPERTY, identifier_of
from kgreason.relations.plain import empty_table
from kgreason.sparql.algebra import Alternative, Inverse, NegatedSet, Path, PathPattern, Repeat, Sequence
from kgreason.sparql.patterns.bound import KnownPaths
from kgreason.sparql.patterns.closure_patterns import closure_of
from kgreason.sparql.patterns.inverted import inverted
from kgreason.sparql.patterns.pattern_relations import relation_of
from kgreason.sparql.patterns.reflexive import Nodes, Reflexive
from kgreason.sparql.patterns.walks import Chain, Choice
from kgreason.sparql.source import Source


class Paths:
    """The pairs that the paths of one query connect."""

    def __init__(self, terms: LocalTerms, known: KnownPaths | None = None) -> None:
        """`known` is what earlier queries left, for those to come; it may serve any number of graphs."""
        self._terms = terms
        self._known = KnownPaths() if known is None else known

    def __call__(self, pattern: PathPattern, source: Source) -> list[Relation]:
        """Relations that together, each pair as often as it is there, are the pairs of ends of a path in a graph."""
        ends = (pattern.subject, pattern.object)
        constants = [self._terms.encode(end) for end in ends if not isinstance(end, Variable)]
        nodes = Nodes(source, np.array(sorted({*constants}), dtype=np.uint32), self._known)
        return _Reader(self._terms, source, self._known).relations(pattern.path, nodes)


class _Reader:
    """The paths of one graph."""

    def __init__(self, terms: LocalTerms, source: Source, known: KnownPaths) -> None:
        self._terms = terms
        self._source = source
        self._known = known
        # A constant that the graph does not have has no step, so that it matters to the outermost repetition alone.
        # Within, what is kept for other queries must not know of it.
        self._inner_nodes = Nodes(source, np.empty(0, dtype=np.uint32), known)

    def relations(self, path: Path, nodes: Nodes) -> list[Relation]:
        """The multiset of pairs of a path, as relations; `nodes` are connected with themselves by no step."""
        match path:
            case Alternative(choices):
                return [relation for choice in choices for relation in self.relations(choice, nodes)]
            case NegatedSet(forward, inverse):
                backward = [inverted(relation) for relation in self._others(inverse)]
                return [*self._others(forward), *backward]
        return [self._relation(path, nodes)]

    def _inner(self, path: Path) -> Relation:
        return self._relation(path, self._inner_nodes)

    def _relation(self, path: Path, nodes: Nodes) -> Relation:
        """The set of pairs of a path."""
        match path:
            case IRI():
                predicate = self._terms.lookup(path)
                return empty_table(2) if predicate is None else relation_of(self._source, predicate)
            case Inverse(inner):
                return inverted(self._relation(inner, nodes))
            case Sequence(steps):
                return Chain([self._inner(step) for step in steps], self._known.path(self._source, path))
            case Repeat(inner, optional, once):
                base = self._inner(inner)
                if not once:
                    base = closure_of(base, self._known.path(self._source, Repeat(inner, False, False)))
                return Reflexive(base, nodes) if optional else base
            case _:
                found = self.relations(path, nodes)
                return found[0] if len(found) == 1 else Choice(found, self._known.path(self._source, path))

    def _others(self, predicates: frozenset[IRI] | None) -> list[Relation]:
        """The relations of all predicates but some; none where there is no set of these."""
        if predicates is None:
            return []
        without = {self._terms.lookup(predicate) for predicate in predicates}
        used = [identifier_of(code) for code in self._source.codes(PROPERTY)]
        if self._source.codes(CLASS):
            used.append(self._source.type_id)
        return [relation_of(self._source, predicate) for predicate in dict.fromkeys(used) if predicate not in without]
