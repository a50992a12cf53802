"""Which variables a node or an expression has: those in scope (SPARQL 1.1, section 18.2.1), and those surely bound."""

from __future__ import annotations

from kgreason.algebra.expressions.tree import Variable, leaves
from kgreason.sparql.algebra import (
    Basic,
    Distinct,
    Exists,
    Expression,
    Extend,
    Fallback,
    Graph,
    Group,
    Join,
    LeftJoin,
    Names,
    Node,
    Order,
    Project,
    Slice,
    Union,
    Values,
    names_of,
)
from kgreason.sparql.algebra_tree import beside, chain_of, inner_nodes, own_expressions

_NONE: Names = frozenset()


def variables_of(node: Node) -> Names:
    """The variables that a solution of a node may bind."""
    links, node = chain_of(node)
    if not links:
        return _variables_inside(node)
    added = [variables_of(link.right) for link in links if isinstance(link, LeftJoin)]
    bound = [link.variable for link in links if isinstance(link, Extend)]
    return _variables_inside(node).union(bound, *added)


def _variables_inside(node: Node) -> Names:
    match node:
        case Basic():
            return node.variables
        case Join(parts) | Union(parts):
            return _NONE.union(*map(variables_of, parts))
        case Values(variables, _) | Fallback(_, variables, _) | Project(_, variables):
            return frozenset(variables)
        case Graph(name, inner):
            return variables_of(inner) | names_of((name,))
        case Group(_, keys, aggregates):
            return frozenset(name for name, _ in (*keys, *aggregates))
        case Distinct(inner) | Order(inner, _) | Slice(inner, _, _):
            return variables_of(inner)
    raise AssertionError(f"{type(node).__name__} is around another node")


def bound_variables(node: Node) -> Names:
    """The variables that every solution of a node binds. OPTIONAL, MINUS, BIND and filters around it bind no others."""
    _, node = chain_of(node)
    match node:
        case Basic():
            return node.variables
        case Join(parts):
            return _NONE.union(*map(bound_variables, parts))
        case Union(parts):
            found = [bound_variables(part) for part in parts]
            return found[0].intersection(*found[1:]) if found else _NONE
        case Values(variables, rows):
            return frozenset(name for at, name in enumerate(variables) if all(row[at] is not None for row in rows))
        case Graph(name, inner):
            return bound_variables(inner) | names_of((name,))
        case Distinct(inner) | Order(inner, _) | Slice(inner, _, _):
            return bound_variables(inner)
        case Project(inner, variables):
            return bound_variables(inner) & frozenset(variables)
    return _NONE


def given_variables(node: Node) -> Names:
    """The variables that parts of a node need the terms of."""
    links, node = chain_of(node)
    own = frozenset((node.given,)) if isinstance(node, Fallback) and node.given else _NONE
    others = (other for link in links for other in beside(link))
    return own.union(*map(given_variables, (*inner_nodes(node), *others)))


def expression_variables(expression: Expression | None) -> Names:
    """The variables that an expression reads; those of a pattern in EXISTS among them."""
    if isinstance(expression, Variable):
        return frozenset((expression.name,))
    if expression is None:
        return _NONE
    names: set[str] = set()
    for leaf in leaves(expression):
        if isinstance(leaf, Variable):
            names.add(leaf.name)
        elif isinstance(leaf, Exists):
            names |= mentioned_variables(leaf.node)
    return frozenset(names)


def mentioned_variables(node: Node) -> Names:
    """The variables that are anywhere in a node, also those that its filters alone read.

    Of a subquery only those that come out of it: one inside that has the same name as one outside is another variable.
    """
    if isinstance(node, (Basic, Project, Group)):
        return variables_of(node)
    links, inner = chain_of(node)
    nodes: list[Node] = [inner] if links else [*inner_nodes(inner)]
    nodes += [other for link in links for other in beside(link)]
    expressions = [expression for each in (links or (inner,)) for expression in own_expressions(each)]
    return variables_of(node).union(*map(mentioned_variables, nodes), *map(expression_variables, expressions))
