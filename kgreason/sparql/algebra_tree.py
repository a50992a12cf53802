"""The algebra as a tree: what is inside of a node or an expression, and the same with something else inside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

from kgreason.algebra.expressions import tree
from kgreason.algebra.expressions.tree import Call, leaves
from kgreason.sparql.algebra import (
    Aggregate,
    Basic,
    Distinct,
    Exists,
    Expression,
    Extend,
    Fallback,
    Filter,
    Graph,
    Group,
    Join,
    LeftJoin,
    Minus,
    Node,
    Order,
    Project,
    Slice,
    Union,
    Values,
)

Link: TypeAlias = Filter | Extend | LeftJoin | Minus
"""What adds to, or takes from, the solutions of one node inside of it. A group may have any number of these, one around
the other: they are walked in a loop, and what is nested alone by recursion."""


def chain_of(node: Node) -> tuple[list[Link], Node]:
    """The links around a node, the outermost first, and the node inside of all of them."""
    links: list[Link] = []
    while isinstance(node, Link):
        links.append(node)
        node = inside(node)
    return links, node


def inside(link: Link) -> Node:
    """The node whose solutions a link changes."""
    return link.left if isinstance(link, LeftJoin | Minus) else link.node


def around(link: Link, node: Node) -> Link:
    """The same link around another node."""
    return replace(link, left=node) if isinstance(link, LeftJoin | Minus) else replace(link, node=node)


def beside(link: Link) -> tuple[Node, ...]:
    """The nodes right inside of a link that have solutions of their own."""
    return (link.right,) if isinstance(link, LeftJoin | Minus) else ()


def changed_link(
    link: Link, node: Node, other: Callable[[Node], Node], expression: Callable[[Expression], Expression]
) -> Link:
    """A link around another node, with what `other` makes of the node beside, and `expression` of its expression."""
    match link:
        case LeftJoin(_, right, condition):
            return LeftJoin(node, other(right), None if condition is None else expression(condition))
        case Minus(_, right):
            return Minus(node, other(right))
        case Filter(condition, _):
            return Filter(expression(condition), node)
        case Extend(_, variable, value):
            return Extend(node, variable, expression(value))


def inner_nodes(node: Node) -> tuple[Node, ...]:
    """The nodes right inside of a node, but not those of EXISTS in its expressions."""
    match node:
        case Join(parts) | Union(parts):
            return parts
        case LeftJoin(left, right) | Minus(left, right):
            return (left, right)
        case Filter(_, inner) | Extend(inner) | Graph(_, inner) | Group(inner) | Project(inner):
            return (inner,)
        case Distinct(inner) | Order(inner) | Slice(inner):
            return (inner,)
        case Basic() | Values() | Fallback():
            return ()


def own_expressions(node: Node) -> tuple[Expression, ...]:
    """The expressions that a node itself evaluates."""
    match node:
        case LeftJoin(_, _, condition):
            return () if condition is None else (condition,)
        case Filter(condition, _):
            return (condition,)
        case Extend(_, _, expression):
            return (expression,)
        case Group(_, keys, aggregates):
            arguments = (each.argument for _, each in aggregates if each.argument is not None)
            return (*(key for _, key in keys), *arguments)
        case Order(_, keys):
            return tuple(key for key, _ in keys)
    return ()


def patterns_in(expression: Expression) -> list[Node]:
    """The patterns of EXISTS in an expression."""
    return [leaf.node for leaf in leaves(expression) if isinstance(leaf, Exists)]


def without_filters(node: Node) -> tuple[Node, list[Expression]]:
    """What is inside of the filters around a node, and their conditions, the outermost first."""
    conditions: list[Expression] = []
    while isinstance(node, Filter):
        conditions.append(node.condition)
        node = node.node
    return node, conditions


def conjuncts(condition: Expression) -> Iterator[Expression]:
    """The parts of a conjunction: a filter passes what makes all of them true."""
    if isinstance(condition, Call) and condition.function == "&&":
        for argument in condition.arguments:
            yield from conjuncts(argument)
    else:
        yield condition


def filtered(node: Node, conditions: Iterable[Expression]) -> Node:
    """A node with filters around it, the last one outermost."""
    for condition in conditions:
        node = Filter(condition, node)
    return node


def with_inner(
    node: Node, inner: Callable[[Node], Node], expression: Callable[[Expression], Expression]
) -> Node:
    """The same node with what `inner` makes of the nodes right inside, and `expression` of the node's expressions."""
    match node:
        case Join(parts):
            return Join(tuple(map(inner, parts)))
        case Union(parts):
            return Union(tuple(map(inner, parts)))
        case LeftJoin() | Minus() | Filter() | Extend():
            return changed_link(node, inner(inside(node)), inner, expression)
        case Group(part, keys, aggregates):
            named = tuple((name, expression(key)) for name, key in keys)
            return Group(inner(part), named, tuple((name, _over(each, expression)) for name, each in aggregates))
        case Order(part, keys):
            return Order(inner(part), tuple((expression(key), descending) for key, descending in keys))
        case Graph(_, part) | Project(part) | Distinct(part) | Slice(part):
            return replace(node, node=inner(part))
        case Basic() | Values() | Fallback():
            return node


def _over(aggregate: Aggregate, change: Callable[[Expression], Expression]) -> Aggregate:
    argument = aggregate.argument
    return aggregate if argument is None else replace(aggregate, argument=change(argument))


def with_patterns(expression: Expression, pattern: Callable[[Node], Node]) -> Expression:
    """The same expression with what `pattern` makes of the patterns of EXISTS in it."""

    def changed(leaf: Expression) -> Expression:
        return Exists(pattern(leaf.node), leaf.negated) if isinstance(leaf, Exists) else leaf

    return tree.with_leaves(expression, changed)
