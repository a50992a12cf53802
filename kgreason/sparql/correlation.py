"""EXISTS with parts that are solved by themselves: the variables of the solutions outside are bound in them, too.

SPARQL 1.1, 18.6, puts the terms of a solution in the place of its variables anywhere in the pattern. Handing solutions
down does the same, as long as every part takes them (`hands_down`). An OPTIONAL beside other patterns, or the right
side of a MINUS, may not: then each leaf is joined with the distinct solutions (`injected`), all in one evaluation.
"""

from __future__ import annotations

from collections.abc import Sequence

from kgreason.sparql.algebra import (
    Distinct,
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
from kgreason.sparql.algebra_tree import with_inner
from kgreason.sparql.scope import Names, mentioned_variables, variables_of
from kgreason.sparql.sideways_passing import takes_seed

_APART = (Values, Fallback, Group, Slice)
"""What is joined with the solutions outside, and sees nothing of them."""


def hands_down(node: Node, names: Names) -> bool:
    """Whether solutions with these variables reach, handed down to the node, every part of it that mentions them."""
    match node:
        case Join(parts):
            return all(_reaches(part, names, *(other for other in parts if other is not part)) for part in parts)
        case Union(parts):
            return all(hands_down(part, names) for part in parts)
        case LeftJoin(left, right):
            return hands_down(left, names) and _reaches(right, names, left)
        case Minus(left, right):
            within = mentioned_variables(right) & names
            return hands_down(left, names) and (
                not within or (takes_seed(right, names) and within <= variables_of(left))
            )
        case Filter(_, inner) | Extend(inner) | Graph(_, inner):
            return hands_down(inner, names)
    return True


def _reaches(part: Node, names: Names, *others: Node) -> bool:
    """Whether they reach a part beside others, which is solved by itself where it does not take all that these bind."""
    is_apart = isinstance(part, _APART) and not (isinstance(part, Fallback) and part.given)
    if is_apart or not mentioned_variables(part) & names:
        return True
    if isinstance(part, Project | Distinct | Order):
        return _is_same_apart(part, names)
    return takes_seed(part, names.union(*map(variables_of, others))) and hands_down(part, names)


def _is_same_apart(node: Node, names: Names) -> bool:
    """Whether a subquery that is solved by itself and joined gives what it gives with the variables bound that it
    selects."""
    match node:
        case Project(inner, variables):
            return takes_seed(inner, names & frozenset(variables))
        case Distinct(inner) | Order(inner):
            return _is_same_apart(inner, names)
    return takes_seed(node, names)


def injected(node: Node, solutions: Values) -> Node:
    """The pattern with each leaf joined with the solutions, so that their variables are bound in every part of it.

    A MINUS whose sides share no variable of their own takes nothing away, and is left out.
    """
    match node:
        case Project(inner, variables):
            selected = _selected(solutions, variables)
            return Join((solutions, Project(injected(inner, selected), variables) if selected.variables else node))
        case Join() | Union() | LeftJoin() | Filter() | Extend() | Graph() | Distinct() | Order():
            return with_inner(node, lambda part: injected(part, solutions), lambda expression: expression)
        case Minus(left, right):
            if not variables_of(left) & variables_of(right):
                return injected(left, solutions)
            return Minus(injected(left, solutions), injected(right, solutions))
    return Join((solutions, node))


def _selected(solutions: Values, names: Sequence[str]) -> Values:
    """Each of the solutions once, with those of the variables alone that are selected."""
    places = [place for place, name in enumerate(solutions.variables) if name in names]
    rows = dict.fromkeys(tuple(row[place] for place in places) for row in solutions.rows)
    return Values(tuple(solutions.variables[place] for place in places), tuple(rows))
