"""The same query, plainer: conjunctions taken apart, joins flattened, filters as far inside as they may go, and EXISTS
of triples among the patterns. OPTIONAL, MINUS and BIND come after the patterns that follow them, so that the patterns
of a group have one plan, but for those that only another part of the group connects.

Done once for a query, since it needs no data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, takewhile
from typing import TypeAlias

from kgreason.algebra.connected_parts import connected
from kgreason.algebra.expressions.tree import Call, FallbackCall, Variable, is_equation, subexpressions, with_leaves
from kgreason.sparql import query_tuning
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
from kgreason.sparql.algebra_tree import (
    Link,
    around,
    chain_of,
    changed_link,
    conjuncts,
    filtered,
    inside,
    patterns_in,
    with_inner,
    with_patterns,
    without_filters,
)
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
    links, inner = chain_of(node)
    found = _plainer_inside(inner)
    for are_filters, run in groupby(reversed(links), lambda link: isinstance(link, Filter)):
        if are_filters:
            conditions = (part for link in run if isinstance(link, Filter) for part in conjuncts(link.condition))
            found = _filtered([*map(_with_plainer_patterns, conditions)], found)
        else:
            for link in run:
                found = changed_link(link, found, _plainer, _with_plainer_patterns)
    return found


def _plainer_inside(node: Node) -> Node:
    match node:
        case Join(parts):
            return _joined([_plainer(part) for part in parts])
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
        found = around(part, found)
    return found


def _taken_out(part: Follower, others: Names) -> tuple[Node, list[Follower]]:
    """What is inside of each OPTIONAL, MINUS and BIND of a part that may follow a join with others, and these, the
    outermost first."""
    links: list[Follower] = []
    inner: Node = part
    while isinstance(inner, Follower):
        links.append(inner)
        inner = inside(inner)
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


def _filtered(conditions: Sequence[Expression], node: Node) -> Node:
    """Filters, each around the innermost node that has all of its variables bound."""
    found = _placed([condition for condition in conditions if not is_fresh(condition)], node)
    return filtered(found, filter(is_fresh, conditions))


def _placed(conditions: Sequence[Expression], node: Node) -> Node:
    """The same for those that are the same in each solution. All go from link to link together."""
    links, inner = chain_of(node)
    bound = bound_variables(inner)
    going = [(condition, expression_variables(condition)) for condition in conditions]
    staying: list[list[Expression]] = []
    for link in links:
        within = [_within(link, *each, bound) for each in going]
        staying.append([condition for (condition, _), found in zip(going, within, strict=True) if found is None])
        going = [found for found in within if found is not None]
    found = _placed_inside(going, inner)
    for link, outside in zip(reversed(links), reversed(staying), strict=True):
        found = filtered(around(link, found), reversed(outside))
    return found


def _within(link: Link, condition: Expression, reads: Names, bound: Names) -> tuple[Expression, Names] | None:
    """A filter inside of a link, with the variables that it reads; None where it has to stay outside. `bound` are those
    that the node inside binds."""
    match link:
        case LeftJoin() if not reads <= bound:
            return None
        case Extend(_, variable, expression) if variable in reads:
            spelled = _spelled(condition, variable, expression)
            return None if spelled is None else (spelled, expression_variables(spelled))
    return condition, reads


def _spelled(condition: Expression, variable: str, expression: Expression) -> Expression | None:
    """A filter with the expression that a variable is bound to in its place; None where it may not be there, and where
    the filter would become long: through BIND after BIND it may double again and again."""
    if not (_reads_values(condition) and _may_be_repeated(expression)):
        return None
    spelled = with_leaves(condition, lambda leaf: expression if leaf == Variable(variable) else leaf)
    return spelled if sum(1 for _ in subexpressions(spelled)) <= query_tuning.SPELLED_PARTS else None


def _placed_inside(conditions: Sequence[tuple[Expression, Names]], node: Node) -> Node:
    """Filters put into a node that has none of these around it, or around it."""
    outside: list[Expression] = []
    for condition, reads in conditions:
        found = _with_filter(condition, reads, node)
        if found is None:
            outside.append(condition)
        else:
            node = found
    return filtered(node, reversed(outside))


def _with_filter(condition: Expression, reads: Names, node: Node) -> Node | None:
    """A node with a filter inside; None where the filter has to be around it."""
    match node:
        case Basic(atoms) if (more := _triples_of(condition)) is not None and reads <= variables_of(node):
            return Basic((*atoms, *more))
        case Join(parts):
            for number, part in enumerate(parts):
                if reads and reads <= bound_variables(part):
                    return Join((*parts[:number], _placed((condition,), part), *parts[number + 1 :]))
        case Union(parts):
            return Union(tuple(_placed((condition,), part) for part in parts))
        case Graph(name, inner) if not patterns_in(condition) and not (
            isinstance(name, Variable) and name.name in reads
        ):
            return Graph(name, _placed((condition,), inner))
    return None


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
    return with_patterns(expression, _plainer)
