"""The same query, plainer: conjunctions taken apart, joins flattened, and filters as far inside as they may go.

Done once for a query, since it needs no data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.sparql.algebra import Basic, Expression, Extend, Filter, Graph, Join, LeftJoin, Minus, Node, Union
from kgreason.sparql.algebra_tree import patterns_in, with_arguments, with_inner, without_filters
from kgreason.sparql.path_unfolding import unfolded
from kgreason.sparql.scope import bound_variables, expression_variables, variables_of
from kgreason.sparql.solution_expressions import is_fresh


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
    """One join, one basic graph pattern in it, and filters on that pattern outside of it."""
    flat = list(_without_joins(parts))
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
