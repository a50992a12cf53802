"""The same query, plainer: conjunctions taken apart, joins flattened, filters as far inside as they may go, and EXISTS
of triples among the patterns. OPTIONAL, MINUS and BIND come after the patterns that follow them, so that the patterns
of a group have one plan, but for those that only another part of the group connects.

Done once for a query, since it needs no data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TypeAlias

from kgreason.algebra.connected_parts import connected
from kgreason.algebra.expressions.tree import Call, FallbackCall, Variable, is_equation, subexpressions, with_leaves
from kgreason.sparql.algebra import (
    Atom,
    Basic,
    Exists,
    Expression,
    Extend,
    Filter,
    Graph,
    Join,
    LeftJoin,
    Minus,
    Names,
    Node,
    TriplePattern,
    Union,
    names_of,
)
from kgreason.sparql.algebra_tree import conjuncts, patterns_in, with_arguments, with_inner, without_filters
from kgreason.sparql.path_unfolding import unfolded
from kgreason.sparql.scope import bound_variables, expression_variables, given_variables, variables_of
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
            for part in conjuncts(condition):
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
    links: list[Follower] = []
    inner: Node = part
    while isinstance(inner, Follower):
        links.append(inner)
        inner = inner.node if isinstance(inner, Extend) else inner.left
    bound = bound_variables(inner)
    taken = list(takewhile(lambda link: may_follow(link, bound, others), links))
    return inner if len(taken) == len(links) else links[len(taken)], taken


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
    groups = _groups(atoms, others) if atoms or conditions else []
    patterns: list[Node] = [Basic(tuple(group)) for group in groups]
    spanning: list[Expression] = []
    for condition in conditions:
        reads = expression_variables(condition)
        at = next((at for at, part in enumerate(patterns) if reads <= variables_of(part)), None)
        if at is None:
            spanning.append(condition)
        else:
            patterns[at] = Filter(condition, patterns[at])
    parts = (*patterns, *others)
    joined = parts[0] if len(parts) == 1 else Join(parts)
    for condition in spanning:
        joined = Filter(condition, joined)
    return joined


def _groups(atoms: Sequence[Atom], others: Sequence[Node]) -> list[list[Atom]]:
    """The atoms of a group, all together or, where another part of it connects them that no variable connects, each set
    of connected ones by itself: there may be many more pairs of their solutions than agree with that part."""
    groups = connected((names_of(atom.operands), atom) for atom in atoms)
    for other in others:
        if sum(not known.isdisjoint(variables_of(other)) for known, _ in groups) > 1:
            return [own for _, own in groups]
    return [list(atoms)]


def _without_joins(parts: Iterable[Node]) -> Iterator[Node]:
    """The parts, those of joins among them in the place of these."""
    for part in parts:
        yield from part.parts if isinstance(part, Join) else (part,)


def _may_wait(condition: Expression, node: Node) -> bool:
    """Whether a filter of a part passes the same when the part is joined with others before."""
    return expression_variables(condition) <= variables_of(node) and not is_fresh(condition)


def _filtered(condition: Expression, node: Node) -> Node:
    """The filter around the innermost node that has all of its variables bound."""
    return Filter(condition, node) if is_fresh(condition) else _placed(condition, expression_variables(condition), node)


def _placed(condition: Expression, reads: Names, node: Node) -> Node:
    """The same for one that is the same in each solution, with the variables that it reads."""
    match node:
        case Basic(atoms) if (more := _triples_of(condition)) is not None and reads <= variables_of(node):
            return Basic((*atoms, *more))
        case Filter(other, inner):
            return Filter(other, _placed(condition, reads, inner))
        case Join(parts):
            for number, part in enumerate(parts):
                if reads and reads <= bound_variables(part):
                    changed = (*parts[:number], _placed(condition, reads, part), *parts[number + 1 :])
                    return Join(changed)
        case Union(parts):
            return Union(tuple(_placed(condition, reads, part) for part in parts))
        case LeftJoin(left, right, own) if reads <= bound_variables(left):
            return LeftJoin(_placed(condition, reads, left), right, own)
        case Minus(left, right):
            return Minus(_placed(condition, reads, left), right)
        case Extend(inner, variable, expression) if variable not in reads:
            return Extend(_placed(condition, reads, inner), variable, expression)
        case Extend(inner, variable, expression) if _reads_values(condition) and _may_be_repeated(expression):
            spelled = with_leaves(condition, lambda leaf: expression if leaf == Variable(variable) else leaf)
            return Extend(_placed(spelled, expression_variables(spelled), inner), variable, expression)
        case Graph(name, inner) if not patterns_in(condition) and not (
            isinstance(name, Variable) and name.name in reads
        ):
            return Graph(name, _placed(condition, reads, inner))
    return Filter(condition, node)


def _reads_values(condition: Expression) -> bool:
    """Whether a filter is for equal values and needs only the values of its variables, as BOUND and EXISTS do not."""
    if not is_equation(condition) or patterns_in(condition):
        return False
    return not any(isinstance(each, Call) and each.function == "bound" for each in subexpressions(condition))


def _may_be_repeated(expression: Expression) -> bool:
    """Whether a filter may have an expression in the place of the variable that it is bound to."""
    calls = any(isinstance(each, FallbackCall) for each in subexpressions(expression))
    return not calls and not is_fresh(expression) and not patterns_in(expression)


def _triples_of(condition: Expression) -> tuple[TriplePattern, ...] | None:
    """The triples of which EXISTS asks, None for another condition. Where all of their variables are bound, there is
    one solution of them or none."""
    if isinstance(condition, Exists) and not condition.negated and isinstance(condition.node, Basic):
        triples = tuple(atom for atom in condition.node.atoms if isinstance(atom, TriplePattern))
        return triples if len(triples) == len(condition.node.atoms) else None
    return None


def _alternatives(parts: list[Node]) -> Iterator[Node]:
    for part in parts:
        if isinstance(part, Union):
            yield from part.parts
        else:
            yield part


def _with_plainer_patterns(expression: Expression) -> Expression:
    return with_arguments(expression, _with_plainer_patterns, _plainer)
