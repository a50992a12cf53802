"""The same query, plainer: conjunctions taken apart, joins flattened, filters as far inside as they may go. OPTIONAL,
MINUS and BIND come after the patterns that follow them, so that the patterns of a group have one plan.

Done once for a query, since it needs no data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import takewhile
from typing import TypeAlias

from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.sparql.algebra import Basic, Expression, Extend, Filter, Graph, Join, LeftJoin, Minus, Node, Union
from kgreason.sparql.algebra_tree import patterns_in, with_arguments, with_inner, without_filters
from kgreason.sparql.path_unfolding import unfolded
from kgreason.sparql.scope import Names, bound_variables, expression_variables, given_variables, variables_of
from kgreason.sparql.sideways_passing import may_follow
from kgreason.sparql.solution_expressions import is_fresh

Follower: TypeAlias = LeftJoin | Minus | Extend
"""What adds to, or takes from, the solutions of the node inside of it."""


def rewritten(node: Node) -> Node:
    """An equivalent node that is cheaper to evaluate."""
    return _plainer(unfolded(node))


def _plainer(node: Node) -> Node:
    match node:
        case Join(parts):
            return _joined([_plainer(part) for part in parts])
        case Filter(condition, inner):
            found = _plainer(inner)
            for part in _conjuncts(condition):
                found = _filtered(_with_plainer_patterns(part), found)
            return found
        case Union(parts):
            return Union(tuple(_alternatives([_plainer(part) for part in parts])))
    return with_inner(node, _plainer, _with_plainer_patterns)


def _joined(parts: list[Node]) -> Node:
    """One join, and what may follow it outside of it."""
    flat = list(_without_joins(parts))
    following: list[Follower] = []
    for number, part in enumerate(flat):
        if isinstance(part, Follower):
            others = flat[:number] + flat[number + 1 :]
            flat[number], taken = _taken_out(part, frozenset().union(*map(_read_by, others)))
            following += taken
    found = _with_one_pattern(list(_without_joins(flat)))
    for part in reversed(following):
        found = replace(part, node=found) if isinstance(part, Extend) else replace(part, left=found)
    return found


def _taken_out(part: Follower, others: Names) -> tuple[Node, list[Follower]]:
    """What is inside of each OPTIONAL, MINUS and BIND of a part that may follow a join with others, and these, the
    outermost first."""
    chain: list[Follower] = []
    inner: Node = part
    while isinstance(inner, Follower):
        chain.append(inner)
        inner = inner.node if isinstance(inner, Extend) else inner.left
    bound = bound_variables(inner)
    taken = list(takewhile(lambda link: may_follow(link, bound, others), chain))
    return inner if len(taken) == len(chain) else chain[len(taken)], taken


def _read_by(node: Node) -> Names:
    """The variables of a node, and those that it is given."""
    return variables_of(node) | given_variables(node)


def _with_one_pattern(flat: list[Node]) -> Node:
    """One join, one basic graph pattern in it, and filters on that pattern outside of it."""
    atoms = [atom for part in flat if isinstance(part, Basic) for atom in part.atoms]
    conditions: list[Expression] = []
    others: list[Node] = []
    for part in flat:
        inner, own = without_filters(part)
        if isinstance(inner, Basic) and all(_may_wait(condition, inner) for condition in own):
            if own:
                atoms.extend(inner.atoms)
                conditions.extend(own)
        else:
            others.append(part)
    joined: Node = Basic(tuple(atoms))
    for condition in conditions:
        joined = Filter(condition, joined)
    if not others:
        return joined
    return Join((joined, *others)) if atoms or conditions else others[0] if len(others) == 1 else Join(tuple(others))


def _without_joins(parts: Iterable[Node]) -> Iterator[Node]:
    """The parts, those of joins among them in the place of these."""
    for part in parts:
        yield from part.parts if isinstance(part, Join) else (part,)


def _may_wait(condition: Expression, node: Node) -> bool:
    """Whether a filter of a part passes the same when the part is joined with others before."""
    return expression_variables(condition) <= variables_of(node) and not is_fresh(condition)


def _filtered(condition: Expression, node: Node) -> Node:
    """The filter around the innermost node that has all of its variables bound."""
    if is_fresh(condition):
        return Filter(condition, node)
    reads = expression_variables(condition)
    match node:
        case Filter(other, inner):
            return Filter(other, _filtered(condition, inner))
        case Join(parts):
            for number, part in enumerate(parts):
                if reads and reads <= bound_variables(part):
                    changed = (*parts[:number], _filtered(condition, part), *parts[number + 1 :])
                    return Join(changed)
        case Union(parts):
            return Union(tuple(_filtered(condition, part) for part in parts))
        case LeftJoin(left, right, own) if reads <= bound_variables(left):
            return LeftJoin(_filtered(condition, left), right, own)
        case Minus(left, right):
            return Minus(_filtered(condition, left), right)
        case Extend(inner, variable, expression) if variable not in reads:
            return Extend(_filtered(condition, inner), variable, expression)
        case Graph(name, inner) if not patterns_in(condition) and not (
            isinstance(name, Variable) and name.name in reads
        ):
            return Graph(name, _filtered(condition, inner))
    return Filter(condition, node)


def _conjuncts(condition: Expression) -> Iterator[Expression]:
    """The parts of a conjunction: a filter passes what makes all of them true."""
    if isinstance(condition, Call) and condition.function == "&&":
        for argument in condition.arguments:
            yield from _conjuncts(argument)
    else:
        yield condition


def _alternatives(parts: list[Node]) -> Iterator[Node]:
    for part in parts:
        if isinstance(part, Union):
            yield from part.parts
        else:
            yield part


def _with_plainer_patterns(expression: Expression) -> Expression:
    return with_arguments(expression, _with_plainer_patterns, _plainer)
