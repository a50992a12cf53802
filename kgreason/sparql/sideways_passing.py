"""When solutions that are there already may be handed down to a part, to be extended by it instead of being joined.

A part is defined by itself, from the inside out: handed down, solutions bring variables that it must not see. They may
come along where the part binds them anyway, or does not mention them.
"""

from __future__ import annotations

from kgreason.sparql.algebra import (
    Basic,
    Expression,
    Extend,
    Fallback,
    Filter,
    Graph,
    Join,
    LeftJoin,
    Minus,
    Names,
    Node,
    Project,
    Union,
)
from kgreason.sparql.algebra_tree import Link, chain_of
from kgreason.sparql.scope import bound_variables, expression_variables, variables_of
from kgreason.sparql.solution_expressions import is_fresh


def takes_seed(node: Node, seed: Names) -> bool:
    """Whether the node gives the same when solutions with these variables are handed down as when they are joined."""
    links, node = chain_of(node)
    if links:
        bound = bound_variables(node)
        return takes_seed(node, seed) and all(_takes_seed(link, bound, seed) for link in links)
    match node:
        case Basic():
            return True
        case Join(parts) | Union(parts):
            return all(takes_seed(part, seed) for part in parts)
        case Graph(_, inner):
            return takes_seed(inner, seed)
        case Project(inner, variables):
            hidden = variables_of(inner) - frozenset(variables)
            return not hidden & seed and takes_seed(inner, seed)
        case Fallback(given=given):
            return given is not None and given in seed
    return False


def _takes_seed(link: Link, bound: Names, seed: Names) -> bool:
    """The same of a link around a node with these bound variables that takes the seed."""
    if isinstance(link, Filter):
        return _is_same_beside(seed, link.condition, bound)
    return may_follow(link, bound, seed)


def may_follow(node: Extend | LeftJoin | Minus, bound: Names, others: Names) -> bool:
    """Whether BIND, OPTIONAL or MINUS adds the same to solutions, which bind some variables, when they have been joined
    with solutions of others.

    Source: for OPTIONAL the patterns that are well designed (Perez, Arenas and Gutierrez, "Semantics and Complexity of
    SPARQL", ACM TODS 2009, section 4).
    """
    match node:
        case Extend(_, variable, expression):
            return variable not in others and _is_same_beside(others, expression, bound)
        case LeftJoin(_, right, condition):
            is_same = condition is None or _is_same_beside(others, condition, bound | variables_of(right))
            return is_same and variables_of(right) & others <= bound
        case Minus(_, right):
            return variables_of(right) & others <= bound


def _is_same_beside(seed: Names, expression: Expression, bound: Names) -> bool:
    """Whether an expression has the same value over solutions, which bind some variables, when they have those of a
    seed as well."""
    return not is_fresh(expression) and expression_variables(expression) & seed <= bound
