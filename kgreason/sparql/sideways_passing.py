"""When solutions that are there already may be handed down to a part, to be extended by it instead of being joined.

A part is defined by itself, from the inside out: handed down, solutions bring variables that it must not see. They may
come along where the part binds them anyway, or does not mention them.
"""

from __future__ import annotations

from kgreason.sparql.algebra import (
    Basic,
    Distinct,
    Expression,
    Extend,
    Fallback,
    Filter,
    Graph,
    Group,
    Join,
    LeftJoin,
    Minus,
    Names,
    Node,
    Order,
    Project,
    Slice,
    Union,
    Values,
)
from kgreason.sparql.scope import bound_variables, expression_variables, variables_of
from kgreason.sparql.solution_expressions import is_fresh


def takes_seed(node: Node, seed: Names) -> bool:
    """Whether the node gives the same when solutions with these variables are handed down as when they are joined."""
    match node:
        case Basic():
            return True
        case Join(parts) | Union(parts):
            return all(takes_seed(part, seed) for part in parts)
        case Filter(condition, inner):
            return takes_seed(inner, seed) and _is_same_beside(seed, condition, bound_variables(inner))
        case Extend(inner) | LeftJoin(inner) | Minus(inner):
            return takes_seed(inner, seed) and may_follow(node, bound_variables(inner), seed)
        case Graph(_, inner):
            return takes_seed(inner, seed)
        case Project(inner, variables):
            hidden = variables_of(inner) - frozenset(variables)
            return not hidden & seed and takes_seed(inner, seed)
        case Fallback(given=given):
            return given is not None and given in seed
        case Values() | Group() | Distinct() | Order() | Slice():
            return False


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
