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
    Node,
    Order,
    Project,
    Slice,
    Union,
    Values,
)
from kgreason.sparql.scope import Names, bound_variables, expression_variables, variables_of
from kgreason.sparql.solution_expressions import is_fresh


def takes_seed(node: Node, seed: Names) -> bool:
    """Whether the node gives the same when solutions with these variables are handed down as when they are joined."""
    match node:
        case Basic():
            return True
        case Join(parts) | Union(parts):
            return all(takes_seed(part, seed) for part in parts)
        case Filter(condition, inner):
            return takes_seed(inner, seed) and _is_same_beside(seed, condition, inner)
        case Extend(inner, variable, expression):
            return variable not in seed and takes_seed(inner, seed) and _is_same_beside(seed, expression, inner)
        case LeftJoin(left, right, condition):
            seen = (variables_of(right) | expression_variables(condition)) & seed
            return takes_seed(left, seed) and seen <= bound_variables(left)
        case Minus(left, right):
            return takes_seed(left, seed) and variables_of(right) & seed <= bound_variables(left)
        case Graph(_, inner):
            return takes_seed(inner, seed)
        case Project(inner, variables):
            hidden = variables_of(inner) - frozenset(variables)
            return not hidden & seed and takes_seed(inner, seed)
        case Fallback(given=given):
            return given is not None and given in seed
        case Values() | Group() | Distinct() | Order() | Slice():
            return False


def _is_same_beside(seed: Names, expression: Expression, inner: Node) -> bool:
    """Whether an expression over the solutions of a node has the same value when they have these variables as well."""
    return not is_fresh(expression) and expression_variables(expression) & seed <= bound_variables(inner)
