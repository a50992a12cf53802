"""EXISTS with parts that are solved by themselves: the variables of the solutions outside are bound in them, too.

SPARQL 1.1, 18.6, puts the terms of a solution in the place of its variables anywhere in the pattern. Handing solutions
down does the same, as long as every part takes them (`hands_down`). An OPTIONAL beside other patterns, or the right
side of a MINUS, may not: then each leaf is joined with the distinct solutions (`injected`), all in one evaluation, or
one by one where it counts solutions (OFFSET, and LIMIT inside).
"""

from __future__ import annotations

from collections.abc import Sequence

from kgreason.algebra.expressions.tree import Variable
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
    Names,
    Node,
    Order,
    Project,
    Slice,
    Union,
    Values,
)
from kgreason.sparql.algebra_tree import Link, chain_of, inner_nodes, with_inner
from kgreason.sparql.scope import mentioned_variables, variables_of
from kgreason.sparql.sideways_passing import takes_seed


def without_limit(node: Node) -> Node:
    """The pattern without a LIMIT around it that does not matter to whether there is a solution."""
    while isinstance(node, Slice) and node.offset == 0 and node.length != 0:
        node = node.node
    return node


def counts_solutions(node: Node, names: Names) -> bool:
    """Whether some part that mentions these variables takes the first solutions, or leaves them out: those are others
    for each solution outside."""
    if not mentioned_variables(node) & names:
        return False
    return isinstance(node, Slice) or any(counts_solutions(part, names) for part in inner_nodes(node))


def hands_down(node: Node, names: Names) -> bool:
    """Whether solutions with these variables reach, handed down to the node, every part of it that mentions them."""
    links, node = chain_of(node)
    if links:
        return hands_down(node, names) and all(_reaches_beside(link, names) for link in links)
    match node:
        case Join(parts):
            return all(_reaches(part, names, *(other for other in parts if other is not part)) for part in parts)
        case Union(parts):
            return all(hands_down(part, names) for part in parts)
        case Graph(_, inner):
            return hands_down(inner, names)
        case Project() | Distinct() | Order() | Group() | Slice():
            return _is_same_apart(node, names)
    return True


def _reaches_beside(link: Link, names: Names) -> bool:
    """Whether they reach the right side of an OPTIONAL or MINUS; the others have none."""
    match link:
        case LeftJoin(left, right):
            return _reaches(right, names, left)
        case Minus(left, right):
            within = mentioned_variables(right) & names
            return not within or (takes_seed(right, names) and within <= variables_of(left))
    return True


def _reaches(part: Node, names: Names, *others: Node) -> bool:
    """Whether they reach a part beside others, which is solved by itself where it does not take all that these bind."""
    is_apart = isinstance(part, Values) or (isinstance(part, Fallback) and not part.given)
    if is_apart or not mentioned_variables(part) & names:
        return True
    if isinstance(part, Project | Distinct | Order | Group | Slice):
        return _is_same_apart(part, names)
    return takes_seed(part, names.union(*map(variables_of, others))) and hands_down(part, names)


def _is_same_apart(node: Node, names: Names) -> bool:
    """Whether a subquery that is solved by itself and joined gives what it gives with the variables bound that it
    selects."""
    names = names & mentioned_variables(node)
    if not names or isinstance(node, Slice):
        return not names
    if isinstance(node, Project | Distinct | Order):
        return _is_same_apart(node.node, names)
    group: Node = node
    while isinstance(group, Filter | Extend):
        group = group.node
    if isinstance(group, Group):
        keys = {name for name, key in group.keys if key == Variable(name)}
        return names <= keys and takes_seed(group.node, names)
    return takes_seed(node, names)


def injected(node: Node, solutions: Values) -> Node:
    """The pattern with each leaf joined with the solutions, so that their variables are bound in every part of it. If
    it `counts_solutions`, that is one solution.

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
        case Group() | Slice() if mentioned_variables(node) & {*solutions.variables}:
            return with_inner(node, lambda part: injected(part, solutions), lambda expression: expression)
    return Join((solutions, node))


def _selected(solutions: Values, names: Sequence[str]) -> Values:
    """Each of the solutions once, with those of the variables alone that are selected."""
    places = [place for place, name in enumerate(solutions.variables) if name in names]
    rows = dict.fromkeys(tuple(row[place] for place in places) for row in solutions.rows)
    return Values(tuple(solutions.variables[place] for place in places), tuple(rows))
