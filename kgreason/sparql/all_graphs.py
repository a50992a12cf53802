"""Patterns in ``GRAPH ?g`` as patterns of quads: the graph is one more column, and no graph is evaluated by itself.

``GRAPH ?g { P }`` has, for each graph, the solutions of P in it, each joined with the name of the graph. Where every
triple pattern of P has the graph as a fourth place, solutions of one graph meet none of another, as long as each part
that something is added to, or taken from, has a triple pattern. What a graph without solutions takes part in, such as
a count without GROUP BY, and paths, stay with one graph after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kgreason.algebra.expressions.tree import Variable
from kgreason.algebra.local_terms import LocalTerms
from kgreason.sparql.algebra import (
    Atom,
    Basic,
    Distinct,
    Expression,
    Extend,
    Filter,
    Group,
    Join,
    LeftJoin,
    Minus,
    Names,
    Node,
    PathPattern,
    Project,
    QuadPattern,
    TriplePattern,
    Union,
    Values,
)
from kgreason.sparql.algebra_tree import (
    Link,
    beside,
    chain_of,
    changed_link,
    inner_nodes,
    own_expressions,
    patterns_in,
    with_patterns,
)
from kgreason.sparql.patterns.quads_of_graphs import table_of_quads
from kgreason.sparql.scope import bound_variables, expression_variables, mentioned_variables, variables_of
from kgreason.sparql.solution_expressions import is_fresh
from kgreason.sparql.source import GraphTables


@dataclass(frozen=True, slots=True)
class _Part:
    """A part with patterns of quads.

    Args:
        binds: every solution has a graph.
        is_same: it has no pattern of triples, and its solutions are those in any graph.
    """

    node: Node
    binds: bool
    is_same: bool


@dataclass(frozen=True, slots=True)
class AllGraphs:
    """The variable of the graph, and the facts of all graphs."""

    graph: Variable
    tables: GraphTables

    def over(self, node: Node) -> Node | None:
        """The node with the graph among its variables; None for one that has to be evaluated in one graph after the
        other."""
        part = self._part(node)
        return part.node if part is not None and part.binds else None

    def _part(self, node: Node) -> _Part | None:
        links, core = chain_of(node)
        part = self._core(core)
        bound = bound_variables(core) if links else frozenset()
        for link in reversed(links):
            if part is None:
                return None
            part = self._around(link, part, bound)
        return part

    def _core(self, node: Node) -> _Part | None:
        match node:
            case Basic(atoms):
                return self._basic(atoms, node)
            case Join(nodes) | Union(nodes):
                parts = [part for each in nodes if (part := self._part(each)) is not None]
                if len(parts) < len(nodes) or not parts:
                    return None
                binding = any if isinstance(node, Join) else all
                made = type(node)(tuple(part.node for part in parts))
                return _Part(made, binding(part.binds for part in parts), all(part.is_same for part in parts))
            case Values(variables, _):
                return None if self.graph.name in variables else _Part(node, False, True)
            case Project(inner) | Distinct(inner) | Group(inner):
                part = None if self.graph.name in mentioned_variables(inner) else self._part(inner)
                return self._subquery(node, part) if part is not None and part.binds else None
        return None

    def _subquery(self, node: Project | Distinct | Group, inner: _Part) -> _Part | None:
        """A node that gives some of the variables, and is asked for the graph as well."""
        name = self.graph.name
        if isinstance(node, Distinct):
            return _Part(Distinct(inner.node), True, False)
        if name in variables_of(node) or any(map(patterns_in, own_expressions(node))):
            return None
        if isinstance(node, Project):
            return _Part(Project(inner.node, (*node.variables, name)), True, False)
        # Without keys a graph without solutions has a group, too.
        keys = (*node.keys, (name, self.graph))
        return _Part(Group(inner.node, keys, node.aggregates), True, False) if node.keys else None

    def _basic(self, atoms: Sequence[Atom], node: Basic) -> _Part | None:
        if any(isinstance(atom, PathPattern) for atom in atoms):
            return None
        quads = tuple(
            QuadPattern(self.graph, atom.subject, atom.predicate, atom.object, self.tables)
            if isinstance(atom, TriplePattern)
            else atom
            for atom in atoms
        )
        binds = any(isinstance(atom, TriplePattern) for atom in atoms)
        return _Part(Basic(quads), binds, False) if binds else _Part(node, False, True)

    def _around(self, link: Link, inner: _Part, bound: Names) -> _Part | None:
        """A link around a part of which every solution, in a graph, binds some variables."""
        expressions = own_expressions(link)
        if any(not self._is_same_with_graph(expression_variables(each), bound) for each in expressions):
            return None
        if not inner.binds and any(map(is_fresh, expressions)):
            return None
        match link:
            case Filter(condition) | Extend(_, _, condition):
                return self._with_expression(link, condition, inner)
            case LeftJoin(_, right) | Minus(_, right):
                return self._beside(link, right, inner, bound)

    def _with_expression(self, link: Filter | Extend, expression: Expression, inner: _Part) -> _Part | None:
        if isinstance(link, Extend) and link.variable == self.graph.name:
            return None
        patterns = {id(pattern): self._part(pattern) for pattern in patterns_in(expression)}
        if any(part is None or not (part.is_same or inner.binds) for part in patterns.values()):
            return None

        def changed(pattern: Node) -> Node:
            part = patterns[id(pattern)]
            return pattern if part is None else part.node

        found = changed_link(link, inner.node, lambda node: node, lambda each: with_patterns(each, changed))
        return _Part(found, inner.binds, inner.is_same and not patterns)

    def _beside(self, link: LeftJoin | Minus, right: Node, inner: _Part, bound: Names) -> _Part | None:
        part = self._part(right)
        if part is None or any(map(patterns_in, own_expressions(link))):
            return None
        if not part.is_same and not inner.binds:
            return None
        if not self._is_same_with_graph(mentioned_variables(right), bound):
            return None
        # With the graph both sides share a variable in any case.
        if isinstance(link, Minus) and not bound & bound_variables(right):
            return None
        found = changed_link(link, inner.node, lambda _: part.node, lambda each: each)
        return _Part(found, inner.binds, inner.is_same and part.is_same)

    def _is_same_with_graph(self, names: Names, bound: Names) -> bool:
        """Whether what mentions variables is the same where the graph is known: it is a term of every solution, or not
        mentioned."""
        return self.graph.name not in names or self.graph.name in bound


def facts_read(node: Node, terms: LocalTerms) -> int:
    """How many facts the largest table has that a node reads."""
    links, core = chain_of(node)
    others = [right for link in links for right in beside(link)]
    patterns = [found for each in (*links, core) for value in own_expressions(each) for found in patterns_in(value)]
    largest = 0
    if isinstance(core, Basic):
        for atom in core.atoms:
            of = table_of_quads(atom, terms) if isinstance(atom, QuadPattern) else None
            if isinstance(atom, QuadPattern) and of is not None:
                largest = max(largest, atom.tables.size(of))
    return max([largest, *(facts_read(each, terms) for each in (*inner_nodes(core), *others, *patterns))])
