"""Variables that are given from outside (rdflib's `initBindings`): the same query with terms in their places."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from kgreason.algebra.expressions.tree import Call, Variable, folded, with_arguments
from kgreason.rdf.model import Literal, Term
from kgreason.rdf.vocabulary import XSD_BOOLEAN
from kgreason.sparql import algebra
from kgreason.sparql.algebra import (
    Basic,
    Exists,
    Expression,
    Extend,
    Fallback,
    Graph,
    Join,
    Minus,
    Node,
    Operand,
    PathPattern,
    Project,
    TriplePattern,
    TripleTermPattern,
    Values,
)
from kgreason.sparql.algebra_tree import Link, chain_of, changed_link, with_inner
from kgreason.sparql.scope import variables_of

Terms = Mapping[str, Term]

_TRUE: Final = Literal("true", XSD_BOOLEAN)


def bound(node: Node, terms: Terms) -> Node:
    """The query in which variables have terms everywhere, also inside of filters and subqueries.

    Variables of a pattern are replaced; one that the query binds itself (BIND, VALUES, ...) has to come out equal.
    """
    links, inner = chain_of(node)
    found = _bound_inside(inner, terms)
    for link in reversed(links):
        found = _bound_link(link, found, terms)
    return found


def _bound_link(link: Link, node: Node, terms: Terms) -> Node:
    """A link around a node in which variables have terms already."""
    if isinstance(link, Minus):
        return _minus(link, node, terms)
    changed = changed_link(link, node, partial(bound, terms=terms), partial(_expression, terms=terms))
    return _checked(changed, (changed.variable,), terms) if isinstance(changed, Extend) else changed


def _bound_inside(node: Node, terms: Terms) -> Node:
    changed = with_inner(node, partial(bound, terms=terms), partial(_expression, terms=terms))
    match changed:
        case Basic(atoms):
            return Basic(tuple(_atom(atom, terms) for atom in atoms))
        case Values(variables, rows):
            return _values(variables, rows, terms)
        case Graph(name, inner):
            return Graph(_operand(name, terms), inner)
        case Fallback(_, variables, _):
            return _checked(changed, variables, terms)
        case Project(inner, variables):
            return Project(inner, tuple(name for name in variables if name not in terms))
    return changed


def _checked(node: Node, variables: tuple[str, ...], terms: Terms) -> Node:
    """A node that binds variables by itself, only where they come out as given, and without them."""
    given = {name: terms[name] for name in variables if name in terms}
    if not given:
        return node
    wanted = Values(tuple(given), (tuple(given.values()),))
    return Project(Join((node, wanted)), tuple(sorted(variables_of(node) - given.keys())))


def _minus(node: Minus, left: Node, terms: Terms) -> Node:
    right = bound(node.right, terms)
    shared = variables_of(node.left) & variables_of(node.right) & terms.keys()
    if not shared:
        return Minus(left, right)
    # They still have a variable in common, although none is left to see: so what agrees is taken away.
    name = min(shared)
    kept = tuple(sorted(variables_of(left)))
    return Project(Minus(Extend(left, name, terms[name]), Extend(right, name, terms[name])), kept)


def _values(variables: tuple[str, ...], rows: tuple[tuple[Term | None, ...], ...], terms: Terms) -> Node:
    kept = [at for at, name in enumerate(variables) if name not in terms]
    agreeing = (
        row for row in rows
        if all(row[at] is None or name not in terms or row[at] == terms[name] for at, name in enumerate(variables))
    )  # fmt: skip
    return Values(tuple(variables[at] for at in kept), tuple(tuple(row[at] for at in kept) for row in agreeing))


def _atom(atom: algebra.Atom, terms: Terms) -> algebra.Atom:
    subject, object = _operand(atom.subject, terms), _operand(atom.object, terms)
    if isinstance(atom, PathPattern):
        return PathPattern(subject, atom.path, object)
    if isinstance(atom, TripleTermPattern):
        return TripleTermPattern(_operand(atom.term, terms), subject, _operand(atom.predicate, terms), object)
    return TriplePattern(subject, _operand(atom.predicate, terms), object)


def _operand(operand: Operand, terms: Terms) -> Operand:
    return terms.get(operand.name, operand) if isinstance(operand, Variable) else operand


def _expression(expression: Expression, terms: Terms) -> Expression:
    def of_leaf(leaf: Expression) -> Expression:
        if isinstance(leaf, Exists):
            return Exists(bound(leaf.node, terms), leaf.negated)
        return terms.get(leaf.name, leaf) if isinstance(leaf, Variable) else leaf

    def of_call(call: Call[Any], arguments: list[Expression]) -> Expression:
        match call:
            case Call("bound", (Variable(name),)) if name in terms:
                return _TRUE
        return with_arguments(call, arguments)

    return folded(expression, of_leaf, of_call)
